"""The largest micro-batch that fits."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_tools.errors import LedgerError
from build_tools.measuring.predict import Prediction, Predictor
from build_tools.measuring.predicting.fitting import fit, largest_that_fits

sizes = st.floats(0, 1000)


def counting(law: Callable[[int], float]) -> tuple[Callable[[int], float], set[int]]:
    asked: set[int] = set()
    return lambda size: asked.add(size) or law(size), asked  # type: ignore[func-returns-value]


@given(flat=sizes, base=sizes, slope=st.floats(0.5, 100), limit=st.floats(0, 3000))
def test_it_fits_and_one_more_does_not(flat: float, base: float, slope: float, limit: float) -> None:
    """Whatever the optimiser step needs at least, and whatever a sample costs."""

    def law(size: int) -> float:
        return max(flat, base + slope * size)

    found = largest_that_fits(law, limit)

    assert found == 0 or law(found) <= limit
    assert law(found + 1) > limit


def test_a_law_needs_four_predictions() -> None:
    """Two give the line, two confirm its guess."""
    law, asked = counting(lambda size: 100 + 7.5 * size)

    assert largest_that_fits(law, 1000) == 120
    assert asked == {16, 32, 120, 121}


def test_a_bend_is_found() -> None:
    """Where the line misleads, predictions decide."""
    law, _ = counting(lambda size: max(100 + size, 5 * size))

    assert largest_that_fits(law, 1000) == 200


def test_a_peak_that_does_not_follow_the_micro_batch_is_told() -> None:
    """As where data set limits the batch."""
    with pytest.raises(LedgerError, match=r"the step's memory does not follow it; for example: "):
        largest_that_fits(lambda size: 10, 1000)


def test_the_lecture_on_a_card(trainer: Predictor) -> None:
    """Of BERT-large, with fewer layers; the answer stands between two predictions."""

    def predict(size: int) -> Prediction:
        return trainer.predict("plain", "full", {"layers": 2, "micro_batch": size})

    found = fit(trainer.snippet, 4.0, predict)

    assert found.micro_batch > 4
    assert found.prediction.parameters["micro_batch"] == found.micro_batch
    assert found.prediction.peak_mib <= 4 * 1024 < found.beyond.peak_mib


def test_a_card_that_is_too_small(trainer: Predictor) -> None:
    """Not one sample fits; the prediction for one says by how much."""
    found = fit(trainer.snippet, 0.5, lambda size: trainer.predict("plain", "full", {"layers": 2, "micro_batch": size}))

    assert found.micro_batch == 0
    assert found.prediction.parameters["micro_batch"] == 1
    assert found.prediction.peak_mib > 512


def test_a_snippet_without_micro_batches(trainer: Predictor) -> None:
    """There is nothing to vary."""
    snippet = trainer.snippet.model_copy(update={"parameters": {"samples": 4}})

    with pytest.raises(LedgerError, match="trainer has no parameter micro_batch to fit; for example: "):
        fit(snippet, 24.0, lambda size: pytest.fail("asked"))
