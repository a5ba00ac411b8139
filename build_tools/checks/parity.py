"""Both languages in step: the same pages, navigation, headings and parts of each section. Chinese is the source.

Words are each language's own; what a page shows besides words is not. Each message names both places.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import yaml

from build_tools.checks.difference import first_difference, in_words
from build_tools.checks.finding import Findings
from build_tools.checks.navigation import navigation_problems
from build_tools.checks.page import FOLDERS, Page, pages_in
from build_tools.checks.shape import PARTS, Part, TableKey
from build_tools.checks.stale import translation_findings
from build_tools.checks.terms import term_problems
from build_tools.errors import LedgerError, Place, clipped, quoted
from build_tools.ledger.glossary import Glossary, load_glossary
from build_tools.syntax.sections import Section

NEXT = "python -m build_tools check parity"
LANGUAGES_OWN = {"title", "description", "subtitle"}  # keys of front matter that a translator translates
STUB = "# Title {#title}, and below it an empty fence ```untranslated"


def parity_findings(root: Path) -> Findings:
    """What the two languages do not have in common, and which translations have fallen behind."""
    found = Findings()
    try:
        sources, translations = pages_in(root, "zh"), pages_in(root, "en")
    except LedgerError as error:
        return Findings([error])
    glossary = load_glossary(root)
    found.problems += [*_lonely(root, sources, translations), *navigation_problems(root), *glossary.problems]
    for name in sources.keys() & translations.keys():
        found.problems += pair_problems(sources[name], translations[name], glossary)
    found.problems.sort(key=lambda error: (str(error.place.file), error.place.line or 0) if error.place else ("", 0))
    found.add(translation_findings(root, sources, translations))
    return found


@lru_cache(maxsize=1024)
def pair_problems(source: Page, translation: Page, glossary: Glossary) -> tuple[LedgerError, ...]:
    """What differs between a page and its translation; looked for anew only where one of the three has changed."""
    return tuple(_pair_problems(source, translation, glossary))


def _pair_problems(source: Page, translation: Page, glossary: Glossary) -> Iterator[LedgerError]:
    yield from _front_matter(source, translation)
    if translation.is_stub:
        yield from _headings(source, translation, how_many=1)
        return
    yield from _headings(source, translation)
    yield from _parts(source, translation)
    yield from term_problems(source, translation, glossary)


def _lonely(root: Path, sources: dict[str, Page], translations: dict[str, Page]) -> Iterator[LedgerError]:
    """Pages that exist in one language only."""
    zh, en = (root / FOLDERS["zh"], root / FOLDERS["en"])
    for name in sorted(sources.keys() - translations.keys()):
        problem = f"there is no {Place(en / name)}: a page that is not translated yet is a stub"
        yield LedgerError(problem, place=Place(zh / name, 1), example=STUB, next_command=NEXT)
    for name in sorted(translations.keys() - sources.keys()):
        problem = f"there is no {Place(zh / name)}, of which this would be the translation"
        yield LedgerError(problem, place=Place(en / name, 1), example=str(zh / name), next_command=NEXT)


# --------------------------------------------------------------------------------------------------- front matter


def _front_matter(source: Page, translation: Page) -> Iterator[LedgerError]:
    """Keys are the same, and so are values but for those that are words."""
    ours, theirs = _settings(source), _settings(translation)
    for key in sorted(ours.keys() | theirs.keys()):
        here, there = Place(translation.path, 1), Place(source.path, 1)
        if key not in theirs:
            yield _differs(here, f"front matter: {key} of {there} is missing", f"{key}: {_yaml(ours[key])}")
        elif key not in ours:
            yield _differs(here, f"front matter: {key} does not stand in {there}", f"{key}: {_yaml(theirs[key])}")
        elif key not in LANGUAGES_OWN:
            for where, our, their in _unequal(key, ours[key], theirs[key]):
                problem = f"front matter: {where} is {quoted(their)}, in {there} it is {quoted(our)}"
                yield _differs(here, problem, f"{key}: {_yaml(ours[key])}")


def _unequal(where: str, ours: Any, theirs: Any) -> Iterator[tuple[str, Any, Any]]:
    """The innermost values that differ: of a card the one setting, not the whole."""
    if ours == theirs:
        return
    if isinstance(ours, dict) and isinstance(theirs, dict) and ours.keys() == theirs.keys():
        for key, value in ours.items():
            yield from _unequal(f"{where}.{key}", value, theirs[key])
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for number, (our, their) in enumerate(zip(ours, theirs, strict=True), 1):
            yield from _unequal(f"{where}.{number}", our, their)
    else:
        yield where, ours, theirs


def _settings(page: Page) -> dict[str, Any]:
    """Front matter that cannot be read is told by the check of pages."""
    try:
        found = yaml.safe_load("\n".join(page.lines[1 : page.head - 1])) if page.head else None
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}
    return {str(key): value for key, value in found.items()} if isinstance(found, dict) else {}


def _yaml(value: Any) -> str:
    return clipped(yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=1000).split("\n")[0])


# ------------------------------------------------------------------------------------------------------- headings


def _headings(source: Page, translation: Page, *, how_many: int | None = None) -> Iterator[LedgerError]:
    """Levels and ids in the same order; `how_many` of them are looked at, of a stub the title's alone."""
    ours, theirs = source.headings[:how_many], translation.headings[:how_many]
    spans = first_difference(*([(section.level, section.id) for section in side] for side in (ours, theirs)))
    if spans is None:
        return
    one, other = ours[spans[0]], theirs[spans[1]]
    here = Place(translation.path, other[0].first if other else _line_at(theirs, spans[1].start))
    there = Place(source.path, one[0].first if one else _line_at(ours, spans[0].start))
    words = in_words([_shown(section) for section in one], [_shown(section) for section in other], there)
    yield _differs(here, f"heading: {words}{_counts('headings', ours, theirs)}", _shown((one or other)[0]))


