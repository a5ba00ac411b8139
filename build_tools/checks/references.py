"""Every fence and role of every page, checked without building a site."""

from __future__ import annotations

from pathlib import Path

from build_tools.errors import LedgerError
from build_tools.figures.resolve import current_ledger
from build_tools.figures.soundness import claim_problems
from build_tools.render.nodes import page_problems


def reference_problems(root: Path, *, committed_only: bool = False) -> list[LedgerError]:
    """What is wrong in pages and records, in the order of files and lines."""
    ledger = current_ledger(root, committed_only=committed_only)
    pages = sorted(path for language in ("zh", "en") for path in (root / "docs" / language).rglob("*.md"))
    return [
        *ledger.problems,
        *claim_problems(ledger),
        *(problem for page in pages for problem in page_problems(page, ledger)),
    ]
