"""The mark beside a number: a word for how it is known, linked to what that means, and told to a screen reader."""

from __future__ import annotations

from build_tools.model import Figure, Freshness, Kind
from build_tools.render import words
from build_tools.render.html import Html, tag
from build_tools.render.numbers import NONE
from build_tools.render.page import Page
from build_tools.render.reasons import sentences
from build_tools.render.words import say


def mark(page: Page, kind: Kind, freshness: Freshness, title: str, *, suffix: str = "") -> Html:
    """`title` says more than the word: it is shown on hovering and read aloud."""
    word = say(words.KINDS[kind], page.language) if freshness != "pending" else ""
    state = say(words.FRESHNESS[freshness], page.language) if freshness != "fresh" else ""
    visible = " · ".join(part for part in (word, suffix, state) if part)
    legend = say(words.LEGEND, page.language)
    return tag(
        "a", visible, class_="ledger-mark", data_kind=kind, data_freshness=freshness, href=page.legend(kind),
        title=title, aria_label=say(words.SEMICOLON, page.language).join([visible, title, legend]),
    )  # fmt: skip


def dash(reason: str) -> Html:
    """No number, and why: on hovering, and read aloud. As a label, so that a search does not find it in every cell."""
    return tag("abbr", NONE, title=reason, role="img", aria_label=reason)


def state_word(page: Page, figure: Figure) -> Html | None:
    """The word for a figure that is not fresh."""
    if figure.freshness == "fresh":
        return None
    why = sentences(figure.reasons, page.language)
    word = say(words.FRESHNESS[figure.freshness], page.language)
    return tag("span", word, class_="ledger-freshness", data_freshness=figure.freshness, title=why)
