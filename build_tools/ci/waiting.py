"""Measuring runs that no runner has taken, or that ended without a result: told daily, waited for by nobody."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta

from pydantic import AwareDatetime, TypeAdapter, ValidationError

from build_tools.errors import LedgerError, one_line
from build_tools.model import Data

RECENT = timedelta(days=2)  # what ended before that was told yesterday
ASKED = "gh run list --workflow measure.yml --json createdAt,status,conclusion,url"


class Run(Data):
    """One run as GitHub's command line lists it; `conclusion` is empty while it has not ended."""

    createdAt: AwareDatetime  # noqa: N815 - their name
    status: str
    conclusion: str | None = None
    url: str


def waiting(listed: str, now: datetime, patience: timedelta) -> list[str]:
    """A line for each run that waits longer than `patience`, or ended badly since yesterday. Raises LedgerError."""
    try:
        runs = TypeAdapter(tuple[Run, ...]).validate_json(listed, strict=False)
    except ValidationError as error:
        problem = f"stdin is no list of runs: {one_line(str(error.errors()[0]['msg']))}"
        raise LedgerError(
            problem, example=json.dumps([]), next_command=f"{ASKED} | python -m build_tools ci waiting"
        ) from None
    return [one_line(line) for run in runs for line in _lines(run, now, patience)]


def _lines(run: Run, now: datetime, patience: timedelta) -> Iterator[str]:
    waited = now - run.createdAt
    hours = f"{waited / timedelta(hours=1):.0f} hours"
    if run.status != "completed" and waited > patience:
        yield f"waiting: begun {hours} ago and not ended; is its runner there? {run.url}"
    if run.status == "completed" and run.conclusion not in ("success", "skipped") and waited < RECENT:
        yield f"no result: {run.conclusion or 'ended'}, begun {hours} ago: {run.url}"
