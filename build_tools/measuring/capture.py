"""What a run printed, as a reader may see it: text as a terminal would leave it, without paths or secrets."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LIMIT = 64 * 1024  # characters kept of one run: what a page could show anyway
CUT = "\n…"

# ----------------------------------------------------------------------------------------- as a terminal would leave it

CONTROL_SEQUENCE = re.compile(
    r"""
    \x1b\[(?P<count>[0-?]*)[ -/]*(?P<command>[@-~])                  # moves, erases, colours
    | \x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\) | [PX^_][^\x1b]*\x1b\\)   # titles, links, words to the terminal itself
    | \x1b(?:\[[0-?]*[ -/]*$ | [ -/]*[0-~])                          # one that is cut off; all that are short
    | (?P<feed>\n) | (?P<return>\r)
    """,
    re.X | re.S,
)
# C0 but for tab and backspace, DEL, C1, and what reverses the direction of the text behind it.
INVISIBLE = re.compile("[\x00-\x07\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def cleaned(output: bytes, *folders: Path) -> str:
    """Decode, keep the last frame of each line, drop terminal codes, and mask paths and secrets.

    Paths below `folders` become relative.
    """
    text = as_left_on_screen(output[: 4 * LIMIT].decode("utf-8", errors="replace"))
    shown = masked(text, *folders).strip("\n")
    return shown if len(shown) <= LIMIT else shown[:LIMIT] + CUT


def as_left_on_screen(text: str) -> str:
    """The lines that would be left once everything is printed."""
    screen, position = _Screen(), 0
    for code in CONTROL_SEQUENCE.finditer(text):
        screen.write(text[position : code.start()])
        position = code.end()
        if code["feed"]:
            screen.feed()
        elif code["return"]:
            screen.over = True
        elif code["command"]:
            screen.obey(code["command"], code["count"])
    screen.write(text[position:])
    return "\n".join(INVISIBLE.sub("", _without_backspaces("".join(line))).rstrip() for line in screen.lines)


class _Screen:
    """Lines of pieces. A carriage return begins its line anew: of a progress bar, the last frame is what counts."""

    def __init__(self) -> None:
        self.lines: list[list[str]] = [[]]
        self.row = 0
        self.over = False  # what is written next replaces the line

    def write(self, text: str) -> None:
        if not text:
            return
        if self.over:
            self.lines[self.row] = []
            self.over = False
        self.lines[self.row].append(text)

    def feed(self) -> None:
        self.row += 1
        self.over = self.row < len(self.lines)
        if not self.over:
            self.lines.append([])

    def obey(self, command: str, count: str) -> None:
        """Up and down, as bars of several lines use them, and erasing; colours and all else change no text."""
        if command in "AB":
            steps = int(count) if count.isdigit() else 1
            self.row = min(max(self.row + (-steps if command == "A" else steps), 0), len(self.lines) - 1)
            self.over = True
        elif command == "K" and (self.over or count == "2"):
            self.lines[self.row] = []
        elif command == "J" and count in {"2", "3"}:
            self.lines, self.row = [[]], 0


def _without_backspaces(line: str) -> str:
    """A spinner goes back over what it wrote."""
    if "\b" not in line:
        return line
    kept: list[str] = []
    for character in line:
        if character != "\b":
            kept.append(character)
        elif kept:
            kept.pop()
    return "".join(kept)


# ---------------------------------------------------------------------------------------------------- paths and secrets


@dataclass(frozen=True)
class Mask:
    """What is not for readers: its name, what is shown instead, and where: the group `hidden` of the pattern.

    A match without that group is something that only looks like it.
    """

    what: str
    shown: str
    pattern: re.Pattern[str]


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.X | re.A | re.S)


# Where a path ends when no quotes say so: at a space (but for one behind a backslash) and at punctuation.
ENDS = r"\s\"'`<>|:;,()\[\]{}，。；：、！？（）《》「」『』“”‘’…‹›"
# Between Chinese characters a slash may mean "or"; there, a path is known by where it begins.
TOP = (
    "autodl-tmp|cache|content|data|etc|gpfs|home|kaggle|lustre|media|mnt|nfs|opt|private|root|run|scratch|srv|storage|"
    "tmp|Users|usr|var|work|workspace"
)

MASKS = (
    Mask("a token", "‹token›", _compiled(
        r"""(?<![A-Za-z0-9])(?P<hidden>
          hf_[A-Za-z0-9]{16,} | gh[pousr]_[A-Za-z0-9]{16,} | github_pat_\w{16,} | glpat-[\w-]{16,} | pypi-[\w-]{30,}
        | npm_[A-Za-z0-9]{30,} | xox[a-z]-[\w-]{10,} | sk-(?=[\w-]*\d)[\w-]{16,} | (?:AKIA|ASIA)[A-Z0-9]{16}
        | AIza[\w-]{30,} | eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*
        | -----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY-----.*?(?:-----END[ ][A-Z ]*PRIVATE[ ]KEY-----|\Z))"""
    )),
    # Long and of mixed letters and digits, behind a word that says what it is; a parameter's name is all lower case.
    Mask("a token", "‹token›", _compiled(
        r"""(?i:token|secret|key|credentials?|authorization)["']?\s*[:=]\s*["']?(?i:bearer\s+|basic\s+)?
        (?P<hidden>[0-9a-fA-F]{32,} | (?=[\w+/-]*[a-z])(?=[\w+/-]*[A-Z])(?=[\w+/-]*\d)[\w+/-]{20,}=*)"""
    )),
    Mask("a password", "‹token›", _compiled(
        r"""(?i:passw(?:or)?d)["']?\s*[:=]\s*["']?(?P<hidden>[^\s"',;‹]+)"""
    )),
    Mask("a password", "‹token›", _compiled(r"""(?<=://)(?P<hidden>[^\s/@:‹]+:[^\s/@]+)@""")),
    Mask("an absolute path", "‹path›", _compiled(
        r"""(?P<quote>["'])(?P<hidden>(?:/[^"'\n/]+/|[A-Za-z]:[\\/])[^"'\n]*)(?P=quote)"""
    )),
    Mask("an absolute path", "‹path›", _compiled(
        rf"""(?<![A-Za-z0-9])(?P<hidden>[A-Za-z]:\\(?:\\[ ]|[^{ENDS}])* | \\\\[\w.-]+\\(?:\\[ ]|[^{ENDS}])*)"""
    )),
    Mask("an absolute path", "‹path›", _compiled(rf"file://(?P<hidden>/(?:\\[ ]|[^{ENDS}])*)")),
    Mask("an absolute path", "‹path›", _compiled(
        rf"""(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>]*              # an address is none
        | (?:(?<![A-Za-z0-9_./~\u4e00-\u9fff]) | (?<=-[A-Z]) | (?<![A-Za-z0-9_./~])(?=/(?:{TOP})/))
          (?P<hidden>/(?:\\[ ]|[^{ENDS}/])+/(?:\\[ ]|[^{ENDS}])*(?<!\.))"""
    )),
)  # fmt: skip


def masked(text: str, *folders: Path) -> str:
    """The text without what is not for readers. Paths below `folders`, the inner ones first, become relative."""
    for folder in folders:
        text = text.replace(f"{folder}/", "")
    # A mask may uncover what was part of something else before: once more, until nothing is found.
    while (shown := _masked_once(text)) != text:
        text = shown
    return text


def _masked_once(text: str) -> str:
    for mask in _masks():
        text = mask.pattern.sub(lambda found, mask=mask: _hidden(found, mask.shown), text)  # type: ignore[misc]
    return text


def leaks(text: str) -> Iterator[tuple[str, str]]:
    """What `masked` would have masked: what it is, and how it begins, too little to be of use to anybody."""
    for mask in _masks():
        for found in mask.pattern.finditer(text):
            if found["hidden"]:
                yield mask.what, found["hidden"][:4] + "…"


def _masks() -> Iterator[Mask]:
    yield from MASKS
    # A machine's name may be a word of any text, unless it has something that words lack.
    name = platform.node()
    if re.search(r"[0-9-]", name):
        yield Mask("this machine's name", "‹host›", _compiled(rf"(?<![\w-])(?P<hidden>{re.escape(name)})(?![\w-])"))


def _hidden(found: re.Match[str], shown: str) -> str:
    if found["hidden"] is None:
        return found[0]
    start, end = (position - found.start() for position in found.span("hidden"))
    return found[0][:start] + shown + found[0][end:]
