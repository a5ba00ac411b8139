"""A `chart` fence as HTML: what it shows, the drawing with its legend, what to know of it, and the data as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from build_tools.figures.freshness import worst
from build_tools.figures.resolve import Ledger
from build_tools.memory_model import PARTS
from build_tools.metrics import QUANTITIES
from build_tools.model import Language, Reason
from build_tools.render import words
from build_tools.render.charts import words as chart_words
from build_tools.render.charts.bars import bars, whole
from build_tools.render.charts.data import series_table, sheet_of
from build_tools.render.charts.lines import Line, axes, by_height, lines, lines_of
from build_tools.render.charts.plan import Chart, chart_plan
from build_tools.render.charts.svg import block_key, drawing, line_key
from build_tools.render.html import Html, joined, tag, text
from build_tools.render.mark import legend_mark
from build_tools.render.notes import grouped, note, notes_above, notes_below
from build_tools.render.numbers import number, unit, with_unit
from build_tools.render.page import Page
from build_tools.render.provenance import DOT, provenance
from build_tools.render.reasons import sentence
from build_tools.render.table import grid, tab_label
from build_tools.render.words import say
from build_tools.snippet import shown
from build_tools.syntax import Node

# Why numbers that stand in one drawing should not be compared, though each is right.
APART = {"environment_differs", "devices_differ", "run_differs"}
PARAMETERS_IN_LEGEND = 2  # more would make it longer than the chart; the name of a case must do


def chart(ledger: Ledger, page: Page, node: Node, *, identifier: str) -> Html:
    """The whole fence. `identifier` becomes its id. Raises LedgerError."""
    plan = chart_plan(ledger, node)
    sheet = sheet_of(plan)
    notes = notes_below(page, sheet)
    inside = [_caption(page, plan), *notes_above(page, sheet)]
    if plan.drawn:
        notes += grouped(_not_comparable(ledger, plan, page.language), page.language)
        inside += _lines(page, plan, identifier) if plan.kind == "lines" else _bars(page, plan, identifier)
        inside += [*notes, provenance(page, plan.figures), _numbers(page, plan)]
    else:
        inside += notes
    return tag("figure", *inside, class_="ledger-chart", id=identifier, data_kind=plan.kind)


# ---------------------------------------------------------------------------------------------------------- what it is


def _caption(page: Page, plan: Chart) -> Html:
    """What is shown, how it is known, of what and where."""
    language = page.language
    where = DOT.join([plan.snippet.title.in_(language), tab_label(sheet_of(plan), language)])
    return tag("figcaption", tag("strong", title_of(plan, language)), _mark(page, plan), tag("span", where))


def title_of(plan: Chart, language: Language) -> str:
    """`peak allocated (MiB)`."""
    labels = [metric.label.in_(language) for metric in plan.metrics.values()]
    everything = set(plan.metrics) == set(PARTS)
    name = say(chart_words.ALL_PARTS, language) if everything else words.join(labels, language)
    measure = unit(next(iter(plan.metrics.values())).unit, language)
    return name + (words.in_brackets(measure, language) if measure else "")


def _mark(page: Page, plan: Chart) -> Html | None:
    """How the numbers are known, with the worst freshness among them."""
    figures = [figure for group in plan.drawn for figure in group.figures]
    if not figures:
        return None
    freshness = worst([figure.freshness for figure in figures])
    return legend_mark(page, figures[0].kind, freshness, title_of(plan, page.language))


def described(plan: Chart, language: Language) -> str:
    """For who cannot see it: how many cases, and the two ends."""
    order = sorted(plan.drawn, key=lambda group: whole(group).value or 0.0)
    most, least = order[-1], order[0]
    high, low = (with_unit(whole(group), language) for group in (most, least))
    return say(chart_words.DESCRIBED, language, n=len(order), most=most.name, high=high, least=least.name, low=low)


# ------------------------------------------------------------------------------------------------------------ drawings


def _bars(page: Page, plan: Chart, identifier: str) -> list[Html]:
    content, height = bars(plan, identifier, page.language)
    keys = [
        (block_key(identifier, at), text(metric.label.in_(page.language)))
        for at, metric in enumerate(plan.metrics.values())
    ]
    svg = _drawing(page, plan, content, height, identifier)
    return [*_legend(keys), svg, *_whisker_note(page, plan)]


def _lines(page: Page, plan: Chart, identifier: str) -> list[Html]:
    language, found = page.language, lines_of(plan)
    content, height, style = lines(found)
    keys = [(line_key(at), _key_words(plan, line, language)) for at, line in by_height(enumerate(found))]
    across, down = axes(found)
    told = [chart_words.LOG_AXIS] if across.log else []
    told += [chart_words.NOT_FROM_ZERO] if down.low > 0 else []
    axis = tag("p", say(chart_words.ALONG, language, name=axis_name(plan, language)), class_="axis")
    svg = _drawing(page, plan, content, height, identifier, style)
    return [*_legend(keys), svg, axis, *(note(say(one, language)) for one in told), *_whisker_note(page, plan)]


def _drawing(page: Page, plan: Chart, content: Html, height: float, identifier: str, style: str = "") -> Html:
    title, description = title_of(plan, page.language), described(plan, page.language)
    return drawing(height, title, description, content, identifier=identifier, style=style)


def axis_name(plan: Chart, language: Language) -> str:
    """What x counts, and of a parameter its name."""
    name = plan.axis or plan.x or ""
    known = QUANTITIES[name].label.in_(language) if name in QUANTITIES else ""
    return known + words.in_brackets(name, language) if known and plan.x else known or name


def _legend(keys: Sequence[tuple[Html, Html]]) -> list[Html]:
    """What one colour stands for needs no legend."""
    items = [tag("li", sample, tag("span", told)) for sample, told in keys]
    return [tag("ul", *items, class_="legend")] if len(items) > 1 else []


def _key_words(plan: Chart, line: Line, language: Language) -> Html:
    """What a line is; of a series also where it ends, as legends list the highest end first."""
    if line.name in plan.metrics:
        return text(plan.metrics[line.name].label.in_(language))
    if line.group is None:
        return tag("code", line.name)
    figure = line.figures[0]
    differs = [f"{parameter} = {shown(value)}" for parameter, value in line.group.apart.items()]
    apart = ", ".join(differs) if len(differs) <= PARAMETERS_IN_LEGEND else ""
    end = say(chart_words.ENDS_AT, language, value=number(figure.value, figure.decimals))
    return joined(" ", [tag("code", line.name), *([tag("small", apart)] if apart else []), tag("small", end)])


def _whisker_note(page: Page, plan: Chart) -> list[Html]:
    spread = any(figure.low != figure.high for figure in plan.figures)
    return [note(say(chart_words.WHISKERS, page.language))] if spread and len(plan.metrics) == 1 else []


# -------------------------------------------------------------------------------------------------- beside the drawing


def _not_comparable(ledger: Ledger, plan: Chart, language: Language) -> Iterator[tuple[str, Html]]:
    """Cases that were not measured like the first one."""
    first, *others = plan.drawn
    for group in others:
        for figure, against in zip(group.figures, first.figures, strict=True):
            relation = ledger.relative(figure, against)
            if isinstance(relation, Reason) and relation.code in APART:
                yield sentence(relation, language), joined(" ÷ ", [tag("code", group.name), tag("code", first.name)])


def _numbers(page: Page, plan: Chart) -> Html:
    """The data as a table, folded."""
    if plan.axis:
        table = series_table(page, plan, lines_of(plan), axis_name(plan, page.language))
    else:
        table = grid(page, sheet_of(plan), title_of(plan, page.language), marked=True)
    summary = tag("summary", say(chart_words.AS_NUMBERS, page.language))
    return tag("details", summary, table, class_="ledger-sources ledger-data")
