"""A project in a temporary folder, and the snippets that tests put into it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from projects import NAP, NAP_TOML, REPOSITORY, Write


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


NOT_COPIED = shutil.ignore_patterns(
    ".venv", ".git", ".ledger", ".build", "site", "__pycache__", ".*_cache", "node_modules"
)


Copy = Callable[[], Path]


@pytest.fixture(scope="session")
def copy_project(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """Makes copies of this repository's files, each in a folder of its own, without what is built or installed."""

    def copy() -> Path:
        target = tmp_path_factory.mktemp("copy") / "project"
        shutil.copytree(REPOSITORY, target, ignore=NOT_COPIED)
        return target

    return copy
