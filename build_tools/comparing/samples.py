"""Is one set of samples really different from another? One rule for every metric, and where it says nothing, why.

1. An exact metric: equal once rounded to its decimals, or changed.
2. Medians no further apart than TOLERANCE: unchanged.
3. A single sample on a side: no test is possible. What torch's allocator or the driver reads is steady from run to run,
   and more or less beyond the tolerance; of a clock or of the resident set one reading says nothing: not comparable.
4. Otherwise Welch's t-test (`scipy.stats.ttest_ind`, unequal variances) on the logarithms of the raw samples of both
   runs: beyond noise where p < ALPHA; else not comparable, as the samples spread too widely to tell.

Why logarithms: times and speeds are then two names of one thing and get one answer, and the interval is one of ratios.
Why not a rank test: with three samples a side, as `full` takes, its smallest p is 0.1, so it could never say anything.
Why both conditions: samples of one run agree with each other better than two runs of one program on two days do, so a
small p alone is no news; and a large difference of two noisy samples is none either. Kalibera and Jones (Rigorous
Benchmarking in Reasonable Time, 2013) ask for the size of an effect with its interval: both are in every row.
"""

from __future__ import annotations

import math
import statistics
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from build_tools.errors import LedgerError
from build_tools.figures.verdict import DEFAULT_TOLERANCE

TOLERANCE = DEFAULT_TOLERANCE  # relative, of medians
ALPHA = 0.01  # a pull request compares dozens of numbers; one in twenty would be called changed by chance
CONFIDENCE = 0.95
LARGEST_LOG = 690.0  # exp of it is still a number


@dataclass(frozen=True)
class Effect:
    """`direction` is 1 where the new samples are beyond noise above the old, -1 below, 0 unchanged, None undecided.

    `change` is new / old - 1 of the medians; `interval` the same of the geometric means.
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


def effect(old: Sequence[float], new: Sequence[float], *, steady: bool) -> Effect:
    """Compare two sets of raw samples in one unit, each of at least one. `steady`: one reading will do."""
    change = _change(statistics.median(old), statistics.median(new))
    if change is None:
        same = statistics.median(new) == 0
        return Effect(0, "both are 0") if same else Effect(None, "was 0, so that no share can be told")
    direction = 1 if change > 0 else -1
    p, interval = _tested(old, new)
    if abs(change) <= TOLERANCE:
        return Effect(0, f"within {100 * TOLERANCE:g} %", change, p, interval)
    if min(len(old), len(new)) < 2:
        return Effect(direction if steady else None, "a single reading", change)
    if p is None:
        return Effect(direction, "no spread on either side", change)
    if p < ALPHA:
        return Effect(direction, f"p < {ALPHA:g}", change, p, interval)
    return Effect(None, f"the samples spread too widely to tell, p = {p:.2g}", change, p, interval)


def _tested(old: Sequence[float], new: Sequence[float]) -> tuple[float | None, tuple[float, float] | None]:
    """p and interval, or two times None where there is nothing to test: too few samples, no spread, no logarithm."""
    if min(len(old), len(new)) < 2 or len({*old}) == len({*new}) == 1 or min(*old, *new) <= 0:
        return None, None
    return welch(old, new)


def welch(old: Sequence[float], new: Sequence[float]) -> tuple[float, tuple[float, float]]:
    """p of Welch's test on logarithms, and the interval of the ratio of geometric means, less 1."""
    try:
        from scipy.stats import ttest_ind
    except ModuleNotFoundError:
        raise LedgerError(
            "scipy is not installed, and the test is its", next_command="make .venv/review.done"
        ) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # nearly no spread: p is then as good as 0, which is right
        found = ttest_ind([math.log(x) for x in new], [math.log(x) for x in old], equal_var=False)
        bounds = found.confidence_interval(CONFIDENCE)
    # Two samples a side may allow any ratio; what is beyond floating point is told as its limit.
    low, high = (math.expm1(min(float(bound), LARGEST_LOG)) for bound in (bounds.low, bounds.high))
    return float(found.pvalue), (low, high)


def _change(old: float, new: float) -> float | None:
    return new / old - 1 if old else None
