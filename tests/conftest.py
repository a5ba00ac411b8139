"""A project in a temporary folder, and the snippets that tests put into it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
NAP_TOML = """\
title = { zh = "打盹", en = "nap" }
timeout_s = 20
repeats = { quick = 2 }
[parameters]
seconds = 0.01
[profiles.quick]
[cases.short]
"""
NAP = """\
import time
from build_tools import measure

def run(p, meter):
    with meter.window(None, samples=1, optimizer_steps=0):
        time.sleep(p.seconds)
"""

Write = Callable[..., Path]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project without snippets; its reference machine is one that nobody has."""
    (tmp_path / "snippets").mkdir()
    (tmp_path / "pyproject.toml").write_text('[tool.ledger]\nreference = "h200"\nmachines = ["h200"]\n')
    (tmp_path / "constraints.txt").write_text("")
    return tmp_path


@pytest.fixture
def write_snippet(project: Path) -> Write:
    """Write `snippets/<name>/` from the text of its two files; returns the folder."""

    def write(name: str = "nap", *, program: str = NAP, toml: str = NAP_TOML) -> Path:
        folder = project / "snippets" / name
        folder.mkdir(exist_ok=True)
        (folder / "main.py").write_text(program)
        (folder / "snippet.toml").write_text(toml)
        return folder

    return write
