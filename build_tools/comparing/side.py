"""One side of a comparison: a commit, a project's folder, or records that were carried home, as a project on disk."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from build_tools.comparing.delivery import place_of, read_delivery
from build_tools.errors import LedgerError, Place, quoted
from build_tools.figures.collect import CONSTRAINTS, Collection, collect
from build_tools.figures.resolve import Ledger
from build_tools.ledger.claims import EVIDENCE
from build_tools.store import SNIPPETS

EXAMPLE = "diff main . (commits, folders, or a records.tar)"
SETTINGS = "pyproject.toml"
# All that figures are made of.
NEEDED = (SETTINGS, CONSTRAINTS, EVIDENCE.as_posix(), SNIPPETS)


@dataclass(frozen=True)
class Side:
    """A state of the project: its name as it was asked for, its records, and its figures. Committed records only."""

    name: str
    collection: Collection
    ledger: Ledger


@contextmanager
def opened(root: Path, text: str) -> Iterator[Side]:
    """What `text` names: a folder or file if there is one, else a commit. Raises LedgerError where it is neither."""
    with tempfile.TemporaryDirectory(prefix="ledger-") as scratch:
        folder = _project(root, text, Path(scratch))
        yield Side(text, collect(folder, committed_only=True), Ledger(folder, committed_only=True))


def _project(root: Path, text: str, scratch: Path) -> Path:
    path = Path(text)
    if not path.exists():
        _unpack_commit(root, text, scratch)
    elif _is_project(path):
        return path.resolve()
    else:
        _overlay(root, path, scratch)
    return scratch


def _is_project(path: Path) -> bool:
    return (path / SETTINGS).is_file() and (path / SNIPPETS).is_dir()


def _overlay(root: Path, delivered: Path, scratch: Path) -> None:
    """This project with its records replaced by those delivered: records need the programs they were made with."""
    for name in NEEDED:
        _copy(root / name, scratch / name)
    found = read_delivery(delivered)
    if not found.files and not found.refused:
        raise LedgerError("holds no records", place=Place(delivered), example=EXAMPLE)
    for name, content in found.files.items():
        if (target := place_of(scratch, name, content)) is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    elif source.is_file():
        shutil.copyfile(source, target)


def _unpack_commit(root: Path, text: str, scratch: Path) -> None:
    commit = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{text}^{{commit}}")
    if commit is None:
        problem = f"there is no commit, folder or file {quoted(text)}"
        raise LedgerError(problem, example=EXAMPLE, next_command="git fetch")
    sha = commit.decode().strip()
    there = (_git(root, "ls-tree", "--name-only", sha, "--", *NEEDED) or b"").decode().splitlines()
    archive = _git(root, "archive", "--format=tar", sha, "--", *there) if there else None
    if archive is None or SNIPPETS not in there or SETTINGS not in there:
        raise LedgerError(f"commit {quoted(text)} holds no project here", example=EXAMPLE)
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(scratch, filter="data")


def _git(root: Path, *arguments: str) -> bytes | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
