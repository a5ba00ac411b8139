"""Files to model and back: settings, snippets and records. Every write is whole or not there."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, model_validator

from build_tools.errors import LedgerError, MisfitError, Place, clipped, quoted
from build_tools.model import NAME, SCHEMA, Data, Name, Past, Record
from build_tools.reading import MIB, links_leaving, read_text
from build_tools.snippet import EXAMPLES, Snippet
from build_tools.toml_source import NEXT, NO_NAME, read_toml, validated

SNIPPETS = "snippets"
LOCAL = Path(".ledger/records")
SHARED = "shared"  # code of several snippets
LARGEST_RECORD = 64 * MIB
PLACE = re.compile(rf"{NAME}/{NAME}/{NAME}(\.failed)?\.json")
HISTORY = "history"
HISTORY_LIMIT = 52  # runs kept of a case and machine: a year of weekly ones
RESTORE = "measure the case again (python -m build_tools measure --force), or restore the file from git"
SETTINGS: Mapping[str, str] = {
    "": '[tool.ledger] with reference = "h200" and machines = ["h200", "xeon-2c"]',
    "reference": 'reference = "h200"',
    "machines": 'machines = ["h200", "xeon-2c"]',
    "age": "[tool.ledger.age] with old_days = 90 and fail_days = 180",
    "age.old_days": "old_days = 90",
    "age.fail_days": "fail_days = 180, more than old_days",
    "runners": '[tool.ledger.runners] with gpu-h200 = "h200", the slug of its machine behind each label',
}
# What is right in a record, by its outermost key.
RECORD: Mapping[str, str] = {
    "": "a file as `measure` wrote it; nobody edits one",
    "schema": f'"schema": {SCHEMA}',
    "samples": '"samples": { "seconds": [1.52, 1.49] }',
    "series": '"series": { "loss": { "x": [64, 128], "y": [7.1, 6.9] } }',
    "started": '"started": "2026-11-30T12:00:00Z"',
    "status": '"status": "ok", "reason": null',
}


class Age(Data):
    """After `old_days` a page calls a number old; after `fail_days` the daily job fails."""

    old_days: int = Field(default=90, ge=1)
    fail_days: int = Field(default=180, ge=1)

    @model_validator(mode="after")
    def told_before_it_fails(self) -> Age:
        if self.fail_days <= self.old_days:
            raise MisfitError("a number is old before the job fails: fail_days > old_days", path=("age", "fail_days"))
        return self


class Settings(Data):
    """`[tool.ledger]` in pyproject.toml. `runners` says which machine stands behind a CI runner's label."""

    reference: Name
    machines: tuple[Name, ...] = Field(strict=False, min_length=1)
    age: Age = Age()
    runners: dict[Name, Name] = {}


def project_root(start: Path | None = None) -> Path:
    """The nearest folder upwards that holds snippets and a pyproject.toml. Raises LedgerError where there is none."""
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / "pyproject.toml").is_file() and (folder / SNIPPETS).is_dir():
            return folder
    raise LedgerError(
        f"no project here: neither {here} nor a folder above it has a pyproject.toml beside snippets/",
        next_command="cd into a checkout of the project",
    )


def load_settings(root: Path) -> Settings:
    path = root / "pyproject.toml"
    table: Any = read_toml(path)
    for key in ("tool", "ledger"):
        table = table.get(key, {}) if isinstance(table, dict) else table
    return validated(Settings, table, path, examples=SETTINGS, prefix=("tool", "ledger"))


def load_snippet(folder: Path) -> Snippet:
    """One snippet, its names checked. Raises LedgerError with the line at fault."""
    path = folder / "snippet.toml"
    if not re.fullmatch(NAME, folder.name) or folder.name == SHARED:
        raise LedgerError(
            f"{quoted(folder.name)} is no name for a snippet", place=Place(path), example="snippets/trainer",
            next_command="rename the folder: lower-case letters, digits, - and _",
        )  # fmt: skip
    _refuse_links(folder)
    snippet = validated(Snippet, read_toml(path), path, examples=EXAMPLES)
    if not (folder / "main.py").is_file():
        raise LedgerError(
            "the program is missing", place=Place(folder / "main.py"), example="snippets/loop/main.py",
            next_command=NEXT,
        )  # fmt: skip
    return snippet.in_folder(folder)


def _refuse_links(folder: Path) -> None:
    """What lies behind a link that leaves the folder is no part of the program's digest, nor of the checkout."""
    for place in (folder, folder.parent / SHARED):
        for link in links_leaving(place):
            raise LedgerError(
                f"is a link that leaves {place.name}/ or leads nowhere", place=Place(link),
                example="a copy of the file; code of several snippets lives in snippets/shared/",
                next_command=NEXT,
            )  # fmt: skip


def load_snippets(root: Path) -> dict[str, Snippet]:
    """All snippets by name. Raises LedgerError for the first that is wrong."""
    return {folder.name: load_snippet(folder) for folder in snippet_folders(root)}


