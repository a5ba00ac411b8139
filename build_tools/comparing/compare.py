"""Two sides become a difference: like with like only, and whatever else there is by its name.

Like is the same snippet, case and profile on the same machine, with the same key and number of devices. Versions and
settings around it may differ, since that is what drift is made of; they are named.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path

from build_tools.comparing.beside import beside
from build_tools.comparing.difference import CaseDiff, Diff, Judgement, Outcome, Row, Version
from build_tools.comparing.plausible import doubts, metrics_of
from build_tools.comparing.samples import Effect, effect, exact_effect
from build_tools.comparing.side import Side, opened
from build_tools.comparing.standing import flips, made_stale
from build_tools.comparing.through_time import charts
from build_tools.figures.collect import Slot, Stored
from build_tools.figures.compare import hardware
from build_tools.key import differences
from build_tools.metrics import METERS
from build_tools.model import Environment, Metric, Record
from build_tools.render.reasons import sentence

# What a higher and a lower value of a metric means; any other is higher or lower.
DIRECTIONS: dict[str, tuple[Judgement, Judgement]] = {
    "seconds": ("slower", "faster"),
    "samples_per_second": ("faster", "slower"),
    **{name: ("more", "less") for name in METERS if name.endswith("_mib")},
}
STEADY = ("peak_mib", "reserved_mib", "device_mib")  # read once a run, and the same in the next one
SETTINGS = ("python", "driver", "cuda", "system", "threads", "allocator", "tf32", "start_method", "devices_in_box")


def diff(root: Path, old: str, new: str) -> Diff:
    """Compare two states of the project. Raises LedgerError where one cannot be read at all."""
    with opened(root, old) as before, opened(root, new) as after:
        return difference(before, after)


def difference(old: Side, new: Side) -> Diff:
    """Everything that is different in `new`."""
    cases = tuple(_cases(old, new))
    known = {str(problem.problem) for problem in old.ledger.problems}
    return Diff(
        old=old.name, new=new.name, flips=tuple(flips(old, new)), cases=cases, beside=tuple(beside(old, new)),
        stale=tuple(made_stale(old, new)), charts=tuple(charts(new, cases)),
        problems=tuple(_problems(new, known)),
    )  # fmt: skip


def _problems(new: Side, known: set[str]) -> Iterator[str]:
    """What cannot be read on the new side and could on the old; a damaged record is told as a case."""
    for problem in new.ledger.problems:
        if problem.problem not in known and "does not match its digest" not in problem.problem:
            name = problem.place.file.name if problem.place else ""
            yield f"{name}: {problem.problem}" if name else problem.problem


def _cases(old: Side, new: Side) -> Iterator[CaseDiff]:
    """Slots whose good record is another one, and runs that failed since; in the order of snippets and cases."""
    slots = [slot for slot in (*old.collection.stored, *new.collection.stored) if _declared(old, new, slot)]
    for slot in sorted(set(slots), key=lambda slot: (slot.snippet, slot.profile, slot.machine, slot.case)):
        was, now = good(old, slot), good(new, slot)
        if failure := _new_failure(old, new, slot):
            yield _case(slot, "failed", was, failure, (_failure_words(failure),))
        if _digest(was) != _digest(now):
            yield _compared(new, slot, was, now)


def _declared(old: Side, new: Side, slot: Slot) -> bool:
    snippet = new.collection.snippets.get(slot.snippet) or old.collection.snippets.get(slot.snippet)
    return snippet is not None and slot.case in snippet.cases and slot.profile in snippet.profiles


def good(side: Side, slot: Slot) -> Record | None:
    """The record of a slot that is not a failure; a damaged one, too."""
    return next((stored.record for stored in _stored(side, slot) if not stored.failed and stored.record), None)


def _stored(side: Side, slot: Slot) -> list[Stored]:
    return side.collection.stored.get(slot, [])


def _digest(record: Record | None) -> str | None:
    """Of the content and not as it stands in the file: an edited record is another one."""
    return record.content_digest() if record else None


def _new_failure(old: Side, new: Side, slot: Slot) -> Record | None:
    known = {stored.record.digest for stored in _stored(old, slot) if stored.failed and stored.record}
    failures = [stored.record for stored in _stored(new, slot) if stored.failed and stored.record]
    return next((failure for failure in failures if failure.digest not in known), None)


def _failure_words(record: Record) -> str:
    assert record.reason is not None
    return f"{record.reason.kind} during {record.reason.during}: {record.reason.message}"


def _compared(new: Side, slot: Slot, was: Record | None, now: Record | None) -> CaseDiff:
    snippet = new.collection.snippets.get(slot.snippet)
    if now is None:
        return _case(slot, "gone", was, None, ("no good record of it is left",))
    if now.damaged:
        return _case(slot, "damaged", was, now, ("the record does not match its digest",))
    if snippet is None:
        return _case(slot, "not comparable", was, now, ("its snippet cannot be read",))
    if unlikely := doubts(now, snippet):
        return _case(slot, "implausible", was, now, tuple(unlikely))
    if was is None:
        return _case(slot, "new", None, now, ("nothing was measured there before",))
    if why := tuple(unlike(was, now)):
        return _case(slot, "not comparable", was, now, why)
    rows = tuple(_rows(was, now, metrics_of(now, snippet)))
    return _case(slot, "compared", was, now, ()).model_copy(update={"rows": rows})


def unlike(was: Record, now: Record) -> Iterator[str]:
    """Why these are not two measurements of one thing; nothing where they are."""
    if was.damaged:
        yield "the old record does not match its digest"
    if hardware(was.machine) != hardware(now.machine):
        yield f"other hardware: {was.machine.model} and {now.machine.model}"
    if was.devices != now.devices:
        yield f"{was.devices} and {now.devices} devices"
    yield from (sentence(reason, "en") for reason in differences(was.key, now.key))


def _case(slot: Slot, outcome: Outcome, was: Record | None, now: Record | None, why: tuple[str, ...]) -> CaseDiff:
    return CaseDiff(
        snippet=slot.snippet, case=slot.case, profile=slot.profile, machine=slot.machine, outcome=outcome, why=why,
        old_run=was.run_id if was else None, old_started=was.started if was else None,
        new_run=now.run_id if now else None, new_started=now.started if now else None,
        versions=tuple(_versions(was.environment, now.environment)) if was and now else (),
    )  # fmt: skip


def _versions(was: Environment, now: Environment) -> Iterator[Version]:
    """Packages and settings that differ."""
    before, after = _around(was), _around(now)
    for name in [*before, *(name for name in after if name not in before)]:
        old, new = before.get(name, "none"), after.get(name, "none")
        if old != new:
            yield Version(name=name, was=old, now=new)


def _around(environment: Environment) -> dict[str, str]:
    settings = {name: str(getattr(environment, name)) for name in SETTINGS if getattr(environment, name) is not None}
    return {**environment.packages, **settings}


# ----------------------------------------------------------------------------------------------------- metric by metric


def _rows(was: Record, now: Record, metrics: dict[str, Metric]) -> Iterator[Row]:
    for name, metric in metrics.items():
        old, new = readings(was, name), readings(now, name)
        if old or new:
            yield _row(name, metric, old, new)


def readings(record: Record, metric: str) -> tuple[float, ...]:
    """The raw samples of a metric; of a series its last value."""
    if samples := record.samples.get(metric):
        return samples
    series = record.series.get(metric)
    return series.y[-1:] if series else ()


def _row(name: str, metric: Metric, old: tuple[float, ...], new: tuple[float, ...]) -> Row:
    base = Row(
        metric=name, unit=metric.unit, decimals=metric.decimals, judgement="not comparable", n_old=len(old),
        n_new=len(new), old=statistics.median(old) if old else None, new=statistics.median(new) if new else None,
    )  # fmt: skip
    if base.old is None or base.new is None:
        return base.model_copy(update={"why": f"not read in the {'old' if base.old is None else 'new'} run"})
    if metric.exact:
        found = exact_effect(base.old, base.new, metric.decimals)
    else:
        found = effect(old, new, steady=name in STEADY)
    return base.model_copy(update={
        "judgement": _judgement(name, metric, found), "why": found.why, "change": found.change, "p": found.p,
        "interval": found.interval,
    })  # fmt: skip


def _judgement(name: str, metric: Metric, found: Effect) -> Judgement:
    if found.direction is None:
        return "not comparable"
    if found.direction == 0:
        return "unchanged"
    if metric.exact and name not in DIRECTIONS:
        return "changed"
    above, below = DIRECTIONS.get(name, ("higher", "lower"))
    return above if found.direction > 0 else below
