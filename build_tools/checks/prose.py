"""How pages are written: Chinese typography, ids of headings, alternative texts, links, code on a phone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from build_tools.checks.code_width import wide_lines
from build_tools.checks.finding import Findings, spot_of
from build_tools.checks.links import link_problems
from build_tools.checks.page import Page, heading_in, page_at
from build_tools.checks.readable import readable
from build_tools.checks.reasons import Excuses
from build_tools.checks.running_text import blanked
from build_tools.checks.typography import chinese_problems, chinese_texts
from build_tools.errors import LedgerError, Place
from build_tools.figures.resolve import Ledger, current_ledger
from build_tools.syntax.sections import IDENTIFIER

CHECK = "prose"
NEXT = "python -m build_tools check prose"
FILL = "FILL"  # what scaffolds leave where somebody has to write
TO_FILL = re.compile(rf"(?<!`)\b{FILL}\b")
IMAGE = re.compile(r"!\[(?P<alt>[^\]]*)\]\(|<img\b(?P<tag>[^>]*)>", re.S)
ALT = re.compile(r"""\balt=["'](?P<alt>[^"']*)["']""")
# A full-width mark on an English page belongs to Chinese words; between Latin ones it is a slip of the input method.
FULL_WIDTH = re.compile(r"(?<=[A-Za-z0-9)`\x00])[，。；：！？、（）]|[，。；：！？、（）](?=\s?[A-Za-z])")
HALF_WIDTH = dict(zip("，。；：！？、（）", ",.;:!?,()", strict=True))
HAN = re.compile(r"[一-鿿]")


def prose_findings(root: Path, ledger: Ledger | None = None) -> Findings:
    """Pages, README and Chinese texts of TOML files. Notes: places of a scaffold that are still to be filled."""
    ledger = ledger or current_ledger(root)
    found, problems = Findings(), []
    for path in _files(root, "*.md", "docs/zh/**/*.md", "docs/en/**/*.md"):
        problems += _told(partial(_page_prose, root, path, ledger))
    for path in _files(root, "docs/*.toml", "snippets/*/snippet.toml"):
        problems += _told(partial(chinese_texts, path))
    found.problems = list({str(error): error for error in problems}.values())  # two pages may show one snippet
    for path in _files(root, "docs/zh/**/*.md", "docs/en/**/*.md", "snippets/*/*.py", "snippets/*/*.toml"):
        text = path.read_text(encoding="utf-8", errors="replace")
        if marks := list(TO_FILL.finditer(text)):
            place = spot_of(path, text, marks[0].start())
            found.notes.append(LedgerError(f"{len(marks)} place(s) to be filled: search for {FILL}", place=place))
    return found


def _files(root: Path, *patterns: str) -> list[Path]:
    return sorted(path for pattern in patterns for path in root.glob(pattern) if path.is_file())


def _told(check: Callable[[], Iterable[LedgerError]]) -> list[LedgerError]:
    """What a check finds, or why it cannot look."""
    try:
        return list(check())
    except LedgerError as error:
        return [error]


def _page_prose(root: Path, path: Path, ledger: Ledger) -> list[LedgerError]:
    return page_prose(root, page_at(path), ledger)


def page_prose(root: Path, page: Page, ledger: Ledger) -> list[LedgerError]:
    """What is wrong with one page, in its order. Raises LedgerError where it is no text."""
    excuses = Excuses(page.path, page.text, CHECK, skip=page.lines_of_code)
    checks = [*_headings(root, page), *_images(page), *link_problems(root, page, ledger), *_nameless(page)]
    checks += chinese_problems(page) if _is_chinese(root, page) else _full_width(page)
    kept = [error for error in checks if error.place is None or not excuses.excused(error.place.line or 0)]
    kept += [error for line, error in wide_lines(root, page) if not excuses.excused(line)]
    return sorted([*kept, *excuses.problems()], key=lambda error: error.place.line or 0 if error.place else 0)


def _is_chinese(root: Path, page: Page) -> bool:
    return page.path.is_relative_to(root / "docs" / "zh") or page.path.name.endswith(".zh.md")


def _headings(root: Path, page: Page) -> Iterator[LedgerError]:
    """Each has an id of its own, so that links outlive rewording and are the same in both languages."""
    if not page.path.is_relative_to(root / "docs"):
        return  # README: GitHub knows no such ids
    seen: Counter[str] = Counter()
    for block in page.texts:
        if not heading_in(block):
            continue
        named = IDENTIFIER.search(block.lines[0])
        place, heading = Place(page.path, block.first), block.lines[0].strip()
        if not named:
            yield LedgerError(
                f"the heading {heading!r} has no id", place=place, example=f"{heading} {{#results}}", next_command=NEXT
            )
            continue
        seen[named["id"]] += 1
        if seen[named["id"]] == 2:
            example = f"{{#{named['id']}-2}}, or a word of its own"
            yield LedgerError(
                f"two headings have the id {named['id']!r}", place=place, example=example, next_command=NEXT
            )


def _images(page: Page) -> Iterator[LedgerError]:
    """Each says in words what it shows. One that shows nothing belongs into the style sheet."""
    for block in page.texts:
        text = blanked("\n".join(block.lines))
        for found in IMAGE.finditer(text):
            alt = ALT.search(found["tag"]) if found["tag"] is not None else None
            words = (alt["alt"] if alt else "") if found["tag"] is not None else found["alt"]
            if not words.strip("\x00 "):
                place = spot_of(page.path, text, found.start(), first=block.first)
                yield LedgerError(
                    "an image without alternative text",
                    place=place,
                    example="![峰值显存随微批次变化](peak.svg)",
                    next_command=NEXT,
                )


def _nameless(page: Page) -> Iterator[LedgerError]:
    for line in page.nameless_fences:
        problem = "this fence does not say what it holds"
        yield LedgerError(problem, place=Place(page.path, line), example="```python, or ```text", next_command=NEXT)


def _full_width(page: Page) -> Iterator[LedgerError]:
    said = readable(page.path).said
    for found in FULL_WIDTH.finditer(said):
        if HAN.search(said[max(0, found.start() - 1) : found.end() + 1]):
            continue
        place = spot_of(page.path, page.text, found.start())
        yield LedgerError(f"{found[0]!r} is full-width", place=place, example=HALF_WIDTH[found[0]], next_command=NEXT)
