"""Links within the site: the page is there, and so is the heading, in the language of the page that links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

from build_tools.checks.finding import spot_of
from build_tools.checks.page import Page, page_at
from build_tools.checks.running_text import blanked
from build_tools.errors import LedgerError, Place
from build_tools.figures.resolve import Ledger
from build_tools.names import closest

LINK = re.compile(
    r"""\]\(\s*<?(?P<inline>[^()\s<>]+(?:\([^()\s]*\))?)
      | ^[ >]*\[[^\]^\n]+\]:[ \t]*<?(?P<named>[^\s<>]+)
      | \bhref=["'](?P<href>[^"']+)["']
    """,
    re.M | re.X,
)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.I)
IDENTIFIER = re.compile(r"\{:?[^{}\n]*?#(?P<braces>[\w:.-]+)[^{}\n]*\}|\bid=[\"'](?P<attribute>[^\"']+)[\"']")
# What fences of ours write: `evidence` an anchor for each claim, `records` one for each snippet and machine.
WRITTEN = re.compile(r"(?:source|run|results)-[\w-]+|consistency")
NEXT = "python -m build_tools check prose"


@dataclass(frozen=True)
class Link:
    """A link to somewhere in the project. `offset` is where its target stands in the page."""

    target: str
    offset: int
    line: int


def link_problems(root: Path, page: Page, ledger: Ledger) -> Iterator[LedgerError]:
    """Links that lead nowhere. An image is a link, too."""
    for link in links_of(page):
        if problem := _problem(root, page, link.target, ledger):
            text, example = problem
            yield LedgerError(
                text, place=spot_of(page.path, page.text, link.offset), example=example, next_command=NEXT
            )


@lru_cache(maxsize=4096)
def links_of(page: Page) -> tuple[Link, ...]:
    """Links that stay within the project."""
    return tuple(_links_of(page))


def _links_of(page: Page) -> Iterator[Link]:
    for block in page.texts:
        for found in LINK.finditer(blanked("\n".join(block.lines))):
            start = found.start(found.lastgroup or 0)
            if not ELSEWHERE.match(found[found.lastgroup or 0]):
                line = block.first + found.string.count("\n", 0, start)
                yield Link(found[found.lastgroup or 0], page.starts[block.first - 1] + start, line)


def _problem(root: Path, page: Page, target: str, ledger: Ledger) -> tuple[str, str] | None:
    """What is wrong, and what would be right."""
    file, _, anchor = unquote(target).partition("#")
    if file.startswith("/"):
        return f"the link {target} begins at the root: the site may lie below another path", "../legend.md"
    path = (page.path.parent / file) if file else page.path
    if not path.is_file():
        return None if _of_theme(root, path) else _no_file(page, path, target)
    if anchor and path.suffix == ".md" and anchor not in anchors(path) and not _written(page_at(path), anchor, ledger):
        known = sorted(anchors(path))
        meant = closest(anchor, known) or next(iter(known), "title")
        return f"{Place(path)} has no heading #{anchor}", f"{file}#{meant}"
    return None


def _of_theme(root: Path, path: Path) -> bool:
    """The theme's files lie at the root of each site."""
    for folder in (root / "docs" / "zh", root / "docs" / "en"):
        resolved = path.resolve()
        if resolved.is_relative_to(folder.resolve()):
            return (root / "docs" / "theme" / resolved.relative_to(folder.resolve())).is_file()
    return False


def _no_file(page: Page, path: Path, target: str) -> tuple[str, str]:
    if path.is_dir():
        return f"the link {target} leads to a folder", f"{target.rstrip('/')}/index.md"
    others = [other.name for other in path.parent.glob("*")] if path.parent.is_dir() else []
    meant = closest(path.name, others)
    return f"the link {target} leads nowhere", target.replace(path.name, meant) if meant else "../legend.md#measured"


@lru_cache(maxsize=4096)
def _anchors(path: Path, changed_ns: int) -> frozenset[str]:
    text = "\n".join("\n".join(block.lines) for block in page_at(path).texts)
    return frozenset(found["braces"] or found["attribute"] for found in IDENTIFIER.finditer(blanked(text)))


def anchors(path: Path) -> frozenset[str]:
    """The ids that a page gives to headings and other things."""
    return _anchors(path, path.stat().st_mtime_ns)


def _written(page: Page, anchor: str, ledger: Ledger) -> bool:
    """Whether one of our fences on the page writes this anchor."""
    kinds = {node.kind for node in page.nodes if node.is_fence}
    if "evidence" in kinds and anchor in ledger.claims.by_id:
        return True
    if "records" in kinds and any(anchor == name or anchor.startswith(f"{name}-") for name in ledger.snippets):
        return True
    return bool(kinds) and WRITTEN.fullmatch(anchor) is not None
