"""References become figures: which record answers, how fresh it is, and why there is no number where there is none."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from build_tools.errors import LedgerError
from build_tools.figures.collect import Slot, Stored, collect, fingerprint
from build_tools.figures.compare import relative
from build_tools.figures.freshness import ORDER, Judgement, judge
from build_tools.figures.reference import Selection, parse_reference
from build_tools.ledger.claims import Claims
from build_tools.memory_model import MODELS, PARTS, key_on
from build_tools.metrics import METERS, declared
from build_tools.model import Claim, Figure, Key, Machine, Metric, Reason, Record
from build_tools.names import unknown
from build_tools.snippet import Snippet
from build_tools.store import SNIPPETS, Settings

REFERENCE_PROFILE = "full"


@dataclass(frozen=True)
class Spot:
    """Where the cases of a snippet stand side by side: a profile, and the slug of a machine if one has measured it."""

    profile: str
    machine: str | None


@dataclass(frozen=True)
class Answer:
    """The record file that speaks for a slot, and how fresh it is."""

    stored: Stored | None
    judgement: Judgement


class Ledger:
    """Every figure of a project: built once, cheap to ask. `problems` lists what could not be read.

    `committed_only` leaves out `.ledger/`, as a published build must. Raises LedgerError where nothing can be said at
    all: wrong settings, or two machines under one slug.
    """

    def __init__(self, root: Path, *, committed_only: bool = False) -> None:
        self.root = root
        self._found = collect(root, committed_only=committed_only)
        self._keys: dict[Slot, Key] = {}
        self._answers: dict[Slot, Answer] = {}

    @property
    def settings(self) -> Settings:
        return self._found.settings

    @property
    def snippets(self) -> Mapping[str, Snippet]:
        """The snippets that could be read."""
        return self._found.snippets

    @property
    def machines(self) -> Mapping[str, Machine]:
        """The machines that records name, by slug."""
        return self._found.machines

    @property
    def claims(self) -> Claims:
        """What sources say, from docs/evidence.toml."""
        return self._found.claims

    @property
    def problems(self) -> list[LedgerError]:
        return self._found.problems

    # Names: each raises LedgerError with the names that exist.

    def snippet(self, name: str) -> Snippet:
        if name in self._found.broken:
            raise self._found.broken[name]
        if name not in self.snippets:
            raise unknown("snippet", name, self.snippets)
        return self.snippets[name]

    def claim(self, name: str) -> Claim:
        return self.claims.claim(name)

    def case(self, snippet: Snippet, name: str) -> str:
        if name not in snippet.cases:
            raise unknown("case", name, snippet.cases, where=f" in {snippet.name}")
        return name

    def metric(self, snippet: Snippet, name: str) -> Metric:
        metric = snippet.metric(name) or PARTS.get(name)
        if metric is None:
            raise unknown("metric", name, declared(snippet.metrics), where=f" in {snippet.name}")
        return metric

    def profile(self, snippet: Snippet, name: str) -> str:
        if name not in snippet.profiles:
            right = f"{snippet.name}/…@{next(iter(snippet.profiles))}"
            raise unknown("profile", name, snippet.profiles, where=f" in {snippet.name}", example=right)
        return name

    def machine(self, slug: str) -> str:
        known = list(dict.fromkeys([*self.settings.machines, self.settings.reference, *sorted(self.machines), *MODELS]))
        if slug not in known:
            raise unknown("machine", slug, known)
        return slug

    # Figures

    def figure(self, reference: str) -> Figure:
        """The figure of `snippet/case/metric`, `…@profile` or `…@profile:machine`. Raises LedgerError."""
        asked = parse_reference(reference)
        snippet = self.snippet(asked.snippet)
        case = self.case(snippet, asked.case)
        self.metric(snippet, asked.metric)
        profile = self.profile(snippet, asked.profile or REFERENCE_PROFILE)
        if asked.machine is not None:
            machine: str | None = self.machine(asked.machine)
        elif asked.profile is None:
            machine = self.settings.reference
        else:
            machine = self.spokesman(snippet, profile)
        return self.figure_at(snippet, case, asked.metric, Spot(profile, machine))

    def spokesman(self, snippet: Snippet, profile: str) -> str | None:
        """The machine that `@profile` means, one for all cases: the first declared one with a committed record,
        else the one that measured it here most recently, else None."""
        good = [(slot, stored) for slot, stored in self._stored(snippet, profile) if not stored.failed]
        committed = {slot.machine for slot, stored in good if stored.committed}
        for slug in self.settings.machines:
            if slug in committed:
                return slug
        local = [(file.record.started, slot.machine) for slot, file in good if file.record and not file.committed]
        return max(local)[1] if local else None

    def spots(self, selection: Selection) -> list[Spot]:
        """What a table of this snippet has tabs for: each machine with a record, in declared order, `full` first.

        A profile that nobody has measured gets one spot without a machine. Raises LedgerError for unknown names.
        """
        snippet = self.snippet(selection.snippet)
        profiles = sorted(snippet.profiles, key=lambda name: name != REFERENCE_PROFILE)
        if selection.profile is not None:
            profiles = [self.profile(snippet, selection.profile)]
        if selection.machine is not None:
            return [Spot(profiles[0], self.machine(selection.machine))]
        return [spot for profile in profiles for spot in self._spots_at(snippet, profile)]

    def _spots_at(self, snippet: Snippet, profile: str) -> list[Spot]:
        order = {slug: position for position, slug in enumerate(self.settings.machines)}
        slugs = {slot.machine for slot, _ in self._stored(snippet, profile)}
        measured = sorted(slugs, key=lambda slug: (order.get(slug, len(order)), slug))
        return [Spot(profile, slug) for slug in measured] or [Spot(profile, None)]

    def _stored(self, snippet: Snippet, profile: str) -> list[tuple[Slot, Stored]]:
        """Records of measurements; a prediction never answers for a machine."""
        return [
            (slot, stored)
            for slot, files in self._found.stored.items()
            if (slot.snippet, slot.profile) == (snippet.name, profile) and slot.case in snippet.cases
            if slot.machine not in MODELS
            for stored in files
        ]

    def figure_at(self, snippet: Snippet, case: str, metric: str, spot: Spot) -> Figure:
        """The figure of one cell of a table. All names must exist."""
        answer = self._answer(snippet, case, spot)
        freshness, reasons = answer.judgement
        record = answer.stored.record if answer.stored else None
        value = _reading(record, metric) if record and not record.damaged else {}
        if record and not record.damaged and not value:
            freshness, reasons = "pending", (_absent(snippet, metric, record.machine.device),)
        declaration = self.metric(snippet, metric)
        place = spot.profile if spot.machine is None else f"{spot.profile}:{spot.machine}"
        return Figure(
            reference=f"{snippet.name}/{case}/{metric}@{place}", metric=metric, unit=declaration.unit,
            label=declaration.label, decimals=declaration.decimals, freshness=freshness,
            kind="predicted" if spot.machine in MODELS else "measured",
            reasons=reasons, record=record, source=self._source(answer.stored), **value,
        )  # fmt: skip

    def relative(self, figure: Figure, baseline: Figure) -> float | Reason:
        """`figure / baseline`, or why they cannot be compared fairly."""
        return relative(figure, baseline)

    def shown_records(self) -> dict[str, Path]:
        """The record files behind the figures, by the path the site gives them below `records/`."""
        answers = {slot: self._answer_of(slot) for slot in self._found.stored if self._is_declared(slot)}
        return {
            f"{slot.snippet}/{slot.profile}/{slot.machine}/{slot.case}.json": answer.stored.path
            for slot, answer in answers.items()
            if answer.stored
        }

    def _is_declared(self, slot: Slot) -> bool:
        snippet = self.snippets.get(slot.snippet)
        return snippet is not None and slot.profile in snippet.profiles and slot.case in snippet.cases

    def _source(self, stored: Stored | None) -> str | None:
        if stored is None:
            return None
        return stored.path.relative_to(self.root / SNIPPETS if stored.committed else self.root).as_posix()

    def _answer(self, snippet: Snippet, case: str, spot: Spot) -> Answer:
        slot = Slot(snippet.name, spot.profile, spot.machine or "", case)
        if slot in self._found.stored:
            return self._answer_of(slot)
        return Answer(None, ("pending", (self._missing(snippet, case, spot),)))

    def _answer_of(self, slot: Slot) -> Answer:
        if slot not in self._answers:
            self._answers[slot] = self._judged(slot)
        return self._answers[slot]

    def _judged(self, slot: Slot) -> Answer:
        """The best of the good records; without one, what the last failure says."""
        files = self._found.stored[slot]
        failures = [stored.record for stored in files if stored.failed and stored.record]
        failed = max(failures, key=lambda record: record.started, default=None)
        answers = [Answer(stored, self._judge(slot, stored, failed)) for stored in files if not stored.failed]
        if answers:
            return min(answers, key=_preference)
        snippet = self.snippets[slot.snippet]
        if failed is None:
            return Answer(None, ("damaged", (Reason(code="unreadable"),)))
        freshness, reasons = judge(None, failed, self._key(slot, failed.machine), self._found.pins)
        if freshness == "pending":
            reasons = (self._missing(snippet, slot.case, Spot(slot.profile, slot.machine)),)
        return Answer(None, (freshness, reasons))

    def _judge(self, slot: Slot, stored: Stored, failed: Record | None) -> Judgement:
        if stored.record is None:
            return "damaged", (Reason(code="unreadable"),)
        return judge(stored.record, failed, self._key(slot, stored.record.machine), self._found.pins)

    def _key(self, slot: Slot, machine: Machine) -> Key:
        if slot not in self._keys:
            snippet = self.snippets[slot.snippet]
            program = self._found.programs[slot.snippet]
            self._keys[slot] = key_on(slot.machine, machine.device, snippet, slot.case, slot.profile, program=program)
        return self._keys[slot]

    def _missing(self, snippet: Snippet, case: str, spot: Spot) -> Reason:
        if case not in snippet.cases_in(spot.profile):
            return Reason(code="not_in_profile", detail={"case": case, "profile": spot.profile})
        if spot.machine in MODELS:
            return Reason(code="not_predicted")
        needs = snippet.needs_of(case, spot.profile)
        if needs.device == "cuda":
            return Reason(code="needs_cuda", detail={"memory_gib": needs.memory_gib, "devices": needs.devices})
        return Reason(code="not_measured")


def _preference(answer: Answer) -> tuple[int, float]:
    """Smaller is better: fresher first, then newer."""
    record = answer.stored.record if answer.stored else None
    return ORDER.index(answer.judgement[0]), -record.started.timestamp() if record else 0.0


def _reading(record: Record, metric: str) -> dict[str, Any]:
    """Centre, range and number of a record's samples; of a series the last value. Empty where there are none."""
    if samples := record.samples.get(metric):
        return {
            "value": statistics.median(samples), "low": min(samples), "high": max(samples), "n": len(samples),
        }  # fmt: skip
    series = record.series.get(metric)
    return {"value": series.y[-1], "n": 1} if series and series.y else {}


def _absent(snippet: Snippet, metric: str, device: str) -> Reason:
    """A record without this metric: a meter the system lacks, or something the program did not report."""
    if metric in METERS:
        return Reason(code="meter_absent", detail={"metric": metric, "device": device})
    return Reason(code="not_reported", detail={"metric": metric, "snippet": snippet.name})


class _Cache:
    """The ledgers built in this process, each with the fingerprint of the files it was built from."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._built: dict[tuple[Path, bool], tuple[int, Ledger]] = {}

    def get(self, root: Path, *, committed_only: bool) -> Ledger:
        with self._lock:
            mark = fingerprint(root, committed_only=committed_only)
            known = self._built.get((root, committed_only))
            if known is None or known[0] != mark:
                known = mark, Ledger(root, committed_only=committed_only)
                self._built[root, committed_only] = known
            return known[1]


_CACHE = _Cache()


def current_ledger(root: Path, *, committed_only: bool = False) -> Ledger:
    """The project's ledger, built anew only where a file has changed since the last call."""
    return _CACHE.get(root, committed_only=committed_only)
