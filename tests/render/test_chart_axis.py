"""Axes of charts: round marks, within what is shown."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_tools.render.charts.axis import MOST_STEPS, Axis, along, around, step_of, up_to

NUMBERS = st.floats(min_value=0, max_value=1e15, allow_nan=False)


@pytest.mark.parametrize(
    ("span", "step"),
    [(6.0, 1), (6.1, 2), (12.0, 2), (12.1, 5), (30.0, 5), (31.0, 10), (10528.0, 2000), (0.06, 0.01), (1e12, 2e11)],
)
def test_step(span: float, step: float) -> None:
    """1, 2 or 5 times a power of ten, and no more steps than a phone has room for."""
    assert step_of(span) == pytest.approx(step)


@pytest.mark.parametrize(
    ("axis", "marks", "low", "high", "decimals"),
    [
        (up_to(10528), (0, 2000, 4000, 6000, 8000, 10000), 0, 10528, 0),
        (up_to(0.5), (0.0, 0.1, 0.2, 0.3, 0.4, 0.5), 0, 0.5, 1),
        (up_to(0), (0.0,), 0, 1, 0),
        (around([26.0, 427.0]), (0, 100, 200, 300, 400, 500), 0, 500, 0),
        (around([101.0, 104.0]), (101, 102, 103, 104), 101, 104, 0),
        (around([1.52, 2.09]), (1.4, 1.6, 1.8, 2.0, 2.2), 1.4, 2.2, 1),
        (around([5.0]), (), None, None, None),
        (around([-3.0, 2.0]), (-3, -2, -1, 0, 1, 2), -3, 2, 0),
        (along([1, 2, 4, 8]), (1, 2, 4, 8), 1, 8, 0),
        (along([1, 4]), (0, 1, 2, 3, 4), 0, 4, 0),
        (along([512, 8192]), (0, 2000, 4000, 6000, 8000), 0, 8192, 0),
        (along([7.0]), (7.0,), 7, 7, 0),
    ],
    ids=str,
)
def test_axis(
    axis: Axis, marks: tuple[float, ...], low: float | None, high: float | None, decimals: int | None
) -> None:
    """Bars begin at zero and end at the longest; points have whole steps around them; x ends at its last value."""
    if low is None:  # one value: it lies within
        assert axis.low < 5 < axis.high
        return
    assert axis.marks == pytest.approx(marks)
    assert (axis.low, axis.high) == pytest.approx((low, high))
    assert axis.decimals == decimals


def test_a_geometric_sequence_has_equal_distances() -> None:
    """Sizes that double stand evenly, and the axis says that it is logarithmic."""
    axis = along([64, 1, 4, 16, 2, 32, 8])

    assert axis.log
    assert [axis.share(mark) for mark in axis.marks] == pytest.approx([at / 6 for at in range(7)])
    assert not along([1, 2, 3, 4]).log


def test_a_long_geometric_sequence_has_a_label_for_some() -> None:
    """No more labels than there is room for."""
    assert along([2.0**power for power in range(12)]).marks == (1, 4, 16, 64, 256, 1024)


@given(st.lists(NUMBERS, min_size=1, max_size=6))
def test_every_value_lies_on_its_axis(values: list[float]) -> None:
    """Whatever the numbers are: few marks, in order, and nothing outside."""
    for axis in (around(values), along(values), up_to(max(values))):
        assert len(axis.marks) <= MOST_STEPS + 2
        assert all(after > before for before, after in pairwise(axis.marks))
        assert all(-1e-6 <= axis.share(value) <= 1 + 1e-6 for value in values if axis.low <= value)
        assert axis.decimals >= 0
