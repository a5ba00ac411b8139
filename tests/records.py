"""Records for tests: complete, valid, and changed only where a test says so."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from build_tools.model import Environment, Failure, Key, Machine, Record

MACHINE = Machine(slug="cpu-1c", device="cpu", model="Some CPU", memory_gib=8.0, cores=1)
ENVIRONMENT = Environment(
    devices_in_box=1,
    host_cpu="Some CPU",
    system="Linux 6",
    python="3.11.7",
    packages={"torch": "2.13.0"},
    threads=1,
    allocator="default",
)
KEY = Key(program="p", parameters={}, profile="quick", machine="cpu-1c", meters={"seconds": 1})


def make_record(**changes: Any) -> Record:
    """A record of `toy/plain` at `quick`; `status="failed"` brings a reason with it."""
    fields: dict[str, Any] = {
        "snippet": "toy",
        "case": "plain",
        "profile": "quick",
        "machine": MACHINE,
        "environment": ENVIRONMENT,
        "key": KEY,
        "run_id": "r1",
        "started": datetime(2026, 11, 30, 12, tzinfo=UTC),
        "command": "python -m build_tools measure",
        "origin": "maintainer",
        "status": "ok",
        "samples": {"seconds": (1.0,)},
    }
    if changes.get("status") == "failed":
        fields["reason"] = Failure(kind="exception", during="time", message="boom")
    return Record(**{**fields, **changes}).sealed()
