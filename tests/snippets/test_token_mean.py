"""The snippet `token_mean`: which normalisation is exact, and that its check would notice another."""

from __future__ import annotations

from types import ModuleType

import pytest
from projects import REPOSITORY

from build_tools.measuring.child import CaseParameters, load_program
from build_tools.store import load_snippet

SNIPPET = load_snippet(REPOSITORY / "snippets" / "token_mean")
LEAST_ERROR = 0.05  # far above the rounding of fp32


@pytest.fixture(scope="module")
def program() -> ModuleType:
    return load_program(SNIPPET.folder)


def parameters(case: str) -> CaseParameters:
    return CaseParameters(SNIPPET.parameters_of(case, "quick"))


@pytest.mark.parametrize("counts", ["even", "uneven", "lopsided"])
def test_normalising_by_tokens_is_exact(program: ModuleType, counts: str) -> None:
    """Loss and gradient are those of one batch, however the valid tokens are spread."""
    assert max(program.errors(parameters(f"tokens_{counts}"), program.tokens)) < program.TOLERANCE


def test_the_mean_of_means_is_right_for_equal_counts_only(program: ModuleType) -> None:
    """And the further the counts are apart, the more wrong is its gradient."""
    even, uneven, lopsided = (
        program.errors(parameters(f"means_{counts}"), program.means)[1] for counts in ("even", "uneven", "lopsided")
    )
    assert even < program.TOLERANCE
    assert LEAST_ERROR < uneven < lopsided


def test_the_cases_have_the_same_number_of_valid_tokens(program: ModuleType) -> None:
    """Only how they are spread differs, and no count is cut off by the length of the sequence."""
    counts = {
        sum(int((targets != program.IGNORED).sum()) for _, targets in program.data(parameters(case)))
        for case in SNIPPET.cases
    }
    assert counts == {160 * SNIPPET.parameters["micro_batch"]}


def test_the_check_notices_a_mean_of_means(program: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where counts differ, the wrong normalisation cannot pass for the right one."""
    program.check(parameters("tokens_uneven"))
    monkeypatch.setattr(program, "tokens", program.means)

    with pytest.raises(AssertionError, match="relative error of the loss"):
        program.check(parameters("tokens_uneven"))
