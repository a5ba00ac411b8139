"""A `results` fence as HTML: a tab for each machine, a table in it, and under the table where its numbers come from."""

from __future__ import annotations

from build_tools.figures.resolve import Ledger
from build_tools.memory_model import MODELS
from build_tools.model import Figure, Language, Metric, Reason
from build_tools.render import prediction_words, words
from build_tools.render.html import Html, tag, text
from build_tools.render.mark import dash, home_of, linked, seal_of, state_word
from build_tools.render.notes import notes_above, notes_below
from build_tools.render.numbers import number, ratio, spread, unit
from build_tools.render.page import Page
from build_tools.render.plan import Cell, Row, Sheet, sheets
from build_tools.render.provenance import provenance
from build_tools.render.reasons import profile_word, sentence
from build_tools.render.words import say
from build_tools.snippet import shown
from build_tools.syntax import Node


def results(ledger: Ledger, page: Page, node: Node, *, identifier: str, tab_set: int) -> Html:
    """The whole fence. `identifier` becomes its id; `tab_set` tells its tabs from those of other fences on the page."""
    planned = sheets(ledger, node)
    bodies = [_body(page, sheet) for sheet in planned]
    content = bodies[0] if len(bodies) == 1 else _tabs(page, planned, bodies, tab_set)
    return tag("div", content, class_="ledger-results", id=identifier)


def _tabs(page: Page, planned: list[Sheet], bodies: list[Html], tab_set: int) -> Html:
    """Tabs as pymdownx.tabbed writes them, so that the theme's style and script take them for its own."""
    opened = next((at for at, sheet in enumerate(planned) if sheet.has_numbers), 0)
    name = f"__ledger_{tab_set}"
    ids = [f"{name}_{at}" for at in range(1, len(planned) + 1)]
    inputs = [
        tag("input", checked="checked" if at == opened else None, id=one, name=name, type="radio")
        for at, one in enumerate(ids)
    ]
    labels = [tag("label", tab_label(sheet, page.language), for_=one) for sheet, one in zip(planned, ids, strict=True)]
    blocks = [tag("div", body, class_="tabbed-block") for body in bodies]
    return tag(
        "div", *inputs, tag("div", *labels, class_="tabbed-labels"), tag("div", *blocks, class_="tabbed-content"),
        class_="tabbed-set tabbed-alternate", data_tabs=f"{tab_set}:{len(planned)}",
    )  # fmt: skip


def tab_label(sheet: Sheet, language: Language) -> str:
    """`快速规模 · epyc-2c`."""
    place = sheet.spot.machine or say(words.FRESHNESS["pending"], language)
    place = say(words.KINDS["predicted"], language) if place in MODELS else place
    return f"{profile_word(sheet.spot.profile, language)} · {place}"


def _body(page: Page, sheet: Sheet) -> Html:
    title = f"{sheet.snippet.title.in_(page.language)} · {tab_label(sheet, page.language)}"
    return text(
        *notes_above(page, sheet), grid(page, sheet, title), *notes_below(page, sheet), provenance(page, sheet.shown)
    )


def grid(page: Page, sheet: Sheet, title: str, *, marked: bool = False) -> Html:
    """The table alone. `marked`: each row says how its numbers are known, where no line below the table does."""
    rows = [_row(page, sheet, row, marked=marked) for row in sheet.rows]
    head = _head(page, sheet, marked=marked)
    table = tag("table", head, tag("tbody", *rows), class_="ledger-table", aria_label=title)
    return tag("div", table, class_="ledger-scroll")


def _head(page: Page, sheet: Sheet, *, marked: bool) -> Html:
    cells = [tag("th", say(words.CASE, page.language), scope="col")]
    for metric in sheet.columns:
        name = unit(metric.unit, page.language)
        printed = tag("span", name, class_="unit") if name else None
        cells.append(tag("th", metric.label.in_(page.language), printed, scope="col", class_="num"))
        cells += [tag("th", f"÷ {sheet.baseline}", scope="col", class_="num rel")] if sheet.baseline else []
    cells += [tag("th", say(words.KNOWN_AS, page.language), scope="col", class_="num")] if marked else []
    return tag("thead", tag("tr", *cells))


def _row(page: Page, sheet: Sheet, row: Row, *, marked: bool) -> Html:
    differs = ", ".join(f"{name} = {shown(value)}" for name, value in row.parameters.items())
    small = tag("small", differs, class_="ledger-parameters") if differs else None
    cells = [tag("th", tag("code", row.case), small, _moment(page, row) if marked else None, scope="row")]
    for metric, cell in zip(sheet.columns, row.cells, strict=True):
        cells.append(_number(page, metric, cell))
        cells += [_relative(page, sheet.baseline, row.case, cell)] if sheet.baseline else []
    return tag("tr", *cells, _known(page, row) if marked else None)


def _moment(page: Page, row: Row) -> Html | None:
    """When the peak of a prediction is reached."""
    record = row.cells[0].figure.record
    if record is None or record.moment is None:
        return None
    told = say(prediction_words.REACHED_IN, page.language, moment=record.moment.in_(page.language))
    return tag("small", told, class_="ledger-moment")


def _known(page: Page, row: Row) -> Html:
    """The mark of the row's first number."""
    figure = row.cells[0].figure
    mark = linked(page, seal_of(figure, None, page.language), home_of(page, figure))
    return tag("td", mark, class_="num", data_label=say(words.KNOWN_AS, page.language))


def _number(page: Page, metric: Metric, cell: Cell) -> Html:
    figure, label = cell.figure, column_name(metric, page.language)
    beside = _predicted(page, cell.predicted) if cell.predicted else None
    if figure.value is None:
        shown = beside or dash(sentence(figure.reasons[0], page.language))
        return tag("td", shown, class_="num pending", data_label=label, data_freshness=figure.freshness)
    return tag(
        "td",
        tag("span", number(figure.value, figure.decimals), class_="median"),
        tag("small", spread(figure), class_="range") if figure.kind == "measured" else None,
        state_word(page, figure),
        beside,
        class_="num", data_label=label, data_freshness=figure.freshness,
        data_kind="predicted" if figure.kind == "predicted" else None,
    )  # fmt: skip


def _predicted(page: Page, figure: Figure) -> Html:
    """What the memory model says, named as that."""
    word = tag("span", say(words.KINDS["predicted"], page.language), class_="kind")
    size = tag("span", number(figure.value, figure.decimals), class_="size")
    return tag("small", word, " ", size, state_word(page, figure), class_="ledger-predicted")


def _relative(page: Page, baseline: str, case: str, cell: Cell) -> Html:
    label = f"÷ {baseline}"
    if case == baseline:
        return tag("td", say(words.BASELINE, page.language), class_="num rel", data_label=label)
    if isinstance(cell.relative, Reason):
        why = dash(sentence(cell.relative, page.language))
        return tag("td", why, class_="num rel pending", data_label=label)
    return tag("td", ratio(cell.relative or 0.0), class_="num rel", data_label=label)


def column_name(metric: Metric, language: Language) -> str:
    """`张量峰值 (MiB)`, for where a cell stands without its column's head."""
    name = unit(metric.unit, language)
    return metric.label.in_(language) + (f" ({name})" if name else "")
