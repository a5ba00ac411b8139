"""What a mark opens: where its number comes from, at a glance.

Elements of running text only, since a card stands inside its paragraph; no search index takes it in. The script that
shows it places it beside its mark; without the script it stays hidden, and the mark's link leads to the same facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from build_tools.figures.number import judged
from build_tools.figures.resolve import REFERENCE_PROFILE, Ledger
from build_tools.model import Figure, Language, Record, Text
from build_tools.render import ledger_words, words
from build_tools.render.html import Html, joined, tag, text
from build_tools.render.mark import Seal, anchor_of, home_of, seal_of, shown
from build_tools.render.numbers import number, unit, with_unit
from build_tools.render.page import Page
from build_tools.render.prose import prose
from build_tools.render.provenance import DOT, date, machine_words, versions
from build_tools.render.reasons import profile_word, sentences
from build_tools.render.source import conditions, source_words
from build_tools.render.verdict import held_against, reason_words, reasons_of
from build_tools.render.words import say

# An element of its own name, with no other such in it: the theme's search leaves out what is marked up to the first
# end tag of that name.
CARD = "ledger-card"
Row = tuple[Text, Html | str | None]
BINARY = {"MB": "MiB", "GB": "GiB", "G": "GiB"}  # what the programs behind our sources mean by it
OPERATORS = {" / ": " ÷ ", " * ": " × ", " - ": " − "}


def card(ledger: Ledger, page: Page, figure: Figure, seal: Seal) -> Html:
    """The card of a figure. Raises LedgerError where its claim cannot be judged."""
    if figure.claim:
        rows, links = _claimed(ledger, page, figure), [(ledger_words.ENTRY, home_of(page, figure))]
    elif figure.kind == "derived":
        rows, links = _derived(ledger, page, figure), []
    else:
        rows, links = _measured(page, figure), _record_links(page, figure)
    links += [(words.LEGEND, page.legend(seal.freshness if seal.freshness != "fresh" else seal.kind))]
    links += [(ledger_words.VERDICT_LEGEND, page.legend(anchor_of(seal.verdict)))] if seal.verdict else []
    return framed(page, _head(page, figure, seal), rows, links)


def framed(page: Page, head: Html, rows: list[Row], links: list[tuple[Text, str]]) -> Html:
    """Head, rows of term and content, links; hidden until the script shows it."""
    language = page.language
    lines = [
        tag("span", tag("span", say(term, language), say(words.COLON, language), class_="term"), told, class_="row")
        for term, content in rows
        if content and (told := tag("span", content))
    ]
    led = joined(DOT, [tag("a", say(title, language), href=href) for title, href in links])
    return tag(
        CARD, head, *lines, tag("span", led, class_="links"), class_="ledger-card", popover="manual", hidden=True,
        role="group", aria_label=say(ledger_words.DETAILS, language), data_search_exclude=True,
    )  # fmt: skip


def _head(page: Page, figure: Figure, seal: Seal) -> Html:
    """Number, what it counts, and the mark once more: the card may lie over it."""
    size = tag("span", with_unit(figure, page.language), class_="number") if figure.value is not None else None
    label = figure.label.in_(page.language) if figure.metric else ""
    return tag("span", size, " " if size and label else None, label, shown(page, seal), class_="head")


# ------------------------------------------------------------------------------------------------- what we measured


def _measured(page: Page, figure: Figure) -> list[Row]:
    """What was run where and when; of a prediction, what it was computed with."""
    language, record = page.language, figure.record
    rows: list[Row] = []
    if record and figure.value is not None:
        scale = None if record.profile == REFERENCE_PROFILE else profile_word(record.profile, language)
        measured = figure.kind == "measured"
        rows = [
            (ledger_words.METHOD, None if measured else say(ledger_words.MODELLED, language)),
            (ledger_words.RUNS, runs(figure, language) if measured else None),
            (ledger_words.SCALE, scale),
            (ledger_words.MACHINE, machine_words(record.machine, language) if measured else None),
            (ledger_words.ENVIRONMENT, versions(record)),
            (ledger_words.DATE, text(date(page, record), DOT, say(words.ORIGINS[record.origin], language))),
        ]
    state = ledger_words.REASON if figure.value is None else ledger_words.STATE
    return [*rows, (state, _state(figure, language)), (ledger_words.REFERENCE, tag("code", figure.reference))]


def runs(figure: Figure, language: Language) -> str:
    """`median of 3, 31.3–31.6`."""
    if figure.n < 2 or figure.low is None or figure.high is None:
        return say(words.SINGLE_RUN, language)
    low, high = number(figure.low, figure.decimals), number(figure.high, figure.decimals)
    return say(ledger_words.MEDIAN_RANGE, language, n=figure.n, low=low, high=high)


def _state(figure: Figure, language: Language) -> str:
    if figure.value is None:
        return sentences(figure.reasons, language)
    if figure.freshness == "fresh":
        return ""
    return (
        say(words.FRESHNESS[figure.freshness], language)
        + say(words.DASH, language)
        + sentences(figure.reasons, language)
    )


def _record_links(page: Page, figure: Figure) -> list[tuple[Text, str]]:
    record: Record | None = figure.record if figure.value is not None else None
    links = [(ledger_words.RECORD, page.record(record))] if record else []
    return links + ([(ledger_words.ALL_RECORDS, home_of(page, figure))] if figure.kind == "measured" else [])


# ------------------------------------------------------------------------------------------------- what a source says


def _claimed(ledger: Ledger, page: Page, figure: Figure) -> list[Row]:
    claim, language = figure.claim, page.language
    assert claim is not None
    found = judged(ledger, claim)
    verdict = joined(say(words.SEMICOLON, language), reasons_of(ledger, page, found))
    return [
        (ledger_words.SOURCE, source_words(ledger, claim, language)),
        (ledger_words.CONDITIONS, conditions(ledger, claim, language)),
        (ledger_words.METRIC, as_printed(figure, language)),
        (ledger_words.VERDICT, verdict or (None if found.verdict else say(ledger_words.NOT_TESTED, language))),
        (ledger_words.TESTED, lines(page, held_against(found))),
        (ledger_words.NOTE, prose(ledger, page, claim.note, claim) if claim.note else None),
    ]


def as_printed(figure: Figure, language: Language) -> str:
    """That a source's MB are MiB."""
    if figure.unit not in BINARY or figure.value is None:
        return ""
    return say(ledger_words.AS_PRINTED, language, printed=figure.unit, meant=BINARY[figure.unit])


