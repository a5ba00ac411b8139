from __future__ import annotations

from pathlib import Path

import pytest
from figures.bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A project with the snippet `toy` and no records."""
    return Bench(tmp_path)
