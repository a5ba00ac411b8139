"""A batch of K micro-batches instead of one: which learning rate repeats what the small batch learnt?

A toy: a small network learns from the noisy labels of another one, and every sample is new.
What holds here need not hold for another task.

    python snippets/learning_rate/main.py --case sgd_linear
"""

from statistics import fmean

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils import parameters_to_vector

from build_tools import measure

torch.set_num_threads(1)  # matrices this small are not worth sharing: threads would only wait for each other

OPTIMIZERS = {"sgd": torch.optim.SGD, "adamw": torch.optim.AdamW}
TOLERANCE = 1e-3  # of a step in fp32, a difference of weights that are much larger


# --8<-- [start:rules]
RULES = {
    "unchanged": lambda rate, k: rate,
    "sqrt": lambda rate, k: rate * k**0.5,
    "linear": lambda rate, k: rate * k,
}
# --8<-- [end:rules]


def model(p, seed):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(p.features, p.hidden), nn.GELU(), nn.Linear(p.hidden, p.classes))


def data(p, count, seed):
    """Random features; labels are drawn with the probabilities that a fixed network gives them."""
    teacher = model(p, seed=0)
    torch.manual_seed(seed)
    features = torch.randn(count, p.features)
    with torch.no_grad():
        labels = torch.multinomial((p.sharpness * teacher(features)).softmax(1), 1).squeeze(1)
    return features, labels


def micro_batches(p, seed):
    return list(zip(*(values.split(p.micro_batch) for values in data(p, p.samples, seed)), strict=True))


# --8<-- [start:scaled_optimizer]
def scaled_optimizer(p, net):
    """The optimiser, at the rate of the small batch scaled by the rule."""
    rate = RULES[p.rule](p.learning_rate, k=p.accumulation_steps)
    return OPTIMIZERS[p.optimizer](net.parameters(), rate)
    # --8<-- [end:scaled_optimizer]


# --8<-- [start:accumulate]
def accumulate(net, optimizer, micro_batches, size):
    """Yields the samples seen after each optimiser step."""
    seen = 0
    for number, (features, labels) in enumerate(micro_batches, start=1):
        loss = cross_entropy(net(features), labels)
        (loss / size).backward()
        seen += len(labels)
        if number % size == 0:
            optimizer.step()
            optimizer.zero_grad()
            yield seen
    # --8<-- [end:accumulate]


def build(p):
    """The optimiser step of the first window."""
    net, window = model(p, seed=1), micro_batches(p, seed=1)[: p.accumulation_steps]
    return measure.TrainingStep(
        net,
        scaled_optimizer(p, net),
        [{"features": features, "labels": labels} for features, labels in window],
        lambda net, batch: cross_entropy(net(batch["features"]), batch["labels"]),
    )


def check(p):
    """SGD's step over a window is the right share of the steps its micro-batches would take from the same weights."""
    k = p.accumulation_steps
    net, window = model(p, seed=1), micro_batches(p, seed=1)[:k]
    sum(cross_entropy(net(features), labels) for features, labels in window).backward()
    steps = p.learning_rate * parameters_to_vector(w.grad for w in net.parameters())
    net.zero_grad()
    optimizer = torch.optim.SGD(net.parameters(), scaled_optimizer(p, net).defaults["lr"])
    before = parameters_to_vector(net.parameters())
    next(accumulate(net, optimizer, window, k))
    step = before - parameters_to_vector(net.parameters())
    share = {"unchanged": 1 / k, "sqrt": 1 / k**0.5, "linear": 1}[p.rule]
    error = (step - share * steps).norm() / (share * steps).norm()
    assert error < TOLERANCE, f"relative error of the step: {error:.1e}, allowed {TOLERANCE:.0e}"


def learn(p, seed):
    """One run: its optimiser steps, and (samples seen, validation loss) pairs."""
    net, steps, history = model(p, seed), 0, []
    features, labels = data(p, p.validation_samples, seed=0)
    for seen in accumulate(net, scaled_optimizer(p, net), micro_batches(p, seed), p.accumulation_steps):
        steps += 1
        if seen % p.validate_every == 0:
            with torch.no_grad():
                history.append((seen, cross_entropy(net(features), labels).item()))
    return steps, history


def run(p, meter):
    """Once with each seed, from which weights and samples come; nothing is timed."""
    with torch.device(meter.device):
        steps, histories = zip(*(learn(p, seed) for seed in range(1, p.seeds + 1)), strict=True)
    final = [history[-1][1] for history in histories]
    meter.report(
        optimizer_steps=steps[0],
        rate=RULES[p.rule](p.learning_rate, p.accumulation_steps),
        loss=[(same[0][0], fmean(loss for _, loss in same)) for same in zip(*histories, strict=True)],
        loss_mean=fmean(final),
        loss_low=min(final),
        loss_high=max(final),
    )


if __name__ == "__main__":
    measure.main(__file__)
