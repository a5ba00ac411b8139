"""What a `chart` fence shows, before anything is drawn: its kind, its cases with their figures, and what x is.

    ```chart trainer@full:model-cuda          a bar for each case, made of several metrics
    y: [weights_mib, activations_mib]
    ```
    ```chart sweep@quick                      a line through cases, ordered by a parameter
    x: micro_batch
    y: samples_per_second
    ```
    ```chart convergence@quick                a line for each case, along the axis of a series
    y: loss
    cases: [k1, k8]
    ```

`kind` is seldom needed: several metrics are stacked, a series or a parameter for x gives lines, all else bars.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal, get_args

from build_tools.errors import LedgerError
from build_tools.figures.number import number
from build_tools.figures.reference import parse_selection
from build_tools.figures.resolve import REFERENCE_PROFILE, Ledger, Spot
from build_tools.memory_model import MODEL, MODELS, PARTS, PEAK_OF
from build_tools.metrics import METERS
from build_tools.model import Figure, Metric
from build_tools.names import unknown
from build_tools.render.charts.cases import Found, Group, find_case, groups
from build_tools.snippet import Snippet, kind_of, shown
from build_tools.syntax import LineError, Node

ChartKind = Literal["bars", "stacked", "lines"]
KINDS: tuple[ChartKind, ...] = get_args(ChartKind)
MOST = 6  # as many colours, dashes and shapes of points can be told apart, also in grey
NUMBERS = {"a number", "a whole number"}
EXAMPLES = {
    "x": "x: micro_batch", "y": "y: seconds, or y: [weights_mib, activations_mib]", "series": "series: attention",
    "kind": "kind: lines",
}  # fmt: skip


@dataclass(frozen=True)
class Chart:
    """`x` names a parameter; None where the axis is that of a series, or the cases stand below each other."""

    kind: ChartKind
    snippet: Snippet
    spot: Spot
    metrics: dict[str, Metric]
    groups: tuple[Group, ...]
    x: str | None = None
    series: str | None = None

    @property
    def figures(self) -> list[Figure]:
        return [one for group in self.groups for one in (group.total, *group.figures) if one]

    @property
    def drawn(self) -> list[Group]:
        """The cases that there is something to draw of."""
        return [group for group in self.groups if group.complete]

    @property
    def axis(self) -> str | None:
        """What the series of y is along; None where it has none."""
        return next((metric.series for metric in self.metrics.values() if metric.series), None)


def chart_plan(ledger: Ledger, node: Node) -> Chart:
    """The chart of a fence. Raises LedgerError for a name that does not exist and for what cannot be drawn."""
    asked = parse_selection(node.text)
    snippet = ledger.snippet(asked.snippet)
    spot = _spot(ledger, snippet, asked.profile, asked.machine)
    metrics = _metrics(ledger, node, snippet)
    x, series = (_parameter(node, option, snippet) for option in ("x", "series"))
    with _line(node, "kind"):
        kind = _kind(node, metrics, x)
    with _line(node, "y"):
        _check_parts(snippet, spot, metrics)
    cases = _cases(ledger, node, snippet, spot.profile, metrics)
    chart = Chart(kind, snippet, spot, metrics, tuple(groups(ledger, cases, spot, metrics)), x, series)
    _check(node, chart)
    return replace(chart, groups=tuple(_stacked(ledger, chart, group) for group in chart.groups))


def _stacked(ledger: Ledger, chart: Chart, group: Group) -> Group:
    """With what its parts add up to: a peak of its own where they are all the parts of one, else their sum."""
    if chart.kind != "stacked":
        return group
    model = MODELS.get(chart.spot.machine or "")
    if model and set(chart.metrics) == set(PARTS):
        return replace(group, total=ledger.figure_at(group.snippet, group.case, PEAK_OF[model.device], chart.spot))
    return replace(group, total=number(ledger, " + ".join(figure.reference for figure in group.figures)))


def _spot(ledger: Ledger, snippet: Snippet, profile: str | None, machine: str | None) -> Spot:
    """As a reference means it: `full` on the reference machine, `@quick` on the one that speaks for it."""
    scale = ledger.profile(snippet, profile or REFERENCE_PROFILE)
    if machine is not None:
        return Spot(scale, ledger.machine(machine))
    return Spot(scale, ledger.settings.reference if profile is None else ledger.spokesman(snippet, scale))


@contextmanager
def _line(node: Node, option: str) -> Iterator[None]:
    """What is wrong within is wrong with this option, and stands on its line."""
    try:
        yield
    except LineError:
        raise
    except LedgerError as error:
        if option in node.option_lines:
            raise LineError(error, node.option_lines[option]) from None
        raise


def _listed(node: Node, option: str) -> tuple[str, ...]:
    """The names that an option lists, each once. Raises LedgerError."""
    given = node.options.get(option, ())
    names = (given,) if isinstance(given, str) else given
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise LedgerError(f"{option} names {twice[0]} twice")
    return names


# ------------------------------------------------------------------------------------------------------------ the axes


def _metrics(ledger: Ledger, node: Node, snippet: Snippet) -> dict[str, Metric]:
    """What y names. Raises LedgerError for metrics that cannot share an axis."""
    with _line(node, "y"):
        metrics = {name: ledger.metric(snippet, name) for name in _listed(node, "y")}
        if not metrics:
            raise LedgerError("a chart needs y, what it shows", example=EXAMPLES["y"])
        first, *others = metrics
        unlike = next((name for name in others if metrics[name].unit != metrics[first].unit), None)
        if unlike:
            units = f"{first} is in {metrics[first].unit}, {unlike} in {metrics[unlike].unit}"
            raise LedgerError(f"one axis has one unit: {units}", example=EXAMPLES["y"])
        if others and any(metric.series for metric in metrics.values()):
            raise LedgerError("a chart along a series shows one metric", example="y: loss")
    return metrics


def _parameter(node: Node, option: str, snippet: Snippet) -> str | None:
    """The parameter that an option names. Raises LedgerError."""
    name = node.options.get(option)
    if name is None:
        return None
    with _line(node, option):
        if name not in snippet.parameters:
            where, example = f" in {snippet.name}", EXAMPLES[option]
            raise unknown("parameter", str(name), snippet.parameters, where=where, example=example)
    return str(name)


def _kind(node: Node, metrics: dict[str, Metric], x: str | None) -> ChartKind:
    """The kind that is asked for, or that follows from what is shown. Raises LedgerError."""
    if "kind" in node.options:
        asked = str(node.options["kind"])
        if asked not in KINDS:
            raise unknown("kind of chart", asked, KINDS, example=EXAMPLES["kind"])
        return next(kind for kind in KINDS if kind == asked)
    if x is not None or any(metric.series for metric in metrics.values()):
        return "lines"
    return "stacked" if len(metrics) > 1 else "bars"


# ----------------------------------------------------------------------------------------------------------- the cases


def _cases(ledger: Ledger, node: Node, snippet: Snippet, profile: str, metrics: Iterable[str]) -> dict[str, Found]:
    """The cases asked for, all of the profile by default, by the name that the fence gives them."""
    with _line(node, "cases"):
        names = _listed(node, "cases") or snippet.cases_in(profile)
        cases = {name: find_case(ledger, snippet, name, profile) for name in names}
        if not cases:
            raise LedgerError(f"no case of {snippet.name} runs at {profile}")
        several = {other.name for other, _ in cases.values()}
        clock = next((name for name in metrics if name in METERS and METERS[name].clock), None)
        if clock and len(several) > 1:
            problem = f"{clock} of {' and '.join(sorted(several))} cannot be compared: they do different work"
            raise LedgerError(problem, example="cases of one snippet, or y: peak_mib")
    with _line(node, "y"):
        for other, _ in cases.values():
            for metric in metrics:
                ledger.metric(other, metric)
    return cases


# ------------------------------------------------------------------------------------------------ what cannot be drawn


def _check(node: Node, chart: Chart) -> None:
    """Raises LedgerError for a kind that does not go with what is shown, and for more than a reader can tell apart."""
    with _line(node, "kind"):
        _check_kind(chart)
    with _line(node, "x"):
        if chart.x is not None:
            _check_places(chart, chart.x)
    option = "cases" if chart.axis else "series" if chart.series else "y"
    with _line(node, option):
        count = _told_apart(chart)
        if count > MOST:
            raise LedgerError(f"{count} of them cannot be told apart in one chart, at most {MOST} can")


def _check_parts(snippet: Snippet, spot: Spot, metrics: Iterable[str]) -> None:
    part = next((name for name in metrics if name in PARTS and name not in snippet.metrics), None)
    if part and spot.machine not in MODELS:
        example = f"chart {snippet.name}@{REFERENCE_PROFILE}:{MODEL.slug}"
        raise LedgerError(f"{part} is predicted and never measured", example=example)


def _check_kind(chart: Chart) -> None:
    several, lines = len(chart.metrics) > 1, chart.kind == "lines"
    wrong: list[tuple[bool, str, str]] = [
        (lines and not chart.axis and chart.x is None, "lines need x, a parameter", EXAMPLES["x"]),
        (chart.kind == "bars" and several, "bars show one metric", "kind: stacked"),
        (chart.kind == "stacked" and not several, "one metric is not stacked", "kind: bars"),
        (not lines and bool(chart.x or chart.series), f"{chart.kind} have no x and no series", "kind: lines"),
        (bool(chart.axis) and not lines, f"a series gives lines, not {chart.kind}", "kind: lines"),
        (bool(chart.axis) and bool(chart.x or chart.series), "a series has its own x, and a line a case", "y: loss"),
        (several and bool(chart.series), "with several metrics, these are the series", "y: seconds"),
    ]
    for applies, problem, example in wrong:
        if applies:
            raise LedgerError(problem, example=example)


def _check_places(chart: Chart, x: str) -> None:
    """The parameter is a number that every case has, and no line has two points above each other."""
    if kind_of(chart.snippet.parameters[x]) not in NUMBERS:
        raise LedgerError(f"{x} is no number and gives no axis", example=EXAMPLES["x"])
    without = next((group.name for group in chart.groups if x not in group.parameters), None)
    if without:
        raise LedgerError(f"{without} has no parameter {x}", example="cases: […], all of one snippet")
    places = Counter((group.parameters.get(chart.series or ""), group.parameters[x]) for group in chart.groups)
    (_, value), count = places.most_common(1)[0]
    if count > 1:
        raise LedgerError(
            f"{count} cases have {x} = {shown(value)}",
            example=f"cases: […], or {EXAMPLES['series']} to tell them apart",
        )


def _told_apart(chart: Chart) -> int:
    """How many colours the chart needs."""
    if chart.axis:
        return len(chart.groups)
    return max(len(chart.metrics), len({group.parameters.get(chart.series or "") for group in chart.groups}))
