"""One number within a sentence, with the mark that says how it is known."""

from __future__ import annotations

from build_tools.figures.resolve import REFERENCE_PROFILE, Ledger
from build_tools.model import Figure, Language
from build_tools.render import words
from build_tools.render.html import Html, tag
from build_tools.render.mark import mark
from build_tools.render.numbers import with_unit
from build_tools.render.page import Page
from build_tools.render.provenance import DOT, origin_of
from build_tools.render.reasons import profile_word, sentences
from build_tools.render.words import say
from build_tools.syntax import Node


def value(ledger: Ledger, page: Page, node: Node) -> Html:
    """`31.4 MiB` and its mark; a dash and why where there is no number."""
    figure = ledger.figure(node.text)
    written = tag("span", with_unit(figure, page.language), class_="number")
    # A reader must not take a number of a small model for the experiment's.
    scale = "" if _profile(figure) in {None, REFERENCE_PROFILE} else profile_word(_profile(figure) or "", page.language)
    known = mark(page, figure.kind, figure.freshness, title(figure, page.language), suffix=scale)
    return tag("span", written, known, class_="ledger-value", data_kind=figure.kind, data_freshness=figure.freshness)


def _profile(figure: Figure) -> str | None:
    return figure.record.profile if figure.record and figure.value is not None else None


def title(figure: Figure, language: Language) -> str:
    """Which number it is, from how many runs, where; and what is wrong with it."""
    told = [figure.reference]
    if figure.value is not None and figure.record:
        runs = say(words.SINGLE_RUN, language) if figure.n == 1 else say(words.MEDIAN_OF, language, n=figure.n)
        told += [runs, origin_of(figure.record, language)]
    return DOT.join([*told, sentences(figure.reasons, language)]).removesuffix(DOT)
