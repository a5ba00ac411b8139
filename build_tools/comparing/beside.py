"""Numbers of unlike hardware: values beside each other, each with its machine, and no percentage between them."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from build_tools.comparing.difference import Beside, Reading
from build_tools.comparing.side import Side
from build_tools.figures.collect import Slot, Stored
from build_tools.figures.compare import hardware
from build_tools.memory_model import MODELS
from build_tools.metrics import METERS
from build_tools.model import Record

Case = tuple[str, str, str]  # snippet, profile, case


def beside(old: Side, new: Side) -> Iterator[Beside]:
    """Of each case that `new` measured on hardware on which `old` has no record of it: every machine's values."""
    before, after = _by_case(old), _by_case(new)
    for case, records in after.items():
        had = {hardware(record.machine) for record in before.get(case, [])}
        if had and any(hardware(record.machine) not in had for record in records):
            yield from _metrics(case, _together(before[case], records))


def _by_case(side: Side) -> dict[Case, list[Record]]:
    found: dict[Case, list[Record]] = {}
    for slot, files in side.collection.stored.items():
        found.setdefault((slot.snippet, slot.profile, slot.case), []).extend(_good(slot, files))
    return found


def _good(slot: Slot, files: list[Stored]) -> Iterator[Record]:
    for stored in files:
        measured = stored.record and not stored.failed and slot.machine not in MODELS
        if stored.record and measured and not stored.record.damaged:
            yield stored.record


def _together(before: list[Record], after: list[Record]) -> list[Record]:
    """One record a kind of hardware, the newer side's where both have one."""
    return list({hardware(record.machine): record for record in (*before, *after)}.values())


def _metrics(case: Case, records: list[Record]) -> Iterator[Beside]:
    snippet, profile, name = case
    for metric, meter in METERS.items():
        readings = tuple(_reading(record, metric) for record in records if record.samples.get(metric))
        if len(readings) > 1:
            yield Beside(
                snippet=snippet, case=name, profile=profile, metric=metric, unit=meter.unit, decimals=meter.decimals,
                readings=readings,
            )  # fmt: skip


def _reading(record: Record, metric: str) -> Reading:
    samples = record.samples[metric]
    return Reading(
        machine=record.machine.slug, model=record.machine.model, value=statistics.median(samples), n=len(samples)
    )
