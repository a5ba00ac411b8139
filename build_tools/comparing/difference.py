"""What `diff` says: plain data, worded for people elsewhere."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from build_tools.model import Data, Verdict

# Direction of a change beyond noise, by what the metric means.
Change = Literal["faster", "slower", "more", "less", "higher", "lower", "changed"]
Judgement = Literal["unchanged", "not comparable"] | Change
Outcome = Literal["compared", "not comparable", "new", "gone", "failed", "damaged", "implausible"]
NOTHING, DRIFT, BAD = 0, 1, 2  # exit codes


class Row(Data):
    """One metric on both sides: medians of `n_old` and `n_new` samples, in `unit`.

    `change` is new / old - 1; `p` and `interval` (the same of the geometric means, 95 %) are of the test, None without
    one.
    """

    metric: str
    unit: str
    decimals: int
    judgement: Judgement
    why: str = ""
    old: float | None = None
    new: float | None = None
    n_old: int = 0
    n_new: int = 0
    change: float | None = None
    p: float | None = None
    interval: tuple[float, float] | None = None


class Version(Data):
    """Something around the device that differs between two runs."""

    name: str
    was: str
    now: str


class CaseDiff(Data):
    """A case on one machine whose record is another than before. `why` explains every outcome but `compared`."""

    snippet: str
    case: str
    profile: str
    machine: str
    outcome: Outcome
    why: tuple[str, ...] = ()
    old_run: str | None = None
    new_run: str | None = None
    old_started: datetime | None = None
    new_started: datetime | None = None
    versions: tuple[Version, ...] = ()
    rows: tuple[Row, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.snippet}/{self.case}@{self.profile}:{self.machine}"

    @property
    def drifted(self) -> bool:
        return any(row.judgement not in ("unchanged", "not comparable") for row in self.rows)


class Reading(Data):
    """A median on one machine."""

    machine: str
    model: str
    value: float
    n: int


class Beside(Data):
    """The same case on several kinds of hardware: shown side by side and never divided by each other."""

    snippet: str
    case: str
    profile: str
    metric: str
    unit: str
    decimals: int
    readings: tuple[Reading, ...]


class Flip(Data):
    """A claim of docs/evidence.toml whose verdict is another than before; None where nothing tests it."""

    claim: str
    was: Verdict | None
    now: Verdict | None
    why: tuple[str, ...] = ()


class MadeStale(Data):
    """Cases whose record is the same as before and no longer one of today's program."""

    snippet: str
    profile: str
    machine: str
    cases: tuple[str, ...]
    figures: int
    why: tuple[str, ...]


class Point(Data):
    """One run in a chart through time."""

    started: datetime
    run_id: str
    value: float


class Chart(Data):
    """Medians of one metric through time, of runs with one key on one machine."""

    snippet: str
    case: str
    profile: str
    machine: str
    metric: str
    unit: str
    decimals: int
    points: tuple[Point, ...]


class Diff(Data):
    """What is different in `new`, and what that means."""

    old: str
    new: str
    flips: tuple[Flip, ...] = ()
    cases: tuple[CaseDiff, ...] = ()
    beside: tuple[Beside, ...] = ()
    stale: tuple[MadeStale, ...] = ()
    charts: tuple[Chart, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """2 where something is implausible, failed or damaged; 1 for drift, also of a verdict; 0 otherwise."""
        if self.problems or any(case.outcome in ("failed", "damaged", "implausible") for case in self.cases):
            return BAD
        return DRIFT if self.flips or any(case.drifted for case in self.cases) else NOTHING
