"""The text of the weekly issue: how each job ended, in its own last lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from build_tools.errors import LedgerError, Place
from build_tools.measuring.capture import as_left_on_screen

LAST_LINES, LONGEST = 40, 12_000  # lines, and characters of each log: an issue holds 65,536


def issue_text(logs: Path, url: str) -> str:
    """Markdown in which nothing of a log is live. Raises LedgerError where there are no logs."""
    files = sorted(logs.rglob("*.log"))
    if not files:
        raise LedgerError("holds no *.log", place=Place(logs), example=".build/logs")
    return "\n".join([*_head(url), *(line for file in files for line in _section(file))])


def _head(url: str) -> Iterator[str]:
    yield "A weekly check failed. It blocks nobody: the site is built with the versions in `constraints.txt`."
    yield ""
    if url:
        yield f"The whole run: <{url}>"
        yield ""


def _section(file: Path) -> Iterator[str]:
    text = as_left_on_screen(file.read_text(encoding="utf-8", errors="replace"))
    shown = "\n".join(text.strip().splitlines()[-LAST_LINES:])[-LONGEST:]
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    yield from (f"#### {re.sub(r'[^A-Za-z0-9._-]', '-', file.stem)}", "", f"{fence}text", shown, fence, "")
