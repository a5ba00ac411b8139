"""A term is translated the one agreed way: where a section uses it in one language, the other uses its word for it."""

from __future__ import annotations

from collections.abc import Iterator

from build_tools.checks.finding import spot_of
from build_tools.checks.page import Page
from build_tools.checks.readable import readable
from build_tools.errors import LedgerError, Place
from build_tools.ledger.glossary import GLOSSARY, Glossary, Term, avoided, mentions
from build_tools.model import Language
from build_tools.syntax.sections import Section

NEXT = "python -m build_tools check parity"


def term_problems(source: Page, translation: Page, glossary: Glossary) -> Iterator[LedgerError]:
    """In both directions, and words that are not to be used."""
    twins = {section.id: section for section in translation.sections}
    pairs = [(section, twins[section.id]) for section in source.sections if section.id in twins]
    said = _Said(source), _Said(translation)
    for section, twin in pairs:
        texts = said[0].of(section), said[1].of(twin)
        yield from _untranslated(glossary, "zh", texts, (translation, twin), Place(source.path, section.first))
        yield from _untranslated(glossary, "en", texts[::-1], (source, section), Place(translation.path, twin.first))
    yield from _avoided(source, "zh", said[0], glossary)
    yield from _avoided(translation, "en", said[1], glossary)


class _Said:
    """The running text of a page, by its sections."""

    def __init__(self, page: Page) -> None:
        self.text, self._starts = readable(page.path).said, page.starts

    def of(self, section: Section) -> str:
        return self.text[self._starts[section.first - 1] : self._starts[section.last]]


def _untranslated(
    glossary: Glossary, language: Language, texts: tuple[str, str], there: tuple[Page, Section], here: Place
) -> Iterator[LedgerError]:
    """Terms that the first text uses by their agreed word, and the second by none of its own."""
    other: Language = "en" if language == "zh" else "zh"
    used = {mention.term.id: mention.term for mention in mentions(glossary.terms, language, texts[0]) if mention.agreed}
    met = {mention.term.id for mention in mentions(glossary.terms, other, texts[1])}
    for identifier, term in used.items():
        if identifier not in met:
            yield _problem(term, language, there, here, glossary)


def _problem(
    term: Term, language: Language, there: tuple[Page, Section], here: Place, glossary: Glossary
) -> LedgerError:
    page, section = there
    other: Language = "en" if language == "zh" else "zh"
    forms = ", ".join(repr(form) for form in term.forms(other))
    return LedgerError(
        f"#{section.id} has no {forms}, but {here} says {term.word(language)!r}; "
        f"{GLOSSARY}:{glossary.place(term).line} names the agreed word, and under `also` others that are right",
        place=Place(page.path, section.first), example=f"{term.zh} = {term.en}", next_command=NEXT,
    )  # fmt: skip


def _avoided(page: Page, language: Language, said: _Said, glossary: Glossary) -> Iterator[LedgerError]:
    for mention in avoided(glossary.terms, language, said.text):
        agreed = mention.term.word(language)
        yield LedgerError(
            f"{mention.form!r}: the agreed word is {agreed!r} ({GLOSSARY}:{glossary.place(mention.term).line})",
            place=spot_of(page.path, page.text, mention.span[0]), example=f"{mention.term.zh} = {mention.term.en}",
            next_command=NEXT,
        )  # fmt: skip
