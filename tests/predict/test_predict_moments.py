"""Where in a step the peak is, and what its bytes are for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from predict.steps import Form, build
from torch import nn

from build_tools.measure import Batch, TrainingStep
from build_tools.measuring.predict import NOT_MODELLED, Moment, Peak
from build_tools.measuring.predicting.following import follow

BASE = Form(hidden=128, length=128)
STATIC = replace(BASE, layers=6, checkpointing=True, micro_batch=1, length=16)  # little beside weights and states
MIB = 1024**2
WIDE = 1 << 18


def peak_of(form: Form) -> Peak:
    with torch.device("meta"):
        step = build(form)
    return follow(step, "cuda")


FORMS = {
    "plain": BASE,
    "accumulation": replace(BASE, accumulation_steps=3),
    "checkpointing": replace(BASE, layers=6, checkpointing=True),
    "optimiser_step": STATIC,
    "fused": replace(STATIC, update="fused"),
    "half": replace(BASE, dtype=torch.bfloat16, attention="sdpa"),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_the_parts_make_the_whole(form: Form) -> None:
    """Nothing is counted twice or left out."""
    peak = peak_of(form)

    assert sum(peak.breakdown.model_dump().values()) == pytest.approx(peak.peak_mib)


def test_activations_peak_in_the_backward_pass() -> None:
    """Of a step with one micro-batch: when hardly a gradient is there."""
    peak = peak_of(BASE)

    assert (peak.moment.phase, peak.moment.micro_batch, peak.moment.micro_batches) == ("backward", 1, 1)
    assert peak.breakdown.gradients_mib < 0.2 * peak.breakdown.weights_mib
    assert peak.breakdown.activations_mib > 4 * peak.breakdown.temporary_mib


def test_gradients_stay_alive_between_micro_batches() -> None:
    """So the peak comes with the second micro-batch, or a later one that is like it."""
    peak = peak_of(replace(BASE, accumulation_steps=3))

    assert peak.moment.micro_batch == 2
    assert peak.breakdown.gradients_mib == pytest.approx(peak.breakdown.weights_mib, rel=0.05)


def test_a_checkpointed_block_is_computed_again() -> None:
    """What it keeps then are activations: those of one block, not of all."""
    peak, whole = (peak_of(replace(BASE, layers=6, checkpointing=on)) for on in (True, False))

    assert peak.moment.phase in ("backward", "recomputation")
    assert peak.breakdown.temporary_mib < peak.breakdown.activations_mib < 0.3 * whole.breakdown.activations_mib


@pytest.mark.parametrize(("update", "copies"), [("for-loop", 0.1), ("foreach", 1.0)])
def test_the_optimiser_needs_room_of_its_own(update: str, copies: float) -> None:
    """foreach takes a copy of all weights, the loop one of the largest."""
    peak = peak_of(replace(STATIC, update=update))

    assert peak.moment.phase == "optimizer"
    assert peak.moment.micro_batch is None
    assert peak.breakdown.temporary_mib == pytest.approx(copies * peak.breakdown.weights_mib, rel=0.25)


def test_a_fused_optimiser_needs_none() -> None:
    """All that is alive besides is what stays."""
    parts = peak_of(replace(STATIC, update="fused")).breakdown

    assert parts.temporary_mib + parts.activations_mib < 0.25 * parts.weights_mib


def test_an_optimiser_of_each_weight_within_the_backward_pass() -> None:
    """Gradients are let go at once: hardly any is there at the peak, and states are known as such."""
    form = replace(STATIC, checkpointing=False, update="fused")
    with torch.device("meta"):
        step = build(form)
    for weight in step.model.parameters():
        weight.register_post_accumulate_grad_hook(_stepping(torch.optim.AdamW([weight], fused=True)))
    idle = torch.optim.SGD([torch.nn.Parameter(torch.empty(1, device="meta"))])

    parts, usual = follow(replace(step, optimizer=idle), "cuda").breakdown, peak_of(form).breakdown

    assert usual.gradients_mib > 0.9 * usual.weights_mib
    assert 0 < parts.gradients_mib < 0.1 * parts.weights_mib
    assert parts.optimizer_mib == pytest.approx(2 * parts.weights_mib, rel=0.01)


def _stepping(optimizer: torch.optim.Optimizer) -> Callable[[torch.Tensor], None]:
    def step(weight: torch.Tensor) -> None:
        optimizer.step()
        optimizer.zero_grad()

    return step


@pytest.mark.parametrize(("optimizer", "momentum", "states"), [("AdamW", 0.0, 2), ("SGD", 0.9, 1), ("SGD", 0.0, 0)])
def test_states_are_those_of_the_optimiser(optimizer: str, momentum: float, states: int) -> None:
    """In copies of the weights."""
    parts = peak_of(replace(BASE, optimizer=optimizer, momentum=momentum)).breakdown

    assert parts.optimizer_mib == pytest.approx(states * parts.weights_mib, rel=0.01)


def test_a_peak_in_the_forward_pass() -> None:
    """What is looked at and thrown away: a graph that nobody walks back is gone with its results."""
    with torch.device("meta"):
        model, batch = nn.Linear(2, WIDE, bias=False), {"x": torch.empty(4, 2)}

    def loss(net: nn.Module, batch: Batch) -> torch.Tensor:
        looked_at = net(batch["x"]).relu().exp().detach().sum()
        return looked_at + net.weight.sum()

    peak = follow(TrainingStep(model, torch.optim.SGD(model.parameters()), [batch], loss), "cpu")

    assert (peak.moment.phase, peak.moment.op) == ("forward", "exp")
    assert peak.peak_mib == pytest.approx((2 * WIDE + 2 * 4 * WIDE) * 4 / MIB, rel=0.001)
    # What exp returns is saved only after the peak that it makes.
    assert peak.breakdown.activations_mib == pytest.approx(2 * 4 * WIDE * 4 / MIB, rel=0.001)


def test_a_moment_in_words() -> None:
    """In both languages."""
    words = Moment(phase="backward", micro_batch=2, micro_batches=4, op="mm").words
    assert words.en == "the backward pass of micro-batch 2 of 4, at mm"
    assert words.zh == "第 2/4 个微批次的反向，执行 mm 时"

    words = Moment(phase="optimizer", micro_batch=None, micro_batches=4, op="sqrt").words
    assert words.en == "the optimiser step, at sqrt"


def test_what_is_not_modelled_is_said_in_both_languages() -> None:
    """The context, workspaces and fragmentation among it."""
    said = " ".join(text.en for text in NOT_MODELLED)

    assert all(word in said for word in ("CUDA context", "cuBLAS", "fragmentation", "autocast"))
    assert all(text.zh and text.en and text.zh != text.en for text in NOT_MODELLED)
