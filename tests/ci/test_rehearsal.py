"""`make rehearse-ci` as a test: the workflows' own lines, with real measuring and both sites built."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("rehearse.py")


@pytest.mark.slow
def test_rehearsal_of_the_workflows() -> None:
    """Good numbers are published, every other record is refused by name, lost runners hold nobody up."""
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, timeout=1200)

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("refused: records-rehearsal-") == 12
    assert "the published record is the fresh one" in done.stdout
