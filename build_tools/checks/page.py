"""A page as the checks see it: read and parsed once, with its headings, fences, tables and running text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from pathlib import Path

from build_tools.model import Language
from build_tools.syntax import TABLE_DELIMITER, Node, parse, split_lines
from build_tools.syntax.blocks import FENCE, HEADING, FenceBlock, TextBlock, blocks
from build_tools.syntax.sections import Section, front_matter_end, sections
from build_tools.translations import SOURCE, TRANSLATION, is_stub, read

FOLDERS: dict[Language, Path] = {"zh": SOURCE, "en": TRANSLATION}
INCLUDE = re.compile(r'^[> \t]*-{1,}8<-{1,}[ ]+"(?P<name>[^"\n]+)"', re.M)
CELL_END = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Table:
    """A Markdown table. `rows` does not count the header."""

    line: int
    columns: int
    rows: int


@dataclass(frozen=True)
class Page:
    """One page. `path` is the file, `text` its source with line ends as Markdown counts them."""

    path: Path
    text: str

    @cached_property
    def lines(self) -> list[str]:
        return split_lines(self.text)

    @cached_property
    def starts(self) -> list[int]:
        """The offset at which each line begins, and that behind the last one."""
        return [0, *accumulate(len(line) + 1 for line in self.lines)]

    @cached_property
    def head(self) -> int:
        """Number of the last line of the front matter, 0 where there is none."""
        return front_matter_end(self.lines)

    @cached_property
    def nodes(self) -> list[Node]:
        """Our fences and roles."""
        return parse(self.text)

    @cached_property
    def sections(self) -> list[Section]:
        return sections(self.text)

    @cached_property
    def blocks(self) -> list[TextBlock | FenceBlock]:
        """Paragraphs, headings, list items and tables, and all fences that have a name."""
        return list(blocks(self.lines, self.head, lambda info: bool(info.strip())))

    @property
    def texts(self) -> Iterator[TextBlock]:
        return (block for block in self.blocks if isinstance(block, TextBlock))

    @property
    def fences(self) -> Iterator[FenceBlock]:
        return (block for block in self.blocks if isinstance(block, FenceBlock))

    @property
    def lines_of_code(self) -> Iterator[int]:
        """Lines of fences: what stands in them is shown, and not said to a check."""
        for fence in self.fences:
            yield from range(fence.first, (fence.last or fence.first) + 1)

    @cached_property
    def headings(self) -> list[Section]:
        """The headings of the page, each with its id and level; those in lists and quotes have no section."""
        return [section for section in self.sections if section.level]

    @cached_property
    def nameless_fences(self) -> list[int]:
        """Lines where a fence begins that does not say what language it holds."""
        covered = {block.first + offset for block in self.texts for offset in range(len(block.lines))}
        covered |= {line for fence in self.fences for line in range(fence.first, (fence.last or fence.first) + 1)}
        bare = [
            number
            for number, line in enumerate(self.lines, 1)
            if number > self.head and number not in covered and _bare(line)
        ]
        return bare[::2]

    @cached_property
    def tables(self) -> list[Table]:
        return [table for block in self.texts if (table := _table(block))]

    @cached_property
    def is_stub(self) -> bool:
        """Whether it says that it is not translated yet."""
        return is_stub(self.text)


def _bare(line: str) -> bool:
    found = FENCE.fullmatch(line)
    return found is not None and not found["info"].strip() and len(found["prefix"].expandtabs(4)) < 4


def _table(block: TextBlock) -> Table | None:
    """The table of a block, which may begin with a line of other text above its header."""
    for number, line in enumerate(block.lines):
        if number and TABLE_DELIMITER.match(line):
            return Table(block.first + number - 1, cells(line), len(block.lines) - number - 1)
    return None


def cells(row: str) -> int:
    """How many cells a row of a table has."""
    return len(CELL_END.split(row.strip().strip("|")))


def is_table(block: TextBlock) -> bool:
    return _table(block) is not None


def heading_in(block: TextBlock) -> bool:
    """Whether this is a heading, also one in a list or a quote."""
    return HEADING.match(block.lines[0].lstrip("> \t")) is not None


def page_at(path: Path) -> Page:
    """The page of a file, parsed anew only where the file has changed. Raises LedgerError where it is no text."""
    mark = path.stat()
    return _page_at(path, mark.st_mtime_ns, mark.st_size)


@lru_cache(maxsize=4096)
def _page_at(path: Path, changed_ns: int, size: int) -> Page:
    return Page(path, "\n".join(split_lines(read(path))))


def pages_in(root: Path, language: Language) -> dict[str, Page]:
    """All pages of a language by their path below its folder. Raises LedgerError for one that is no text."""
    folder = root / FOLDERS[language]
    return {path.relative_to(folder).as_posix(): page_at(path) for path in sorted(folder.rglob("*.md"))}


def includes(fence: FenceBlock) -> list[tuple[int, str]]:
    """What a fence takes from other files: line and name, such as `trainer/main.py:train`."""
    body = "\n".join(fence.body)
    return [(fence.first + 1 + body.count("\n", 0, found.start()), found["name"]) for found in INCLUDE.finditer(body)]
