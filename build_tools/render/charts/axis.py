"""Axes: which numbers stand at an axis, and where a number lies on it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

MOST_STEPS = 6  # the labels of seven marks still stand apart on a phone
STEPS = (1.0, 2.0, 5.0)  # P. Heckbert, "Nice numbers for graph labels", Graphics Gems (1990)
FROM_ZERO = 0.4  # of the highest value: from there on upward, an axis from zero would waste its lower part
SAME_RATIO = 0.01  # relative; steps of a geometric sequence
SMALLEST = 1e-9  # a span below it is none: no metric has more decimals


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`, with labels at `marks`, as whole and round as the numbers allow. `log`: equal ratios."""

    low: float
    high: float
    marks: tuple[float, ...]
    log: bool = False

    def share(self, value: float) -> float:
        """Where a number lies, from 0 at the beginning to 1 at the end."""
        low, high, value = (math.log(one) if self.log else one for one in (self.low, self.high, value))
        return (value - low) / (high - low) if high > low else 0.5

    @property
    def decimals(self) -> int:
        """What the labels need to differ."""
        step = min((after - before for before, after in pairwise(self.marks)), default=1.0)
        return max(0, -math.floor(math.log10(step) + 1e-9))

    @property
    def from_zero(self) -> bool:
        return self.low <= 0


def step_of(span: float, most: int = MOST_STEPS) -> float:
    """The smallest of 1, 2 or 5 times a power of ten that covers the span in so many steps."""
    power = 10.0 ** math.floor(math.log10(span / most))
    return next(step * power for step in (*STEPS, 10.0) if step * power * most >= span * (1 - 1e-9))


def up_to(highest: float) -> Axis:
    """From zero exactly to the highest value, for bars: the longest takes the whole width."""
    if highest < SMALLEST:
        return Axis(0.0, 1.0, (0.0,))
    step = step_of(highest)
    return Axis(0.0, highest, _multiples(step, 0.0, highest))


def around(values: Sequence[float]) -> Axis:
    """Whole steps around the values, for points; from zero unless they are all close to the highest one."""
    lowest, highest = min(values), max(values)
    if 0 <= lowest <= highest and lowest < FROM_ZERO * highest:
        lowest = 0.0
    span = max(highest - lowest, abs(highest) * SMALLEST, SMALLEST)
    step = step_of(span, MOST_STEPS - 1)
    low, high = math.floor(lowest / step + 1e-9) * step, math.ceil(highest / step - 1e-9) * step
    if low == high:
        low, high = low - step, high + step
    return Axis(low, high, _multiples(step, low, high))


def along(values: Iterable[float]) -> Axis:
    """The axis of x, from the lowest to the highest value; with equal ratios between them a logarithmic one."""
    places = sorted(set(values))
    if len(places) == 1:
        return Axis(places[0], places[0], tuple(places))
    if geometric(places):
        every = -(-len(places) // (MOST_STEPS + 1))
        return Axis(places[0], places[-1], tuple(places[::every]), log=True)
    low = 0.0 if 0 <= places[0] < FROM_ZERO * places[-1] else places[0]
    return Axis(low, places[-1], _multiples(step_of(places[-1] - low), low, places[-1]))


def geometric(places: Sequence[float]) -> bool:
    """Whether each number is the one before it times the same."""
    if len(places) < 3 or places[0] <= 0:
        return False
    ratios = [after / before for before, after in pairwise(places)]
    return max(ratios) - min(ratios) <= SAME_RATIO * ratios[0]


def _multiples(step: float, low: float, high: float) -> tuple[float, ...]:
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(step * number for number in range(first, last + 1))
