"""Files are whole or not there, and say where they are wrong."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from records import make_record

from build_tools.errors import LedgerError
from build_tools.store import load_settings, project_root, read_record, write_atomically, write_record


def test_a_record_survives_writing_and_reading(tmp_path: Path) -> None:
    """Nothing is lost or converted on the way."""
    record = make_record(samples={"seconds": (1.25, 1.5)}, output="中文 | <b> \x1b[0m")

    path = write_record(tmp_path, record)

    assert path == tmp_path / "quick" / "cpu-1c" / "plain.json"
    assert read_record(path) == record.sealed()
    assert not read_record(path).damaged


def test_an_edited_record_is_damaged(tmp_path: Path) -> None:
    """A digit changed by hand no longer fits the digest."""
    path = write_record(tmp_path, make_record(samples={"seconds": (1.25,)}))
    path.write_text(path.read_text().replace("1.25", "1.24"))

    assert read_record(path).damaged


def test_a_record_written_before_a_field_existed_is_whole(tmp_path: Path) -> None:
    """A model that grows must not damage what was measured."""
    import json

    path = write_record(tmp_path, make_record())
    content = json.loads(path.read_text())
    assert content.pop("devices") == 1
    assert content["environment"].pop("start_method") == "fork"
    path.write_text(json.dumps(content))

    assert not read_record(path).damaged


def test_a_failure_stands_beside_the_last_good_record(tmp_path: Path) -> None:
    """A failed run replaces nothing; a good one removes the failure."""
    good = write_record(tmp_path, make_record())
    failed = write_record(tmp_path, make_record(status="failed"))
    assert (good.exists(), failed.exists()) == (True, True)

    write_record(tmp_path, make_record())

    assert (good.exists(), failed.exists()) == (True, False)


BAD_RECORDS: dict[str, tuple[Callable[[str], str], str]] = {
    "truncated": (lambda text: text[: len(text) // 2], "not a record"),
    "empty": (lambda text: "", "not a record"),
    "binary": (lambda text: "\x00\x01", "not a record"),
    "of an older schema": (lambda text: text.replace('"schema": 1', '"schema": 0'), "2: written by an older version"),
    "with an unknown key": (lambda text: text.replace('"case"', '"extra": 1, "case"', 1), "not a record: extra"),
    "with a wrong type": (lambda text: text.replace('"run_id": "r1"', '"run_id": 1'), "not a record: run_id"),
}


@pytest.mark.parametrize("kind", BAD_RECORDS)
def test_a_record_that_is_none_is_told(kind: str, tmp_path: Path) -> None:
    """The file is named, and what to do about it."""
    spoil, pattern = BAD_RECORDS[kind]
    path = write_record(tmp_path, make_record())
    path.write_text(spoil(path.read_text()))

    with pytest.raises(LedgerError, match=pattern) as caught:
        read_record(path)

    assert "plain.json" in str(caught.value)
    assert "next: measure the case again" in str(caught.value)


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed or full at any step: the old content stands and no half file is left."""
    path = tmp_path / "file"
    write_atomically(path, "old")

    for step in ("fsync", "fdopen"):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, _full)
            with pytest.raises(LedgerError, match="cannot be written: No space left"):
                write_atomically(path, "new")

    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def _full(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


def test_settings_name_their_line(project: Path) -> None:
    """An unknown setting is told with file and line."""
    (project / "pyproject.toml").write_text('[tool.ledger]\nreference = "h200"\nmachines = ["h200"]\nmachine = 1\n')

    with pytest.raises(LedgerError, match=r"pyproject\.toml:4: unknown key machine"):
        load_settings(project)


def test_the_project_is_found_from_below(project: Path) -> None:
    """Any folder of a project will do."""
    assert project_root(project / "snippets") == project
    with pytest.raises(LedgerError, match="no project here"):
        project_root(project.parent)
