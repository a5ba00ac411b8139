"""Tests that only a CUDA device can pass are left out where there is none."""

from __future__ import annotations

import pytest

from build_tools.machine import visible_gpus


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`pytest -m gpu` on a machine without one runs nothing, and says how many it left out."""
    if visible_gpus():
        return
    left_out = [item for item in items if item.get_closest_marker("gpu")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("gpu")]
