"""Lines of code that take more than two lines of a phone: on the pages themselves, and in the snippets they show.

A phone breaks a line of code and hangs the rest below it (docs/theme/assets/ledger.css). What fits was read in Chromium
at a width of 390 CSS pixels, with this site's style sheet: the block's inner width divided by that of a letter. Android
and iOS have monospace fonts of the same width (0.6 em).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from build_tools.checks.page import Page, includes
from build_tools.errors import LedgerError, Place, clipped
from build_tools.store import SNIPPETS
from build_tools.syntax import FENCES
from build_tools.syntax.blocks import FenceBlock
from build_tools.translations import read

# Lines that cannot be broken are left out: commands, listings, output, and Markdown that shows a role.
UNBREAKABLE = {"sh", "bash", "console", "shell", "text", "txt", "markdown", "md", "output"}
PHONE_COLUMNS = 45  # of a fence that stands on the page itself
PHONE_COLUMNS_INSIDE = 37  # of one in a list item or an admonition
HANG = 2  # columns that the second line begins further in than the first
HAN_COLUMNS = 5 / 3  # a full-width sign is 1 em wide, a letter 0.6 em
# Material replaces the marker of an annotation by a bubble of this width.
ANNOTATION, BUBBLE = re.compile(r"#\s*\((\d+)\)!?\s*$"), "(1)"
MARKER = re.compile(r"-{1,}8<-{1,}\s*\[(?P<what>start|end):(?P<name>[^\]]+)\]")
NEXT = "python -m build_tools check prose"


@dataclass(frozen=True)
class Line:
    """A line of code, where it stands, and how many columns a phone shows of it."""

    file: Path
    number: int
    text: str
    columns: int

    @property
    def room(self) -> int:
        """Columns on two lines: 88 on the page itself, less the indentation, which the second line repeats."""
        indent = len(self.text) - len(self.text.lstrip(" "))
        return 2 * self.columns - HANG - indent


def wide_lines(root: Path, page: Page) -> Iterator[tuple[int, LedgerError]]:
    """Each line that is wider than its block, with the page's line where the block begins: a reason for all of it
    stands there. A line of a snippet is told at the snippet."""
    for fence in page.fences:
        if (kind := fence.info.split()[0].strip("{}.")) in UNBREAKABLE or kind in FENCES:
            continue
        for line in _lines(root, page, fence):
            if (columns := width(line.text)) > line.room:
                yield fence.first, _problem(line, columns)


def _problem(line: Line, columns: int) -> LedgerError:
    return LedgerError(
        f"{columns} columns, but two lines of a phone hold {line.room}: {clipped(line.text.strip(), 40)}",
        place=Place(line.file, line.number), example="a name for a part of it, or the rest on a line of its own",
        next_command=NEXT,
    )  # fmt: skip


def width(line: str) -> int:
    """Columns of a line: full-width signs take 5/3, a marker of an annotation shows as its bubble."""
    shown = ANNOTATION.sub(BUBBLE, line.expandtabs(4).rstrip())
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in shown)
    return math.ceil(len(shown) - wide + wide * HAN_COLUMNS - 1e-9)


def _lines(root: Path, page: Page, fence: FenceBlock) -> Iterator[Line]:
    columns = PHONE_COLUMNS if fence.column == 1 else PHONE_COLUMNS_INSIDE
    taken = includes(fence)
    at = {line for line, _ in taken}
    for number, text in enumerate(fence.body, fence.first + 1):
        if number not in at:
            yield Line(page.path, number, text, columns)
    for _, name in taken:
        yield from _included(root / SNIPPETS, name, columns)


def _included(folder: Path, name: str, columns: int) -> Iterator[Line]:
    """The lines of `trainer/main.py:train`, without their common indentation and without markers."""
    file, _, section = name.partition(":")
    path = folder / file
    if not path.is_file():
        return  # told by the builder, which knows every place where a file may be
    try:
        lines = _section(path, path.stat().st_mtime_ns, section)
    except LedgerError:
        return
    indent = min((len(text) - len(text.lstrip()) for _, text in lines if text.strip()), default=0)
    yield from (Line(path, number, text[indent:], columns) for number, text in lines)


@lru_cache(maxsize=512)
def _section(path: Path, changed_ns: int, section: str) -> list[tuple[int, str]]:
    lines, inside = [], not section
    for number, text in enumerate(read(path).split("\n"), 1):
        if marker := MARKER.search(text):
            inside = marker["what"] == "start" if marker["name"] == section else inside
        elif inside:
            lines.append((number, text))
    return lines
