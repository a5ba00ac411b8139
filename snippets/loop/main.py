"""Gradient accumulation by hand, right to the last window: every sample of a window weighs the same.

Run it: python snippets/loop/main.py --case accumulate
"""

from functools import partial
from itertools import islice
from math import ceil, inf, pi

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_, parameters_to_vector

from build_tools import measure

TOLERANCE = 1e-5  # of a gradient in fp32, whose sums are taken in another order


def model(p):
    """Convolutions use each weight at every position, so that activations outweigh parameters."""
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv1d(1, p.channels, kernel_size=9, padding=4),
        nn.GELU(),
        nn.Conv1d(p.channels, p.channels, kernel_size=9, padding=4),
        nn.GELU(),
        nn.AdaptiveAvgPool1d(1),
        nn.Flatten(),
        nn.Linear(p.channels, p.frequencies),
    )


def data(p, batch_size, device):
    """(waves, labels) batches of sine waves with random phase and noise; the label is the frequency."""
    torch.manual_seed(0)
    labels = torch.randint(p.frequencies, (p.samples,))
    cycles = (labels + 1).view(-1, 1, 1) * torch.linspace(0, p.signal_length / 64, p.signal_length)
    waves = torch.sin(2 * pi * (cycles + torch.rand(p.samples, 1, 1)))
    waves += torch.randn_like(waves)
    return list(zip(waves.to(device).split(batch_size), labels.to(device).split(batch_size), strict=True))


# --8<-- [start:plain]
def plain(net, optimizer, batches, max_norm=1.0):
    """One optimiser step per batch; returns (samples, loss) pairs."""
    history, seen = [], 0
    for waves, labels in batches:
        loss = cross_entropy(net(waves), labels)
        loss.backward()
        clip_grad_norm_(net.parameters(), max_norm)
        optimizer.step()
        optimizer.zero_grad()
        seen += len(labels)
        history.append((seen, loss.item()))
    return history
    # --8<-- [end:plain]


# --8<-- [start:windows]
def windows(micro_batches, size):
    """Lists of `size` micro-batches; the last may be shorter."""
    remaining = iter(micro_batches)
    while window := list(islice(remaining, size)):
        yield window
    # --8<-- [end:windows]


# --8<-- [start:accumulate]
def accumulate(net, optimizer, micro_batches, size, max_norm=1.0):
    """One optimiser step per window of `size` micro-batches."""
    history, seen = [], 0
    for window in windows(micro_batches, size):
        count = sum(len(labels) for _, labels in window)  # (1)!
        total_loss = 0.0
        for waves, labels in window:
            logits = net(waves)
            loss = cross_entropy(logits, labels, reduction="sum")
            (loss / count).backward()  # (2)!
            total_loss += loss.detach()
        clip_grad_norm_(net.parameters(), max_norm)  # (3)!
        optimizer.step()
        optimizer.zero_grad()
        seen += count
        history.append((seen, total_loss.item() / count))
    return history
    # --8<-- [end:accumulate]


def build(p):
    """The optimiser step of the first window."""
    window = next(windows(data(p, p.micro_batch, torch.get_default_device()), p.accumulation_steps))
    micro_batches = [{"waves": waves, "labels": labels} for waves, labels in window]
    net = model(p)
    optimizer = torch.optim.AdamW(net.parameters(), p.learning_rate)
    return measure.TrainingStep(
        net, optimizer, micro_batches, lambda net, batch: cross_entropy(net(batch["waves"]), batch["labels"])
    )


def check(p):
    """Every window, also the last, has the gradient of the same samples as one batch."""

    def gradients(loop, batch_size):
        """One per step, all at the first weights and unclipped: clipping would hide a wrong scale."""
        net, found = model(p), []
        optimizer = torch.optim.SGD(net.parameters(), lr=0.0)
        optimizer.register_step_pre_hook(lambda *_: found.append([w.grad for w in net.parameters()]))
        loop(net, optimizer, data(p, batch_size, "cpu"), max_norm=inf)
        return [parameters_to_vector(gradient) for gradient in found]

    expected = gradients(plain, p.micro_batch * p.accumulation_steps)
    accumulated = gradients(partial(accumulate, size=p.accumulation_steps), p.micro_batch)
    for number, (one_batch, window) in enumerate(zip(expected, accumulated, strict=True), start=1):
        error = (window - one_batch).norm() / one_batch.norm()
        assert error < TOLERANCE, (
            f"window {number} of {len(expected)}: {window.norm() / one_batch.norm():.4f} times the gradient "
            f"of the same samples as one batch (relative error {error:.1e}, allowed {TOLERANCE:.0e})"
        )


def run(p, meter):
    """One epoch; only the loop is measured."""
    net = model(p).to(meter.device)
    optimizer = torch.optim.AdamW(net.parameters(), p.learning_rate)
    micro_batches = data(p, p.micro_batch, meter.device)
    optimizer_steps = ceil(len(micro_batches) / p.accumulation_steps)
    loop = plain if p.accumulation_steps == 1 else partial(accumulate, size=p.accumulation_steps)
    with meter.window(net, samples=p.samples, optimizer_steps=optimizer_steps):
        history = loop(net, optimizer, micro_batches)
    meter.report(loss=history)


if __name__ == "__main__":
    measure.main(__file__)
