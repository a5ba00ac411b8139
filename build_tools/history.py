"""Earlier runs of a case on a machine, as `store.write_record` leaves them: one a line, at most HISTORY_LIMIT."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from build_tools.errors import LedgerError, Place
from build_tools.model import NAME, Past
from build_tools.reading import read_text
from build_tools.store import HISTORY, LARGEST_RECORD, history_path, read_record

PLACE = re.compile(rf"{NAME}/{NAME}/{HISTORY}/{NAME}\.jsonl")
RIGHT = "a line as `measure` wrote it; nobody edits one"


def history_files(folder: Path) -> Iterator[Path]:
    """Paths of all histories in a snippet's folder of records, in a stable order."""
    found = sorted(folder.glob(f"*/*/{HISTORY}/*.jsonl"))
    yield from (path for path in found if PLACE.fullmatch(path.relative_to(folder).as_posix()))


def read_history(path: Path) -> list[Past]:
    """Earlier runs, oldest first; empty where there are none. Raises LedgerError with the line that is none."""
    if not path.exists():
        return []
    text = read_text(path, at_most=LARGEST_RECORD, example=RIGHT, next_command=_restore(path))
    runs = {}
    for number, line in enumerate(text.splitlines(), 1):
        past = _read_line(line, path, number)
        runs[past.run_id] = past
    return in_order(runs.values())


def through_time(record: Path) -> list[Past]:
    """All runs of a record's case and machine, oldest first, the record's own the last. Raises LedgerError."""
    now = Past.of(read_record(record))
    return in_order([*(past for past in read_history(history_path(record)) if past.run_id != now.run_id), now])


def in_order(runs: Iterable[Past]) -> list[Past]:
    return sorted(runs, key=lambda past: (past.started, past.run_id))


def history_problems(folder: Path) -> Iterator[LedgerError]:
    """What is wrong with the histories in a snippet's folder of records."""
    for path in history_files(folder):
        try:
            read_history(path)
        except LedgerError as error:
            yield error


def _read_line(line: str, path: Path, number: int) -> Past:
    try:
        past = Past.model_validate_json(line)
    except ValidationError:
        raise _no_past("not a run", path, number) from None
    if past.damaged:
        raise _no_past("does not match its digest", path, number)
    return past


def _no_past(problem: str, path: Path, line: int) -> LedgerError:
    return LedgerError(problem, place=Place(path, line), example=RIGHT, next_command=_restore(path))


def _restore(path: Path) -> str:
    return f"git checkout {Place(path)}, or remove the line"
