"""All records on disk, by what they measured. What cannot be read is a problem in a list, not the end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from build_tools.errors import LedgerError, Place, quoted
from build_tools.figures.compare import hardware
from build_tools.figures.freshness import not_a_requirement, pinned_versions
from build_tools.history import history_files, history_problems
from build_tools.key import program_digest
from build_tools.ledger.claims import EVIDENCE, Claims, load_claims
from build_tools.model import Machine, Record
from build_tools.reading import MIB, read_text
from build_tools.snippet import Snippet
from build_tools.store import (
    LOCAL,
    RECORD,
    RESTORE,
    SNIPPETS,
    Settings,
    committed_folder,
    load_settings,
    load_snippet,
    local_folder,
    read_record,
    read_records,
    record_path,
    snippet_folders,
)
from build_tools.toml_source import NEXT

CONSTRAINTS = "constraints.txt"
PIN = "torch==2.13.0"


@dataclass(frozen=True)
class Slot:
    """What a record is filed under; `machine` is a slug."""

    snippet: str
    profile: str
    machine: str
    case: str


@dataclass(frozen=True)
class Stored:
    """A record file. `record` is None where it cannot be read."""

    path: Path
    committed: bool
    failed: bool
    record: Record | None


@dataclass
class Collection:
    """Everything figures are made of. `programs`: digests of the snippets' folders; `broken`: those that are wrong."""

    settings: Settings
    snippets: dict[str, Snippet] = field(default_factory=dict)
    programs: dict[str, str] = field(default_factory=dict)
    broken: dict[str, LedgerError] = field(default_factory=dict)
    stored: defaultdict[Slot, list[Stored]] = field(default_factory=lambda: defaultdict(list))
    machines: dict[str, Machine] = field(default_factory=dict)
    pins: dict[str, str] = field(default_factory=dict)
    claims: Claims = field(default_factory=lambda: Claims(EVIDENCE))
    problems: list[LedgerError] = field(default_factory=list)


def collect(root: Path, *, committed_only: bool) -> Collection:
    """Read a project. Raises LedgerError for wrong settings and for two machines under one slug."""
    found = Collection(load_settings(root))
    _collect_pins(found, root / CONSTRAINTS)
    for folder in snippet_folders(root):
        _collect_snippet(found, folder)
        _collect_records(found, folder.name, committed_folder(root, folder.name), committed=True)
        if not committed_only:
            _collect_records(found, folder.name, local_folder(root, folder.name), committed=False)
    _check_slugs(found)
    found.claims = load_claims(root)
    found.problems += found.claims.problems
    return found


def _collect_pins(found: Collection, path: Path) -> None:
    """What constraints.txt pins; a project may do without one."""
    if not path.exists():
        return
    try:
        text = read_text(path, at_most=MIB, example=PIN, next_command=NEXT)
    except LedgerError as error:
        found.problems.append(error)
        return
    found.pins = pinned_versions(text)
    for number, line in not_a_requirement(text):
        problem = f"{quoted(line)} pins nothing"
        found.problems.append(LedgerError(problem, place=Place(path, number), example=PIN, next_command=NEXT))


def _collect_snippet(found: Collection, folder: Path) -> None:
    try:
        snippet = load_snippet(folder)
        found.programs[folder.name] = program_digest(folder)  # a program that nobody can run makes no figure
        found.snippets[folder.name] = snippet
    except LedgerError as error:
        found.broken[folder.name] = error
        found.problems.append(error)


def _collect_records(found: Collection, snippet: str, folder: Path, *, committed: bool) -> None:
    found.problems += [*(_misplaced(path) for path in _elsewhere(folder)), *history_problems(folder)]
    for path in read_records(folder):
        profile, machine = path.relative_to(folder).parts[:2]
        failed = path.name.endswith(".failed.json")
        case = path.name.removesuffix(".json").removesuffix(".failed")
        record = _read(found, path, folder)
        found.stored[Slot(snippet, profile, machine, case)].append(Stored(path, committed, failed, record))
        found.problems += _strays(found, snippet, profile, case, path)


def _read(found: Collection, path: Path, folder: Path) -> Record | None:
    try:
        record = read_record(path)
    except LedgerError as error:
        found.problems.append(error)
        return None
    if record_path(folder, record) != path or record.snippet != _snippet_of(folder):
        problem = f"this is the record of {record.snippet}/{record.case}@{record.profile}:{record.machine.slug}"
        found.problems.append(_misplaced(path, f"{problem}, in the wrong place"))
        return None
    if record.origin == "rehearsal":
        problem = "this is a rehearsal and no measurement"
        found.problems.append(LedgerError(problem, place=Place(path), example=RECORD[""], next_command=RESTORE))
        return None
    if record.damaged:
        problem = "does not match its digest"
        found.problems.append(LedgerError(problem, place=Place(path), example=RECORD[""], next_command=RESTORE))
    return record


def _misplaced(path: Path, problem: str = "no record belongs here, so nobody reads it") -> LedgerError:
    example = "snippets/trainer/records/quick/xeon-2c/plain.json"
    return LedgerError(problem, place=Place(path), example=example, next_command=RESTORE)


def _elsewhere(folder: Path) -> list[Path]:
    """Files among the records that nobody would read. What a killed process left half-written begins with a dot."""
    if folder.is_file():
        return [folder]
    known = {*read_records(folder), *history_files(folder)}
    found = sorted(path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    return [path for path in found if path not in known and not path.name.startswith(".")]


def _snippet_of(folder: Path) -> str:
    """`snippets/NAME/records` and `.ledger/records/NAME` both name it."""
    return folder.parent.name if folder.name == "records" else folder.name


def _strays(found: Collection, snippet: str, profile: str, case: str, path: Path) -> Iterator[LedgerError]:
    """A record of a case or profile that the snippet no longer has."""
    declared = found.snippets.get(snippet)
    if declared and not (profile in declared.profiles and case in declared.cases):
        problem = f"{snippet} has no case {case!r} at profile {profile!r} any more"
        cases = f"[cases.{next(iter(declared.cases))}] and [profiles.{next(iter(declared.profiles))}]"
        yield LedgerError(problem, place=Place(path), example=cases, next_command=f"git rm {Place(path)}")


def _check_slugs(found: Collection) -> None:
    seen: dict[str, tuple[Record, Path]] = {}
    for stored in (entry for entries in found.stored.values() for entry in entries):
        if stored.record is None or stored.record.damaged:
            continue
        slug = stored.record.machine.slug
        first, path = seen.setdefault(slug, (stored.record, stored.path))
        if hardware(first.machine) != hardware(stored.record.machine):
            raise LedgerError(
                f"two machines are called {slug!r}: {stored.record.machine.model} here, "
                f"{first.machine.model} in {Place(path)}",
                place=Place(stored.path), example="h200 and h200-nvl",
                next_command="rename one of the folders and the slug in its records",
            )  # fmt: skip
    found.machines = {slug: record.machine for slug, (record, _) in seen.items()}


def fingerprint(root: Path, *, committed_only: bool) -> int:
    """Changes when a file that figures depend on does; costs a look at each file's date and size."""
    files = [root / "pyproject.toml", root / CONSTRAINTS, root / EVIDENCE, *_files(root / SNIPPETS)]
    files += [] if committed_only else _files(root / LOCAL)
    return hash(tuple((str(path), *_stamp(path)) for path in files))


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if "__pycache__" not in path.parts)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:  # gone since it was listed, or never there
        return 0, 0
    return status.st_mtime_ns, status.st_size
