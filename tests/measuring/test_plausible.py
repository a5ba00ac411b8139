"""Each rule of the gate at its border."""

from __future__ import annotations

import pytest
from records import MACHINE

from build_tools.measuring.cautions import of_process, of_repeats, worst
from build_tools.measuring.plausible import implausible
from build_tools.measuring.report import Report, Settings
from build_tools.model import Caution, Counted, Metric, Series, Text

COUNTED = Counted(samples=64, optimizer_steps=16)
GOOD = Report(
    settings=Settings(threads=1, allocator="default"),
    meters={"seconds": 2.0, "samples_per_second": 32.0},
    other_clock_s=2.0,
    declared=COUNTED,
    counted=COUNTED,
    reported={"loss": 0.69},
)
LIMIT_MIB = MACHINE.memory_gib * 1024

POSSIBLE = {
    "as it should be": {},
    "clocks within a twentieth": {"other_clock_s": 2.099},
    "clocks that differ by less than a millisecond": {"meters": {"seconds": 0.0001}, "other_clock_s": 0.0009},
    "no second clock": {"other_clock_s": None},
    "no rise of resident memory": {"meters": {"rss_mib": 0.0}},
    "all of the memory": {"meters": {"peak_mib": LIMIT_MIB}},
}
IMPOSSIBLE = {
    "a sample missing": ({"counted": COUNTED.model_copy(update={"samples": 63})}, "declared 64 samples .* counted 63"),
    "a step too many": ({"counted": COUNTED.model_copy(update={"optimizer_steps": 17})}, "counted 64 and 17"),
    "clocks further apart": ({"other_clock_s": 2.11}, "two clocks disagree"),
    "more memory than there is": ({"meters": {"peak_mib": LIMIT_MIB + 1}}, "peak_mib = 8193.0 MiB on a device with 8 GiB"),
    "negative memory": ({"meters": {"rss_mib": -0.1}}, "rss_mib = -0.1"),
    "a GPU that held nothing": ({"meters": {"peak_mib": 0.0}}, "peak_mib = 0.0"),
    "a loss that is no number": ({"reported": {"loss": float("nan")}}, "loss = nan"),
    "an infinite loss": ({"reported": {"loss": float("inf")}}, "loss = inf"),
    "a hole in a series": ({"series": {"loss": Series(x=(1.0,), y=(float("nan"),))}}, "loss = nan"),
    "a model elsewhere": ({"used_device": False}, "the model was not on the cpu device"),
}  # fmt: skip


@pytest.mark.parametrize("situation", POSSIBLE)
def test_the_gate_lets_pass(situation: str) -> None:
    """What can be true is stored."""
    assert implausible(GOOD.model_copy(update=POSSIBLE[situation]), MACHINE) is None


@pytest.mark.parametrize("situation", IMPOSSIBLE)
def test_the_gate_refuses(situation: str) -> None:
    """What cannot be true is refused, with the figures seen."""
    changes, pattern = IMPOSSIBLE[situation]

    with pytest.raises(AssertionError, match=pattern):
        raise AssertionError(implausible(GOOD.model_copy(update=changes), MACHINE))


def test_repeats_that_differ_are_told() -> None:
    """An exact metric must agree once rounded; a noisy one may spread, within bounds."""
    label = Text(zh="甲", en="a")
    metrics = {
        "exact": Metric(unit="1", decimals=2, exact=True, label=label),
        "noisy": Metric(unit="s", decimals=2, label=label),
    }

    assert of_repeats({"exact": [0.123, 0.1234], "noisy": [1.0, 1.4]}, metrics) == []
    found = of_repeats({"exact": [0.12, 0.13], "noisy": [1.0, 1.8]}, metrics)
    assert [caution.kind for caution in found] == ["inexact", "wide_spread"]
    assert found[0].detail == {"metric": "exact", "low": 0.12, "high": 0.13}


@pytest.mark.parametrize(
    ("seen", "kinds"),
    [
        ({"others_cores": 0.2}, []),
        ({"others_cores": 0.21}, ["load"]),
        ({"gpu_processes": 1, "throttled": False}, []),
        ({"gpu_processes": 3, "throttled": True}, ["other_processes", "throttling"]),
    ],
)
def test_what_went_on_beside_a_run_is_told(seen: dict[str, object], kinds: list[str]) -> None:
    """Others on the processor, others on the card, a card that was slowed down."""
    assert [caution.kind for caution in of_process(GOOD.model_copy(update=seen))] == kinds


def test_of_many_cautions_the_worst_is_kept() -> None:
    """Five rounds under load are one caution."""
    light, heavy = (Caution(kind="load", detail={"cores": cores}) for cores in (0.3, 1.7))

    assert worst([light, heavy, light]) == [heavy]
