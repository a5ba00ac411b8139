"""BatchNorm under accumulation: how often its running statistics are updated, and how right they are.

Run it: python snippets/batchnorm/main.py --case 8x8
"""

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils import parameters_to_vector

from build_tools import measure

torch.set_num_threads(1)  # matrices this small are not worth sharing: threads would only wait for each other

TOLERANCE = 1e-5  # of a gradient in fp32, whose sums are taken in another order


# --8<-- [start:momentum]
def momentum(p):
    """Corrected: K updates forget as much as one of the big batch."""
    if p.corrected:
        return 1 - (1 - p.momentum) ** (1 / p.accumulation_steps)
    return p.momentum
    # --8<-- [end:momentum]


def norm_layer(p):
    if p.norm == "layer":
        return nn.LayerNorm(p.features)
    return nn.BatchNorm1d(p.features, momentum=momentum(p))


def model(p):
    """Normalises its input, whose true statistics are known and do not change with the weights."""
    torch.manual_seed(0)
    return nn.Sequential(
        norm_layer(p),
        nn.Linear(p.features, p.hidden),
        nn.GELU(),
        nn.Linear(p.hidden, p.classes),
    )


def data(p, batch_size):
    """(features, labels) batches: normal features of one mean and deviation, labelled by a random linear map."""
    torch.manual_seed(0)
    classify = torch.randn(p.features, p.classes)
    normal = torch.randn(p.samples, p.features)
    labels = (normal @ classify).argmax(dim=1)
    features = p.mean + p.deviation * normal
    return list(zip(features.split(batch_size), labels.split(batch_size), strict=True))


# --8<-- [start:accumulate]
def accumulate(net, optimizer, micro_batches, size):
    """Yields the samples seen after each optimiser step."""
    seen = 0
    for number, (features, labels) in enumerate(micro_batches, start=1):
        loss = cross_entropy(net(features), labels)  # (1)!
        (loss / size).backward()
        seen += len(labels)
        if number % size == 0:
            optimizer.step()
            optimizer.zero_grad()
            yield seen
    # --8<-- [end:accumulate]


# --8<-- [start:errors]
def errors(norm, p):
    """Of the running mean and variance, in % of the data's spread."""
    mean = (norm.running_mean - p.mean) / p.deviation  # (1)!
    variance = norm.running_var / p.deviation**2 - 1
    return [100 * e.square().mean().sqrt().item() for e in (mean, variance)]
    # --8<-- [end:errors]


def build(p):
    """The optimiser step of the first window."""
    net, window = model(p), data(p, p.micro_batch)[: p.accumulation_steps]
    return measure.TrainingStep(
        net,
        torch.optim.SGD(net.parameters(), p.learning_rate),
        [{"features": features, "labels": labels} for features, labels in window],
        lambda net, batch: cross_entropy(net(batch["features"]), batch["labels"]),
    )


def gradient_error(p, net):
    """Of the first window at the weights of `net`, against the same samples as one batch; relative, in %."""
    found = []
    optimizer = torch.optim.SGD(net.parameters(), lr=0.0)
    optimizer.register_step_pre_hook(lambda *_: found.append(parameters_to_vector(w.grad for w in net.parameters())))
    for micro_batch, size in ((p.micro_batch * p.accumulation_steps, 1), (p.micro_batch, p.accumulation_steps)):
        next(accumulate(net, optimizer, data(p, micro_batch), size))
    one_batch, window = found
    return 100 * ((window - one_batch).norm() / one_batch.norm()).item()


def check(p):
    """Without a norm that looks at the batch, the loop has the gradient of one batch; momentum is corrected."""
    net = model(p)
    net[0] = nn.LayerNorm(p.features)
    error = gradient_error(p, net) / 100
    assert error < TOLERANCE, f"relative error of the gradient: {error:.1e}, allowed {TOLERANCE:.0e}"

    if p.corrected:
        batch, _ = data(p, p.micro_batch)[0]
        often, once = norm_layer(p), nn.BatchNorm1d(p.features, momentum=p.momentum)
        for _ in range(p.accumulation_steps):
            often(batch)
        once(batch)
        moved = (often.running_mean / once.running_mean).mean().item()
        assert abs(moved - 1) < TOLERANCE, f"the updates of a window moved the mean {moved:.4f} times as far as one"


def run(p, meter):
    """All windows; nothing is timed. LayerNorm has no running statistics, so its series are empty."""
    with torch.device(meter.device):
        net, micro_batches = model(p), data(p, p.micro_batch)
        difference = gradient_error(p, model(p))
    optimizer, norm, history = torch.optim.SGD(net.parameters(), p.learning_rate), net[0], []
    for seen in accumulate(net, optimizer, micro_batches, p.accumulation_steps):
        if p.norm == "batch":
            history.append((seen, *errors(norm, p)))
    meter.report(
        stat_updates=getattr(norm, "num_batches_tracked", 0),
        mean_error=[(seen, error) for seen, error, _ in history],
        variance_error=[(seen, error) for seen, _, error in history],
        gradient_error=difference,
    )


if __name__ == "__main__":
    measure.main(__file__)
