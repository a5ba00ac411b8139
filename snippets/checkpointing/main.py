"""Gradient accumulation and gradient checkpointing, each alone and both together.

Run it: python snippets/checkpointing/main.py --case accumulate_checkpoint
"""

from functools import partial

import torch
from torch.nn.utils import parameters_to_vector
from torch.utils.checkpoint import checkpoint
from transformers import BertConfig, BertForSequenceClassification

from build_tools import measure

SMALL = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 1, "intermediate_size": 64}
TOLERANCE = 1e-5  # of a gradient in fp32, whose sums are taken in another order


def model(p, checkpointing, **changes):
    """BERT with a classification head and random weights, as in the snippet `trainer`."""
    torch.manual_seed(0)
    config = BertConfig(
        num_hidden_layers=p.layers,
        hidden_size=p.hidden,
        num_attention_heads=p.hidden // 64,
        intermediate_size=4 * p.hidden,
        vocab_size=p.vocabulary,
        attn_implementation=p.attention,
    )
    config.update(changes)
    bert = BertForSequenceClassification(config)
    if checkpointing:
        checkpoint_layers(bert.bert.encoder.layer)
    return bert


# --8<-- [start:checkpoint]
def checkpoint_layers(layers):
    """Of each layer keep the input only; backward runs it again."""
    for layer in layers:
        layer.forward = partial(checkpoint, layer.forward, use_reentrant=False)
    # --8<-- [end:checkpoint]


def data(p, count):
    """`count` random sequences, each with a random label out of two."""
    torch.manual_seed(0)
    return {
        "input_ids": torch.randint(p.vocabulary, (count, p.sequence_length)),
        "labels": torch.randint(2, (count,)),
    }


# --8<-- [start:train]
def train(net, optimizer, samples, p):
    """One epoch of equal micro-batches, which fill every window."""
    tokens = samples["input_ids"].split(p.micro_batch)
    labels = samples["labels"].split(p.micro_batch)
    for number, (x, y) in enumerate(zip(tokens, labels, strict=True), start=1):
        loss = net(input_ids=x, labels=y).loss / p.accumulation_steps
        loss.backward()  # (1)!
        if number % p.accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
    # --8<-- [end:train]


def adamw(net):
    """In one kernel, without temporary copies of the weights."""
    return torch.optim.AdamW(net.parameters(), fused=True)


def build(p):
    """The optimiser step of the first window."""
    net, window = model(p, p.checkpointing), data(p, p.micro_batch * p.accumulation_steps)
    rows = zip(*(values.split(p.micro_batch) for values in window.values()), strict=True)
    return measure.TrainingStep(net, adamw(net), [dict(zip(window, row, strict=True)) for row in rows])


def check(p):
    """One window has the gradient of the same samples as one batch whose activations are all kept."""
    changes = {**SMALL, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}  # masks would differ
    samples = data(p, p.micro_batch * p.accumulation_steps)
    kept = model(p, False, **changes)
    kept(**samples).loss.backward()
    expected = parameters_to_vector(weight.grad for weight in kept.parameters())

    net, found = model(p, p.checkpointing, **changes), []
    optimizer = torch.optim.SGD(net.parameters())
    optimizer.register_step_pre_hook(lambda *_: found.append(parameters_to_vector(w.grad for w in net.parameters())))
    train(net, optimizer, samples, p)
    (window,) = found
    error = (window - expected).norm() / expected.norm()
    assert error < TOLERANCE, f"relative error of the gradient: {error:.1e}, allowed {TOLERANCE:.0e}"


def run(p, meter):
    """One epoch; only the loop is measured."""
    with torch.device(meter.device):
        net, samples = model(p, p.checkpointing), data(p, p.samples)
        optimizer = adamw(net)
    forwards = []
    net.bert.encoder.layer[0].attention.register_forward_pre_hook(lambda *_: forwards.append(1))
    optimizer_steps = p.samples // (p.micro_batch * p.accumulation_steps)
    with meter.window(net, samples=p.samples, optimizer_steps=optimizer_steps):
        train(net, optimizer, samples, p)
    meter.report(layer_runs=len(forwards) * p.micro_batch / p.samples)


if __name__ == "__main__":
    measure.main(__file__)
