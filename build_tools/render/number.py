"""A number within text and the mark behind it, without a card: for texts of the ledger, lists and cards themselves."""

from __future__ import annotations

from build_tools.model import Figure, Language
from build_tools.render.html import Html, tag, text
from build_tools.render.mark import home_of, linked, seal_of
from build_tools.render.numbers import with_unit
from build_tools.render.page import Page


def brief(page: Page, figure: Figure) -> Html:
    """Number and mark; the verdict is left to where the mark leads."""
    seal = seal_of(figure, None, page.language)
    return valued(figure, written(figure, page.language), linked(page, seal, home_of(page, figure)))


def written(figure: Figure, language: Language) -> Html:
    return tag("span", with_unit(figure, language), class_="number")


def valued(figure: Figure, *content: Html) -> Html:
    """Number and mark as one, which no line break divides."""
    return tag("span", text(*content), class_="ledger-value", data_kind=figure.kind, data_freshness=figure.freshness)
