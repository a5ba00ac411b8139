"""The numbers behind a drawing: as the sheet of a table for cases, and as rows along the axis for series."""

from __future__ import annotations

from collections.abc import Sequence

from build_tools.memory_model import MODELS
from build_tools.metrics import METERS
from build_tools.model import Metric
from build_tools.render.charts import words as chart_words
from build_tools.render.charts.cases import Group
from build_tools.render.charts.lines import Line, Point, thinned
from build_tools.render.charts.plan import Chart
from build_tools.render.html import Html, tag, text
from build_tools.render.notes import note
from build_tools.render.numbers import number
from build_tools.render.page import Page
from build_tools.render.plan import Cell, Row, Sheet
from build_tools.render.words import say

MOST_ROWS = 40  # of a series


def sheet_of(plan: Chart) -> Sheet:
    """A table's plan with the chart's cases and metrics; of a stack with its total first."""
    metrics = [*_total(plan), *plan.metrics.values()]
    model = MODELS.get(plan.spot.machine or "")
    return Sheet(
        plan.snippet, plan.spot, machine=None, device=model.device if model else "cuda", columns=tuple(metrics),
        rows=tuple(_row(group) for group in plan.groups), baseline=None, left_out_columns=(), left_out_cases=(),
    )  # fmt: skip


def _total(plan: Chart) -> list[Metric]:
    total = plan.groups[0].total
    if total is None:
        return []
    if total.metric:
        return [METERS[total.metric]]
    first = next(iter(plan.metrics.values()))
    return [Metric(unit=first.unit, decimals=first.decimals, label=chart_words.TOTAL)]


def _row(group: Group) -> Row:
    figures = [*([group.total] if group.total else []), *group.figures]
    return Row(group.name, group.apart, tuple(Cell(figure) for figure in figures), group.cautions)


def series_table(page: Page, plan: Chart, lines: Sequence[Line], across: str) -> Html:
    """A row for each place along the axis, a column for each line; long series thinned out."""
    listed = [thinned(line.points, MOST_ROWS) for line in lines]
    places = sorted({point.x for points in listed for point in points})
    head = [
        tag("th", across, scope="col"),
        *(tag("th", tag("code", line.name), scope="col", class_="num") for line in lines),
    ]
    decimals = next(iter(plan.metrics.values())).decimals
    rows = [_place(x, lines, listed, decimals) for x in places]
    table = tag(
        "table", tag("thead", tag("tr", *head)), tag("tbody", *rows), class_="ledger-plain", aria_label=across,
    )  # fmt: skip
    every = max(-(-len(line.points) // MOST_ROWS) for line in lines)
    left_out = note(say(chart_words.EVERY, page.language, n=every)) if every > 1 else None
    return text(tag("div", table, class_="ledger-scroll"), left_out)


def _place(x: float, lines: Sequence[Line], listed: Sequence[Sequence[Point]], decimals: int) -> Html:
    cells = [tag("th", f"{x:,.6g}", scope="row")]
    for line, points in zip(lines, listed, strict=True):
        y = next((point.y for point in points if point.x == x), None)
        cells.append(tag("td", number(y, decimals) if y is not None else None, class_="num", data_label=line.name))
    return tag("tr", *cells)
