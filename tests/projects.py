"""The smallest snippet there is, and where things are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

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
