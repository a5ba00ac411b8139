"""The snippet `last_window`: what its hand-written loops do with a short last window."""

from __future__ import annotations

from math import isfinite
from types import ModuleType
from typing import Any

import pytest
from projects import REPOSITORY

from build_tools.measuring.child import CaseParameters, load_program
from build_tools.store import load_snippet

SNIPPET = load_snippet(REPOSITORY / "snippets" / "last_window")
LEFT_OVER = 3 / 8  # three micro-batches of a window of eight

pytestmark = pytest.mark.filterwarnings("default")  # of the libraries that are put to the test


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


@pytest.mark.parametrize(
    ("case", "steps", "norm", "left"),
    [("dropped", 1, 0, LEFT_OVER), ("divided_by_k", 2, LEFT_OVER, 0), ("own_count", 2, 1, 0)],
)
def test_loops_by_hand(program: ModuleType, case: str, steps: int, norm: float, left: float) -> None:
    """Steps, size and error of the last gradient, and what the next epoch would find in `.grad`."""
    program.run(parameters(case), found := Collected())

    expected = {"optimizer_steps": steps, "norm_ratio": norm, "gradient_error": 100 * (1 - norm), "left_ratio": left}
    assert found == {name: pytest.approx(value, abs=1e-4) for name, value in expected.items()}


@pytest.mark.parametrize("case", ["trainer", "accelerate"])
def test_libraries_are_measured_and_not_judged(program: ModuleType, case: str) -> None:
    """Whatever they do with the last window, it is reported."""
    program.run(parameters(case), found := Collected())

    assert set(found) == set(SNIPPET.metrics)
    assert all(map(isfinite, found.values()))
    assert found["optimizer_steps"] >= 1


def test_the_check_notices_a_wrong_divisor(program: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dividing the short window by the length of a full one does not pass."""
    program.check(parameters("own_count"))
    monkeypatch.setattr(program, "own_count", program.divided_by_k)

    with pytest.raises(AssertionError, match="relative error"):
        program.check(parameters("own_count"))
