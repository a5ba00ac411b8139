"""How two figures relate, and when they may not be compared at all."""

from __future__ import annotations

from build_tools.metrics import METERS
from build_tools.model import Figure, Machine, Reason, Record


def relative(figure: Figure, baseline: Figure) -> float | Reason:
    """`figure / baseline`, or why that would be no fair comparison.

    Both must come from the same hardware, environment, scale, program and number of devices; what a clock read also
    from one run, since a machine is not as fast on every day.
    """
    if figure.value is None or figure.record is None:
        return figure.reasons[0] if figure.reasons else Reason(code="not_measured")
    if baseline.value is None or baseline.record is None:
        return Reason(code="baseline_missing")
    if reason := _unlike(figure.record, baseline.record, clock=_is_clock(figure.metric)):
        return reason
    if baseline.value == 0:
        return Reason(code="baseline_zero")
    return figure.value / baseline.value


def _unlike(one: Record, other: Record, *, clock: bool) -> Reason | None:
    if hardware(one.machine) != hardware(other.machine):
        return Reason(code="machine_differs")
    if one.devices != other.devices:
        return Reason(code="devices_differ", detail={"was": other.devices, "now": one.devices})
    if one.profile != other.profile:
        return Reason(code="profile_differs")
    if one.environment != other.environment:
        return Reason(code="environment_differs")
    if (one.key.program, one.key.meters) != (other.key.program, other.key.meters):
        return Reason(code="program_differs")
    if clock and one.run_id != other.run_id:
        return Reason(code="run_differs")
    return None


def _is_clock(metric: str) -> bool:
    return metric in METERS and METERS[metric].clock


def hardware(machine: Machine) -> tuple[object, ...]:
    """What makes two machines the same; memory is left out, since a kernel update changes its last digit."""
    return machine.device, machine.model, machine.cores, machine.mig
