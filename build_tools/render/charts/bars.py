"""Bars and stacked bars: one below the other, name and number above each, so that a phone has room for both."""

from __future__ import annotations

from build_tools.model import Figure, Language
from build_tools.render import words
from build_tools.render.charts.axis import Axis, up_to
from build_tools.render.charts.cases import Group
from build_tools.render.charts.plan import Chart
from build_tools.render.charts.svg import LINE, fill, hatches, percent, rule, whisker, words_at
from build_tools.render.html import Html, tag, text
from build_tools.render.numbers import number
from build_tools.render.words import say
from build_tools.snippet import shown

THICK, GAP, FOOT = 20, 18, 22  # pixels: a bar, the space below it, the labels of the axis
PHONE, SIGN = 350, 6.8  # pixels: the width of a chart on a phone, and a sign of a number within a bar
WIDEST = 48  # signs of small text that a phone has room for on a line
NEAR_END = 0.94  # of the width: a label beyond it is written to the left of its mark


def bars(chart: Chart, identifier: str, language: Language) -> tuple[Html, float]:
    """The drawing and its height."""
    axis = up_to(max(_reach(group) for group in chart.drawn))
    rows, y = [], 0.0
    for group in chart.groups:
        row, height = _row(chart, group, axis, y, identifier, language)
        rows.append(row)
        y += height
    end = y - GAP + 6
    defs = hatches(identifier, len(chart.metrics))
    return text(defs, _marks(chart, axis, end), *rows), end + FOOT


def whole(group: Group) -> Figure:
    """The figure that a bar's length stands for."""
    return group.total or group.figures[0]


def _reach(group: Group) -> float:
    """How far a bar goes, with its whisker."""
    figure = whole(group)
    return max(figure.value or 0.0, figure.high or 0.0)


def _row(chart: Chart, group: Group, axis: Axis, y: float, identifier: str, language: Language) -> tuple[Html, float]:
    """Name and number, the parameters below, then the bar."""
    lines = wrapped([f"{name} = {shown(value)}" for name, value in group.apart.items()])
    head = words_at(0, y + 12, tag("tspan", group.name, class_="name"), _state(group, language))
    if not group.complete:
        small = [words_at(0, y + 12 + LINE * (at + 1), line, class_="small") for at, line in enumerate(lines)]
        return text(head, *small), 12 + LINE * len(lines) + GAP
    size = words_at(1, y + 12, number(whole(group).value, whole(group).decimals), class_="size", anchor="end")
    small = [words_at(0, y + 12 + LINE * (at + 1), line, class_="small") for at, line in enumerate(lines)]
    top = y + 12 + LINE * len(lines) + 6
    return text(head, size, *small, _bar(chart, group, axis, top, identifier)), top - y + THICK + GAP


def _state(group: Group, language: Language) -> Html | None:
    """What the reader must know of a bar that is missing or not fresh."""
    states = dict.fromkeys(figure.freshness for figure in group.figures if figure.freshness != "fresh")
    word = words.join([say(words.FRESHNESS[state], language) for state in states], language)
    return tag("tspan", f" · {word}", class_="state") if word else None


def _bar(chart: Chart, group: Group, axis: Axis, top: float, identifier: str) -> Html:
    parts, start = [], 0.0
    for at, figure in enumerate(group.figures):
        share = axis.share(figure.value or 0.0)
        parts.append(_part(figure, start, share, top, at, identifier, alone=len(group.figures) == 1))
        start += share
    return text(*parts, *_whisker(chart, group.figures[0], axis, top))


def _part(figure: Figure, start: float, share: float, top: float, at: int, identifier: str, *, alone: bool) -> Html:
    """A part of a bar, with its number where there is room."""
    block = tag(
        "rect", x=percent(start), y=f"{top:g}", width=percent(share), height=f"{THICK}", fill=fill(identifier, at),
        class_="part",
    )  # fmt: skip
    size = number(figure.value, figure.decimals)
    if alone or share * PHONE < (len(size) + 1) * SIGN:
        return block
    return text(block, words_at(start + share / 2, top + 14, size, class_=f"within within-{at}", anchor="middle"))


def _whisker(chart: Chart, figure: Figure, axis: Axis, top: float) -> list[Html]:
    if len(chart.metrics) > 1 or figure.low is None or figure.high is None or figure.low == figure.high:
        return []
    return [whisker(axis.share(figure.low), axis.share(figure.high), top + THICK / 2)]


def _marks(chart: Chart, axis: Axis, end: float) -> Html:
    """A line down at each mark, and its number below."""
    lines = [rule(axis.share(mark), 0, axis.share(mark), end, "grid") for mark in axis.marks]
    labels = [_label(axis, mark, end) for mark in axis.marks]
    return text(*lines, *labels)


def _label(axis: Axis, mark: float, end: float) -> Html:
    share = axis.share(mark)
    anchor = "start" if share == 0 else "end" if share > NEAR_END else "middle"
    return words_at(share, end + 15, number(mark, axis.decimals), class_="mark", anchor=anchor)


def wrapped(parts: list[str], widest: int = WIDEST) -> list[str]:
    """Parts joined by commas, in lines that a phone has room for."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 2 <= widest:
            lines[-1] += f", {part}"
        else:
            lines.append(part)
    return lines