# ------------------------------------------------------------------------------------------------------ what follows


def _derived(ledger: Ledger, page: Page, figure: Figure) -> list[Row]:
    language = page.language
    reasons = say(words.SEMICOLON, language).join(reason_words(ledger, page, reason) for reason in figure.reasons)
    return [
        (ledger_words.ARITHMETIC, arithmetic(figure, language)),
        (ledger_words.INPUTS, lines(page, figure.inputs)),
        (ledger_words.REASON if figure.value is None else ledger_words.STATE, Html(reasons)),
    ]


def arithmetic(figure: Figure, language: Language) -> str:
    """`102.82 s ÷ 38.02 s`, units in the page's language."""
    written = figure.arithmetic or ""
    for plain, sign in OPERATORS.items():
        written = written.replace(plain, sign)
    units = sorted((name for name in words.UNITS if name != "1"), key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w/])({'|'.join(map(re.escape, units))})(?![\w/])")
    return pattern.sub(lambda found: unit(found[1], language), written)


def lines(page: Page, figures: Iterable[Figure]) -> Html:
    return text(*(tag("span", line(page, one), class_="input") for one in figures))


def line(page: Page, figure: Figure) -> Html:
    """One number among others: value, what it is, how it is known, where it stands."""
    language = page.language
    label = figure.label.in_(language) if figure.metric else ""
    name = tag("a", tag("code", figure.reference), href=home_of(page, figure))
    seal = shown(page, seal_of(figure, None, language))
    size = tag("span", with_unit(figure, language), class_="number") if figure.value is not None else None
    return joined(" ", [part for part in (text(label), size, seal, name) if part])
