"""What is read from disk, whoever wrote it: regular files of a sensible size, in UTF-8. Anything else is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from build_tools.errors import LedgerError, Place

MIB = 2**20


def read_bytes(path: Path, *, at_most: int, example: str, next_command: str) -> bytes:
    """A file's content. Raises LedgerError where it is missing, larger than `at_most` bytes, or no regular file.

    A named pipe would be waited for forever, and a file of gigabytes would take the memory away. `example` and
    `next_command` are for the error.
    """
    try:
        if path.exists() and not path.is_file():
            raise LedgerError("is not a file", place=Place(path), example=example, next_command=next_command)
        with path.open("rb") as file:
            content = file.read(at_most + 1)
    except OSError as error:
        problem = "is missing" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"
        raise LedgerError(problem, place=Place(path), example=example, next_command=next_command) from None
    if len(content) > at_most:
        problem = f"larger than {at_most / MIB:g} MiB, which no such file needs"
        raise LedgerError(problem, place=Place(path), example=example, next_command=next_command)
    return content


def read_text(path: Path, *, at_most: int, example: str, next_command: str) -> str:
    """A text file's content, a byte order mark left out. Raises LedgerError with the line that is not UTF-8."""
    content = read_bytes(path, at_most=at_most, example=example, next_command=next_command)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = f"cannot be read: byte 0x{error.object[error.start]:02x} is not UTF-8"
    raise LedgerError(problem, place=Place(path, line), example="a text file saved as UTF-8", next_command=next_command)


def links_leaving(folder: Path) -> Iterator[Path]:
    """Symbolic links in a folder, or the folder itself, that lead out of it or nowhere."""
    home = folder.parent.resolve() / folder.name
    if folder.is_symlink():
        yield folder
        return
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() and not (_leads_into(path, home) and path.exists()):
            yield path


def _leads_into(link: Path, home: Path) -> bool:
    try:
        return link.resolve().is_relative_to(home)
    except (OSError, RuntimeError):  # it leads to itself
        return False
