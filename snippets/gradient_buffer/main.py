"""How long gradients live: micro-batches of one, with and without accumulation.

Run it: python snippets/gradient_buffer/main.py --case in_backward
"""

from functools import partial

import torch
from torch.nn.utils import parameters_to_vector
from torch.optim.optimizer import register_optimizer_step_pre_hook
from transformers import BertConfig, BertForSequenceClassification

from build_tools import measure

SMALL = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 1, "intermediate_size": 64}
TOLERANCE = 1e-5  # of a gradient in fp32, whose sums are taken in another order


def model(p, **changes):
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
    return BertForSequenceClassification(config)


def data(p):
    """A window of random micro-batches."""
    torch.manual_seed(0)
    tokens = torch.randint(p.vocabulary, (p.accumulation_steps, p.micro_batch, p.sequence_length))
    labels = torch.randint(2, (p.accumulation_steps, p.micro_batch))
    return [{"input_ids": t, "labels": y} for t, y in zip(tokens, labels, strict=True)]


# --8<-- [start:after_backward]
def after_backward(net, p):
    """AdamW; gradients live until `zero_grad` of the window."""
    optimizer = adamw(net.parameters())
    optimizer.zero_grad = partial(  # (1)!
        optimizer.zero_grad, set_to_none=p.set_to_none
    )
    return optimizer
    # --8<-- [end:after_backward]


# --8<-- [start:in_backward]
class InBackward:
    """An AdamW for each weight: steps and frees its gradient at once."""

    def __init__(self, net):
        self.optimizers = {w: adamw([w]) for w in net.parameters()}
        for weight in self.optimizers:
            weight.register_post_accumulate_grad_hook(self.update)

    def update(self, weight):
        self.optimizers[weight].step()
        self.optimizers[weight].zero_grad()

    def step(self):
        """Nothing is left to do after backward."""

    def zero_grad(self):
        """Nothing is left to free."""

    # --8<-- [end:in_backward]


def adamw(weights):
    """In one kernel, without temporary copies of the weights."""
    return torch.optim.AdamW(weights, fused=True)


def build(p, **changes):
    """The optimiser step that `run` repeats."""
    net = model(p, **changes)
    optimizer = InBackward(net) if p.in_backward else after_backward(net, p)
    return measure.TrainingStep(net, optimizer, data(p))


def check(p):
    """Each weight is updated by the gradient of the same samples as one batch, and that gradient is then let go."""
    changes = {**SMALL, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}  # masks would differ
    one_batch = model(p, **changes)
    one_batch(
        **{name: torch.cat([batch[name] for batch in data(p)]) for name in ("input_ids", "labels")}
    ).loss.backward()
    expected = parameters_to_vector(w.grad for w in one_batch.parameters())

    step, found = build(p, **changes), {}
    weights = list(step.model.parameters())
    hook = register_optimizer_step_pre_hook(
        lambda optimizer, *_: found.update({w: w.grad.clone() for w in optimizer.param_groups[0]["params"]})
    )
    step()
    hook.remove()
    error = (parameters_to_vector(found[w] for w in weights) - expected).norm() / expected.norm()
    assert error < TOLERANCE, f"relative error of the gradient: {error:.1e}, allowed {TOLERANCE:.0e}"
    assert all(w.grad is None if p.set_to_none else not w.grad.any() for w in weights), "gradients are still there"


def run(p, meter):
    """The same window again and again: memory does not depend on what is learnt."""
    with torch.device(meter.device):
        step = build(p)
    windows = p.samples // (p.micro_batch * p.accumulation_steps)
    updates = len(list(step.model.parameters())) if p.in_backward else 1  # each weight has an optimiser
    with meter.window(step.model, samples=p.samples, optimizer_steps=windows * updates):
        for _ in range(windows):
            step()


if __name__ == "__main__":
    measure.main(__file__)
