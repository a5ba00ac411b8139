"""Which numbers are old, so that a missing runner cannot go unnoticed for long. Asks git, and only for first dates."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

from build_tools.figures.age import days_since
from build_tools.figures.case import figure_of_case
from build_tools.figures.reference import Selection
from build_tools.figures.resolve import REFERENCE_PROFILE, Ledger, Spot
from build_tools.memory_model import MODELS
from build_tools.model import Data
from build_tools.snippet import Snippet
from build_tools.store import SNIPPETS, Age


class Aged(Data):
    """Cases of one snippet on one machine and their age. `measured` is False where they have been waiting since."""

    snippet: str
    profile: str
    machine: str
    cases: tuple[str, ...]
    days: int
    measured: bool

    @property
    def words(self) -> str:
        state = "measured" if self.measured else "not measured, and in the project since"
        name = f"{self.snippet}@{self.profile}:{self.machine}"
        return f"{name}: {state} {self.days} days ago: {', '.join(self.cases)}"


class Ages(Data):
    """`overdue` fails the daily job; `old` is told on the pages. Machines that pyproject.toml does not name
    are never overdue: somebody measured there once, and nobody promised to again."""

    policy: Age
    overdue: tuple[Aged, ...]
    old: tuple[Aged, ...]

    def lines(self) -> list[str]:
        limit, policy = "more than {} days", self.policy
        told = [f"overdue ({limit.format(policy.fail_days)}): {item.words}" for item in self.overdue]
        told += [f"old ({limit.format(policy.old_days)}): {item.words}" for item in self.old]
        then = "; next: python -m build_tools measure --force --save on that machine" if self.overdue else ""
        return [*told, f"{len(self.overdue)} overdue, {len(self.old)} old{then}"]


def ages(root: Path, today: date) -> Ages:
    """Committed numbers by age; what nobody has measured on the reference machine counts from when it was added."""
    ledger = Ledger(root, committed_only=True)
    policy, promised = ledger.settings.age, {*ledger.settings.machines, ledger.settings.reference}
    everything = sorted(_aged(ledger, today), key=lambda item: -item.days)
    overdue = tuple(item for item in everything if item.days >= policy.fail_days and item.machine in promised)
    old = tuple(item for item in everything if item.days >= policy.old_days and item not in overdue)
    return Ages(policy=policy, overdue=overdue, old=old)


def _aged(ledger: Ledger, today: date) -> Iterator[Aged]:
    for snippet in ledger.snippets.values():
        for spot in ledger.spots(Selection(snippet.name)):
            if spot.machine is not None and spot.machine not in MODELS:
                yield from _measured(ledger, snippet, spot, today)
        if REFERENCE_PROFILE in snippet.profiles:
            yield from _waiting(ledger, snippet, today)


def _measured(ledger: Ledger, snippet: Snippet, spot: Spot, today: date) -> Iterator[Aged]:
    """The cases of a run together."""
    by_days: dict[int, list[str]] = {}
    for case in snippet.cases_in(spot.profile):
        record = figure_of_case(ledger, snippet, case, spot).record
        if record is not None:
            by_days.setdefault(days_since(record.started, today), []).append(case)
    for days, cases in by_days.items():
        yield Aged(
            snippet=snippet.name, profile=spot.profile, machine=spot.machine or "", cases=tuple(cases), days=days,
            measured=True,
        )  # fmt: skip


def _waiting(ledger: Ledger, snippet: Snippet, today: date) -> Iterator[Aged]:
    spot = Spot(REFERENCE_PROFILE, ledger.settings.reference)
    missing = [
        case for case in snippet.cases_in(spot.profile) if figure_of_case(ledger, snippet, case, spot).record is None
    ]
    since = _added(ledger.root, snippet.name) if missing else None
    if since is not None:
        yield Aged(
            snippet=snippet.name, profile=spot.profile, machine=ledger.settings.reference, cases=tuple(missing),
            days=days_since(since, today), measured=False,
        )  # fmt: skip


def _added(root: Path, snippet: str) -> datetime | None:
    """When git first saw a snippet; None where it does not know (no git, a shallow clone of one commit, a new one)."""
    path = f"{SNIPPETS}/{snippet}/snippet.toml"
    command = ["git", "log", "--diff-filter=A", "--format=%cI", "--", path]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    except OSError:
        return None
    dates = done.stdout.split()
    return datetime.fromisoformat(dates[-1]) if done.returncode == 0 and dates else None
