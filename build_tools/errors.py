"""The one kind of error that a person can cause: a line that says where, what, what would be right, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

LONGEST_VALUE, LONGEST_PROBLEM = 60, 1000  # characters of what somebody wrote, in a line about it


@dataclass(frozen=True)
class Place:
    """A position in a file, shown relative to the folder the command was started in where that is shorter."""

    file: Path
    line: int | None = None

    def __str__(self) -> str:
        try:
            # The folder's real path and the file's own name: of a link the link is told, not where it leads.
            file = (self.file.parent.resolve() / self.file.name).relative_to(Path.cwd())
        except (ValueError, OSError):
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
        problem = clipped(self.problem, LONGEST_PROBLEM)
        parts = [f"{self.place}: {problem}" if self.place else problem]
        parts += [f"for example: {self.example}"] if self.example else []
        parts += [f"next: {self.next_command}"] if self.next_command else []
        return one_line("; ".join(parts))

    def at(self, place: Place, *, example: str | None = None, next_command: str | None = None) -> LedgerError:
        """The same error, located; `example` and `next_command` are for one that has none of its own."""
        return LedgerError(
            self.problem, place=place, example=self.example or example, next_command=self.next_command or next_command
        )


class MisfitError(ValueError):
    """A value that does not fit, found while a model is validated. `path` leads to it from the model's root."""

    def __init__(self, problem: str, *, path: tuple[str, ...], example: str | None = None) -> None:
        self.problem, self.path, self.example = problem, path, example
        super().__init__(problem)


def one_line(text: str) -> str:
    """Printable and on one line: whatever a file name or a value contains, it cannot command a terminal."""
    return "".join(sign if sign.isprintable() else _escaped(sign) for sign in " ".join(text.split()))


def _escaped(sign: str) -> str:
    return sign.encode("unicode_escape", "surrogatepass").decode("ascii")


def clipped(text: str, longest: int = LONGEST_VALUE) -> str:
    """A long text by its beginning and its end."""
    if len(text) <= longest:
        return text
    return f"{text[: longest * 3 // 4]} … {text[-(longest // 4) :]}"


def quoted(value: object) -> str:
    """A value as Python writes it, short enough for an error."""
    return clipped(repr(value))
