"""The snippet `gradient_buffer`: peaks that differ by a copy of the gradients, and a check that knows when they go."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from projects import REPOSITORY

from build_tools.measuring.child import CaseParameters, load_program
from build_tools.store import load_snippet

SNIPPET = load_snippet(REPOSITORY / "snippets" / "gradient_buffer")
MIB = 1024**2


@pytest.fixture(scope="module")
def program() -> ModuleType:
    return load_program(SNIPPET.folder)


def parameters(case: str, **changes: Any) -> CaseParameters:
    return CaseParameters(SNIPPET.parameters_of(case, "quick") | changes)


def peak_mib(program: ModuleType, case: str, device: str = "cpu") -> float:
    """Of live tensors, over two optimiser steps of a model with two layers."""
    import torch

    from build_tools.measuring.live_tensors import LiveTensors

    with torch.device(device):
        step = program.build(parameters(case, layers=2))
        tensors = LiveTensors(device)
        tensors.watch(step.model.parameters())
        with tensors:
            step()
            step()
    return tensors.peak / MIB


def gradients_mib(program: ModuleType) -> float:
    return sum(weight.nbytes for weight in program.model(parameters("plain", layers=2)).parameters()) / MIB


def test_accumulating_costs_one_copy_of_the_gradients(program: ModuleType) -> None:
    """As much as zeroing instead of freeing, and zeroing adds nothing to accumulation."""
    plain, zeroed = peak_mib(program, "plain"), peak_mib(program, "plain_zeroed")

    assert zeroed - plain == pytest.approx(gradients_mib(program), rel=0.05)
    assert peak_mib(program, "accumulate") == pytest.approx(zeroed, rel=0.002)
    assert peak_mib(program, "accumulate_zeroed") == pytest.approx(zeroed, rel=0.002)


def test_updating_in_backward_pays_where_gradients_make_the_peak(program: ModuleType) -> None:
    """With short sequences it saves most of a copy of the gradients, with long ones next to nothing."""
    saved, saved_short = (
        peak_mib(program, f"plain{length}") - peak_mib(program, f"in_backward{length}") for length in ("", "_short")
    )
    assert 0 <= saved < 0.05 * gradients_mib(program)
    assert 0.5 * gradients_mib(program) < saved_short < gradients_mib(program)


@pytest.mark.parametrize("case", SNIPPET.cases)
def test_the_check_passes(program: ModuleType, case: str) -> None:
    """With every optimiser and either way of clearing."""
    program.check(parameters(case))


def test_the_check_notices_updates_within_a_window(program: ModuleType) -> None:
    """An optimiser in backward cannot accumulate: it steps after every micro-batch."""
    with pytest.raises(AssertionError, match="relative error of the gradient"):
        program.check(parameters("in_backward", accumulation_steps=4))


def test_the_check_notices_gradients_that_stay(program: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """An update in backward that frees nothing would measure something else."""
    monkeypatch.setattr(program.InBackward, "update", lambda optimizer, weight: optimizer.optimizers[weight].step())
    with pytest.raises(AssertionError, match="gradients are still there"):
        program.check(parameters("in_backward"))