def snippet_folders(root: Path) -> list[Path]:
    """Folders with a `snippet.toml`, though it be a link to nothing; one without is no snippet (`shared` …)."""
    return sorted(folder for folder in (root / SNIPPETS).iterdir() if os.path.lexists(folder / "snippet.toml"))


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
    text = read_text(path, at_most=LARGEST_RECORD, example=RECORD[""], next_command=RESTORE)
    _check_json(text, path)
    try:
        return Record.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        misfit = first.get("ctx", {}).get("error")
        keys = misfit.path if isinstance(misfit, MisfitError) else tuple(str(part) for part in first["loc"])
        problem = misfit.problem if isinstance(misfit, MisfitError) else _told(first)
        raise _no_record(f"{clipped('.'.join(keys))}: {problem}", text, path, keys) from None


def _told(error: Any) -> str:
    return NO_NAME if error["type"] == "string_pattern_mismatch" else str(error["msg"]).lower()


def _check_json(text: str, path: Path) -> None:
    """Raises LedgerError for what is no JSON, sets a key twice, or was written by another version of this program."""
    try:
        table = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        place = Place(path, error.lineno)
        problem = f"not a record: not valid JSON: {error.msg.lower()}"
        raise LedgerError(problem, place=place, example=RECORD[""], next_command=RESTORE) from None
    except RecursionError:
        raise _no_record("nested too deeply", text, path) from None
    except _TwiceError as error:
        raise _no_record(f"{quoted(error.args[0])} is set twice", text, path, error.args) from None
    except ValueError:  # Python's limit, which keeps a file from costing minutes
        raise _no_record("a number has thousands of digits", text, path) from None
    if not isinstance(table, dict):
        raise _no_record("not a table of keys and values", text, path)
    schema = table.get("schema")
    if type(schema) is not int or schema != SCHEMA:
        raise _other_schema(schema, text, path)


def _other_schema(schema: Any, text: str, path: Path) -> LedgerError:
    if type(schema) is not int:
        return _no_record("schema is missing or no whole number", text, path, ("schema",))
    if schema > SCHEMA:
        problem, then = "a newer", "git pull, then make site"
    else:
        problem, then = "an older", RESTORE
    return LedgerError(
        f"written by {problem} version: schema {quoted(schema)}, and this one reads {SCHEMA}",
        place=Place(path, _line_of(text, ("schema",))), example=RECORD["schema"], next_command=then,
    )  # fmt: skip


class _TwiceError(Exception):
    """A key of one table stands there twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise _TwiceError(key)
        table[key] = value
    return table


def _no_record(problem: str, text: str, path: Path, keys: tuple[str, ...] = ()) -> LedgerError:
    example = RECORD.get(keys[0] if keys else "", RECORD[""])
    place = Place(path, _line_of(text, keys))
    return LedgerError(f"not a record: {problem}", place=place, example=example, next_command=RESTORE)


def _line_of(text: str, keys: tuple[str, ...]) -> int:
    """The line of the last of these keys that is found, each looked for behind the one before it."""
    at = 0
    for key in keys:
        found = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:").search(text, at)
        at = found.start() if found else at
    return text.count("\n", 0, at) + 1


def read_records(folder: Path) -> Iterator[Path]:
    """Paths of all records in a snippet's folder, good and failed, in a stable order."""
    yield from (
        path for path in sorted(folder.glob("*/*/*.json")) if PLACE.fullmatch(path.relative_to(folder).as_posix())
    )


def write_record(folder: Path, record: Record) -> Path:
    """Seal and store a record, whole or not at all. A good one removes the failure that stood beside it.

    A good record of another run that stood there goes into the history first. Of two processes that store at once,
    the second waits, and finds the first one's record.
    """
    path = record_path(folder, record)
    with _alone_beside(path):
        if record.status == "ok":
            _remember(path, record.run_id)
        write_atomically(path, record.sealed().model_dump_json(by_alias=True, indent=1, exclude_defaults=False) + "\n")
        if record.status == "ok":
            path.with_name(f"{record.case}.failed.json").unlink(missing_ok=True)
    return path


@contextmanager
def _alone_beside(path: Path) -> Iterator[None]:
    """Hold a record's folder against every other writer. The lock goes with the process, however that ends."""
    import fcntl  # what only renders may run where there is none

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path.parent, os.O_RDONLY)
    except OSError as error:
        raise LedgerError(f"cannot be written: {error.strerror}", place=Place(path)) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def history_path(record: Path) -> Path:
    """Where the earlier runs of a record's case and machine are kept: `history/plain.jsonl` beside `plain.json`."""
    return record.parent / HISTORY / f"{record.stem}.jsonl"


def _remember(path: Path, run_id: str) -> None:
    """Add the record that stands here, unless it is of this run, remembered already, or no good.

    Lines that cannot be read stay where they are: `check records` tells them, and no measurement is lost over them.
    """
    try:
        before = read_record(path)
    except LedgerError:
        return  # nothing there, or nothing worth keeping
    history = history_path(path)
    lines = history.read_text(encoding="utf-8", errors="replace").splitlines() if history.is_file() else []
    known = f'"run_id":{json.dumps(before.run_id)},'
    if before.damaged or before.run_id == run_id or any(known in line for line in lines):
        return
    lines.append(Past.of(before).model_dump_json())
    write_atomically(history, "\n".join(lines[-HISTORY_LIMIT:]) + "\n")


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
