"""Why is a large K slow to converge? With and without BatchNorm, and with the learning rate tuned again.

All cases of a seed start from the same weights and see the same samples in the same order.

Run it: python snippets/convergence/main.py --case bn_k64
"""

from math import pi
from statistics import mean

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils import parameters_to_vector

from build_tools import measure

TOLERANCE = 1e-5  # of a gradient in fp32, whose sums are taken in another order


# --8<-- [start:model]
def model(p, seed=0):
    """Two hidden layers, each followed by BatchNorm or by nothing."""
    torch.manual_seed(seed)
    norm = nn.BatchNorm1d if p.batchnorm else nn.Identity
    return nn.Sequential(
        nn.Linear(p.signal_length, p.hidden),
        norm(p.hidden),
        nn.ReLU(),
        nn.Linear(p.hidden, p.hidden),
        norm(p.hidden),
        nn.ReLU(),
        nn.Linear(p.hidden, p.frequencies),
    )
    # --8<-- [end:model]


def data(p, count, device, seed=0):
    """Noisy sine waves with random phase; the label is the frequency."""
    torch.manual_seed(seed)
    labels = torch.randint(p.frequencies, (count,))
    cycles = (labels + 1).view(-1, 1) * torch.linspace(0, 1, p.signal_length)
    waves = torch.sin(2 * pi * (cycles + torch.rand(count, 1))) + p.noise * torch.randn(cycles.shape)
    return waves.to(device), labels.to(device)


def micro_batches(p, count, device, seed=0):
    """(waves, labels) pairs."""
    return list(zip(*(part.split(p.micro_batch) for part in data(p, count, device, seed)), strict=True))


# --8<-- [start:train]
def train(net, optimizer, batches, accumulation_steps):
    """One optimiser step for every window of micro-batches."""
    net.train()
    for number, (waves, labels) in enumerate(batches, start=1):
        loss = cross_entropy(net(waves), labels) / accumulation_steps
        loss.backward()
        if number % accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
    # --8<-- [end:train]


# --8<-- [start:validate]
@torch.no_grad()
def validate(net, waves, labels):
    """Loss on unseen waves; BatchNorm now uses its running statistics."""
    net.eval()
    return cross_entropy(net(waves), labels).item()
    # --8<-- [end:validate]


def curve(p, seed, device):
    """Validation loss at equal distances, from the first weights to the last."""
    net = model(p, seed).to(device)
    optimizer = torch.optim.AdamW(net.parameters(), p.learning_rate * p.rate_factor)
    unseen = data(p, p.validation_samples, device, seed=p.seeds)
    batches = micro_batches(p, p.samples, device, seed)
    stretch = len(batches) // p.evaluations
    losses = [validate(net, *unseen)]
    for first in range(0, len(batches), stretch):
        train(net, optimizer, batches[first : first + stretch], p.accumulation_steps)
        losses.append(validate(net, *unseen))
    return losses


def build(p):
    """The optimiser step of the first window."""
    net = model(p)
    window = micro_batches(p, p.micro_batch * p.accumulation_steps, torch.get_default_device())
    return measure.TrainingStep(
        net,
        torch.optim.AdamW(net.parameters(), p.learning_rate * p.rate_factor),
        [{"waves": waves, "labels": labels} for waves, labels in window],
        lambda net, batch: cross_entropy(net(batch["waves"]), batch["labels"]),
    )


def check(p):
    """A window, also the second, has the gradient of its samples as one batch; with BatchNorm, whose statistics are
    those of each micro-batch, the mean of the micro-batches' gradients. No evaluation falls into a window."""
    size = p.micro_batch * p.accumulation_steps
    assert p.samples % (p.evaluations * size) == 0, f"an evaluation would fall into a window of {size} samples"

    net, window, found = model(p), micro_batches(p, size, "cpu"), []
    parts = window if p.batchnorm else [data(p, size, "cpu")]
    loss = sum(cross_entropy(net(waves), labels) for waves, labels in parts) / len(parts)
    expected = parameters_to_vector(torch.autograd.grad(loss, net.parameters()))

    still = torch.optim.SGD(net.parameters(), lr=0.0)
    still.register_step_pre_hook(lambda *_: found.append(parameters_to_vector(w.grad for w in net.parameters())))
    train(net, still, 2 * window, p.accumulation_steps)
    first, second = found
    for gradient in (first, second):
        error = (gradient - expected).norm() / expected.norm()
        assert error < TOLERANCE, f"relative error of the gradient {error:.1e}, allowed {TOLERANCE:.0e}"


def run(p, meter):
    """A training for each seed; nothing is timed."""
    curves = [curve(p, seed, meter.device) for seed in range(p.seeds)]
    seen = [p.samples * part // p.evaluations for part in range(p.evaluations + 1)]
    losses = list(zip(*curves, strict=True))  # at each evaluation, those of all seeds
    meter.report(
        optimizer_steps=p.samples // (p.micro_batch * p.accumulation_steps),
        loss=zip(seen, map(mean, losses), strict=True),
        loss_mean=mean(losses[-1]),
        loss_low=min(losses[-1]),
        loss_high=max(losses[-1]),
    )


if __name__ == "__main__":
    measure.main(__file__)
