"""When samples differ beyond noise: one rule, at its borders."""

from __future__ import annotations

import math

import pytest

from build_tools.comparing.samples import ALPHA, TOLERANCE, effect, exact_effect, welch

# name: (old, new, steady, direction)
NOISY: dict[str, tuple[tuple[float, ...], tuple[float, ...], bool, int | None]] = {
    "the same samples": ((1.0, 1.1, 0.9), (1.0, 1.1, 0.9), False, 0),
    "within the tolerance though the test is sure": ((1.0, 1.0001, 0.9999), (1.04, 1.0401, 1.0399), False, 0),
    "slower and sure, three a side": ((1.0, 1.01, 0.99), (1.2, 1.21, 1.19), False, 1),
    "faster and sure, three a side": ((1.2, 1.21, 1.19), (1.0, 1.01, 0.99), False, -1),
    "two a side with hardly any spread": ((1.0, 1.0001), (1.2, 1.2001), False, 1),
    "far apart and too noisy to tell": ((1.0, 2.0, 1.5), (1.3, 2.6, 2.2), False, None),
    "one reading of a clock, beyond the tolerance": ((1.0, 1.0), (2.0,), False, None),
    "one reading of a clock, within it": ((1.0, 1.0), (1.01,), False, 0),
    "one reading of an allocator, within the tolerance": ((100.0,), (104.0,), True, 0),
    "one reading of an allocator, beyond it": ((100.0,), (106.0,), True, 1),
    "no spread on either side, beyond": ((100.0, 100.0), (90.0, 90.0), False, -1),
    "no spread on either side, within": ((100.0, 100.0), (99.0, 99.0), False, 0),
    "nothing before and after": ((0.0, 0.0), (0.0, 0.0), False, 0),
    "nothing before": ((0.0, 0.0), (5.0, 5.0), False, None),
}


@pytest.mark.parametrize("name", NOISY)
def test_drift_of_noisy_metrics(name: str) -> None:
    """Both conditions count: the size of the change and the test."""
    old, new, steady, direction = NOISY[name]

    assert effect(old, new, steady=steady).direction == direction


@pytest.mark.parametrize(
    ("old", "new", "direction"), [(31.44, 31.44, 0), (31.44, 31.4400001, 0), (31.44, 31.54, 1), (31.54, 31.44, -1)]
)
def test_drift_of_exact_metrics(old: float, new: float, direction: int) -> None:
    """Equal once rounded, or changed; no tolerance."""
    assert exact_effect(old, new, 2).direction == direction


def test_drift_tells_its_size() -> None:
    """The change of medians, p, and the interval of the difference, which holds the change of the means."""
    found = effect((1.0, 1.1, 0.9, 1.0, 1.0), (1.5, 1.6, 1.4, 1.5, 1.5), steady=False)

    assert found.change == pytest.approx(0.5)
    assert found.p is not None
    assert found.p < ALPHA
    assert found.interval is not None
    assert found.interval[0] < 0.5 < found.interval[1]


def test_drift_is_welchs_test() -> None:
    """On logarithms (1, 2, 3) and (3, 5, 7): t = 3 / sqrt(1/3 + 4/3), (5/3)² / (1/18 + 16/18) degrees of freedom."""
    from scipy.stats import t

    p, (low, high) = welch([math.exp(x) for x in (1, 2, 3)], [math.exp(x) for x in (3, 5, 7)])

    assert p == pytest.approx(2 * t.sf(3 / (5 / 3) ** 0.5, (25 / 9) / (17 / 18)))
    assert (math.log1p(low) + math.log1p(high)) / 2 == pytest.approx(3)


def test_drift_of_times_is_that_of_speeds() -> None:
    """Two names of one thing: the same p, and opposite directions."""
    old, new = (1.0, 1.5, 1.2), (3.0, 2.4, 2.8)
    time = effect(old, new, steady=False)
    speed = effect([8 / x for x in old], [8 / x for x in new], steady=False)

    assert time.p == pytest.approx(speed.p)
    assert (time.direction, speed.direction) == (1, -1)


def test_no_drift_is_seen_in_runs_of_one_program() -> None:
    """Of a thousand pairs of runs from one distribution with a spread of 2 %, next to none is called changed."""
    import random

    seeded = random.Random(9)
    runs = [tuple(seeded.gauss(1.0, 0.02) for _ in range(5)) for _ in range(2000)]
    called = sum(effect(old, new, steady=False).direction != 0 for old, new in zip(runs[::2], runs[1::2], strict=True))

    assert called <= 1000 * ALPHA
    assert TOLERANCE > 0.02
