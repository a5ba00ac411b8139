"""How a case's number moved from run to run: a line for each case, once there are three runs of the same program."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from build_tools.errors import LedgerError
from build_tools.figures.resolve import Ledger
from build_tools.history import through_time
from build_tools.metrics import declared
from build_tools.model import Figure, Metric, Past, Record
from build_tools.render import ledger_words, words
from build_tools.render.charts.lines import Line, Point, lines
from build_tools.render.charts.plan import MOST
from build_tools.render.charts.svg import drawing, line_key
from build_tools.render.html import Html, tag
from build_tools.render.numbers import unit
from build_tools.render.page import Page
from build_tools.render.words import say
from build_tools.snippet import Snippet
from build_tools.store import SNIPPETS

FEWEST = 3  # points; two make a line out of any noise
DAY_S = 24 * 3600


def history(ledger: Ledger, page: Page, snippet: Snippet, figures: list[Figure], identifier: str) -> Html | None:
    """The chart of one scale on one machine; None until a case has enough runs."""
    runs = {
        figure.record.case: (figure, past) for figure in figures if figure.record if (past := _runs(ledger, figure))
    }
    if not runs:
        return None
    name, metric = _metric(snippet, [figure.record for figure, _ in runs.values() if figure.record])
    first = min(past[0].started for _, past in runs.values())
    found = [
        Line(case, tuple(_points(past, name, first.timestamp())), (figure,)) for case, (figure, past) in runs.items()
    ][:MOST]
    return _drawn(page, metric, found, f"{first:%Y-%m-%d}", identifier)


def _runs(ledger: Ledger, figure: Figure) -> list[Past]:
    """Runs of the same program, parameters and meters as the newest one; empty where there are too few."""
    base = ledger.root / SNIPPETS if not (figure.source or "").startswith(".") else ledger.root
    try:
        runs = through_time(base / Path(figure.source or ""))
    except LedgerError:  # `check records` tells it
        return []
    alike = [past for past in runs if past.key == runs[-1].key]
    return alike if len(alike) >= FEWEST else []


def _metric(snippet: Snippet, records: list[Record]) -> tuple[str, Metric]:
    """What is drawn: the time, else the first number that all of these hold."""
    known = declared(snippet.metrics)
    name = next(name for name in known if all(name in {*record.samples, *record.series} for record in records))
    return name, known[name]


def _points(past: Iterable[Past], metric: str, start: float) -> Iterable[Point]:
    """x in days since the first run."""
    for run in past:
        value = run.median(metric)
        samples = run.samples.get(metric) or ()
        if value is not None:
            days = (run.started.timestamp() - start) / DAY_S
            yield Point(days, value, min(samples, default=None), max(samples, default=None))


def _drawn(page: Page, metric: Metric, found: list[Line], since: str, identifier: str) -> Html:
    language = page.language
    measure = unit(metric.unit, language)
    title = say(ledger_words.HISTORY, language, name=metric.label.in_(language))
    title += words.in_brackets(measure, language) if measure else ""
    content, height, style = lines(found)
    keys = (tag("li", line_key(at), tag("span", tag("code", line.name))) for at, line in enumerate(found))
    axis = tag("p", say(ledger_words.DAYS_SINCE, language, date=since), class_="axis")
    svg = drawing(height, title, title, content, identifier=identifier, style=style)
    legend = tag("ul", *keys, class_="legend")
    caption = tag("figcaption", tag("strong", title))
    return tag("figure", caption, legend, svg, axis, class_="ledger-chart", id=identifier, data_kind="lines")
