"""The list of faults, and the promise that each has a test of its name."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults.listed import FAULTS
from figures.bench import Bench


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "fault(id): the fault of faults.toml that a test is about")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test about a fault that nobody listed is a mistake of ours."""
    for item in items:
        for marker in item.iter_markers("fault"):
            if marker.args[0] not in FAULTS:
                raise pytest.UsageError(f"{item.nodeid}: faults.toml has no fault {marker.args[0]!r}")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A project with the snippet `toy` and no records."""
    return Bench(tmp_path)
