"""The mark beside a number: a word and a shape for how it is known, one for what the verdict on it is, and a link.

Without a script the link leads to where the number comes from; with one, a card beside the mark opens first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from build_tools.figures.resolve import REFERENCE_PROFILE
from build_tools.model import Figure, Freshness, Kind, Language, Verdict
from build_tools.names import unknown
from build_tools.render import ledger_words, words
from build_tools.render.html import Html, tag, text
from build_tools.render.numbers import NONE
from build_tools.render.page import Page, group_anchor
from build_tools.render.reasons import profile_word, sentences
from build_tools.render.words import say

Hypothetical = Literal["hypothetical"]
HYPOTHETICAL: Hypothetical = "hypothetical"
# Freshness and verdict both have a `pending`; a legend page needs two names.
VERDICT_ANCHORS: dict[str, Verdict] = {
    {"pending": "verdict-pending", "not comparable": "not-comparable"}.get(verdict, verdict): verdict
    for verdict in words.VERDICTS
}


def anchor_of(verdict: Verdict) -> str:
    """Where the legend explains a verdict."""
    return next(anchor for anchor, one in VERDICT_ANCHORS.items() if one == verdict)


@dataclass(frozen=True)
class Seal:
    """What a mark shows. `more` is said beside the kind: the scale, or the weakest evidence behind a derived number."""

    kind: Kind | Hypothetical
    freshness: Freshness = "fresh"
    verdict: Verdict | None = None
    more: str = ""

    def face(self, language: Language) -> Html:
        """The words, the verdict's in an element of its own."""
        known = self.known(language)
        judged = verdict_chip(self.verdict, language) if self.verdict else None
        return text(known, " " if known and judged else None, judged)

    def known(self, language: Language) -> str:
        if self.kind == "hypothetical":
            return say(words.HYPOTHETICAL, language)
        word = say(words.KINDS[self.kind], language) if self.freshness != "pending" else ""
        state = say(words.FRESHNESS[self.freshness], language) if self.freshness != "fresh" else ""
        return " · ".join(part for part in (word, self.more, state) if part)


def seal_of(figure: Figure, verdict: Verdict | None, language: Language) -> Seal:
    """The seal of a figure; a reader must not take a number of a small model for the experiment's."""
    if figure.value is None:
        return Seal(figure.kind, figure.freshness, verdict)
    weaker = figure.weakest if figure.weakest not in {None, "measured"} else None
    more = [say(words.KINDS[weaker], language)] if weaker else []
    more += [profile_word(profile, language) for profile in profiles_of(figure) if profile != REFERENCE_PROFILE]
    return Seal(figure.kind, figure.freshness, verdict, " · ".join(more))


def profiles_of(figure: Figure) -> list[str]:
    """The scales that a figure was measured at, through what it is derived from."""
    found = [figure.record.profile] if figure.record and figure.value is not None else []
    return list(dict.fromkeys([*found, *(name for one in figure.inputs for name in profiles_of(one))]))


def home_of(page: Page, figure: Figure) -> str:
    """Where a figure comes from, for whoever follows its mark."""
    if figure.claim:
        return page.evidence(figure.claim.id)
    if figure.kind != "measured":
        return page.legend(figure.kind)
    if figure.record is None or figure.value is None:
        return page.measurements(figure.reference.partition("/")[0])
    record = figure.record
    return page.measurements(group_anchor(record.snippet, record.profile, record.machine.slug))


def linked(page: Page, seal: Seal, href: str, card: Html | None = None) -> Html:
    """The mark as a link, its card behind it."""
    known = seal.known(page.language)
    judged = say(words.VERDICTS[seal.verdict], page.language) if seal.verdict else ""
    label = " ".join(part for part in (known, judged) if part)
    more = say(ledger_words.DETAILS if card else words.LEGEND, page.language)
    link = tag(
        "a", seal.face(page.language), class_="ledger-mark", data_kind=seal.kind, data_freshness=seal.freshness,
        data_verdict=seal.verdict, href=href, aria_label=f"{label}{say(words.COLON, page.language)}{more}",
    )  # fmt: skip
    return text(link, card if page.cards else None)


def shown(page: Page, seal: Seal, *, verdict_word: bool = True) -> Html:
    """The mark without a link: within a card, and as a specimen in the legend."""
    face = seal.face(page.language) if verdict_word else seal.known(page.language)
    return tag(
        "span", face, class_="ledger-mark", data_kind=seal.kind, data_freshness=seal.freshness,
        data_verdict=seal.verdict if verdict_word else None,
    )  # fmt: skip


def verdict_chip(verdict: Verdict, language: Language) -> Html:
    return tag("span", say(words.VERDICTS[verdict], language), class_="ledger-verdict", data_verdict=verdict)


def legend_mark(page: Page, kind: Kind, freshness: Freshness, title: str) -> Html:
    """A mark beside text that tells the rest already: it leads to what the word means."""
    seal = Seal(kind, freshness)
    label = say(words.SEMICOLON, page.language).join(
        [seal.known(page.language), title, say(words.LEGEND, page.language)]
    )
    return tag(
        "a", seal.face(page.language), class_="ledger-mark", data_kind=kind, data_freshness=freshness,
        href=page.legend(kind), title=title, aria_label=label,
    )  # fmt: skip


def specimen(page: Page, name: str) -> Html:
    """The mark by that name, for the legend. Raises LedgerError with the names there are."""
    check_mark(name)
    if name in VERDICT_ANCHORS:
        return verdict_chip(VERDICT_ANCHORS[name], page.language)
    if name in words.FRESHNESS:
        state = say(words.FRESHNESS[name], page.language)  # type: ignore[index]
        return tag("span", state, class_="ledger-mark", data_kind="measured", data_freshness=name)
    return shown(page, Seal(name))  # type: ignore[arg-type]


def check_mark(name: str) -> None:
    """Raises LedgerError for a name that no mark has."""
    names = [*words.KINDS, HYPOTHETICAL, *words.FRESHNESS, *VERDICT_ANCHORS]
    if name not in names:
        raise unknown("mark", name, names, example="{mark}`spoken`")


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
