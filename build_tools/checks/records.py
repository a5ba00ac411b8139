"""Committed records: whole, in their place, of a case that exists, changed by nobody, and without paths or secrets."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from build_tools.checks.finding import Findings
from build_tools.errors import LedgerError, Place
from build_tools.figures.collect import Collection, Slot, collect
from build_tools.key import differences
from build_tools.measuring.capture import leaks
from build_tools.memory_model import MODELS, key_on
from build_tools.model import Record
from build_tools.reading import read_text
from build_tools.render.reasons import sentences
from build_tools.store import LARGEST_RECORD, RECORD, SNIPPETS, committed_folder, read_record

__all__ = ["Findings", "record_findings"]


def record_findings(root: Path, base: str | None = None) -> Findings:
    """What is wrong with committed records, and which are stale. With `base`, also which differ from that commit's
    though no run has made new ones. Raises LedgerError where git does not know `base`."""
    found = Findings()
    try:
        collection = collect(root, committed_only=True)
    except LedgerError as error:
        found.problems.append(error)  # wrong settings, or two machines under one slug: no record can be placed
    else:
        found.problems += collection.problems
        found.notes += _stale(collection)
    found.problems += [*_orphans(root), *_leaks(root)]
    found.problems += _changed_by_hand(root, base) if base is not None else ()
    return found


def _files(root: Path) -> list[Path]:
    return sorted((root / SNIPPETS).glob("*/records/**/*.json"))


def _again(slot: Slot) -> str:
    """What makes a stale record fresh: another run, or another prediction."""
    if slot.machine in MODELS:
        device = MODELS[slot.machine].device
        return f"python -m build_tools predict {slot.snippet} --profile {slot.profile} --device {device} --save"
    return _measure(slot.snippet, slot.profile, force=False)


def _measure(snippet: str, profile: str, *, force: bool) -> str:
    return f"python -m build_tools measure {snippet} --profile {profile}{' --force' if force else ''} --save"


def _orphans(root: Path) -> Iterator[LedgerError]:
    """Records of a snippet that is gone."""
    for path in _files(root):
        name = path.relative_to(root / SNIPPETS).parts[0]
        if not (root / SNIPPETS / name / "snippet.toml").exists():
            problem = f"there is no snippet {name!r} any more"
            yield LedgerError(
                problem, place=Place(path), example=f"{SNIPPETS}/{name}/snippet.toml",
                next_command=f"git rm -r {Place(committed_folder(root, name))}",
            )  # fmt: skip


def _stale(collection: Collection) -> Iterator[LedgerError]:
    """Records that are not of today's program, parameters and meters."""
    for slot, files in collection.stored.items():
        snippet = collection.snippets.get(slot.snippet)
        if snippet is None or slot.profile not in snippet.profiles or slot.case not in snippet.cases:
            continue
        for stored in files:
            if stored.record is None or stored.record.damaged or stored.failed:
                continue
            device, program = stored.record.machine.device, collection.programs[slot.snippet]
            today = key_on(slot.machine, device, snippet, slot.case, slot.profile, program=program)
            if reasons := differences(stored.record.key, today):
                yield LedgerError(
                    f"stale: {sentences(reasons, 'en')}", place=Place(stored.path),
                    next_command=_again(slot),
                )  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------- leaks


def _leaks(root: Path) -> Iterator[LedgerError]:
    """Every text of every record that holds what `measure` would have masked, each kind once."""
    for path in _files(root):
        try:
            source = read_text(path, at_most=LARGEST_RECORD, example=RECORD[""], next_command="")
            content = json.loads(source)
        except (LedgerError, ValueError, RecursionError):
            continue  # no record, and told as that
        snippet, _, profile, *_ = path.relative_to(root / SNIPPETS).parts
        for keys, text in _texts(content):
            counts = Counter(leaks(text))
            for (what, beginning), count in counts.items():
                times = f", {count} times" if count > 1 else ""
                yield LedgerError(
                    f"{'.'.join(keys)} holds {what} ({beginning}{times})",
                    place=Place(path, _line_with(source, text)),
                    example="‹path› or ‹token›, as `measure` writes it",
                    next_command=_measure(snippet, profile, force=True),
                )  # fmt: skip


def _texts(value: Any, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every string in a record, with the keys that lead to it."""
    if isinstance(value, str):
        yield keys, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, (*keys, key))
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, keys)


def _line_with(source: str, text: str) -> int | None:
    """The line on which a string stands in JSON as we write it."""
    at = source.find(json.dumps(text, ensure_ascii=False))
    return source.count("\n", 0, at) + 1 if at >= 0 else None


# ----------------------------------------------------------------------------------------------- changed since a commit


def _changed_by_hand(root: Path, base: str) -> Iterator[LedgerError]:
    """Records that differ from those of `base` though they are of the same run, or do not match their digest."""
    commit = _commit(root, base)
    changed = _git(root, "diff", "--relative", "--name-only", "--diff-filter=M", "-z", commit, "--", SNIPPETS) or ""
    for name in changed.split("\0"):
        path = root / name
        if path not in _files(root):
            continue
        try:
            now = read_record(path)
        except LedgerError:
            continue  # told already
        before = _record(_git(root, "show", f"{commit}:./{name}"))
        if now.damaged or (before is not None and before.run_id == now.run_id):
            why = "it does not match its digest" if now.damaged else f"it still says run {now.run_id}"
            yield LedgerError(
                f"changed since {base}, and not by `measure`: {why}", place=Place(path), example=RECORD[""],
                next_command=f"git checkout {base} -- {Place(path)}",
            )  # fmt: skip


def _commit(root: Path, base: str) -> str:
    found = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}")
    if not found:
        raise LedgerError(f"git knows no commit {base!r} here", example="--base main", next_command="git fetch")
    return found.strip()


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return done.stdout if done.returncode == 0 else None


def _record(text: str | None) -> Record | None:
    try:
        return Record.model_validate_json(text) if text else None
    except ValidationError:
        return None
