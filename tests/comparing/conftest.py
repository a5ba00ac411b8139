from __future__ import annotations

from pathlib import Path

import pytest
from figures.bench import TOML, Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A project with the snippet `toy`, which declares no metrics, and no records."""
    folder = tmp_path / "project"
    folder.mkdir()
    made = Bench(folder)
    made.snippet("toy", TOML.partition("[metrics")[0])
    return made
