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
    """Noisy sine waves with a random phase below pi; the label is the frequency."""
    torch.manual_seed(seed)
    labels = torch.randint(p.frequencies, (count,))
    cycles = (labels + 1).view(-1, 1) * torch.linspace(0, 1, p.signal_length)
    waves = torch.sin(2 * pi * (cycles + torch.rand(count, 1) / 2)) + p.noise * torch.randn(cycles.shape)
    return waves.to(device), labels.to(device)


def windows(p, count, device):
    """`count` windows of (waves, labels) micro-batches."""
    waves, labels = data(p, count * p.accumulation_steps * p.micro_batch, device)
    micro_batches = list(zip(waves.split(p.micro_batch), labels.split(p.micro_batch), strict=True))
    size = p.accumulation_steps
    return [micro_batches[first : first + size] for first in range(0, len(micro_batches), size)]


# --8<-- [start:optimizer]
OPTIMIZERS = {
    "sgd": torch.optim.SGD,
    "adam": torch.optim.Adam,  # (1)!
    "adamw": torch.optim.AdamW,  # (2)!
}


def optimizer(p, net):
    """The one that the case puts to the test."""
    options = {"lr": p.learning_rate, "weight_decay": p.decay}
    options |= {"momentum": p.momentum} if p.optimizer == "sgd" else {"eps": p.eps}
    return OPTIMIZERS[p.optimizer](net.parameters(), **options)
    # --8<-- [end:optimizer]


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


@torch.no_grad()
def look(net, waves, labels):
    """All weights as one vector, and the loss on unseen waves."""
    return parameters_to_vector(net.parameters()), cross_entropy(net(waves), labels).item()


def train(p, device, divide):
    """Weights and losses, before the first update and after each."""
    net = model(p).to(device)
    chosen = optimizer(p, net)
    unseen = data(p, p.validation_samples, device, seed=1)
    seen = [look(net, *unseen)]
    for window in windows(p, p.updates, device):
        update(net, chosen, window, divide, p.max_norm)
        seen.append(look(net, *unseen))
    return zip(*seen, strict=True)


def build(p):
    """The first update, divided."""
    net = model(p)
    (window,) = windows(p, 1, torch.get_default_device())
    batches = [{"waves": waves, "labels": labels} for waves, labels in window]
    return measure.TrainingStep(
        net, optimizer(p, net), batches, lambda net, batch: cross_entropy(net(batch["waves"]), batch["labels"])
    )


def check(p):
    """Divided, a window has the gradient of its samples as one batch; undivided, K times that."""
    net, (window,), found = model(p), windows(p, 1, "cpu"), []
    waves, labels = (torch.cat(parts) for parts in zip(*window, strict=True))
    one_batch = parameters_to_vector(torch.autograd.grad(cross_entropy(net(waves), labels), net.parameters()))
    still = torch.optim.SGD(net.parameters(), lr=0.0)
    still.register_step_pre_hook(lambda *_: found.append(parameters_to_vector(w.grad for w in net.parameters())))
    for divide, factor in ((True, 1), (False, p.accumulation_steps)):
        update(net, still, window, divide, max_norm=0.0)
        error = (found[-1] - factor * one_batch).norm() / (factor * one_batch).norm()
        assert error < TOLERANCE, f"divide = {divide}: relative error {error:.1e}, allowed {TOLERANCE:.0e}"


def run(p, meter):
    """Both trainings; nothing is timed."""
    divided, loss_divided = train(p, meter.device, divide=True)
    undivided, loss_undivided = train(p, meter.device, divide=False)
    first, first_undivided = (weights[1] - weights[0] for weights in (divided, undivided))
    samples = [update * p.accumulation_steps * p.micro_batch for update in range(p.updates + 1)]
    meter.report(
        first_update_ratio=first_undivided.norm() / first.norm(),
        first_update_cosine=cosine_similarity(first, first_undivided, dim=0),
        difference=100 * (undivided[-1] - divided[-1]).norm() / (divided[-1] - divided[0]).norm(),
        loss_divided=zip(samples, loss_divided, strict=True),
        loss_undivided=zip(samples, loss_undivided, strict=True),
    )


if __name__ == "__main__":
    measure.main(__file__)
