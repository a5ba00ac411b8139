"""One measuring call at a time on a device: the second waits, and says for whom."""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

POLL_S = 0.2


@contextmanager
def device_lock(device: str, command: str, tell: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of `device` against all users of this system. It goes with the process, however that ends."""
    handle = os.open(_path(device), os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if not _try(handle):
            tell(f"waiting for {device}: {_holder(handle)}")
            while not _try(handle):
                time.sleep(POLL_S)
        _sign(handle, command)
        yield
    finally:
        os.close(handle)


def _path(device: str) -> Path:
    folder = Path(tempfile.gettempdir()) / "vram-ledger-locks"
    folder.mkdir(mode=0o777, exist_ok=True)
    return folder / f"{device}.lock"


def _try(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sign(handle: int, command: str) -> None:
    """Leave word of who holds it, for those who wait."""
    os.ftruncate(handle, 0)
    text = json.dumps({"pid": os.getpid(), "since": f"{datetime.now():%H:%M:%S}", "command": command})
    os.pwrite(handle, text.encode(), 0)


def _holder(handle: int) -> str:
    try:
        word = json.loads(os.pread(handle, 4096, 0))
        return f"process {word['pid']} measures on it since {word['since']} ({word['command']})"
    except (ValueError, KeyError):
        return "another process measures on it"
