"""Figures are divided only where the quotient means something."""

from __future__ import annotations

from typing import Any

import pytest
from figures.bench import CPU, OTHER_CPU
from records import ENVIRONMENT, KEY, make_record

from build_tools.figures.compare import relative
from build_tools.metrics import METERS
from build_tools.model import Figure, Reason


def figure(metric: str, value: float | None, **changes: Any) -> Figure:
    meter = METERS[metric]
    return Figure(
        reference="r", metric=metric, unit=meter.unit, label=meter.label, decimals=1, kind="measured",
        freshness="fresh" if value is not None else "pending", value=value, n=1,
        reasons=() if value is not None else (Reason(code="not_measured"),),
        record=make_record(**{"machine": CPU, **changes}) if value is not None else None,
    )  # fmt: skip


BASELINE = {"seconds": figure("seconds", 2.0), "tensor_mib": figure("tensor_mib", 2.0)}
REFUSED = {
    "other_machine": (figure("tensor_mib", 1.0, machine=OTHER_CPU), "machine_differs"),
    "more_devices": (figure("tensor_mib", 1.0, devices=2), "devices_differ"),
    "other_profile": (figure("tensor_mib", 1.0, profile="full"), "profile_differs"),
    "other_environment": (
        figure("tensor_mib", 1.0, environment=ENVIRONMENT.model_copy(update={"threads": 9})), "environment_differs",
    ),
    "other_program": (figure("tensor_mib", 1.0, key=KEY.model_copy(update={"program": "q"})), "program_differs"),
    "clock_of_another_run": (figure("seconds", 1.0, run_id="r2"), "run_differs"),
    "nothing_to_divide": (figure("seconds", None), "not_measured"),
}  # fmt: skip


@pytest.mark.parametrize(("one", "code"), REFUSED.values(), ids=REFUSED)
def test_refused(one: Figure, code: str) -> None:
    """Unlike figures give the reason instead of a ratio."""
    found = relative(one, BASELINE[one.metric])

    assert isinstance(found, Reason)
    assert code == found.code


def test_ratio() -> None:
    """Like figures are divided; memory may come from another run."""
    assert relative(figure("seconds", 1.0), BASELINE["seconds"]) == 0.5
    assert relative(figure("tensor_mib", 1.0, run_id="r2"), BASELINE["tensor_mib"]) == 0.5


def test_machines_with_a_little_more_memory_are_the_same() -> None:
    """A kernel update changes the last digit of a machine's memory, not the machine."""
    other = CPU.model_copy(update={"memory_gib": 8.1})

    assert relative(figure("tensor_mib", 1.0, machine=other), BASELINE["tensor_mib"]) == 0.5


def test_baseline_that_cannot_serve() -> None:
    """A missing baseline, and one of zero."""
    one = figure("tensor_mib", 1.0)

    assert Reason(code="baseline_missing") == relative(one, figure("tensor_mib", None))
    assert Reason(code="baseline_zero") == relative(one, figure("tensor_mib", 0.0))
