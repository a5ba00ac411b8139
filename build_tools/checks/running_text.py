"""What of a block of Markdown is said to the reader: code, our roles, formulas, addresses and tags are blanked out.

The blanked text is as long as the source, so that an offset in it is one in the page.
"""

from __future__ import annotations

import re

from build_tools.errors import clipped
from build_tools.syntax import INLINE, roles_in

BLANK = "\x00"  # neither a letter nor a space: what stands before it and after it does not run together
COMMENT = re.compile(r"<!--.*?-->", re.S)
TAG = re.compile(r"</?[A-Za-z][^<>]*>")
SAID_IN_TAG = re.compile(r"""\b(?:alt|title|aria-label)=(?P<quote>["'])(?P<text>.*?)(?P=quote)""", re.S)
# In this order: a formula may hold what looks like an address.
NOT_SAID = (
    re.compile(r"(?<!\\)\$\$.+?\$\$", re.S),
    re.compile(r"(?<![\\$])\$(?![\s$])(?:\\.|[^$\\])+?(?<!\s)\$(?!\$)"),
    re.compile(r"<https?://[^>\s]+>"),
    re.compile(r"(?<=\]\()[^()\s]*(?:\([^()\s]*\)[^()\s]*)*"),  # where a link leads
    re.compile(r"(?<=\]\[)[^\]\n]*(?=\])"),
    re.compile(r"^[ >]*\[[^\]\n]+\]:[ \t]*\S+", re.M),  # where a link by name leads
    re.compile(r"https?://[^\s<>()（）]+"),
    re.compile(r"\{:?[ ]*[#.][^{}\n]*\}"),  # attributes: {#id .class}
    re.compile(r"\[\^[^\]\n]+\]:?"),
)


def blanked(text: str) -> str:
    """The block without code, roles of ours and comments: what Markdown reads as Markdown."""
    signs = list(text)
    for start, end in _inline_spans(text):
        _blank(signs, start, end)
    return "".join(signs)


def said(text: str) -> str:
    """The block with everything blanked that is no running text. Texts of images and tags stay."""
    signs = list(blanked(text))
    for pattern in NOT_SAID:
        for found in pattern.finditer("".join(signs)):
            _blank(signs, *found.span())
    for found in TAG.finditer("".join(signs)):
        _blank_tag(signs, found)
    return "".join(signs)


def _inline_spans(text: str) -> list[tuple[int, int]]:
    """Roles, code spans and comments, which Markdown reads before anything else."""
    roles = [node.span for node in roles_in(text)]
    starts = dict(roles)
    spans, position = list(roles), 0
    while found := INLINE.search(text, position):
        if found.start() in starts:
            position = starts[found.start()]
            continue
        if found["code"] or found[0].startswith("<!--"):
            spans.append(found.span())
        position = found.end("shut") if found["name"] else found.end()
    return spans


def _blank_tag(signs: list[str], tag: re.Match[str]) -> None:
    kept = [(tag.start() + text.start("text"), tag.start() + text.end("text")) for text in SAID_IN_TAG.finditer(tag[0])]
    position = tag.start()
    for start, end in kept:
        _blank(signs, position, start)
        position = end
    _blank(signs, position, tag.end())


def _blank(signs: list[str], start: int, end: int) -> None:
    """Line ends stay: they are where an offset gets its line."""
    for position in range(start, end):
        if signs[position] != "\n":
            signs[position] = BLANK


SENTENCE_END = re.compile(r"[。！？；][”」』）]?|[.!?](?=[\s\"”)])|\n\s*\n")
FARTHEST = 400  # signs from a finding to either end of its sentence
LONGEST = 160  # characters of a sentence in a message


def sentence_at(text: str, offset: int, end: int) -> str:
    """The sentence around a finding; of a table its row. One line, and not longer than a message may be."""
    row = line_at(text, offset)
    if row.lstrip("> ").startswith("|"):
        return clipped(" ".join(row.split()), LONGEST)
    window = max(0, offset - FARTHEST)
    start = max((found.end() for found in SENTENCE_END.finditer(text, window, offset)), default=window)
    stop = SENTENCE_END.search(text, end, end + FARTHEST)
    return clipped(" ".join(text[start : stop.end() if stop else end + FARTHEST].split()), LONGEST)


def line_at(text: str, offset: int) -> str:
    """The line that an offset lies in."""
    end = text.find("\n", offset)
    return text[text.rfind("\n", 0, offset) + 1 : end if end >= 0 else len(text)]
