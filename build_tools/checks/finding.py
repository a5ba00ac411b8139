"""What a check finds: problems that must be mended, notes worth knowing, each at file, line and column."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from build_tools.errors import LedgerError, Place


@dataclass(frozen=True)
class Spot(Place):
    """A place within a line. `column` counts characters from 1."""

    column: int | None = None

    def __str__(self) -> str:
        return f"{super().__str__()}:{self.column}" if self.line and self.column else super().__str__()


@dataclass
class Findings:
    """`problems` make a check fail; `notes` do not: a stale record or translation is marked as such on the pages."""

    problems: list[LedgerError] = field(default_factory=list)
    notes: list[LedgerError] = field(default_factory=list)

    def add(self, other: Findings) -> None:
        self.problems += other.problems
        self.notes += other.notes

    def of(self, file: Path) -> Findings:
        """What was found in one file: for a page that somebody is editing."""
        return Findings(_within(self.problems, file), _within(self.notes, file))


def _within(found: Iterable[LedgerError], file: Path) -> list[LedgerError]:
    return [error for error in found if error.place and error.place.file.resolve() == file.resolve()]


def spot_of(path: Path, text: str, offset: int, *, first: int = 1) -> Spot:
    """Line and column of an offset in a text whose first line has the number `first`."""
    line = text.count("\n", 0, offset)
    return Spot(path, first + line, offset - text.rfind("\n", 0, offset))
