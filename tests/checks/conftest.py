from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from figures.bench import Bench
from projects import REPOSITORY

from build_tools.translations import accept

COPIED = (
    "docs", "snippets", "mkdocs.yml", "mkdocs.en.yml", "pyproject.toml", "constraints.txt", "README.md", "README.zh.md",
)  # fmt: skip


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A project with the snippet `toy` and no records."""
    return Bench(tmp_path)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the real pages, each section accepted. Whoever changes something puts it back."""
    root = tmp_path_factory.mktemp("pages")
    for name in COPIED:
        source, target = REPOSITORY / name, root / name
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)
    accept(root, "all")
    return root
