"""Two sites become one folder: each is built by itself, both are composed aside, then swapped in at once."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from build_tools.checks.references import reference_problems
from build_tools.errors import LedgerError
from build_tools.figures.resolve import Ledger, current_ledger
from build_tools.inquiry.status import plan_here, status
from build_tools.model import Language
from build_tools.site.settings import CONFIGS, check_settings
from build_tools.site.standing import degraded, owed
from build_tools.site.twins import write_twins

PLACES: dict[Language, str] = {"zh": ".", "en": "en"}  # where a language lives in the composed site
AT_FDCWD, RENAME_EXCHANGE = -100, 2
COMPLAINT = re.compile(r"(?:\x1b\[[\d;]*m)*ERROR(?:\x1b\[[\d;]*m)*\s*-\s*(.+)")  # as MkDocs prints what is logged


@dataclass(frozen=True)
class Building:
    """How to build. `publish`: committed records only. `strict`: a warning of the builder is an error too."""

    strict: bool = False
    publish: bool = False
    builder: str = "mkdocs"


def build(root: Path, building: Building, tell: Callable[[str], None]) -> int:
    """Write `site/`; returns how many problems the pages have. A failed build leaves the last good site as it was.

    Raises LedgerError where a builder fails, where `publish` or `strict` finds a problem, and where `strict` finds a
    number that this machine owes.
    """
    for language in CONFIGS:
        check_settings(root, language)
    problems = reference_problems(root, committed_only=building.publish)
    for problem in problems:
        tell(str(problem))
    if problems and (building.publish or building.strict):
        raise LedgerError(
            f"{len(problems)} problem(s) in the pages; site/ is left as it was", next_command="make check"
        )
    ledger = current_ledger(root, committed_only=building.publish)
    _tell_standing(ledger, building, tell)
    told = {str(problem) for problem in problems}
    for language in CONFIGS:
        for complaint in build_language(root, language, building):
            if complaint not in told:
                tell(complaint)
                told.add(complaint)
    compose(root, ledger, root / "site")
    tell(f"built {root / 'site'}")
    return len(told)


def _tell_standing(ledger: Ledger, building: Building, tell: Callable[[str], None]) -> None:
    """Say what the numbers owe. Raises LedgerError where `strict` meets something that this machine could measure."""
    standing = status(ledger, *plan_here(ledger))
    debts = [] if building.publish else owed(standing)
    for line in [*debts, *degraded(standing)]:
        tell(line)
    if debts and building.strict:
        problem = f"{len(debts)} case(s) are owed by this machine; site/ is left as it was"
        raise LedgerError(problem, next_command="make measure")


def build_language(root: Path, language: Language, building: Building) -> list[str]:
    """One language into `.build/`; returns the errors that a page shows. Raises LedgerError where there is no site."""
    command = [sys.executable, "-m", building.builder, "build", "-f", CONFIGS[language], "--clean"]
    command += ["--strict"] if building.strict else []
    command += ["--quiet"] if building.builder == "mkdocs" else []
    done = subprocess.run(command, cwd=root, env=_environment(building.publish), capture_output=True, text=True)
    if done.returncode != 0:
        said = _without_frames(done.stderr or done.stdout) or f"ended with code {done.returncode}"
        raise LedgerError(
            f"{building.builder} could not build {CONFIGS[language]}: {said}",
            next_command=f"python -m {building.builder} build -f {CONFIGS[language]}",
        )
    return [found[1] for line in done.stderr.splitlines() if (found := COMPLAINT.match(line))]


def _without_frames(said: str) -> str:
    """What a builder said, without the frames of tracebacks (which are indented) and their headings."""
    lines = [line for line in said.splitlines() if line.strip() and not line.startswith((" ", "Traceback"))]
    return "\n".join(lines) or said.strip()


def _environment(publish: bool) -> dict[str, str]:
    return {**os.environ, "LEDGER_COMMITTED_ONLY": "1" if publish else "", "NO_MKDOCS_2_WARNING": "1"}


def compose(root: Path, ledger: Ledger, site: Path) -> None:
    """Chinese at `/`, English at `/en/`, each page with its twin, the records that pages link to at `/records/`.

    Then all of it is swapped in for `site`.
    """
    (root / ".build").mkdir(exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=root / ".build", prefix="site-"))
    try:
        for language, place in PLACES.items():
            shutil.copytree(root / ".build" / language, fresh / place, dirs_exist_ok=True)
        for name, path in ledger.shown_records().items():
            (fresh / "records" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, fresh / "records" / name)
        write_twins(root, ledger, fresh, PLACES)
        fresh.chmod(0o755)
        swap(fresh, site)
    finally:
        # After the swap this is the last site; after a failure, what there was of the new one.
        shutil.rmtree(fresh, ignore_errors=True)


def swap(fresh: Path, site: Path) -> None:
    """Put `fresh` in the place of `site` at once, and the old one in the place of `fresh`."""
    if not site.exists():
        fresh.rename(site)
    elif not _exchange(fresh, site):
        # No such system call here: for a moment there is no site, but never half of one.
        old = site.with_name(".site-old")
        shutil.rmtree(old, ignore_errors=True)
        site.rename(old)
        fresh.rename(site)
        shutil.rmtree(old, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Linux can exchange two names in one step; says whether it did."""
    with suppress(AttributeError, OSError):
        exchange = ctypes.CDLL(None, use_errno=True).renameat2
        return bool(exchange(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0)
    return False