def _line_at(sections: Sequence[Section], position: int) -> int:
    """Where a section that is missing would stand."""
    return sections[position].first if position < len(sections) else sections[-1].last if sections else 1


def _shown(section: Section) -> str:
    return f"{'#' * section.level} … {{#{section.id}}}" if section.id else f"{'#' * section.level} {section.title}"


# ---------------------------------------------------------------------------------------------- parts of a section


def _parts(source: Page, translation: Page) -> Iterator[LedgerError]:
    """The first difference of each kind in each section that both have."""
    twins = {section.id: section for section in translation.sections}
    pairs = [(section, twins[section.id]) for section in source.sections if section.id in twins]
    for what, parts in PARTS.items():
        ours, theirs = _by_section(source, parts(source)), _by_section(translation, parts(translation))
        for section, twin in pairs:
            sides = _Side(source, section, ours[section.first]), _Side(translation, twin, theirs[twin.first])
            yield from _difference(what, *sides)


@dataclass(frozen=True)
class _Side:
    """One language of a section: its parts of one kind."""

    page: Page
    section: Section
    parts: list[Part]

    def place(self, span: slice) -> Place:
        """Where these parts stand; the section where there are none."""
        return Place(self.page.path, (*self.parts[span], Part(self.section.first, None, ""))[0].line)


def _by_section(page: Page, parts: Iterable[Part]) -> dict[int, list[Part]]:
    """The parts of each section, by the line it begins at."""
    starts = [section.first for section in page.sections]
    found: dict[int, list[Part]] = {start: [] for start in starts}
    for part in parts:
        if at := bisect_right(starts, part.line):
            found[starts[at - 1]].append(part)
    return found


def _difference(what: str, ours: _Side, theirs: _Side) -> Iterator[LedgerError]:
    keys = [part.key for part in ours.parts], [part.key for part in theirs.parts]
    spans = first_difference(*keys)
    if spans is None:
        return
    one, other = ours.parts[spans[0]], theirs.parts[spans[1]]
    here, there = theirs.place(spans[1]), ours.place(spans[0])
    if what == "tables" and one and other:
        words = f"table: {_shape(one[0], other[0])} ({there})"
    else:
        words = in_words([part.shown for part in one], [part.shown for part in other], there)
    order = "; the same, in another order" if Counter(keys[0]) == Counter(keys[1]) else ""
    yield _differs(here, f"{words}{_counts(what, ours.parts, theirs.parts)}{order}", (one or other)[0].shown)


def _shape(ours: Part, theirs: Part) -> str:
    """`zh has 6 rows, en has 5`."""
    sides = zip(("rows", "columns"), cast(TableKey, ours.key), cast(TableKey, theirs.key), strict=True)
    return "; ".join(f"zh has {one} {what}, en has {other}" for what, one, other in sides if one != other)


def _counts(what: str, ours: Sequence[object], theirs: Sequence[object]) -> str:
    return f"; zh has {len(ours)} {what}, en has {len(theirs)}" if len(ours) != len(theirs) else ""


def _differs(place: Place, problem: str, example: str) -> LedgerError:
    return LedgerError(problem, place=place, example=example, next_command=NEXT)
