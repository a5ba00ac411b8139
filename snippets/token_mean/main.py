"""Unequal numbers of valid tokens: the mean of the micro-batches' means is not the mean over all tokens.

Run it: python snippets/token_mean/main.py --case means_uneven
"""

from copy import deepcopy

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils import parameters_to_vector

from build_tools import measure

IGNORED = -100  # the label of positions without a loss, such as prompts and padding
TOLERANCE = 1e-5  # of a gradient in fp32, whose sums are taken in another order


def model(p):
    """Predicts each token from the one before it."""
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Embedding(p.vocabulary, p.hidden),
        nn.Linear(p.hidden, p.hidden),
        nn.GELU(),
        nn.Linear(p.hidden, p.vocabulary),
    )


def data(p):
    """A window of (tokens, targets) micro-batches: sequences that count upwards, of which only the start is valid."""
    torch.manual_seed(0)
    window = []
    for valid in p.valid_tokens.split():
        first = torch.randint(p.vocabulary, (p.micro_batch, 1))
        tokens = (first + torch.arange(p.sequence_length + 1)) % p.vocabulary
        targets = tokens[:, 1:].clone()
        targets[:, int(valid) :] = IGNORED
        window.append((tokens[:, :-1], targets))
    return window


# --8<-- [start:token_loss]
def token_loss(net, tokens, targets, reduction):
    """Cross-entropy of the valid tokens; `ignore_index` is -100."""
    logits = net(tokens).flatten(0, 1)
    return cross_entropy(logits, targets.flatten(), reduction=reduction)
    # --8<-- [end:token_loss]


# --8<-- [start:means]
def means(net, window):
    """Each micro-batch weighs the same, however few its tokens."""
    total_loss = 0.0
    for tokens, targets in window:
        loss = token_loss(net, tokens, targets, reduction="mean") / len(window)
        loss.backward()
        total_loss += loss.item()
    return total_loss
    # --8<-- [end:means]


# --8<-- [start:tokens]
def tokens(net, window):
    """Each valid token of the window weighs the same."""
    count = sum((targets != IGNORED).sum() for _, targets in window)  # (1)!
    total_loss = 0.0
    for tokens, targets in window:
        loss = token_loss(net, tokens, targets, reduction="sum") / count
        loss.backward()
        total_loss += loss.item()
    return total_loss
    # --8<-- [end:tokens]


WAYS = {"means": means, "tokens": tokens}


def build(p):
    """The same memory with either normalisation."""
    net = model(p)
    return measure.TrainingStep(
        net,
        torch.optim.SGD(net.parameters()),
        [{"tokens": tokens, "targets": targets} for tokens, targets in data(p)],
        lambda net, batch: token_loss(net, **batch, reduction="mean"),
    )


def errors(p, way):
    """Loss and gradient of `way` against those of the whole window as one batch: the relative errors."""
    net, window = model(p), data(p)
    one_batch = deepcopy(net)
    expected_loss = token_loss(one_batch, *map(torch.cat, zip(*window, strict=True)), reduction="mean")
    expected_loss.backward()
    loss = way(net, window)
    expected, found = (parameters_to_vector(w.grad for w in n.parameters()) for n in (one_batch, net))
    loss_error = abs(loss - expected_loss.item()) / expected_loss.item()
    gradient_error = (found - expected).norm() / expected.norm()
    return loss_error, gradient_error.item()


def check(p):
    """Normalising by tokens gives what the whole window gives as one batch."""
    loss_error, gradient_error = errors(p, tokens)
    assert max(loss_error, gradient_error) < TOLERANCE, (
        f"{p.valid_tokens} valid tokens: relative error of the loss {loss_error:.1e}, "
        f"of the gradient {gradient_error:.1e} (allowed {TOLERANCE:.0e})"
    )


def run(p, meter):
    """One window; nothing is timed."""
    with torch.device(meter.device):
        loss_error, gradient_error = errors(p, WAYS[p.way])
    meter.report(loss_error=100 * loss_error, gradient_error=100 * gradient_error)


if __name__ == "__main__":
    measure.main(__file__)
