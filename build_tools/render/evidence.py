"""An `evidence` fence as HTML: entries of the ledger; the whole of it by source, with a form to filter by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from build_tools.figures.resolve import Ledger
from build_tools.model import Claim, Language, Text
from build_tools.render import ledger_words, words
from build_tools.render.choice import ALL, chosen, runs_shown
from build_tools.render.entry import UNTESTED, entry
from build_tools.render.findings import findings
from build_tools.render.html import Html, tag, text
from build_tools.render.page import Page
from build_tools.render.source import Origin, origin_of_claim
from build_tools.render.words import say
from build_tools.syntax import Node


def evidence(ledger: Ledger, page: Page, node: Node) -> Html:
    """The whole fence. Raises LedgerError for a name that does not exist."""
    claims = chosen(ledger, node)
    if node.text == ALL:
        return tag("div", *_everything(ledger, page, claims), _agreement(ledger, page, node), class_="ledger-evidence")
    below = [findings(ledger, page, run, level="h4") for run in runs_shown(ledger, node)]
    return tag("div", _entries(ledger, page, claims, listed=False), *below, class_="ledger-evidence")


def _entries(ledger: Ledger, page: Page, claims: Iterable[Claim], *, listed: bool) -> Html:
    return tag("ul", *(entry(ledger, page, claim, listed=listed) for claim in claims), class_="ledger-entries")


def _everything(ledger: Ledger, page: Page, claims: list[Claim]) -> list[Html]:
    """The form, then the claims of each source under its title."""
    if not claims:
        return [tag("p", say(ledger_words.NO_CLAIMS, page.language))]
    groups: dict[Origin, list[Claim]] = {}
    for claim in claims:
        groups.setdefault(origin_of_claim(ledger, claim, page.language), []).append(claim)
    form = _form(list(groups), claims, page.language)
    nothing = tag("p", say(ledger_words.NOTHING_FOUND, page.language), class_="ledger-nothing", hidden=True)
    return [form, nothing, *(_group(ledger, page, origin, group) for origin, group in groups.items())]


def _group(ledger: Ledger, page: Page, origin: Origin, claims: list[Claim]) -> Html:
    language = page.language
    title = tag("a", origin.title, href=origin.url) if origin.url else text(origin.title)
    heading = tag("h3", title, id=f"source-{origin.key}")
    about = tag("p", _about(origin, language), class_="origin") if origin.document else None
    return tag("section", heading, about, _entries(ledger, page, claims, listed=True), class_="ledger-group")


def _about(origin: Origin, language: Language) -> str:
    """What kind of source it is, and of when."""
    assert origin.document is not None
    date = origin.document.date
    return origin.document.origin.in_(language) + (words.in_brackets(date, language) if date else "")


def _agreement(ledger: Ledger, page: Page, node: Node) -> Html | None:
    """Runs and what their figures say of each other."""
    tables = [table for run in runs_shown(ledger, node) if (table := findings(ledger, page, run, level="h4"))]
    if not tables:
        return None
    heading = tag("h3", say(ledger_words.FINDINGS, page.language), id="consistency")
    return tag("section", heading, tag("p", say(ledger_words.FINDINGS_INTRO, page.language)), *tables)


# ----------------------------------------------------------------------------------------------------------- the form


def _form(origins: list[Origin], claims: list[Claim], language: Language) -> Html:
    """Hidden until the script makes it work. The script fills `data-shown` in."""
    used = {claim.kind for claim in claims}
    kinds: dict[str, str] = {kind: word.in_(language) for kind, word in words.KINDS.items() if kind in used}
    verdicts: dict[str, str] = {verdict: word.in_(language) for verdict, word in words.VERDICTS.items()}
    verdicts[UNTESTED] = say(ledger_words.NO_VERDICT, language)
    search = tag("input", type="search", name="text", autocomplete="off")
    return tag(
        "form",
        _select("kind", ledger_words.KIND, kinds, language),
        _select("verdict", ledger_words.BY_VERDICT, verdicts, language),
        _select("source", ledger_words.BY_SOURCE, {origin.key: origin.title for origin in origins}, language),
        tag("label", tag("span", say(ledger_words.CONTAINS, language)), search),
        tag("button", say(ledger_words.RESET, language), type="reset"),
        tag("output", ""),
        class_="ledger-filter", hidden=True, aria_label=say(ledger_words.FILTER, language), data_search_exclude=True,
        data_shown=ledger_words.SHOWN.in_(language),
    )  # fmt: skip


def _select(name: str, title: Text, options: Mapping[str, str], language: Language) -> Html:
    every = tag("option", say(ledger_words.ANY, language), value="")
    named = [tag("option", word, value=value) for value, word in options.items()]
    return tag("label", tag("span", say(title, language)), tag("select", every, *named, name=name))
