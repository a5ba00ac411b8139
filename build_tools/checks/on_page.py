"""Findings on the page that somebody is editing: in the live preview, never in a site that is built."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

from build_tools.checks.everything import findings_by_page
from build_tools.checks.finding import Findings
from build_tools.checks.page import FOLDERS
from build_tools.errors import LedgerError, one_line

ARTICLE = re.compile(r"<article\b[^>]*>")
PLACES = {"zh": ".", "en": "en"}  # where a language lives in the composed site


def show_findings(root: Path, site: Path) -> Iterator[str]:
    """Write what the checks find on each page into its HTML below `site`; yields the same lines for a terminal."""
    for page, found in findings_by_page(root).items():
        yield from (str(problem) for problem in found.problems)
        yield from (f"note: {note}" for note in found.notes)
        shown = html_of(root, page, site)
        if shown is not None and shown.is_file():
            text = shown.read_text(encoding="utf-8")
            shown.write_text(with_findings(text, found), encoding="utf-8")


def html_of(root: Path, page: Path, site: Path) -> Path | None:
    """`docs/en/lectures/x.md` is `en/lectures/x/index.html`; None for a file that is no page."""
    for language, folder in FOLDERS.items():
        if page.is_relative_to(root / folder):
            inner = page.relative_to(root / folder).with_suffix("")
            inner = inner.parent if inner.name in {"index", "README"} else inner
            return site / PLACES[language] / inner / "index.html"
    return None


def with_findings(text: str, found: Findings) -> str:
    """The page with a box at its top, one line for each finding. Whatever they quote stays text."""
    items = "".join(f"<li>{html.escape(_line(error))}</li>" for error in (*found.problems, *found.notes))
    title = f"check: {len(found.problems)} problem(s), {len(found.notes)} note(s)"
    box = f'<div class="admonition warning" lang="en"><p class="admonition-title">{title}</p><ul>{items}</ul></div>'
    return ARTICLE.sub(lambda article: article[0] + box, text, count=1)


def _line(error: LedgerError) -> str:
    """The file is the page itself: its line and column are enough."""
    at = re.search(r":(\d+(?::\d+)?)$", str(error.place))
    words = f"{at[1]}: {error.problem}" if at else error.problem
    return one_line(f"{words}; for example: {error.example}" if error.example else words)
