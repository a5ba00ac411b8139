"""Micro-batch and accumulation steps: the effective batch cut ever finer, then windows ever longer.

Weights and sequences are random; dropout is off, so that cutting a batch changes nothing but rounding.

    python snippets/sweep/main.py --case 8x8
    python snippets/sweep/main.py --profile full --case k16
"""

from statistics import mean

import numpy
import torch
from torch.nn.utils import parameters_to_vector
from transformers import BertConfig, BertForSequenceClassification

from build_tools import measure

SMALL = {"num_hidden_layers": 1, "hidden_size": 64, "num_attention_heads": 1, "intermediate_size": 64}
TOLERANCE = 1e-4  # far above the rounding of fp32, far below a micro-batch left out


# --8<-- [start:model]
def model(p, **changes):
    """BERT with a classification head, which has LayerNorm and no BatchNorm."""
    torch.manual_seed(0)
    config = BertConfig(
        num_hidden_layers=p.layers,
        hidden_size=p.hidden,
        num_attention_heads=p.hidden // 64,
        intermediate_size=4 * p.hidden,
        vocab_size=p.vocabulary,
        max_position_embeddings=p.sequence_length,
        num_labels=p.classes,
        hidden_dropout_prob=0.0,  # (1)!
        attention_probs_dropout_prob=0.0,
        attn_implementation=p.attention,
    )
    config.update(changes)
    return BertForSequenceClassification(config)
    # --8<-- [end:model]


def data(p, count, seed=0):
    """Random tokens, in some places the number of the label instead; and the labels. They stay on the host."""
    random = numpy.random.default_rng(seed)
    labels = random.integers(p.classes, size=count)
    tokens = random.integers(p.vocabulary, size=(count, p.sequence_length))
    marked = random.random(tokens.shape) < p.marked
    return numpy.where(marked, labels[:, None], tokens), labels


def batches(tokens, labels, size, device):
    """One batch at a time on the device, as a data loader would bring them."""
    for first in range(0, len(labels), size):
        part = slice(first, first + size)
        batch = {"input_ids": tokens[part], "labels": labels[part]}
        yield {name: torch.as_tensor(values).to(device, non_blocking=True) for name, values in batch.items()}


# --8<-- [start:train]
def train(net, optimizer, micro_batches, accumulation_steps):
    """One optimiser step for every `accumulation_steps` micro-batches."""
    for number, batch in enumerate(micro_batches, start=1):
        loss = net(**batch).loss / accumulation_steps  # (1)!
        loss.backward()
        if number % accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
    # --8<-- [end:train]


@torch.no_grad()
def validate(p, net):
    """Mean loss over sequences that were not trained on."""
    unseen = batches(*data(p, p.validation_samples, seed=1), 16, net.device)
    return mean(net(**batch).loss.item() for batch in unseen)


def build(p):
    """The optimiser step of the first window."""
    net = model(p).train()
    optimizer = torch.optim.AdamW(net.parameters(), p.learning_rate)
    window = data(p, p.micro_batch * p.accumulation_steps)
    micro_batches = batches(*window, p.micro_batch, torch.get_default_device())
    return measure.TrainingStep(net, optimizer, list(micro_batches))


def check(p):
    """A window, also the second, has the gradient of the same samples as one batch; and no window is short.

    In fp32 on the CPU with a small copy.
    """
    size = p.micro_batch * p.accumulation_steps
    assert p.samples % size == 0, f"{p.samples} samples are not whole windows of {size}"

    net, found, window = model(p, **SMALL), [], data(p, size)
    (one_batch,) = batches(*window, size, "cpu")
    expected = parameters_to_vector(torch.autograd.grad(net(**one_batch).loss, net.parameters()))

    still = torch.optim.SGD(net.parameters(), lr=0.0)
    still.register_step_pre_hook(lambda *_: found.append(parameters_to_vector(w.grad for w in net.parameters())))
    train(net, still, 2 * list(batches(*window, p.micro_batch, "cpu")), p.accumulation_steps)
    first, second = found
    for gradient in (first, second):
        error = (gradient - expected).norm() / expected.norm()
        assert error < TOLERANCE, f"relative error of the gradient {error:.1e}, allowed {TOLERANCE:.0e}"


def run(p, meter):
    """All samples once; only the training is measured."""
    net = model(p).to(meter.device).train()
    optimizer = torch.optim.AdamW(net.parameters(), p.learning_rate)
    micro_batches = batches(*data(p, p.samples), p.micro_batch, meter.device)
    optimizer_steps = p.samples // (p.micro_batch * p.accumulation_steps)
    with meter.window(net, samples=p.samples, optimizer_steps=optimizer_steps):
        train(net, optimizer, micro_batches, p.accumulation_steps)
    meter.report(loss=validate(p, net.eval()))


if __name__ == "__main__":
    measure.main(__file__)
