"""The gate before a record: can this be true? Each rule says what it saw; one miss and no number is stored."""

from __future__ import annotations

from build_tools.measuring.report import Report
from build_tools.model import Machine, possible

CLOCK_TOLERANCE = 0.05  # our own: two clocks over one window differ by microseconds, not by a twentieth
MIB_PER_GIB = 1024


def implausible(report: Report, machine: Machine) -> str | None:
    """Why this report cannot be true, or None."""
    for rule in (_counts, _clocks, _memory, _finite, _device):
        if problem := rule(report, machine):
            return problem
    return None


def _counts(report: Report, machine: Machine) -> str | None:
    if report.declared is None or report.counted is None or report.declared == report.counted:
        return None
    said, seen = report.declared, report.counted
    return (
        f"declared {said.samples} samples and {said.optimizer_steps} optimiser steps, "
        f"counted {seen.samples} and {seen.optimizer_steps}"
    )


def _clocks(report: Report, machine: Machine) -> str | None:
    seconds, other = report.meters.get("seconds"), report.other_clock_s
    # Under a millisecond the reading of the clocks themselves is a twentieth.
    if seconds is None or other is None or abs(seconds - other) <= max(CLOCK_TOLERANCE * seconds, 0.001):
        return None
    return f"two clocks disagree: {seconds:.3f} s and {other:.3f} s"


def _memory(report: Report, machine: Machine) -> str | None:
    limit = machine.memory_gib * MIB_PER_GIB
    for name, value in report.meters.items():
        if name.endswith("_mib") and not _possible_memory(name, value, limit):
            return f"{name} = {value:.1f} MiB on a device with {machine.memory_gib:g} GiB"
    return None


def _possible_memory(name: str, mib: float, limit: float) -> bool:
    # The resident set need not rise where the heap has room, and a program may use no tensors; a used GPU holds some.
    return 0 <= mib <= limit if name in {"rss_mib", "tensor_mib"} else 0 < mib <= limit


def _finite(report: Report, machine: Machine) -> str | None:
    values = [*report.meters.items(), *report.reported.items()]
    values += [(name, number) for name, series in report.series.items() for number in (*series.x, *series.y)]
    bad = [f"{name} = {value}" for name, value in values if not possible(value)]
    return ", ".join(bad[:3]) or None


def _device(report: Report, machine: Machine) -> str | None:
    return None if report.used_device else f"the model was not on the {machine.device} device when the window closed"
