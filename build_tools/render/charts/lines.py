"""Lines: through cases ordered by a parameter, or along the axis of a series."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from build_tools.model import Figure
from build_tools.render.charts.axis import Axis, along, around
from build_tools.render.charts.cases import Group
from build_tools.render.charts.plan import Chart
from build_tools.render.charts.svg import DASHES, marker, rule, upright, words_at
from build_tools.render.html import Html, tag, text
from build_tools.render.numbers import number
from build_tools.snippet import shown

HEIGHT, HEAD, FOOT = 240, 8, 24  # pixels: the field, the room above it, the labels below
WIDTH = 1000  # of the field, in its own units; it is stretched to the width there is
SIGN = 7.2  # pixels: a digit of a label
POINTS_MARKED = 24  # more points than this on one line stand too close for shapes; some of them get one
POINTS_DRAWN = 400  # on a line; more could not be seen


@dataclass(frozen=True)
class Point:
    """`low` and `high` bound the runs behind y, where there were several."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Line:
    """`figures` are those its points come from; of a series the one whose last value it ends at."""

    name: str
    points: tuple[Point, ...]
    figures: tuple[Figure, ...]
    group: Group | None = None


def lines_of(chart: Chart) -> list[Line]:
    """The lines of a chart in the order they are asked for; those without any point are left out."""
    if chart.axis:
        found = [_series_line(group) for group in chart.groups]
    else:
        found = [_line_through(chart, at, value) for at in range(len(chart.metrics)) for value in _values(chart)]
    return [line for line in found if line.points]


def _series_line(group: Group) -> Line:
    (figure,) = group.figures
    series = figure.record.series.get(figure.metric) if figure.record and figure.value is not None else None
    points = zip(series.x, series.y, strict=True) if series else ()
    return Line(group.name, tuple(Point(x, y) for x, y in points), (figure,), group)


def _values(chart: Chart) -> list[object]:
    """The values of the parameter that tells lines apart; None where there is one line."""
    return list(dict.fromkeys(group.parameters.get(chart.series or "") for group in chart.groups))


def _line_through(chart: Chart, at: int, value: object) -> Line:
    """The cases with this value, by their x."""
    groups = [group for group in chart.drawn if group.parameters.get(chart.series or "") == value]
    groups.sort(key=lambda group: _place(chart, group))
    figures = tuple(group.figures[at] for group in groups)
    points = tuple(
        Point(_place(chart, group), figure.value or 0.0, figure.low, figure.high)
        for group, figure in zip(groups, figures, strict=True)
    )
    name = f"{chart.series} = {shown(value)}" if chart.series else list(chart.metrics)[at]  # type: ignore[arg-type]
    return Line(name, points, figures)


def _place(chart: Chart, group: Group) -> float:
    return float(group.parameters[chart.x or ""])


def lines(found: Sequence[Line]) -> tuple[Html, float, str]:
    """The drawing, its height, and a style that keeps room for the labels beside it."""
    across, down = axes(found)
    labels = [number(mark, down.decimals) for mark in down.marks]
    room = max(len(label) for label in labels) * SIGN + 10
    grid = [_level(down, mark, label) for mark, label in zip(down.marks, labels, strict=True)]
    places = [_place_label(across, mark) for mark in across.marks]
    drawn = [_drawn(line, at, across, down) for at, line in enumerate(found)]
    content = text(*grid, *places, *drawn)
    return content, HEAD + HEIGHT + FOOT, f"--room: {room:.0f}px"


def axes(found: Sequence[Line]) -> tuple[Axis, Axis]:
    """Across and down. Whiskers have room as well."""
    points = [point for line in found for point in line.points]
    heights = [y for point in points for y in (point.y, point.low, point.high) if y is not None]
    return along(point.x for point in points), around(heights)


def _level(down: Axis, mark: float, label: str) -> Html:
    y = _y(down, mark)
    return text(
        rule(0, y, 1, y, "grid"),
        tag("text", label, x="-8", y=f"{y + 4:.1f}", class_="mark", text_anchor="end"),
    )


def _place_label(across: Axis, mark: float) -> Html:
    x = across.share(mark)
    tick = rule(x, HEAD + HEIGHT, x, HEAD + HEIGHT + 4, "grid")
    label = number(mark, 0 if mark == int(mark) else across.decimals)
    return text(tick, words_at(x, HEAD + HEIGHT + 19, label, class_="mark", anchor="middle"))


def _y(down: Axis, value: float) -> float:
    return HEAD + HEIGHT * (1 - down.share(value))


def _drawn(line: Line, at: int, across: Axis, down: Axis) -> Html:
    """Whiskers, the line, its points. The field is stretched, and the line's own width is not."""
    seen = thinned(line.points, POINTS_DRAWN)
    way = "L".join(f"{WIDTH * across.share(point.x):.1f} {_y(down, point.y):.1f}" for point in seen)
    path = tag("path", d=f"M{way}", class_=f"line stroke-{at}", stroke_dasharray=DASHES[at])
    field = tag(
        "svg", path, viewBox=f"0 0 {WIDTH} {HEAD + HEIGHT}", preserveAspectRatio="none", x="0", y="0", width="100%",
        height=f"{HEAD + HEIGHT}", class_="field",
    )  # fmt: skip
    reach = [
        upright(across.share(point.x), _y(down, point.low), _y(down, point.high))
        for point in line.points
        if point.low is not None and point.high is not None and point.low < point.high
    ]
    marks = [marker(at, across.share(point.x), _y(down, point.y)) for point in thinned(line.points, POINTS_MARKED)]
    return text(field, *reach, *marks)


def thinned(points: Sequence[Point], most: int) -> list[Point]:
    """At most so many points, evenly chosen, the last among them."""
    every = -(-len(points) // most)
    return [point for at, point in enumerate(points) if (len(points) - 1 - at) % every == 0]


def by_height(found: Iterable[tuple[int, Line]]) -> list[tuple[int, Line]]:
    """Lines as they end, the highest first: as the eye finds them at the right."""
    return sorted(found, key=lambda one: -one[1].points[-1].y)
