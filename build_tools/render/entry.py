"""One claim as the ledger shows it: what it says, who says so and where, what the verdict is and why."""

from __future__ import annotations

from build_tools.errors import LedgerError
from build_tools.figures.number import claim_figure, judged
from build_tools.figures.resolve import Ledger
from build_tools.model import Claim, Kind, Text, Verdict
from build_tools.render import ledger_words, words
from build_tools.render.card import as_printed, line
from build_tools.render.html import Html, joined, tag, text
from build_tools.render.mark import anchor_of
from build_tools.render.page import Page
from build_tools.render.prose import prose
from build_tools.render.source import conditions, origin_of_claim, place_words, source_words
from build_tools.render.verdict import held_against, reasons_of, settling
from build_tools.render.words import say

UNTESTED = "none"  # the verdict of what nothing tests, for filters


def entry(ledger: Ledger, page: Page, claim: Claim, *, listed: bool) -> Html:
    """`listed`: in the whole ledger, where the entry has its anchor and the source stands above it.

    Of a claim that is wrong the error stands in its place, so that one entry never takes the others away.
    """
    try:
        content, verdict = _content(ledger, page, claim, listed=listed)
    except LedgerError as error:
        content, verdict = tag("div", str(error), class_="ledger-error", role="alert"), None
    return tag(
        "li", content, class_="ledger-entry", id=claim.id if listed else None, data_kind=claim.kind,
        data_verdict=verdict or UNTESTED, data_source=origin_of_claim(ledger, claim, page.language).key,
    )  # fmt: skip


def _content(ledger: Ledger, page: Page, claim: Claim, *, listed: bool) -> tuple[Html, Verdict | None]:
    found = judged(ledger, claim)
    marks = [kind_link(page, claim.kind)] + ([verdict_link(page, found.verdict)] if found.verdict else [])
    stated = prose(ledger, page, claim.statement, claim)
    statement = tag("p", stated, " ", tag("span", *marks, class_="marks"), class_="statement")
    name = tag("a", tag("code", claim.id), href=f"#{claim.id}" if listed else page.evidence(claim.id))
    terms = [(term, content) for term, content in _terms(ledger, page, claim, listed=listed) if content]
    told = [tag("div", tag("dt", say(term, page.language)), tag("dd", content)) for term, content in terms]
    return text(statement, tag("dl", *told), tag("p", name, class_="name")), found.verdict


def _terms(ledger: Ledger, page: Page, claim: Claim, *, listed: bool) -> list[tuple[Text, Html | str | None]]:
    language, found = page.language, judged(ledger, claim)
    reasons = joined(say(words.SEMICOLON, language), reasons_of(ledger, page, found))
    tested = tag("ul", *(tag("li", line(page, one)) for one in held_against(found))) if held_against(found) else None
    settle = prose(ledger, page, claim.settle, claim) if claim.settle else settling(found, language)
    return [
        (ledger_words.SOURCE, (place_words if listed else source_words)(ledger, claim, language)),
        (ledger_words.CONDITIONS, conditions(ledger, claim, language)),
        (ledger_words.METRIC, text(_metric(ledger, claim, page))),
        (ledger_words.VERDICT, reasons),
        (ledger_words.TESTED, tested),
        (ledger_words.NOTE, prose(ledger, page, claim.note, claim) if claim.note else None),
        (ledger_words.SETTLE, settle),
    ]


def _metric(ledger: Ledger, claim: Claim, page: Page) -> str:
    """What was read, where a unit does not say it all."""
    figure = claim_figure(ledger, claim)
    if not as_printed(figure, page.language):
        return ""
    return figure.label.in_(page.language) + words.in_brackets(as_printed(figure, page.language), page.language)


def kind_link(page: Page, kind: Kind) -> Html:
    word = say(words.KINDS[kind], page.language)
    return tag("a", word, class_="ledger-mark", data_kind=kind, data_freshness="fresh", href=page.legend(kind))


def verdict_link(page: Page, verdict: Verdict) -> Html:
    word = say(words.VERDICTS[verdict], page.language)
    return tag("a", word, class_="ledger-verdict", data_verdict=verdict, href=page.legend(anchor_of(verdict)))
