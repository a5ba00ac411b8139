"""Files to model and back: settings, snippets and records. Every write is whole or not there."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field, ValidationError

from build_tools.errors import LedgerError, Place
from build_tools.model import NAME, Data, Record
from build_tools.snippet import Snippet
from build_tools.toml_source import read_toml, validated

SNIPPETS = "snippets"
LOCAL = Path(".ledger/records")


class Settings(Data):
    """`[tool.ledger]` in pyproject.toml."""

    reference: str
    machines: tuple[str, ...] = Field(strict=False, min_length=1)


def project_root(start: Path | None = None) -> Path:
    """The nearest folder upwards that holds snippets and a pyproject.toml. Raises LedgerError where there is none."""
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / "pyproject.toml").is_file() and (folder / SNIPPETS).is_dir():
            return folder
    raise LedgerError(f"no project here: neither {here} nor a folder above it has a pyproject.toml beside snippets/")


def load_settings(root: Path) -> Settings:
    path = root / "pyproject.toml"
    table = read_toml(path).get("tool", {}).get("ledger", {})
    return validated(Settings, table, path, example='reference = "h200"', prefix=("tool", "ledger"))


def load_snippet(folder: Path) -> Snippet:
    """One snippet, its names checked. Raises LedgerError with the line at fault."""
    path = folder / "snippet.toml"
    if not re.fullmatch(NAME, folder.name):
        raise LedgerError(f"{folder.name!r} is no name for a snippet", place=Place(path), example="snippets/trainer")
    snippet = validated(Snippet, read_toml(path), path, example="see snippets/trainer/snippet.toml")
    if not (folder / "main.py").is_file():
        raise LedgerError("the program is missing", place=Place(folder / "main.py"), example="snippets/loop/main.py")
    return snippet.model_copy(update={"folder": folder})


def load_snippets(root: Path) -> dict[str, Snippet]:
    """All snippets by name. A folder without `snippet.toml` is none (`shared`, `records` …)."""
    folders = sorted(path.parent for path in (root / SNIPPETS).glob("*/snippet.toml"))
    return {folder.name: load_snippet(folder) for folder in folders}


def committed_folder(root: Path, snippet: str) -> Path:
    return root / SNIPPETS / snippet / "records"


def local_folder(root: Path, snippet: str) -> Path:
    """This machine's own records, never committed."""
    return root / LOCAL / snippet


def record_path(folder: Path, record: Record) -> Path:
    """Where a record lives below a snippet's folder of records. A failed run stands beside the last good one."""
    suffix = ".failed.json" if record.status == "failed" else ".json"
    return folder / record.profile / record.machine.slug / f"{record.case}{suffix}"


def read_record(path: Path) -> Record:
    """One record. Raises LedgerError where it is unreadable; a wrong digest is no error (see `Record.damaged`)."""
    try:
        return Record.model_validate_json(path.read_bytes())
    except OSError as error:
        raise LedgerError(f"cannot be read: {error.strerror}", place=Place(path)) from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "file"
        raise LedgerError(
            f"not a record: {where}: {first['msg'].lower()}", place=Place(path),
            next_command="measure the case again with --force, or restore the file from git",
        ) from None  # fmt: skip


def read_records(folder: Path) -> Iterator[Path]:
    """Paths of all records in a snippet's folder, good and failed, in a stable order."""
    yield from sorted(folder.glob("*/*/*.json"))


def write_record(folder: Path, record: Record) -> Path:
    """Seal and store a record, whole or not at all. A good one removes the failure that stood beside it."""
    path = record_path(folder, record)
    write_atomically(path, record.sealed().model_dump_json(by_alias=True, indent=1, exclude_defaults=False) + "\n")
    if record.status == "ok":
        path.with_name(f"{record.case}.failed.json").unlink(missing_ok=True)
    return path


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write beside the target and rename over it, flushed to disk first. Raises LedgerError where it cannot."""
    data = content.encode() if isinstance(content, str) else content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(0o644)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise LedgerError(f"cannot be written: {error.strerror}", place=Place(path)) from None
