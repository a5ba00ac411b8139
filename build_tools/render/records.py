"""A `records` fence as HTML: every record that speaks for a case, by snippet, scale, machine and environment."""

from __future__ import annotations

from collections.abc import Iterator

from build_tools.errors import LedgerError
from build_tools.figures.case import figure_of_case
from build_tools.figures.reference import Selection
from build_tools.figures.resolve import Ledger, Spot
from build_tools.model import Figure, Language, Text
from build_tools.names import unknown
from build_tools.render import ledger_words, words
from build_tools.render.choice import ALL
from build_tools.render.history import history
from build_tools.render.html import Html, tag, text
from build_tools.render.mark import dash
from build_tools.render.notes import note, stopped
from build_tools.render.page import Page, group_anchor
from build_tools.render.provenance import DOT, date, environment_terms, folded, machine_words, versions
from build_tools.render.reasons import profile_word, sentence, sentences
from build_tools.render.words import say
from build_tools.snippet import Snippet
from build_tools.syntax import Node


def records(ledger: Ledger, page: Page, node: Node) -> Html:
    """The whole fence. Raises LedgerError for an unknown snippet."""
    return tag("div", *(_snippet(ledger, page, one) for one in snippets(ledger, node)), class_="ledger-records")


def snippets(ledger: Ledger, node: Node) -> list[Snippet]:
    """The snippets asked for. Raises LedgerError with the names there are."""
    if node.text == ALL:
        return list(ledger.snippets.values())
    try:
        return [ledger.snippet(node.text)]
    except LedgerError as error:
        if node.text in ledger.snippets or error.place:
            raise
        raise unknown("snippet", node.text, [ALL, *ledger.snippets]) from None


def groups(ledger: Ledger, snippet: Snippet) -> Iterator[tuple[Spot, list[Figure]]]:
    """Each scale on each machine, with the figure of every case that runs there."""
    for spot in ledger.spots(Selection(snippet.name)):
        figures = [figure_of_case(ledger, snippet, case, spot) for case in snippet.cases_in(spot.profile)]
        if figures:
            yield spot, figures


def _snippet(ledger: Ledger, page: Page, snippet: Snippet) -> Html:
    title = text(snippet.title.in_(page.language), " ", tag("code", snippet.name))
    bodies = [_group(ledger, page, snippet, spot, figures) for spot, figures in groups(ledger, snippet)]
    return tag("section", tag("h3", title, id=snippet.name), *bodies)


def _group(ledger: Ledger, page: Page, snippet: Snippet, spot: Spot, figures: list[Figure]) -> Html:
    """A heading, then a table for each environment; where nothing was measured, what it needs."""
    language, scale = page.language, profile_word(spot.profile, page.language)
    if spot.machine is None:
        heading = tag("h4", scale, DOT, say(words.FRESHNESS["pending"], language), id=f"{snippet.name}-{spot.profile}")
        told = dict.fromkeys(sentence(figure.reasons[0], language) for figure in figures if figure.reasons)
        return text(heading, *(note(stopped(said, language)) for said in told))
    anchor = group_anchor(snippet.name, spot.profile, spot.machine)
    heading = tag("h4", scale, DOT, tag("code", spot.machine), id=anchor)
    title = DOT.join([snippet.name, scale, spot.machine])
    tables = (_environment(page, title, same) for same in _by_environment(figures))
    return text(heading, *tables, history(ledger, page, snippet, figures, f"history-{anchor}"))


def _by_environment(figures: list[Figure]) -> list[list[Figure]]:
    """Figures of one environment together; cases without a record join the first."""
    found: dict[str, list[Figure]] = {}
    for figure in figures:
        if figure.record:
            found.setdefault(figure.record.environment.model_dump_json(), []).append(figure)
    without = [figure for figure in figures if not figure.record]
    if not found:
        return [without]
    first = next(iter(found))
    return [same + (without if key == first else []) for key, same in found.items()]


HEADS: tuple[Text, ...] = (
    ledger_words.MEASURED_ON, ledger_words.FRESHNESS, ledger_words.RUN_ID, ledger_words.FILE,
)  # fmt: skip


def _environment(page: Page, title: str, figures: list[Figure]) -> Html:
    """The table of one environment, with the machine above and all else that surrounded it below."""
    language = page.language
    head = tag("tr", *(tag("th", say(name, language), scope="col") for name in (words.CASE, *HEADS)))
    body = tag("tbody", *(_row(page, figure) for figure in figures))
    table = tag("table", tag("thead", head), body, class_="ledger-table ledger-record-list", aria_label=title)
    scroll = tag("div", table, class_="ledger-scroll")
    record = next((figure.record for figure in figures if figure.record), None)
    if record is None:
        return scroll
    where = tag("p", DOT.join([machine_words(record.machine, language), versions(record)]), class_="ledger-provenance")
    return text(where, scroll, folded(ledger_words.AROUND, environment_terms(record, language), language))


def _row(page: Page, figure: Figure) -> Html:
    language, record = page.language, figure.record
    none = dash(sentences(figure.reasons, language))
    cells = [none, _freshness(figure, language), none, none]
    if record:
        origin = tag("small", say(words.ORIGINS[record.origin], language))
        file = tag("a", "JSON", href=page.record(record), aria_label=f"{record.case}.json")
        cells = [text(date(page, record), origin), cells[1], tag("code", record.run_id), file]
    told = [
        tag("td", tag("span", cell), data_label=say(name, language)) for cell, name in zip(cells, HEADS, strict=True)
    ]
    return tag("tr", tag("th", tag("code", _case(figure)), scope="row"), *told)


def _case(figure: Figure) -> str:
    return figure.record.case if figure.record else figure.reference.split("/")[1]


def _freshness(figure: Figure, language: Language) -> Html:
    """The word, and why it is not fresh."""
    word = say(words.FRESHNESS[figure.freshness], language)
    state = tag("span", word, class_="ledger-state", data_freshness=figure.freshness)
    why = sentences(figure.reasons, language) if figure.freshness != "fresh" else ""
    return text(state, tag("small", why) if why else None)
