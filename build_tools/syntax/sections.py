"""A page by its sections: from one heading to the next, each with its id, its place and a digest of its text."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from build_tools.syntax import _front_matter_end, split_lines
from build_tools.syntax.blocks import HEADING, TextBlock, blocks

IDENTIFIER = re.compile(r"\{:?[^{}]*?#(?P<id>[\w:.-]+)[^{}]*\}\s*#*\s*$")
DIGEST_SIGNS = 12  # hexadecimal: two texts with one digest are not to be expected among some thousand sections


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it, up to the next heading of any level.

    `id` is empty where the heading has none. `first` and `last` are line numbers from 1; the first section of a page
    that begins without a heading has level 0.
    """

    id: str
    level: int
    title: str
    first: int
    last: int
    text: str

    @property
    def digest(self) -> str:
        """Of the words: blank lines and spaces at line ends do not count."""
        lines = (line.rstrip() for line in self.text.split("\n"))
        words = "\n".join(line for line in lines if line)
        return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_SIGNS]


def front_matter_end(lines: list[str]) -> int:
    """Number of the last line of a page's front matter, 0 where it has none."""
    return _front_matter_end(lines)


def sections(source: str) -> list[Section]:
    """All sections of a page, in its order; front matter belongs to none."""
    lines = split_lines(source)
    head = front_matter_end(lines)
    starts = [block.first for block in blocks(lines, head, lambda info: False) if is_heading(block)]
    end = len("\n".join(lines).rstrip().split("\n"))  # blank lines at the end of a file belong to no section
    ends = [*(first - 1 for first in starts[1:]), end]
    found = [_section(lines, first, last) for first, last in zip(starts, ends, strict=False)]
    before = "\n".join(lines[head : starts[0] - 1 if starts else len(lines)])
    return [Section("", 0, "", head + 1, head + before.count("\n") + 1, before), *found] if before.strip() else found


def is_heading(block: object) -> bool:
    """Whether this block is a heading of the page itself, not one in a list or a quote."""
    return isinstance(block, TextBlock) and HEADING.match(block.lines[0]) is not None


def _section(lines: list[str], first: int, last: int) -> Section:
    heading = lines[first - 1]
    level = len(heading) - len(heading.lstrip("#"))
    named = IDENTIFIER.search(heading)
    title = heading[level : named.start() if named else None].strip().rstrip("#").strip()
    text = "\n".join(lines[first - 1 : last])
    return Section(named["id"] if named else "", level, title, first, last, text)
