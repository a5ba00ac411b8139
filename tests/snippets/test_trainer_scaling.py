"""The snippet `trainer_scaling`: its loss function is right, and whatever Trainer does is reported, not judged."""

from __future__ import annotations

from math import isfinite
from types import ModuleType
from typing import Any

import pytest
from projects import REPOSITORY

from build_tools.measuring.child import CaseParameters, load_program
from build_tools.store import load_snippet

SNIPPET = load_snippet(REPOSITORY / "snippets" / "trainer_scaling")
WITH_LOSS_FUNC = [case for case in SNIPPET.cases if case.endswith("_loss_func")]

pytestmark = pytest.mark.filterwarnings("default")  # of the library that is put to the test


class Collected(dict[str, float]):
    """A meter that keeps what is reported."""

    def __init__(self) -> None:
        import torch

        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def report(self, **metrics: Any) -> None:
        self.update({name: float(value) for name, value in metrics.items()})


@pytest.fixture(scope="module")
def program() -> ModuleType:
    return load_program(SNIPPET.folder)


def parameters(case: str) -> CaseParameters:
    return CaseParameters(SNIPPET.parameters_of(case, "quick"))


@pytest.mark.parametrize("case", WITH_LOSS_FUNC)
def test_the_loss_function_gives_the_loss_of_one_batch(program: ModuleType, case: str) -> None:
    """For labels that are shifted or not, of whole sequences or of tokens, in equal numbers or not."""
    program.check(parameters(case))


@pytest.mark.parametrize("case", WITH_LOSS_FUNC)
def test_the_check_notices_a_sum_divided_by_something_else(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    """A count that is one too large is already too wrong."""
    right = program.over_the_window
    monkeypatch.setattr(program, "over_the_window", lambda out, y, count, causal: right(out, y, count + 1, causal))

    with pytest.raises(AssertionError, match="errors of loss and gradient"):
        program.check(parameters(case))


def test_uneven_micro_batches_have_unequal_numbers_of_labels(program: ModuleType) -> None:
    """Otherwise a mean over micro-batches would be right, too."""
    for case, distinct in (("causal_default", 1), ("causal_uneven_default", 4)):
        counts = {int((sample["labels"] != -100).sum()) for sample in program.data(parameters(case))}
        assert len(counts) == distinct


@pytest.mark.parametrize("case", ["classification_default", "masked_uneven_flag", "causal_uneven_loss_func"])
def test_trainer_is_measured_and_not_judged(program: ModuleType, case: str) -> None:
    """One optimiser step is compared with one batch, with every model and in every way."""
    program.run(parameters(case), found := Collected())

    assert set(found) == set(SNIPPET.metrics)
    assert all(map(isfinite, found.values()))
    assert found["gradient_ratio"] > 0
