"""Chinese typography by autocorrect: full-width punctuation, and spaces between Han and Latin letters or digits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from build_tools.checks.finding import Spot, spot_of
from build_tools.checks.page import Page
from build_tools.checks.readable import toml_texts
from build_tools.errors import LedgerError
from build_tools.translations import read

INSTALL = "python -m pip install -c constraints.txt autocorrect-py"
NEXT = "python -m build_tools check prose"


def chinese_problems(page: Page) -> Iterator[LedgerError]:
    """What autocorrect would change in the running text of a page. Code is left as it is.

    Raises LedgerError where autocorrect is not installed.
    """
    for block in page.texts:
        # Indented by four, autocorrect would take it for code.
        indent = min(len(line) - len(line.lstrip(" \t>")) for line in block.lines)
        for line, column, old, new in _corrections("\n".join(line[indent:] for line in block.lines)):
            yield _problem(Spot(page.path, block.first + line - 1, column + indent), old, new)


def chinese_texts(path: Path) -> Iterator[LedgerError]:
    """The same for the Chinese texts of a TOML file. Raises LedgerError for a file that is no text."""
    text = read(path)
    for key, (start, end) in toml_texts(text):
        if key == "zh":
            for line, column, old, new in _corrections(text[start:end]):
                offset = start + sum(len(before) + 1 for before in text[start:end].split("\n")[: line - 1]) + column - 1
                yield _problem(spot_of(path, text, offset), old, new)


def _corrections(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Line and column (from 1), what stands there, and what should."""
    try:
        from autocorrect_py import lint_for
    except ImportError:
        raise LedgerError("Chinese typography needs autocorrect-py", next_command=INSTALL) from None
    with suppress(ValueError):  # its parser has a limit, which only a paragraph of megabytes reaches
        for found in lint_for(text, "md").lines:
            yield found.line, found.col, found.old, found.new


def _problem(place: Spot, old: str, new: str) -> LedgerError:
    """The signs that differ, with their neighbours, instead of a whole paragraph twice."""
    pairs = enumerate(zip(old, new, strict=False))
    first = next((at for at, (one, other) in pairs if one != other), min(len(old), len(new)))
    near = slice(max(0, first - 4), first + 6)
    return LedgerError(
        f"Chinese typography: {old[near]!r} should be {new[near]!r}",
        place=Spot(place.file, place.line, (place.column or 1) + first), example=new, next_command=NEXT,
    )  # fmt: skip
