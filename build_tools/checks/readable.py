"""What a reader gets to read of a file, whatever language it is written in: all else is blanked out, offsets stay.

Pages and README in Markdown, texts of TOML files, comments and docstrings of snippets, JavaScript strings, drawings
and templates. One entry in READERS for each kind of file.
"""

from __future__ import annotations

import io
import re
import tokenize
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from pathlib import Path

from build_tools.checks.finding import Spot
from build_tools.checks.page import is_table, page_at
from build_tools.checks.running_text import BLANK, said
from build_tools.translations import read

Span = tuple[int, int]


@dataclass(frozen=True)
class Readable:
    """A file's text, and the same with everything blanked that is not said to a reader. Both are equally long."""

    path: Path
    text: str
    said: str

    @cached_property
    def starts(self) -> list[int]:
        return [0, *accumulate(len(line) + 1 for line in self.text.split("\n"))]

    def spot(self, offset: int) -> Spot:
        """Line and column of an offset."""
        line = bisect_right(self.starts, offset)
        return Spot(self.path, line, offset - self.starts[line - 1] + 1)


def readable_files(root: Path) -> list[Path]:
    """Every file of a project that says something to a reader."""
    patterns = (
        "*.md",
        "docs/zh/**/*.md",
        "docs/en/**/*.md",
        "docs/*.toml",
        "docs/theme/**/*.*",
        "snippets/*/*.py",
        "snippets/*/*.toml",
    )
    found = {path for pattern in patterns for path in root.glob(pattern) if path.suffix in READERS and path.is_file()}
    return sorted(found)


def readable(path: Path) -> Readable:
    """What a file says, read anew only where it has changed. Raises LedgerError where it is no text."""
    mark = path.stat()
    return _readable(path, mark.st_mtime_ns, mark.st_size)


@lru_cache(maxsize=4096)
def _readable(path: Path, changed_ns: int, size: int) -> Readable:
    if path.suffix == ".md":
        return _markdown(path)
    text = read(path)
    return Readable(path, text, _kept(text, READERS[path.suffix](text)))


def _kept(text: str, spans: Iterator[Span]) -> str:
    """Everything blanked but the spans; in these, what is code and the like."""
    signs = [BLANK] * len(text)
    for start, end in spans:
        signs[start:end] = said(text[start:end])
    return "".join(signs)


# ------------------------------------------------------------------------------------------------------------ Markdown

SETTINGS = re.compile(r"^(?P<key>[\w-]+):[ ]*(?P<text>.*)$", re.M)
NOT_FOR_READERS = {"video", "template", "icon", "tags", "status"}


def _markdown(path: Path) -> Readable:
    page = page_at(path)
    signs = [BLANK] * len(page.text)
    for found in SETTINGS.finditer(page.text, 0, page.starts[page.head]):
        if found["key"] not in NOT_FOR_READERS:
            signs[slice(*found.span("text"))] = said(found["text"])
    for block in page.texts:
        text = "\n".join(block.lines)
        # A code span never leaves its row.
        blanked = "\n".join(said(row) for row in block.lines) if is_table(block) else said(text)
        start = page.starts[block.first - 1]
        signs[start : start + len(text)] = blanked
    return Readable(path, page.text, "".join(signs))


# -------------------------------------------------------------------------------------------------------------- others

TOML = re.compile(
    r"""(?P<comment>\#[^\n]*)
      | (?P<key>[\w.-]+|"[^"\n]*")[ \t]*=(?!=)
      | (?P<text>\"{3}(?:\\.|[^\\])*?\"{3} | '{3}.*?'{3} | "(?:\\.|[^"\\\n])*" | '[^'\n]*')
      | (?P<header>^[ \t]*\[[^\n]*)
    """,
    re.X | re.S | re.M,
)
TOML_TEXTS = {"zh", "en", "title", "origin", "place", "cell", "when", "note", "label", "description"}
BRACES = re.compile(r"\{[^{}\n]+\}")  # of a claim's text: the numbers in it are references


def toml_texts(text: str) -> Iterator[tuple[str, Span]]:
    """The strings of a TOML file that are words, each with the last part of its key, such as `zh`."""
    key = ""
    for found in TOML.finditer(text):
        if found["key"]:
            key = found["key"].strip('"').rpartition(".")[2]
        elif found["text"] and key in TOML_TEXTS:
            marks = 3 if found["text"].startswith(('"""', "'''")) else 1
            yield key, (found.start() + marks, found.end() - marks)


def _toml(text: str) -> Iterator[Span]:
    for _, (position, end) in toml_texts(text):
        for braces in BRACES.finditer(text, position, end):
            yield position, braces.start()
            position = braces.end()
        yield position, end
    for found in TOML.finditer(text):
        if found["comment"] and not found["comment"].startswith("#:"):
            yield found.span("comment")


def _python(text: str) -> Iterator[Span]:
    """Comments and docstrings. A program that cannot be read is told where snippets are loaded."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    before = tokenize.NEWLINE
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            span = starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1]
            docstring = token.type == tokenize.STRING and before in {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
            if token.type == tokenize.COMMENT or docstring:
                yield span
            if token.type not in {tokenize.NL, tokenize.COMMENT}:
                before = token.type
    except (tokenize.TokenError, SyntaxError):
        return


JAVASCRIPT = re.compile(
    r"""//[^\n]* | /\*.*?\*/
      | (?P<text>"(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | `(?:\\.|[^`\\])*`)
    """,
    re.X | re.S,
)
SAYS_SOMETHING = re.compile(r"[一-鿿]|[A-Za-z]{3,}.*\s|\s.*[A-Za-z]{3,}", re.S)
CODE_SIGNS = re.compile(
    r"[{}<>=#;]|^[.\[:]|\b(?:px|em|rem|ease(?:-in|-out)*|linear)\b|\d(?:px|em|rem|vh|vw)\b"
)  # selectors, CSS, markup


def _javascript(text: str) -> Iterator[Span]:
    for found in JAVASCRIPT.finditer(text):
        if found["text"] and SAYS_SOMETHING.search(found["text"]) and not CODE_SIGNS.search(found["text"][1:-1]):
            yield found.start() + 1, found.end() - 1


MARKUP = re.compile(
    r"<!--.*?-->|<(?P<raw>style|script)\b.*?</(?P=raw)>|\{\{.*?\}\}|\{%.*?%\}|\{\#.*?\#\}|<[^<>]*>", re.S | re.I
)
SAID_IN_TAG = re.compile(r"""\b(?:alt|title|aria-label|content)=(?P<quote>["'])(?P<text>[^"'{}]*)(?P=quote)""")


def _markup(text: str) -> Iterator[Span]:
    position = 0
    for found in MARKUP.finditer(text):
        yield position, found.start()
        if not found["raw"] and not found[0].startswith("<!--"):
            yield from (inner.span("text") for inner in SAID_IN_TAG.finditer(text, *found.span()))
        position = found.end()
    yield position, len(text)


READERS: Mapping[str, Callable[[str], Iterator[Span]]] = {
    ".toml": _toml,
    ".py": _python,
    ".js": _javascript,
    ".svg": _markup,
    ".html": _markup,
    ".md": lambda text: iter(()),  # see `_markdown`, which knows the page
}
