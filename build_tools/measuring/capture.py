"""What a run printed, as a reader may see it: text, without terminal codes, frames of a progress bar, or paths."""

from __future__ import annotations

import re
from pathlib import Path

LIMIT = 64 * 1024  # characters kept of one run: what a page could show anyway
ANSI = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-_])")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def cleaned(output: bytes, *folders: Path) -> str:
    """Decode, keep the last frame of each line, drop terminal codes, and make paths below `folders` relative."""
    text = ANSI.sub("", output[: 4 * LIMIT].decode("utf-8", errors="replace")).replace("\r\n", "\n")
    lines = [CONTROL.sub("", line.rstrip("\r").rpartition("\r")[2]).rstrip() for line in text.split("\n")]
    shown = "\n".join(lines)
    for folder in folders:
        shown = shown.replace(f"{folder}/", "")
    return shown.replace(str(Path.home()), "~").strip("\n")[:LIMIT]
