"""A page as blocks: what Markdown reads as one paragraph, heading or fence, and what it reads as code or a comment."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass
class TextBlock:
    """Consecutive lines that Markdown reads as one block; `first` is the number of the first."""

    first: int
    lines: list[str]


@dataclass
class FenceBlock:
    """A fence. `last` is the number of its last line, None where it is never closed.

    `deep`: it goes on a paragraph, four columns in, where Markdown sees no fence.
    """

    first: int
    column: int
    info: str
    body: list[str]
    last: int | None
    deep: bool = False


FENCE = re.compile(r"(?P<prefix>[> \t]*)(?P<ticks>`{3,}|~{3,})(?P<info>.*)")
RAW_START = re.compile(r" {0,3}(?:(?P<comment><!--)|<(?P<tag>pre|script|style)\b)", re.I)


def blocks(lines: list[str], start: int, is_ours: Callable[[str], bool]) -> Iterator[TextBlock | FenceBlock]:
    """Blocks of text, and the fences whose info string `is_ours` or that are never closed, from line `start` on.

    All other code is left out.
    """
    layout, text, at = _Layout(), TextBlock(0, []), start
    closing = _last_closing(lines)
    while at < len(lines):
        line, number = lines[at], at + 1
        raw_end = _raw_end(lines, at)
        place = "raw" if raw_end else layout.place(line)
        fence = _fence_at(lines, at, closing, is_ours) if place in {"text", "new"} else None
        if text.lines and (place != "text" or fence):
            yield text
            text = TextBlock(0, [])
        if fence:
            at = fence.last or number
            fence.deep = layout.deep
            if fence.last is None or is_ours(fence.info):
                yield fence
            continue
        if place in {"text", "new"}:
            text.first = text.first or number
            text.lines.append(line)
        at = raw_end or number
    if text.lines:
        yield text


def _raw_end(lines: list[str], at: int) -> int | None:
    """The last line of the comment of several lines, or of the raw HTML, that begins on line `at`."""
    if not (found := RAW_START.match(lines[at])):
        return None
    end = "-->" if found["comment"] else f"</{found['tag'].lower()}"
    ends = (number for number, line in enumerate(lines[at:], at + 1) if end in line.lower())
    last = next(ends, len(lines))
    # A comment that ends on its line is left to INLINE: text may follow it.
    return None if found["comment"] and last == at + 1 else last


def _last_closing(lines: list[str]) -> dict[str, int]:
    """Where each run of ticks stands alone for the last time: behind it no such fence is closed, so none is sought."""
    alone = ((number, FENCE.fullmatch(line)) for number, line in enumerate(lines, 1) if "```" in line or "~~~" in line)
    return {found["ticks"]: number for number, found in alone if found and not found["info"].strip()}


def _fence_at(
    lines: list[str], at: int, closing: Mapping[str, int], is_ours: Callable[[str], bool]
) -> FenceBlock | None:
    """The fence that line `at` opens, closed as SuperFences closes it: same indentation, same fence.

    One of ours that begins with the same ticks before that shows that its end was forgotten.
    """
    opening = FENCE.fullmatch(lines[at])
    if not opening or (opening["ticks"][0] == "`" and "`" in opening["info"]):
        return None
    depth = len(_expanded(opening["prefix"]))
    fence = FenceBlock(at + 1, opening.start("ticks") + 1, opening["info"].strip(), [], None)
    if closing.get(opening["ticks"], 0) <= at + 1:
        return fence
    for number in range(at + 2, len(lines) + 1):
        indent, content = _stripped(lines[number - 1], depth)
        if content.strip() and indent < depth:
            return fence
        ticks, info = opening["ticks"], content.removeprefix(opening["ticks"])
        if content.startswith(ticks) and info[:1] != ticks[0] and is_ours(info):
            return fence
        if content.rstrip() == ticks:
            fence.last = number
            return fence
        fence.body.append(content)
    return fence


def _stripped(line: str, depth: int) -> tuple[int, str]:
    """A line without at most `depth` columns of indentation and quote marks."""
    line = _expanded(line[: len(line) - len(line.lstrip("> \t"))]) + line.lstrip("> \t")
    indent = min(depth, len(line) - len(line.lstrip("> ")))
    return indent, line[indent:]


def _expanded(indentation: str) -> str:
    return indentation.expandtabs(4)


MARKER = re.compile(r"(?P<lazy>[*+-][ \t]+|\d+\.[ \t]+|:[ ]{1,3}|\[\^[^\]]+\]:)|!!!|\?\?\?|===[!+]*[ \t]+[\"']")
HEADING = re.compile(r"#{1,6}")


@dataclass
class _Container:
    """A list item, admonition, tab or note: its content is indented. `lazy`: a paragraph in it may go on without."""

    indent: int
    lazy: bool


class _Layout:
    """Where each line stands: a fence four spaces in belongs to a list item, or is indented code that shows one."""

    def __init__(self) -> None:
        self._plain: list[_Container] = []
        self._quoted: list[_Container] = []
        self._fresh = True  # no paragraph is open that the next line could continue
        self.deep = False

    def place(self, line: str) -> Literal["blank", "code", "new", "text"]:
        """`new` begins a block of its own."""
        content = line.lstrip(" \t")
        quote = re.match(r"(?:>[ ]?[ \t]*?)+", content)
        indented = content[quote.end() :] if quote else line
        content = indented.lstrip(" \t")
        if not content:
            self._fresh = True
            return "blank"
        if not quote:
            self._quoted.clear()
        indent = len(_expanded(indented[: len(indented) - len(content)]))
        return self._place(self._quoted if quote else self._plain, indent, content)

    def _place(self, open_: list[_Container], indent: int, content: str) -> Literal["code", "new", "text"]:
        marker = MARKER.match(content)
        while open_ and indent < open_[-1].indent and (self._fresh or marker or not open_[-1].lazy):
            open_.pop()
        depth = open_[-1].indent if open_ else 0
        self.deep = indent - depth >= 4
        if self._fresh and self.deep:
            return "code"
        new = self._fresh or marker or HEADING.match(content)
        if marker:
            open_.append(_Container(depth + 4, bool(marker["lazy"])))
        self._fresh = bool(HEADING.match(content)) or bool(marker and not marker["lazy"])
        return "new" if new else "text"
