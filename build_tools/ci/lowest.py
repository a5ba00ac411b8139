"""The lowest versions that pyproject.toml says will do, as constraints to try them with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from build_tools.errors import LedgerError, Place
from build_tools.names import unknown
from build_tools.toml_source import read_toml

TRIED = ("torch", "transformers", "mkdocs-material", "zensical")
BOUND = re.compile(r"(?P<name>[A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*>=\s*(?P<version>[0-9][\w.]*)")


def lowest(root: Path, packages: Sequence[str] = ()) -> Iterator[str]:
    """`torch==2.6` for `torch>=2.6`. Raises LedgerError for a package without a lower bound."""
    path = root / "pyproject.toml"
    bounds = {found["name"]: found["version"] for text in _requirements(path) if (found := BOUND.match(text))}
    for name in packages or TRIED:
        if name not in bounds:
            raise unknown("lower bound of", name, bounds, example=f'"{name}>=1.0"').at(Place(path))
        yield f"{name}=={bounds[name]}"


def _requirements(path: Path) -> Iterator[str]:
    project: Any = read_toml(path).get("project", {})
    if not isinstance(project, dict):
        raise LedgerError("has no table [project]", place=Place(path), example="[project]")
    yield from project.get("dependencies", [])
    for extra in project.get("optional-dependencies", {}).values():
        yield from extra
