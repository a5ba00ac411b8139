"""The largest micro-batch that fits: a law guesses it, predictions confirm it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from build_tools.errors import LedgerError
from build_tools.measuring.predicting.prediction import Fit, Prediction
from build_tools.snippet import Snippet

PARAMETER = "micro_batch"
# The peak is affine in the micro-batch once activations outweigh what the optimiser step needs: two points far enough
# up give the law. A size costs no more than another, for nothing is computed.
POINTS = (16, 32)
LARGEST = 2**16  # beyond it the peak no longer grows
MIB_PER_GIB = 1024


def fit(snippet: Snippet, memory_gib: float, predict: Callable[[int], Prediction]) -> Fit:
    """`predict` predicts the case at a micro-batch. Raises LedgerError where there is nothing to vary."""
    if PARAMETER not in snippet.parameters:
        raise LedgerError(
            f"{snippet.name} has no parameter {PARAMETER} to fit",
            example="[parameters] micro_batch = 4 in snippet.toml",
        )
    once = cache(predict)
    size = largest_that_fits(lambda size: once(size).peak_mib, memory_gib * MIB_PER_GIB)
    return Fit(memory_gib=memory_gib, micro_batch=size, prediction=once(max(size, 1)), beyond=once(size + 1))


def largest_that_fits(peak_of: Callable[[int], float], limit: float) -> int:
    """The largest size whose peak is at most `limit`; 0 where none is. `peak_of` must not fall.

    Raises LedgerError where it ends to grow below `limit`.
    """
    fits = _guess(peak_of, limit)
    fails = fits + 1
    while fits and peak_of(fits) > limit:
        fits, fails = fits // 2, fits
    while peak_of(fails) <= limit:
        fits, fails = fails, 2 * fails
        if fails > LARGEST:
            raise LedgerError(
                f"even {PARAMETER} = {fits} fits: the step's memory does not follow it",
                example="a build(p) whose micro-batches have p.micro_batch samples",
            )
    while fails - fits > 1:
        middle = (fits + fails) // 2
        fits, fails = (middle, fails) if peak_of(middle) <= limit else (fits, middle)
    return fits


def _guess(peak_of: Callable[[int], float], limit: float) -> int:
    """By the line through two points."""
    low, high = POINTS
    slope = (peak_of(high) - peak_of(low)) / (high - low)
    if slope <= 0:
        return low
    return min(max(int(low + (limit - peak_of(low)) // slope), 0), LARGEST)
