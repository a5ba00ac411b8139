"""How every case stands, and why; what `measure` would run on this machine, and what needs another one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import groupby

from build_tools.figures.case import figure_of_case
from build_tools.figures.freshness import ORDER
from build_tools.figures.reference import Selection
from build_tools.figures.resolve import Ledger, Spot
from build_tools.inquiry.wording import brief, columns, dated, device_words, is_local, record_file, sentences
from build_tools.machine import cpu_machine, cuda_machine, visible_gpus
from build_tools.measuring.plan import Group, Plan, Request, make_plan
from build_tools.metrics import declared
from build_tools.model import Data, Freshness, Machine, Needs, Origin, Reason
from build_tools.render import words
from build_tools.snippet import Snippet


class Number(Data):
    """One metric of a case, as a reference names it."""

    reference: str
    unit: str
    value: float
    low: float | None
    high: float | None
    n: int


class CaseStatus(Data):
    """A case at a profile on a machine; None where nobody has measured the profile. `why` puts `reasons` into words.

    `committed` says whether the record is one of the repository or this machine's own.
    """

    snippet: str
    case: str
    profile: str
    machine: str | None
    freshness: Freshness
    reasons: tuple[Reason, ...]
    why: tuple[str, ...]
    run_id: str | None = None
    started: datetime | None = None
    origin: Origin | None = None
    record: str | None = None
    committed: bool | None = None
    numbers: tuple[Number, ...] = ()


class Due(Data):
    """What `measure` would run in one go; `why` for those cases that are the cause."""

    snippet: str
    profile: str
    cases: tuple[str, ...]
    why: dict[str, tuple[str, ...]]


class Elsewhere(Data):
    """Cases of a snippet that need a device which is not here."""

    snippet: str
    profile: str
    cases: tuple[str, ...]
    needs: Needs


class Status(Data):
    """Everything. `measurable` counts the cases that this machine can measure, current ones included."""

    machine: Machine
    cases: tuple[CaseStatus, ...]
    due: tuple[Due, ...]
    measurable: int
    elsewhere: tuple[Elsewhere, ...]
    problems: tuple[str, ...]


def plan_here(ledger: Ledger) -> tuple[Machine, Plan]:
    """The machine that `measure` would choose, and what it would run on it. Asks the system."""
    machine = cuda_machine() or cpu_machine()
    request = Request(targets=(), machine=machine, gpus=max(1, len(visible_gpus())))
    return machine, make_plan(ledger.root, dict(ledger.snippets), request)


def status(ledger: Ledger, machine: Machine, plan: Plan) -> Status:
    """How everything stands, seen from `machine` with its `plan`."""
    return Status(
        machine=machine,
        cases=tuple(_cases(ledger)),
        due=tuple(_due(group) for group in plan.groups),
        measurable=plan.known,
        elsewhere=tuple(_elsewhere(plan)),
        problems=tuple(str(problem) for problem in ledger.problems),
    )


def _cases(ledger: Ledger) -> Iterator[CaseStatus]:
    for snippet in ledger.snippets.values():
        for spot in ledger.spots(Selection(snippet.name)):
            yield from (_case(ledger, snippet, case, spot) for case in snippet.cases_in(spot.profile))


def _case(ledger: Ledger, snippet: Snippet, case: str, spot: Spot) -> CaseStatus:
    figure = figure_of_case(ledger, snippet, case, spot)
    record = figure.record
    return CaseStatus(
        snippet=snippet.name, case=case, profile=spot.profile, machine=spot.machine, freshness=figure.freshness,
        reasons=figure.reasons, why=sentences(figure.reasons),
        run_id=record.run_id if record else None,
        started=record.started if record else None,
        origin=record.origin if record else None,
        record=record_file(figure),
        committed=not is_local(figure) if figure.source else None,
        numbers=tuple(_numbers(ledger, snippet, case, spot)),
    )  # fmt: skip


def _numbers(ledger: Ledger, snippet: Snippet, case: str, spot: Spot) -> Iterator[Number]:
    for metric in declared(snippet.metrics):
        figure = ledger.figure_at(snippet, case, metric, spot)
        if figure.value is not None:
            yield Number(
                reference=figure.reference, unit=figure.unit, value=figure.value, low=figure.low, high=figure.high,
                n=figure.n,
            )  # fmt: skip


def _due(group: Group) -> Due:
    return Due(
        snippet=group.snippet.name,
        profile=group.profile,
        cases=tuple(case.case for case in group.cases),
        why={case.case: sentences(case.why) for case in group.cases if case.why},
    )


def _elsewhere(plan: Plan) -> Iterator[Elsewhere]:
    together: dict[tuple[str, str, str], list[int]] = {}
    for at, item in enumerate(plan.lacking):
        together.setdefault((item.snippet, item.profile, item.needs.model_dump_json()), []).append(at)
    for places in together.values():
        items = [plan.lacking[at] for at in places]
        cases = tuple(item.case for item in items)
        yield Elsewhere(snippet=items[0].snippet, profile=items[0].profile, cases=cases, needs=items[0].needs)


# ----------------------------------------------------------------------------------------------------- as lines of text


def lines(found: Status, now: datetime, width: int) -> list[str]:
    """For a terminal: cases by snippet, machine and run; then what could be measured here, and what not."""
    told: list[str] = []
    for _, cases in groupby(found.cases, key=lambda case: case.snippet):
        told += [*_snippet_lines(list(cases), found.machine, now, width), ""]
    told += [*(f"problem: {problem}" for problem in found.problems), *([""] if found.problems else [])]
    told += [*_due_lines(found, width), *_elsewhere_lines(found, width), "", _total(found)]
    return told


def _snippet_lines(cases: list[CaseStatus], here: Machine, now: datetime, width: int) -> Iterator[str]:
    yield cases[0].snippet
    names = max(len(case.case) for case in cases)
    for _, group in groupby(cases, key=lambda case: (case.profile, case.machine, case.run_id, case.committed)):
        of_run = list(group)
        yield from columns("  ", _run_line(of_run[0], here, now), width)
        for case in of_run:
            yield from columns(f"    {case.case.ljust(names)}  ", _state(case), width)


def _run_line(case: CaseStatus, here: Machine, now: datetime) -> str:
    """Where and when all cases below were measured."""
    if case.machine is None:
        return f"{case.profile}, on no machine yet"
    place = f"{case.profile} on {case.machine}" + (" (here)" if case.machine == here.slug else "")
    if case.started is None:
        return place
    kept = "committed" if case.committed else "local"
    return " · ".join([place, dated(case.started, now), f"run {case.run_id}", kept])


def _state(case: CaseStatus) -> str:
    why = brief(case.reasons)
    if case.freshness == "pending":
        return why  # says "not measured yet" itself
    word = words.FRESHNESS[case.freshness].en
    return f"{word}: {why}" if why else word


def _due_lines(found: Status, width: int) -> Iterator[str]:
    count = sum(len(due.cases) for due in found.due)
    if not count:
        yield f"Nothing to measure on {found.machine.slug}: all of its {found.measurable} cases are current."
        return
    yield f"`measure` would run {count} of {found.measurable} cases on {found.machine.slug}:"
    for due in found.due:
        why = "; ".join(dict.fromkeys(reason for reasons in due.why.values() for reason in reasons))
        yield from columns(f"  {due.snippet} at {due.profile}: ", f"{', '.join(due.cases)} ({why})", width)


def _elsewhere_lines(found: Status, width: int) -> Iterator[str]:
    if found.elsewhere:
        yield "Not to be measured here:"
    for item in found.elsewhere:
        rest = f"{', '.join(item.cases)} (needs {device_words(item.needs)})"
        yield from columns(f"  {item.snippet} at {item.profile}: ", rest, width)


def _total(found: Status) -> str:
    counts = Counter(case.freshness for case in found.cases)
    told = [f"{counts[freshness]} {words.FRESHNESS[freshness].en}" for freshness in ORDER if counts[freshness]]
    return f"In all: {', '.join(told) or 'no case'}."
