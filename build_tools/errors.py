"""The one kind of error that a person can cause: a line that says where, what, what would be right, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Place:
    """A position in a file, shown relative to the folder the command was started in where that is shorter."""

    file: Path
    line: int | None = None

    def __str__(self) -> str:
        try:
            file = self.file.resolve().relative_to(Path.cwd())
        except ValueError:
            file = self.file
        return f"{file}:{self.line}" if self.line else str(file)


class LedgerError(Exception):
    """Something a person can mend. `str()` is one line: `file:line: problem; for example: …; next: …`."""

    def __init__(
        self, problem: str, *, place: Place | None = None, example: str | None = None, next_command: str | None = None
    ) -> None:
        self.problem, self.place, self.example, self.next_command = problem, place, example, next_command
        super().__init__(str(self))

    def __str__(self) -> str:
        parts = [f"{self.place}: {self.problem}" if self.place else self.problem]
        parts += [f"for example: {self.example}"] if self.example else []
        parts += [f"next: {self.next_command}"] if self.next_command else []
        return " ".join("; ".join(parts).split())

    def at(self, place: Place) -> LedgerError:
        """The same error, located."""
        return LedgerError(self.problem, place=place, example=self.example, next_command=self.next_command)


class MisfitError(ValueError):
    """A value that does not fit, found while a model is validated. `path` leads to it from the model's root."""

    def __init__(self, problem: str, *, path: tuple[str, ...], example: str | None = None) -> None:
        self.problem, self.path, self.example = problem, path, example
        super().__init__(problem)
