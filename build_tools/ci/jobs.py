"""Who measures what: the matrices of the measuring workflow, from pyproject.toml and the snippets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from build_tools.errors import LedgerError
from build_tools.names import unknown
from build_tools.snippet import Snippet
from build_tools.store import load_settings, load_snippets

Entry = dict[str, str]


def runners(root: Path) -> list[Entry]:
    """Every runner that `[tool.ledger.runners]` names, and the machine behind it."""
    return [{"runner": label, "machine": slug} for label, slug in load_settings(root).runners.items()]


def jobs(root: Path, runner: str, wanted: Sequence[str], profile: str) -> list[Entry]:
    """One job a snippet, so that a runner that is lost takes one of them with it. Raises LedgerError for unknown names.

    Without names: every snippet that has the profile and may run on a GPU.
    """
    known = load_settings(root).runners
    if runner not in known:
        raise unknown("runner", runner, known, example='[tool.ledger.runners] with gpu-h200 = "h200"')
    snippets = load_snippets(root)
    for name in wanted:
        if name not in snippets:
            raise unknown("snippet", name, snippets)
        if profile not in snippets[name].profiles:
            raise unknown("profile", profile, snippets[name].profiles, where=f" in {name}")
    chosen = dict.fromkeys(wanted) or [name for name, snippet in snippets.items() if _suits(snippet, profile)]
    if not chosen:
        raise LedgerError(f"no snippet has the profile {profile!r}", example="--profile full")
    return [{"snippet": name} for name in chosen]


def _suits(snippet: Snippet, profile: str) -> bool:
    if profile not in snippet.profiles:
        return False
    return any(snippet.needs_of(case, profile).device != "cpu" for case in snippet.cases_in(profile))
