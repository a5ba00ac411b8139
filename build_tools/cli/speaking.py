"""How a command speaks: plain lines, and on a terminal states in colour and titles bold."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

COLOURS = {
    "fresh": "green",
    "older versions|not measured yet": "cyan",
    "stale|re-run failed": "yellow",
    "damaged|problem": "red",
}


def tell(line: str) -> None:
    print(line, flush=True)


def width() -> int:
    """Columns of the terminal; 100 where there is none, or where it is wider than anybody reads."""
    return min(shutil.get_terminal_size((100, 24)).columns, 120)


def show(lines: Iterable[str]) -> None:
    """Lines on a terminal, states in colour and titles bold; elsewhere plain text."""
    console = None
    if sys.stdout.isatty():
        with suppress(ImportError):
            from rich.console import Console

            console = Console(highlight=False)
    for line in lines:
        if console is None:
            tell(line)
        else:
            console.print(_coloured(line), soft_wrap=True)


def _coloured(line: str) -> Any:
    from rich.text import Text

    text = Text(line, style="" if line.startswith(" ") else "bold")
    for words, style in COLOURS.items():
        text.highlight_regex(rf"(?<![\w-])(?:{words})(?![\w-])", style)
    return text
