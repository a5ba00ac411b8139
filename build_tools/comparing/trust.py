"""Is a delivered record what it should be? Each rule says what is wrong; the first that does refuses the record.

A runner may be out of date, another machine than its label says, or in somebody else's hands: nothing of what it sends
is believed but what can be checked here. What it measured itself, it alone has seen; that is why a person merges.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from build_tools.comparing.plausible import doubts
from build_tools.errors import clipped, quoted
from build_tools.figures.collect import Collection, Slot
from build_tools.figures.compare import hardware
from build_tools.key import differences, key_of
from build_tools.machine import PACKAGES, slug_of
from build_tools.measuring.capture import INVISIBLE, leaks
from build_tools.measuring.plan import CARD_TOLERANCE
from build_tools.memory_model import MODELS
from build_tools.model import Machine, Origin, Record
from build_tools.render.reasons import sentences

CLOCKS_DIFFER = timedelta(hours=1)  # a runner's clock may be ahead of ours
RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{4}")
COMMIT = re.compile(r"[0-9a-f]{40}")
VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+!_-]{0,63}")
WORDS = re.compile(r"[\w .,:;+@()/=-]{1,200}")  # names of devices and systems: no markup, quotes or control codes


@dataclass(frozen=True)
class Demands:
    """What must hold besides: the commit measured, the machine, who measured. None: any will do."""

    commit: str | None = None
    machine: str | None = None
    origin: Origin | None = None


@dataclass(frozen=True)
class Judging:
    """All that a rule may look at. `now` is aware and in UTC."""

    record: Record
    project: Collection
    demands: Demands
    now: datetime


def objections(record: Record, project: Collection, demands: Demands, now: datetime) -> Iterator[str]:
    """What is wrong with a record, the worst first; nothing where it may be stored."""
    judging = Judging(record, project, demands, now)
    for rule in RULES:
        if wrong := rule(judging):
            yield wrong
            return  # what follows may rest on it


Rule = Callable[[Judging], str | None]


def _hostile(it: Judging) -> str | None:
    """Every string that is no free text has the form of what it names; free text holds no control codes."""
    record, around = it.record, it.record.environment
    shapes: list[tuple[str, re.Pattern[str], str | None]] = [
        ("run_id", RUN_ID, record.run_id), ("commit", COMMIT, record.commit), ("driver", VERSION, around.driver),
        ("cuda", VERSION, around.cuda), ("python", VERSION, around.python), ("allocator", WORDS, around.allocator),
        ("machine.model", WORDS, record.machine.model), ("machine.mig", WORDS, record.machine.mig),
        ("host_cpu", WORDS, around.host_cpu), ("system", WORDS, around.system),
        *((f"packages.{name}", VERSION, version) for name, version in around.packages.items() if name in PACKAGES),
    ]  # fmt: skip
    for name, shape, text in shapes:
        if text is not None and not shape.fullmatch(text):
            return f"{name} = {quoted(text)} has not the form of one"
    if foreign := around.packages.keys() - set(PACKAGES):
        return f"packages names {quoted(sorted(foreign)[0])}, which no run looks at"
    return _free_text(record)


def _free_text(record: Record) -> str | None:
    """Texts that a program or a person worded: no control codes, and nothing that `measure` would have masked."""
    for name, text in _texts(record.model_dump(mode="json")):
        if INVISIBLE.search(text.replace("\n", "")):
            return f"{name} holds control codes"
        if leak := next(leaks(text), None):
            return f"{name} holds {leak[0]} ({leak[1]})"
    if "\n" in record.command:
        return "command is more than one line"
    return None


def _texts(value: Any, name: str = "record") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield name, str(key)
            yield from _texts(item, f"{name}.{clipped(str(key))}")
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, name)


def _edited(it: Judging) -> str | None:
    return "does not match its digest: it was edited or damaged" if it.record.damaged else None


def _origin(it: Judging) -> str | None:
    if it.record.origin == "rehearsal":
        return "a rehearsal is no measurement"
    if it.record.machine.slug in MODELS:
        return "a prediction is no measurement"
    if it.demands.origin and it.record.origin != it.demands.origin:
        return f"measured by {it.record.origin}, not by {it.demands.origin}"
    return None


def _unknown_case(it: Judging) -> str | None:
    record, snippet = it.record, it.project.snippets.get(it.record.snippet)
    if snippet is None:
        return f"there is no snippet {record.snippet!r} here"
    if record.profile not in snippet.profiles or record.case not in snippet.cases_in(record.profile):
        return f"{record.snippet} has no case {record.case!r} at {record.profile!r}"
    return None


def _other_machine(it: Judging) -> str | None:
    """The machine asked for, under the name that follows from its model, and the same model as ever."""
    machine, wanted = it.record.machine, it.demands.machine
    if wanted and machine.slug != wanted:
        return f"measured on {machine.slug} ({machine.model}), and this delivery is of {wanted}"
    if machine.slug != slug_of(machine.model, cores=machine.cores, mig=machine.mig):
        return f"of other hardware: {machine.model} is not called {machine.slug!r}"
    known = it.project.machines.get(machine.slug)
    if known and hardware(known) != hardware(machine):
        return f"of other hardware: {machine.slug} is {known.model} here, and not {machine.model}"
    return None


def _other_needs(it: Judging) -> str | None:
    record = it.record
    needs = it.project.snippets[record.snippet].needs_of(record.case, record.profile)
    if needs.device not in ("any", record.machine.device) or _too_small(record.machine, needs.memory_gib):
        return f"{record.profile} needs {needs.memory_gib:g} GiB on a {needs.device} device"
    if record.devices != needs.devices:
        return f"measured on {record.devices} device(s), and the case asks for {needs.devices}"
    return None


def _too_small(machine: Machine, memory_gib: float) -> bool:
    return memory_gib > machine.memory_gib * CARD_TOLERANCE


def _other_program(it: Judging) -> str | None:
    record = it.record
    today = key_of(
        it.project.snippets[record.snippet], record.case, record.profile, record.machine.slug, record.machine.device,
        program=it.project.programs[record.snippet],
    )  # fmt: skip
    changed = differences(record.key, today)
    return f"not of the program here: {sentences(changed, 'en')}" if changed else None


def _other_commit(it: Judging) -> str | None:
    wanted, record = it.demands.commit, it.record
    if wanted is None:
        return None
    if record.commit != wanted:
        return f"of commit {(record.commit or 'none')[:12]}, and {wanted[:12]} was to be measured"
    return "measured in a working tree with changes" if record.clean is False else None


def _other_time(it: Judging) -> str | None:
    record = it.record
    if record.started > it.now + CLOCKS_DIFFER:
        return f"measured in the future, {record.started:%Y-%m-%d %H:%M} UTC"
    there = good_record(it.project, record)
    if record.status == "ok" and there and there.started > record.started and not there.damaged:
        return f"older than the record that is here, of run {there.run_id}"
    return None


def good_record(project: Collection, record: Record) -> Record | None:
    """The record that is stored where this one would be."""
    slot = Slot(record.snippet, record.profile, record.machine.slug, record.case)
    return next((s.record for s in project.stored.get(slot, []) if not s.failed and s.record), None)


def _implausible(it: Judging) -> str | None:
    found = doubts(it.record, it.project.snippets[it.record.snippet])
    return f"implausible: {'; '.join(found)}" if found else None


RULES: tuple[Rule, ...] = (
    _hostile, _edited, _origin, _unknown_case, _other_machine, _other_needs, _other_commit, _other_program, _other_time,
    _implausible,
)  # fmt: skip


def utc_now() -> datetime:
    return datetime.now(UTC)
