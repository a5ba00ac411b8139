"""Translations that have fallen behind, by section: a typo that is corrected in one marks that one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from build_tools.checks.finding import Findings
from build_tools.checks.page import Page
from build_tools.errors import LedgerError, Place
from build_tools.toml_source import line_of
from build_tools.translations import EXAMPLE, FILE, Recorded, Stale, read, read_recorded, stale_sections

ACCEPT = "python -m build_tools check parity --accept {}"


def translation_findings(root: Path, sources: Mapping[str, Page], translations: Mapping[str, Page]) -> Findings:
    """Problems: sections at which no translator has looked, and records of what is gone. Notes: those that are stale,
    and pages that are not translated: the pages say so themselves."""
    try:
        recorded = read_recorded(root)
    except LedgerError as error:
        return Findings([error])
    found = Findings(list(_gone(root, recorded, sources)))
    for name in sorted(sources.keys() & translations.keys()):
        if translations[name].is_stub:
            problem = f"not translated yet: it shows {Place(sources[name].path)}"
            found.notes.append(LedgerError(problem, place=Place(translations[name].path, 1)))
            continue
        stale = stale_sections(root, name, recorded)
        new = [section for section in stale if section.accepted is None]
        found.problems += [_unseen(translations[name], new)] if new else []
        found.notes += [_behind(sources[name], translations[name], section) for section in stale if section.accepted]
    return found


def _unseen(translation: Page, new: list[Stale]) -> LedgerError:
    """One line for all the sections of a page: of a new page it is every one."""
    names = ", ".join(f"#{section.source.id}" for section in new)
    name = new[0].name if len(new) == 1 else new[0].page
    return LedgerError(
        f"{FILE} does not say of which Chinese text this is the translation: {names}",
        place=Place(translation.path, _line(translation, new[0].source.id)), example=EXAMPLE,
        next_command=ACCEPT.format(name),
    )  # fmt: skip


def _behind(source: Page, translation: Page, section: Stale) -> LedgerError:
    there = Place(source.path, section.source.first)
    problem = f"the translation of #{section.source.id} may be behind: {there} has changed since"
    return LedgerError(
        problem,
        place=Place(translation.path, _line(translation, section.source.id)),
        next_command=ACCEPT.format(section.name),
    )


def _line(page: Page, identifier: str) -> int:
    return next((section.first for section in page.sections if section.id == identifier), 1)


def _gone(root: Path, recorded: Recorded, sources: Mapping[str, Page]) -> Iterator[LedgerError]:
    """Digests of a page or of sections that do not exist any more."""
    text = read(root / FILE) if recorded else ""
    for page, digests in recorded.items():
        place = Place(root / FILE, line_of(text, (page,)))
        if page not in sources:
            yield LedgerError(
                f"there is no page {page} any more", place=place, example=EXAMPLE, next_command=ACCEPT.format("all")
            )
            continue
        known = {section.id for section in sources[page].sections}
        if gone := [section for section in digests if section not in known]:
            problem = f"{page} has no section {', '.join(gone)} any more"
            yield LedgerError(problem, place=place, example=EXAMPLE, next_command=ACCEPT.format(page))
