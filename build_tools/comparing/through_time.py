"""Charts of what changed: the medians of earlier runs and of this one, where there are at least three to draw."""

from __future__ import annotations

from collections.abc import Iterator

from build_tools.comparing.difference import CaseDiff, Chart, Point, Row
from build_tools.comparing.side import Side
from build_tools.errors import LedgerError
from build_tools.figures.collect import Slot
from build_tools.history import through_time
from build_tools.model import Past

FEWEST = 3  # two points are a table
ALWAYS = ("seconds", "peak_mib", "tensor_mib")  # drawn though they did not change


def charts(new: Side, cases: tuple[CaseDiff, ...]) -> Iterator[Chart]:
    """For each case with a new record: what drifted, else the first metric of ALWAYS, through time."""
    for case in cases:
        if case.rows:
            runs = _runs(new, case)
            for row in _chosen(case):
                points = tuple(_points(runs, row.metric))
                if len(points) >= FEWEST:
                    yield _chart(case, row, points)


def _runs(new: Side, case: CaseDiff) -> list[Past]:
    """The runs with today's key; what came before a change of the program measured something else."""
    slot = Slot(case.snippet, case.profile, case.machine, case.case)
    stored = next(stored for stored in new.collection.stored[slot] if not stored.failed)
    try:
        runs = through_time(stored.path)
    except LedgerError:
        return []  # told among the problems
    return [past for past in runs if past.key == runs[-1].key]


def _chosen(case: CaseDiff) -> list[Row]:
    drifted = [row for row in case.rows if row.judgement not in ("unchanged", "not comparable")]
    return drifted or [row for row in case.rows if row.metric in ALWAYS][:1]


def _points(runs: list[Past], metric: str) -> Iterator[Point]:
    for past in runs:
        if (value := past.median(metric)) is not None:
            yield Point(started=past.started, run_id=past.run_id, value=value)


def _chart(case: CaseDiff, row: Row, points: tuple[Point, ...]) -> Chart:
    return Chart(
        snippet=case.snippet, case=case.case, profile=case.profile, machine=case.machine, metric=row.metric,
        unit=row.unit, decimals=row.decimals, points=points,
    )  # fmt: skip
