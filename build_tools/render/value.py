"""What the roles become: a number, words that a number bears out, a statement, a time, a supposed figure."""

from __future__ import annotations

from build_tools.errors import LedgerError
from build_tools.figures.number import about as compared
from build_tools.figures.number import claim_figure, judged, number
from build_tools.figures.resolve import Ledger
from build_tools.model import Figure
from build_tools.render import ledger_words, words
from build_tools.render.card import card, framed
from build_tools.render.html import Html, tag
from build_tools.render.mark import HYPOTHETICAL, Seal, home_of, linked, seal_of, shown, specimen
from build_tools.render.number import valued, written
from build_tools.render.page import Page
from build_tools.render.prose import prose
from build_tools.render.words import say
from build_tools.syntax import Node, example_of
from build_tools.syntax.times import seconds_of


def value(ledger: Ledger, page: Page, node: Node) -> Html:
    """`31.4 MiB` and its mark; a dash and why where there is no number."""
    figure = number_of(ledger, node)
    return valued(figure, written(figure, page.language), full_mark(ledger, page, figure))


def full_mark(ledger: Ledger, page: Page, figure: Figure) -> Html:
    """The mark with its card, for numbers and for words that stand for one. Raises LedgerError."""
    seal = seal_of(figure, judged(ledger, figure.claim).verdict if figure.claim else None, page.language)
    return linked(page, seal, home_of(page, figure), card(ledger, page, figure, seal))


def number_of(ledger: Ledger, node: Node) -> Figure:
    """The figure of a `value`. Raises LedgerError for an unknown name, and for a claim that gives no number."""
    figure = number(ledger, node.text)
    if figure.claim and figure.value is None:
        problem = f"{node.text} states something without a number"
        raise LedgerError(problem, example=f"{{claim}}`{node.text}`")
    return figure


def about(ledger: Ledger, page: Page, node: Node) -> Html:
    """The words, with a mark whose card tells the arithmetic."""
    found = compared(ledger, node.text)
    mark = full_mark(ledger, page, found.figure)
    return tag("span", found.words, " ", mark, class_="ledger-about", data_freshness=found.figure.freshness)


def claim(ledger: Ledger, page: Page, node: Node) -> Html:
    """What a source says, its number within, and behind it one mark with the verdict."""
    stated = ledger.claim(node.text)
    statement = prose(ledger, page, stated.statement, stated)
    mark = full_mark(ledger, page, claim_figure(ledger, stated))
    return tag("span", statement, " ", mark, class_="ledger-statement")


def at(page: Page, node: Node) -> Html:
    """A time in the page's video, linked where the page says where that is."""
    seconds = seconds_of(node.text) or 0
    time = tag("time", node.text, datetime=f"PT{seconds}S")
    link = page.video.link(seconds) if page.video else None
    if not link:
        return tag("span", time, class_="ledger-at")
    return tag("a", time, class_="ledger-at", href=link)


def hypothetical(page: Page, node: Node) -> Html:
    """A figure that is only supposed, and says so. Raises LedgerError."""
    figure = supposed(node)
    seal = Seal(HYPOTHETICAL)
    head = tag("span", tag("span", figure, class_="number"), shown(page, seal), class_="head")
    legend = page.legend(HYPOTHETICAL)
    told = say(ledger_words.SUPPOSED, page.language)
    card = framed(page, head, [(words.HYPOTHETICAL, told)], [(words.LEGEND, legend)])
    size = tag("span", figure, class_="number")
    return tag("span", size, linked(page, seal, legend, card), class_="ledger-value", data_kind=HYPOTHETICAL)


def supposed(node: Node) -> str:
    """Raises LedgerError for words without a figure."""
    if not any(sign.isdigit() for sign in node.text):
        raise LedgerError(f"{node.text!r} holds no figure", example=example_of("hypothetical"))
    return node.text


def mark(page: Page, node: Node) -> Html:
    """A mark by its name, as the legend shows it. Raises LedgerError with the names there are."""
    return specimen(page, node.text)
