"""The snippet `checkpointing`: what each of the two techniques saves, and that gradients stay what they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest
from projects import REPOSITORY

from build_tools.measuring.child import CaseParameters, load_program
from build_tools.store import load_snippet

SNIPPET = load_snippet(REPOSITORY / "snippets" / "checkpointing")


@pytest.fixture(scope="module")
def program() -> ModuleType:
    return load_program(SNIPPET.folder)


def parameters(case: str, **changes: Any) -> CaseParameters:
    return CaseParameters(SNIPPET.parameters_of(case, "quick") | changes)


class Counted(dict[str, float]):
    """A meter that counts live tensors and keeps what is reported."""

    def __init__(self) -> None:
        import torch

        self.device = torch.device("cpu")

    @contextmanager
    def window(self, model: Any, **declared: int) -> Iterator[None]:
        from build_tools.measuring.live_tensors import LiveTensors

        tensors = LiveTensors("cpu")
        tensors.watch(model.parameters())
        with tensors:
            yield
        self["peak"] = tensors.peak
        self.update(declared)

    def report(self, **metrics: float) -> None:
        self.update(metrics)


@pytest.fixture(scope="module")
def found(program: ModuleType) -> dict[str, Counted]:
    """One run of two optimiser steps for each case."""
    meters = {case: Counted() for case in SNIPPET.cases}
    for case, meter in meters.items():
        program.run(parameters(case, samples=8), meter)
    return meters


def test_both_save_and_together_they_save_most(found: dict[str, Counted]) -> None:
    """Each by more than half of the peak."""
    peaks = {case: meter["peak"] for case, meter in found.items()}

    assert max(peaks["accumulate"], peaks["checkpoint"]) < peaks["plain"] / 2
    assert peaks["accumulate_checkpoint"] < min(peaks["accumulate"], peaks["checkpoint"])


def test_a_checkpointed_layer_runs_twice(found: dict[str, Counted]) -> None:
    """Forward once, and once again in backward."""
    runs = {case: meter["layer_runs"] for case, meter in found.items()}

    assert runs == {"plain": 1, "accumulate": 1, "checkpoint": 2, "accumulate_checkpoint": 2}


def test_all_cases_take_the_same_steps(found: dict[str, Counted]) -> None:
    """Eight samples are two steps, with micro-batches of four or of one."""
    assert {(meter["samples"], meter["optimizer_steps"]) for meter in found.values()} == {(8, 2)}


@pytest.mark.parametrize("case", SNIPPET.cases)
def test_the_check_passes(program: ModuleType, case: str) -> None:
    """Neither technique changes the gradient."""
    program.check(parameters(case))


def test_the_check_notices_a_layer_that_loses_gradient(program: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same loss, but half of the gradient stays behind in each checkpointed layer."""

    def halved(forward: Any, hidden: Any, *args: Any, use_reentrant: bool, **kwargs: Any) -> Any:
        return forward((hidden + hidden.detach()) / 2, *args, **kwargs)

    monkeypatch.setattr(program, "checkpoint", halved)
    with pytest.raises(AssertionError, match="relative error of the gradient"):
        program.check(parameters("checkpoint"))


def test_the_check_notices_a_loss_that_is_not_divided(program: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that forgets to divide by the accumulation steps."""
    divided = program.train

    def undivided(net: Any, optimizer: Any, samples: Any, p: CaseParameters) -> None:
        def scaled(**batch: Any) -> Any:
            output = net(**batch)
            output.loss = output.loss * p.accumulation_steps
            return output

        divided(scaled, optimizer, samples, p)

    monkeypatch.setattr(program, "train", undivided)
    with pytest.raises(AssertionError, match="relative error of the gradient"):
        program.check(parameters("accumulate"))
