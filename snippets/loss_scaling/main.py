"""Forgetting to divide by K: the gradient is K times as large. What becomes of the update is up to the optimiser.

Each case trains twice, from the same weights over the same windows: divided and undivided.

Run it: python snippets/loss_scaling/main.py --case adamw
"""

from math import pi

import torch
from torch import nn
from torch.nn.functional import cosine_similarity, cross_entropy
from torch.nn.utils import clip_grad_norm_, parameters_to_vector

from build_tools import measure

TOLERANCE = 1e-5  # of a gradient in fp32, whose sums are taken in another order


def model(p):
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Linear(p.signal_length, p.hidden),
        nn.Tanh(),  # bounded, so that a loss that blows up stays finite
        nn.Linear(p.hidden, p.frequencies),
    )


def data(p, count, device, seed=0):
    """Noisy sine waves with random phase; the label is the frequency."""
    torch.manual_seed(seed)
    labels = torch.randint(p.frequencies, (count,))
    cycles = (labels + 1).view(-1, 1) * torch.linspace(0, 1, p.signal_length)
    waves = torch.sin(2 * pi * (cycles + torch.rand(count, 1)))
    waves += p.noise * torch.randn_like(waves)
    return waves.to(device), labels.to(device)


def windows(p, count, device):
    """`count` windows of (waves, labels) micro-batches."""
    waves, labels = data(p, count * p.accumulation_steps * p.micro_batch, device)
    micro_batches = list(zip(waves.split(p.micro_batch), labels.split(p.micro_batch), strict=True))
    return [micro_batches[first : first + p.accumulation_steps] for first in range(0, len(micro_batches), p.accumulation_steps)]


# --8<-- [start:optimizers]
def optimizer(p, net):
    """The one that the case puts to the test."""
    weights = net.parameters()
    match p.optimizer:
        case "sgd":
            return torch.optim.SGD(weights, p.learning_rate, p.momentum)
        case "adamw":  # (1)!
            return torch.optim.AdamW(weights, p.learning_rate, eps=p.eps, weight_decay=p.decay)
        case "adam":  # (2)!
            return torch.optim.Adam(weights, p.learning_rate, eps=p.eps, weight_decay=p.decay)
    # --8<-- [end:optimizers]


# --8<-- [start:update]
def update(net, optimizer, window, divide, max_norm):
    """One optimiser step over a window of micro-batches."""
    for waves, labels in window:
        loss = cross_entropy(net(waves), labels)
        if divide:
            loss = loss / len(window)  # (1)!
        loss.backward()
    if max_norm:
        clip_grad_norm_(net.parameters(), max_norm)
    optimizer.step()
    optimizer.zero_grad()
    # --8<-- [end:update]


def train(p, device, divide):
    """The weights before each update and after the last, and the validation loss at each of these moments."""
    net = model(p).to(device)
    chosen = optimizer(p, net)
    unseen, labels = data(p, p.validation_samples, device, seed=1)
    weights, losses = [], []

    def look():
        with torch.no_grad():
            weights.append(parameters_to_vector(net.parameters()))
            losses.append(cross_entropy(net(unseen), labels).item())

    look()
    for window in windows(p, p.updates, device):
        update(net, chosen, window, divide, p.max_norm)
        look()
    return weights, losses


def build(p):
    """The first update, divided."""
    net = model(p)
    (window,) = windows(p, 1, torch.get_default_device())
    return measure.TrainingStep(
        net,
        optimizer(p, net),
        [{"waves": waves, "labels": labels} for waves, labels in window],
        lambda net, batch: cross_entropy(net(batch["waves"]), batch["labels"]),
    )


def check(p):
    """Divided, a window has the gradient of its samples as one batch; undivided, K times that."""
    net, (window,), found = model(p), windows(p, 1, "cpu"), []
    waves, labels = (torch.cat(parts) for parts in zip(*window, strict=True))
    loss = cross_entropy(net(waves), labels)
    one_batch = parameters_to_vector(torch.autograd.grad(loss, list(net.parameters())))

    still = torch.optim.SGD(net.parameters(), lr=0.0)
    still.register_step_pre_hook(lambda *_: found.append(parameters_to_vector(w.grad for w in net.parameters())))
    for divide, factor in ((True, 1), (False, p.accumulation_steps)):
        update(net, still, window, divide, max_norm=0.0)
        error = (found[-1] - factor * one_batch).norm() / (factor * one_batch).norm()
        assert error < TOLERANCE, f"divide = {divide}: relative error {error:.1e}, allowed {TOLERANCE:.0e}"


def run(p, meter):
    """Both trainings; nothing is timed."""
    (divided, loss_divided), (undivided, loss_undivided) = (train(p, meter.device, divide) for divide in (True, False))
    start = divided[0]
    first, other_first = divided[1] - start, undivided[1] - start
    samples = range(0, (p.updates + 1) * p.accumulation_steps * p.micro_batch, p.accumulation_steps * p.micro_batch)
    meter.report(
        first_update_ratio=other_first.norm() / first.norm(),
        first_update_cosine=cosine_similarity(first, other_first, dim=0),
        difference=100 * (undivided[-1] - divided[-1]).norm() / (divided[-1] - start).norm(),
        loss_divided=zip(samples, loss_divided, strict=True),
        loss_undivided=zip(samples, loss_undivided, strict=True),
    )


if __name__ == "__main__":
    measure.main(__file__)
