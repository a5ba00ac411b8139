"""Where fresh records go: this machine's own, the committed ones, or one archive to carry home."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import Protocol

from build_tools.errors import LedgerError, Place
from build_tools.model import Record
from build_tools.store import committed_folder, local_folder, record_path, write_atomically, write_record


class Shelf(Protocol):
    """Takes the record of a case again and again while the case is measured; the newest one counts.

    `keeps_partial`: memory alone is worth keeping, because there may be no time for the timed rounds.
    """

    keeps_partial: bool

    def put(self, record: Record) -> None: ...


class FolderShelf:
    """`.ledger/` of this machine, or `snippets/*/records/` with `--save`.

    A good record is replaced only by a good one: where a case fails, the one from before this run is put back.
    """

    keeps_partial = False

    def __init__(self, root: Path, *, committed: bool) -> None:
        self.root, self.committed = root, committed
        self._before: dict[Path, bytes | None] = {}

    def put(self, record: Record) -> None:
        if record.origin == "rehearsal":
            raise LedgerError("a rehearsal is no measurement and is not stored", next_command="add --out DIR")
        folder = (committed_folder if self.committed else local_folder)(self.root, record.snippet)
        good = folder / record.profile / record.machine.slug / f"{record.case}.json"
        if good not in self._before:
            self._before[good] = good.read_bytes() if good.exists() else None
        if record.status == "failed":
            self._restore(good)
        write_record(folder, record)

    def _restore(self, good: Path) -> None:
        before = self._before[good]
        if before is None:
            good.unlink(missing_ok=True)
        else:
            write_atomically(good, before)


class ArchiveShelf:
    """`DIR/records.tar`, complete after every result: unpacked in `snippets/` its records are the committed ones."""

    keeps_partial = True

    def __init__(self, folder: Path) -> None:
        self.path = folder / "records.tar"
        try:
            folder.mkdir(parents=True, exist_ok=True)  # where that fails, nothing has been measured in vain
        except OSError as error:
            raise LedgerError(
                f"--out: cannot be a folder: {error.strerror}", place=Place(folder), example="--out .build/gpu"
            ) from None
        self._members: dict[str, bytes] = {}

    def put(self, record: Record) -> None:
        name = record_path(Path(record.snippet, "records"), record).as_posix()
        if record.status == "failed":
            self._members.pop(name.replace(".failed.json", ".json"), None)
        text = record.sealed().model_dump_json(by_alias=True, indent=1) + "\n"
        self._members[name] = text.encode()
        write_atomically(self.path, self._packed())

    def _packed(self) -> bytes:
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            for name, content in self._members.items():
                member = tarfile.TarInfo(name)
                member.size, member.mode = len(content), 0o644
                archive.addfile(member, io.BytesIO(content))
        return buffer.getvalue()
