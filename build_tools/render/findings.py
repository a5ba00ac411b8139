"""Whether the figures that a source gives of one run agree with each other, and what follows from them."""

from __future__ import annotations

from build_tools.figures.identities import Finding, consistency
from build_tools.figures.resolve import Ledger
from build_tools.model import Figure
from build_tools.render import ledger_words, words
from build_tools.render.card import card
from build_tools.render.html import Html, joined, tag, text
from build_tools.render.mark import linked, seal_of
from build_tools.render.number import brief, written
from build_tools.render.page import Page
from build_tools.render.words import say


def findings(ledger: Ledger, page: Page, run: str, *, level: str) -> Html:
    """A table of identities under the run's title; nothing for a run whose figures none of them touches."""
    found = consistency(ledger.claims, run)
    if not found:
        return Html("")
    language, described = page.language, ledger.claims.runs[run]
    heads = (ledger_words.IDENTITY, ledger_words.FIGURES, ledger_words.OUTCOME)
    head = tag("tr", *(tag("th", say(title, language), scope="col") for title in heads))
    rows = [_row(ledger, page, one) for one in found]
    label = described.title.in_(language)
    table = tag("table", tag("thead", head), tag("tbody", *rows), class_="ledger-findings", aria_label=label)
    return text(tag(level, label, id=f"run-{run}"), tag("div", table, class_="ledger-scroll"))


def _row(ledger: Ledger, page: Page, finding: Finding) -> Html:
    language = page.language
    given = [one for one in finding.figures if one is not _followed(finding)]
    figures = joined(words.join(["", ""], language), [_given(page, one) for one in given])
    labels = [say(title, language) for title in (ledger_words.FIGURES, ledger_words.OUTCOME)]
    return tag(
        "tr", tag("th", finding.identity.label.in_(language), scope="row"), tag("td", figures, data_label=labels[0]),
        tag("td", _outcome(ledger, page, finding), data_label=labels[1]),
    )  # fmt: skip


def _given(page: Page, figure: Figure) -> Html:
    """Label and number; a mark only where the number is itself derived, as the run's own stand in the list above."""
    label = text(figure.label.in_(page.language), " ")
    if figure.inputs:
        return text(label, brief(page, figure))
    return text(label, tag("a", written(figure, page.language), href=page.evidence(figure.reference)))


def _followed(finding: Finding) -> Figure | None:
    """The figure that this identity gave, where it was not there before."""
    if finding.agrees is not None:
        return None
    derived = [one for one in finding.figures if one.kind == "derived"]
    others = {one.reference for one in finding.figures}
    return next((one for one in derived if {leaf.reference for leaf in one.inputs} <= others), None)


def _outcome(ledger: Ledger, page: Page, finding: Finding) -> Html:
    language, followed = page.language, _followed(finding)
    if followed is None:
        word = ledger_words.AGREES if finding.agrees else ledger_words.DISAGREES
        verdict = "consistent" if finding.agrees else "contradicted"
        return tag("span", say(word, language), class_="ledger-verdict", data_verdict=verdict)
    seal = seal_of(followed, None, language)
    mark = linked(page, seal, page.legend("derived"), card(ledger, page, followed, seal))
    value = tag("span", written(followed, language), mark, class_="ledger-value", data_kind="derived")
    return text(say(ledger_words.FOLLOWS, language, what=followed.label.in_(language)), " ", value)
