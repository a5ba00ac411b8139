"""The card below a page's title: what the source of a lecture says of itself, and whose word each value is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from build_tools.errors import LedgerError, Place
from build_tools.figures.resolve import Ledger
from build_tools.model.header_card import CardSource, HeaderCard
from build_tools.render import header_words as words
from build_tools.render.html import Html, tag, text
from build_tools.render.page import Page
from build_tools.render.untranslated import Stash
from build_tools.render.words import in_brackets, say
from build_tools.syntax import split_lines
from build_tools.syntax.header_card import read_card
from build_tools.syntax.sections import front_matter_end, sections

NEXT = "python -m build_tools check"


def card_of(path: Path, source: str, ledger: Ledger) -> tuple[HeaderCard | None, list[LedgerError]]:
    """The card in the front matter of a page's source, and what is wrong with it, each with file and line."""
    lines = split_lines(source)
    card, found = read_card(lines, front_matter_end(lines), ledger.claims.documents)
    return card, [problem.at(Place(path, line + 2), next_command=NEXT) for line, problem in found]


def below_title(lines: list[str], shown: Sequence[Html], stash: Stash) -> list[str]:
    """The page's lines with these pieces directly below its title, or at its top where it has none."""
    title = next((section.first for section in sections("\n".join(lines)) if section.level == 1), 0)
    pieces = [line for piece in shown for line in ("", stash(piece), "")]
    return [*lines[:title], *pieces, *lines[title:]]


def header_card(ledger: Ledger, page: Page, card: HeaderCard) -> Html:
    """The card. Left out of the search: what it says of a page would be the teaser of every result.

    No `div` around it: Material's search goes on behind the end of the first `div` within one that it leaves out.
    """
    rows = tag("dl", *_rows(ledger, page, card))
    label = say(words.CARD, page.language)
    return tag("section", rows, class_="ledger-header-card", aria_label=label, data_search_exclude=True)


def _rows(ledger: Ledger, page: Page, card: HeaderCard) -> Iterator[Html]:
    language = page.language
    yield _row(say(words.KIND, language), words.KINDS[card.kind].in_(language))
    # No <time>: how old somebody's summary is says nothing about the numbers of this page.
    yield _row(say(words.UPDATED, language), card.updated, _note(words.WHOSE_DATE[card.kind].in_(language), page))
    if rating := card.confidence:
        by = _note(words.RATED_BY[rating.by].in_(language), page)
        yield _row(say(words.CONFIDENCE, language), words.LEVELS[rating.value].in_(language), by)
    if card.run_label:
        label = tag("code", card.run_label)
        yield _row(say(words.RUN_LABEL, language), label, _note(words.RUN_LABELS[card.run_label].in_(language), page))
    if read := card.reading_status:
        by = _note(words.MARKED_BY[read.by].in_(language), page)
        yield _row(say(words.READING, language), words.READING_STATUS[read.value].in_(language), by)
    if learnt := card.learning_status:
        by = _note(words.MARKED_BY[learnt.by].in_(language), page)
        yield _row(say(words.LEARNING, language), words.LEARNING_STATUS[learnt.value].in_(language), by)
    yield _wide(say(words.TAGS, language), "tags", [text(one.in_(language)) for one in card.tags])
    yield _wide(say(words.SOURCES, language), "sources", [_source(ledger, page, source) for source in card.sources])


def _row(name: str, *value: str | Html) -> Html:
    return tag("div", tag("dt", name), tag("dd", *value))


def _wide(name: str, class_: str, items: Sequence[Html]) -> Html:
    shown = tag("ul", *(tag("li", item) for item in items))
    return tag("div", tag("dt", name), tag("dd", shown), class_=class_)


def _note(words_of_it: str, page: Page) -> Html:
    return tag("small", in_brackets(words_of_it, page.language)) if words_of_it else text()


def _source(ledger: Ledger, page: Page, source: CardSource) -> Html:
    """A material; where the ledger has statements of it, the way to them."""
    name = words.MATERIALS[source.what].in_(page.language)
    quoted = {claim.source.document for claim in ledger.claims.by_id.values()}
    address = page.evidence(f"source-{source.document}") if source.document in quoted - {None} else None
    shown = tag("a", name, href=address) if address else text(name)
    return text(shown, _note(words.ACCESS[source.access].in_(page.language), page))
