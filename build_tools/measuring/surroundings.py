"""Where and from what a run was made: environment, commit, command."""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

from build_tools.errors import LedgerError
from build_tools.machine import cpu_model, driver_version, package_versions, visible_gpus
from build_tools.measuring.report import Settings
from build_tools.model import Environment, Origin, StartMethod


@dataclass(frozen=True)
class Provenance:
    """What all records of one `measure` call share."""

    run_id: str
    command: str
    commit: str | None
    clean: bool | None
    origin: Origin


def provenance(root: Path, command: str, commit: str | None, *, rehearsal: bool) -> Provenance:
    """`commit` stands in for git where there is none. Run ids sort by time: `20261130-214500-1a2b`."""
    found = commit or _git(root, "rev-parse", "HEAD")
    changed = _git(root, "status", "--porcelain", "--", "snippets", "build_tools")
    return Provenance(
        run_id=f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.urandom(2).hex()}",
        command=command,
        commit=found,
        clean=None if changed is None else not _counts(changed),
        origin="rehearsal" if rehearsal else _origin(),
    )


def _counts(changed: str) -> bool:
    """Whether a change is more than new records, which every run makes."""
    return any("/records/" not in line for line in changed.splitlines())


def _origin() -> Origin:
    """CI says so itself; a maintainer says `LEDGER_ORIGIN=maintainer`; everybody else contributes."""
    said = os.environ.get("LEDGER_ORIGIN") or ("ci" if os.environ.get("CI") else "contributor")
    if said not in get_args(Origin):
        raise LedgerError(
            f"LEDGER_ORIGIN={said!r} is none of {', '.join(get_args(Origin))}", example="LEDGER_ORIGIN=ci"
        )
    return said  # type: ignore[return-value]


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def environment(settings: Settings, start_method: StartMethod) -> Environment:
    """The box, the system and the versions; what only the measuring process knew comes in `settings`."""
    gpus = len(visible_gpus())
    return Environment(
        devices_in_box=gpus or 1,
        host_cpu=cpu_model(),
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        packages=package_versions(),
        driver=driver_version(),
        cuda=settings.cuda,
        threads=settings.threads,
        allocator=settings.allocator,
        tf32=settings.tf32,
        start_method=start_method,
    )
