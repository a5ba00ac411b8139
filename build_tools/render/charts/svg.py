"""Pieces of SVG that keep their size while the chart takes the width there is.

Across, places are shares of the width (`12.5%`); down, they are pixels. So text has its size on every screen, and no
script measures anything. Colours are variables of the style sheet, so that light and dark come from one drawing.
"""

from __future__ import annotations

from collections.abc import Sequence

from build_tools.render.html import Child, Html, tag, text

# An element of its own name: the search leaves out what is marked up to the first end tag of that name.
DRAWING = "ledger-drawing"
LINE = 16  # pixels from one line of text to the next
Shape = str
# Around 0, 0. Each with a colour and a dash of its own: no two are told apart by colour alone.
SHAPES: Sequence[Shape] = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z", "M-3.6-3.6H3.6V3.6H-3.6Z", "M0-5L4.6 3.6H-4.6Z",
    "M0-5.2L5.2 0L0 5.2L-5.2 0Z", "M0 5L4.6-3.6H-4.6Z", "M-4.4-1.4H-1.4V-4.4H1.4V-1.4H4.4V1.4H1.4V4.4H-1.4V1.4H-4.4Z",
)  # fmt: skip
DASHES: Sequence[str | None] = (None, "7 3", "2 3", "9 3 2 3", "5 2 1 2 1 2", "1 4")
# Hatching over a fill, in a square of 8 pixels; the first is left plain.
HATCHES: Sequence[str | None] = (
    None, "M-2 2L2-2M0 8L8 0M6 10L10 6", "M2 2h.1M6 6h.1", "M-2 6L2 10M0 0L8 8M6-2L10 2", "M0 4H8", "M4 0V8",
)  # fmt: skip


def percent(share: float) -> str:
    """`12.5%`."""
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"


def words_at(x: float, y: float, *content: Child, class_: str = "", anchor: str | None = None) -> Html:
    """Text on a baseline; `anchor` is the side of x that it lies on."""
    return tag("text", *content, x=percent(x), y=f"{y:g}", class_=class_ or None, text_anchor=anchor)


def rule(x1: float, y1: float, x2: float, y2: float, class_: str) -> Html:
    return tag("line", x1=percent(x1), y1=f"{y1:g}", x2=percent(x2), y2=f"{y2:g}", class_=class_)


def whisker(x1: float, x2: float, y: float, cap: float = 4) -> Html:
    """From the lowest to the highest run, across."""
    ends = (rule(x, y - cap, x, y + cap, "whisker") for x in (x1, x2))
    return text(rule(x1, y, x2, y, "whisker"), *ends)


def upright(x: float, y1: float, y2: float) -> Html:
    """From the lowest to the highest run, downward."""
    return rule(x, y1, x, y2, "whisker")


def marker(number: int, x: float, y: float) -> Html:
    """The point of a line. A nested drawing, since only that can stand at a share of the width."""
    return tag("svg", shape(number), x=percent(x), y=f"{y:.1f}", class_="marker")


def shape(number: int) -> Html:
    return tag("path", d=SHAPES[number], class_=f"series-{number}")


def hatches(identifier: str, count: int) -> Html:
    """The fills of a chart: a colour each, and over all but the first a hatching that grey keeps."""
    return tag("defs", *(_hatch(identifier, number) for number in range(count)))


def _hatch(identifier: str, number: int) -> Html:
    lines = HATCHES[number]
    ground = tag("rect", width="8", height="8", class_=f"fill-{number}")
    return tag(
        "pattern", ground, tag("path", d=lines, class_="hatch") if lines else None,
        id=f"{identifier}-{number}", width="8", height="8", patternUnits="userSpaceOnUse",
    )  # fmt: skip


def fill(identifier: str, number: int) -> str:
    return f"url(#{identifier}-{number})"


def line_key(number: int) -> Html:
    """A piece of a line with its point, for the legend."""
    line = tag("line", x1="0", y1="7", x2="30", y2="7", class_=f"stroke-{number}", stroke_dasharray=DASHES[number])
    return tag("svg", line, marker(number, 0.5, 7), width="30", height="14", aria_hidden="true")


def block_key(identifier: str, number: int) -> Html:
    """A piece of a bar."""
    block = tag("rect", width="14", height="14", fill=fill(identifier, number), class_="part")
    return tag("svg", block, width="14", height="14", aria_hidden="true")


def drawing(height: float, title: str, description: str, *content: Child, identifier: str, style: str = "") -> Html:
    """The whole of a chart. Its numbers stand in a table as well, so the theme's search leaves the drawing out."""
    svg = tag(
        "svg", tag("title", title, id=f"{identifier}-title"), tag("desc", description, id=f"{identifier}-desc"),
        *content, role="img", aria_labelledby=f"{identifier}-title {identifier}-desc", height=f"{height:g}",
        width="100%", style=style or None,
    )  # fmt: skip
    return tag(DRAWING, svg, data_search_exclude=True)
