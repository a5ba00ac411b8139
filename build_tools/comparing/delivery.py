"""Records that came from another machine: an archive or a folder of files, of which nothing is believed.

Nothing is unpacked. Members are read one by one, up to a limit; links, devices and odd names are refused by name.
"""

from __future__ import annotations

import re
import stat
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from build_tools.errors import LedgerError, Place, clipped, one_line
from build_tools.model import NAME, Record
from build_tools.reading import MIB
from build_tools.store import HISTORY, LARGEST_RECORD, SNIPPETS, committed_folder, read_record, record_path

LARGEST_DELIVERY = 256 * MIB
MOST_FILES = 10_000
ARCHIVE = "records.tar"
RIGHT = "a records.tar of `measure --out`, or a folder of records"
# `trainer/records/full/h200/plain.json` of an archive, `trainer/full/h200/plain.json` of .ledger/records.
RECORD_PLACE = re.compile(
    rf"(?:^|/)(?P<snippet>{NAME})/(?:records/)?(?P<rest>{NAME}/{NAME}/{NAME}(?:\.failed)?\.json)$"
)


@dataclass
class Delivery:
    """Files by their names as delivered, and what was not even read, with the reason."""

    files: dict[str, bytes] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    size: int = 0

    def add(self, name: str, size: int, read: Iterator[bytes]) -> None:
        """Keep a file, unless it or all of them are larger than records are."""
        if size > LARGEST_RECORD:
            self.refused[name] = f"larger than {LARGEST_RECORD // MIB} MiB, which no record needs"
        elif self.size + size > LARGEST_DELIVERY or len(self.files) >= MOST_FILES:
            self.refused[name] = "the delivery is larger than any run makes one"
        else:
            self.size += size
            self.files[name] = b"".join(read)


def read_delivery(path: Path) -> Delivery:
    """All records in a file or folder, archives in it included. Raises LedgerError where there is nothing to read."""
    found = Delivery()
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            _add_file(found, file, file.relative_to(path).as_posix())
    elif path.is_file():
        _add_file(found, path, path.name)
    else:
        raise LedgerError("is missing", place=Place(path), example=RIGHT)
    return found


def _add_file(found: Delivery, file: Path, name: str) -> None:
    mode = file.lstat().st_mode
    if stat.S_ISDIR(mode) or _is_aside(name):
        return
    if not stat.S_ISREG(mode):
        found.refused[shown(name)] = "no regular file"
    elif file.suffix == ".tar":
        _add_archive(found, file, name)
    else:
        _add(found, name, file.stat().st_size, _content(file))


def _content(file: Path) -> Iterator[bytes]:
    yield file.read_bytes()


def _add_archive(found: Delivery, file: Path, name: str) -> None:
    prefix = "" if name == ARCHIVE else f"{name.removesuffix('.tar')}/"
    try:
        with tarfile.open(file, mode="r:") as archive:
            for member in archive:
                if member.isreg():
                    _add(found, prefix + member.name, member.size, _member(archive, member))
                elif not member.isdir():
                    found.refused[shown(prefix + member.name)] = "no regular file"
    except (tarfile.TarError, OSError, EOFError) as error:
        found.refused[shown(name)] = f"no whole archive: {one_line(str(error))}"


def _member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Iterator[bytes]:
    if (file := archive.extractfile(member)) is not None:
        yield file.read()


def _add(found: Delivery, name: str, size: int, read: Iterator[bytes]) -> None:
    """Records only. A name may be anything: it is never a path of ours, and shown without what could command."""
    if _is_aside(name):
        return
    if not name.endswith(".json"):
        found.refused[shown(name)] = "no record"
    elif name in found.files:
        found.refused[shown(name)] = "delivered twice"
    else:
        found.add(name, size, read)


def _is_aside(name: str) -> bool:
    """Histories are ours to write, and what begins with a dot was being written when somebody killed it."""
    parts = name.split("/")
    return (parts[-1].endswith(".jsonl") and HISTORY in parts[:-1]) or parts[-1].startswith(".")


def parsed(content: bytes) -> Record:
    """The record in a file's content. Raises LedgerError with what is wrong; its place means nothing."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(content)
        file.flush()
        return read_record(Path(file.name))


def place_of(root: Path, name: str, content: bytes) -> Path | None:
    """Where a delivered file belongs in a project: as the record in it says, else as its name does, else nowhere."""
    try:
        record = parsed(content)
    except LedgerError:
        found = RECORD_PLACE.search(name)
        return root / SNIPPETS / found["snippet"] / "records" / found["rest"] if found else None
    return record_path(committed_folder(root, record.snippet), record)


def shown(name: str) -> str:
    return one_line(clipped(name))
