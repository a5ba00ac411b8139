"""Is one set of samples really different from another? One rule for every metric, and where it says nothing, why.

1. An exact metric: equal once rounded to its decimals, or changed.
2. One sample on a side: no test is possible. Memory is read once a run, and is unchanged within TOLERANCE, more or
   less beyond it. Of a clock one reading says nothing: not comparable.
3. Otherwise Welch's t-test (`scipy.stats.ttest_ind`, unequal variances) on the raw samples of both runs. A change is
   beyond noise where the medians differ by more than TOLERANCE *and* p < ALPHA. Medians further apart than that with
   a larger p are not comparable: the samples spread too widely to tell.

Why not a rank test: with three samples a side, as `full` takes, its smallest p is 0.1, so it could never say anything.
Why both conditions: samples of one run agree with each other better than two runs of one program on two days do, so a
small p alone is no news; and a large difference of two noisy samples is none either. Kalibera and Jones (Rigorous
Benchmarking in Reasonable Time, 2013) ask for the size of an effect with its interval: both are in every row.
"""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from build_tools.errors import LedgerError
from build_tools.figures.verdict import DEFAULT_TOLERANCE

TOLERANCE = DEFAULT_TOLERANCE  # relative, of medians
ALPHA = 0.01  # a pull request compares dozens of numbers; one in twenty would be called changed by chance
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Effect:
    """`direction` is 1 where the new samples are beyond noise above the old, -1 below, 0 unchanged, None undecided.

    `change` is new / old - 1 of the medians; `interval` that of the difference of means as shares of the old mean.
    """

    direction: int | None
    why: str
    change: float | None = None
    p: float | None = None
    interval: tuple[float, float] | None = None


def exact_effect(old: float, new: float, decimals: int) -> Effect:
    """Exact metrics agree once rounded, or have changed."""
    if round(old, decimals) == round(new, decimals):
        return Effect(0, "equal once rounded")
    return Effect(1 if new > old else -1, "exact, and no longer equal", change=_change(old, new))


def effect(old: Sequence[float], new: Sequence[float], *, clock: bool) -> Effect:
    """Compare two sets of raw samples in one unit, each of at least one. `clock`: the metric is one of time."""
    change = _change(statistics.median(old), statistics.median(new))
    if change is None:
        same = statistics.median(new) == 0
        return Effect(0, "both are 0") if same else Effect(None, "was 0, so that no share can be told")
    if min(len(old), len(new)) < 2:
        if clock:
            return Effect(None, "a single reading of a clock", change)
        return _within_tolerance(change, "a single sample: no test, only the tolerance")
    if len({*old}) == len({*new}) == 1:
        return _within_tolerance(change, "no spread on either side: no test, only the tolerance")
    p, interval = welch(old, new)
    if abs(change) <= TOLERANCE:
        return Effect(0, f"within {100 * TOLERANCE:g} %", change, p, interval)
    if p < ALPHA:
        return Effect(1 if change > 0 else -1, f"p < {ALPHA:g}", change, p, interval)
    return Effect(None, f"the samples spread too widely to tell (p = {p:.2g})", change, p, interval)


def welch(old: Sequence[float], new: Sequence[float]) -> tuple[float, tuple[float, float]]:
    """p of Welch's test, and the interval of the difference of means as shares of the old mean."""
    try:
        from scipy.stats import ttest_ind
    except ModuleNotFoundError:
        raise LedgerError("scipy is not installed, and the test is its", next_command="make .venv/test.done") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # nearly no spread: p is then as good as 0, which is right
        found = ttest_ind(new, old, equal_var=False)
        bounds = found.confidence_interval(CONFIDENCE)
    mean = statistics.fmean(old)
    low, high = sorted((float(bounds.low) / mean, float(bounds.high) / mean))
    return float(found.pvalue), (low, high)


def _within_tolerance(change: float, why: str) -> Effect:
    if abs(change) <= TOLERANCE:
        return Effect(0, why, change)
    return Effect(1 if change > 0 else -1, why, change)


def _change(old: float, new: float) -> float | None:
    return new / old - 1 if old else None
