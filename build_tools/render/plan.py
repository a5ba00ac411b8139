"""What a `results` fence shows, before any HTML: which tabs, rows and columns, and what is left out of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from build_tools.errors import LedgerError
from build_tools.figures.predicted import cautions, prediction
from build_tools.figures.reference import parse_selection
from build_tools.figures.resolve import Ledger, Spot
from build_tools.memory_model import MODELS, PARTS, PEAK_OF
from build_tools.metrics import METERS, declared
from build_tools.model import Caution, Device, Figure, Machine, Metric, Reason, Scalar
from build_tools.snippet import Snippet
from build_tools.syntax import LineError, Node


@dataclass(frozen=True)
class Cell:
    """A figure, and its relation to the baseline: a ratio, why there is none, or None where none was asked for.

    `predicted` is what the memory model says beside it, or in its place where nobody has measured it.
    """

    figure: Figure
    relative: float | Reason | None = None
    predicted: Figure | None = None


@dataclass(frozen=True)
class Row:
    """A case, the parameters that set it apart, one cell a column, and what a reader should know of its numbers."""

    case: str
    parameters: dict[str, Scalar]
    cells: tuple[Cell, ...]
    cautions: tuple[Caution, ...] = ()


@dataclass(frozen=True)
class Sheet:
    """One tab: a profile on one machine, or a profile that nobody has measured yet."""

    snippet: Snippet
    spot: Spot
    machine: Machine | None
    device: Device
    columns: tuple[Metric, ...]
    rows: tuple[Row, ...]
    baseline: str | None
    left_out_columns: tuple[Metric, ...]
    left_out_cases: tuple[str, ...]

    @property
    def figures(self) -> list[Figure]:
        return [cell.figure for row in self.rows for cell in row.cells]

    @property
    def predictions(self) -> list[Figure]:
        """What is shown beside measured figures, or in their place."""
        return [cell.predicted for row in self.rows for cell in row.cells if cell.predicted]

    @property
    def shown(self) -> list[Figure]:
        """Every number of the sheet, measured or predicted."""
        return [*self.figures, *self.predictions]

    @property
    def has_numbers(self) -> bool:
        return _any_number(self.rows)


def _any_number(rows: Iterable[Row]) -> bool:
    return any(cell.figure.value is not None for row in rows for cell in row.cells)


@dataclass(frozen=True)
class _Asked:
    """The fence, its names checked."""

    snippet: Snippet
    cases: tuple[str, ...]
    columns: tuple[str, ...] | None
    baseline: str | None


def sheets(ledger: Ledger, node: Node) -> list[Sheet]:
    """The tabs of a fence, the one to open first not marked. Raises LedgerError for a name that does not exist."""
    selection = parse_selection(node.text)
    asked = _asked(ledger, node, ledger.snippet(selection.snippet))
    found = [sheet for spot in ledger.spots(selection) if (sheet := _sheet(ledger, asked, spot)).rows]
    if not found:
        raise LedgerError(f"none of {', '.join(asked.cases)} runs at the profile of {node.text!r}")
    return found


def _asked(ledger: Ledger, node: Node, snippet: Snippet) -> _Asked:
    cases = _names(node, "cases", lambda name: ledger.case(snippet, name))
    columns = _names(node, "columns", lambda name: ledger.metric(snippet, name))
    baseline = _names(node, "baseline", lambda name: ledger.case(snippet, name))
    return _Asked(snippet, cases or tuple(snippet.cases), columns, baseline[0] if baseline else None)


def _names(node: Node, option: str, check: Callable[[str], object]) -> tuple[str, ...] | None:
    """The names an option gives, each checked; an error carries the option's line."""
    if option not in node.options:
        return None
    given = node.options[option]
    names = (given,) if isinstance(given, str) else given
    for name in names:
        try:
            check(name)
        except LedgerError as error:
            raise LineError(error, node.option_lines[option]) from None
    return names


def _sheet(ledger: Ledger, asked: _Asked, spot: Spot) -> Sheet:
    snippet = asked.snippet
    runs_here = snippet.cases_in(spot.profile)
    cases = tuple(case for case in asked.cases if case in runs_here)
    machine = ledger.machines.get(spot.machine or "") or MODELS.get(spot.machine or "")
    device = machine.device if machine else _needed_device(snippet, cases, spot.profile)
    metrics = {**PARTS, **declared(snippet.metrics)}
    wanted = asked.columns or _usual(snippet, spot)
    columns = tuple(name for name in wanted if _can_show(spot, device, name))
    if asked.columns is None:
        columns = _with_data(ledger, snippet, cases, columns, spot) or columns
    rows = tuple(_row(ledger, asked, case, columns, spot, cases) for case in cases)
    return Sheet(
        snippet, spot, machine, device,
        columns=tuple(metrics[name] for name in columns),
        rows=rows,
        baseline=asked.baseline if _any_number(rows) else None,
        left_out_columns=tuple(metrics[name] for name in wanted if not _can_show(spot, device, name)),
        left_out_cases=tuple(case for case in asked.cases if case not in runs_here),
    )  # fmt: skip


def _usual(snippet: Snippet, spot: Spot) -> tuple[str, ...]:
    """The columns of a table that asks for none: of a prediction the peak and its parts."""
    model = MODELS.get(spot.machine or "")
    return (PEAK_OF[model.device], *PARTS) if model else tuple(declared(snippet.metrics))


def _needed_device(snippet: Snippet, cases: Iterable[str], profile: str) -> Device:
    needs = {snippet.needs_of(case, profile).device for case in cases}
    return "cuda" if "cuda" in needs else "cpu"


def _can_show(spot: Spot, device: Device, metric: str) -> bool:
    """What the device can measure. Nobody measures the parts of a peak; they are predicted for a CUDA device."""
    if metric in PARTS:
        return device == "cuda" or spot.machine in MODELS
    return metric not in METERS or device in METERS[metric].devices


def _with_data(
    ledger: Ledger, snippet: Snippet, cases: tuple[str, ...], columns: tuple[str, ...], spot: Spot
) -> tuple[str, ...]:
    return tuple(
        name for name in columns if any(ledger.figure_at(snippet, case, name, spot).value is not None for case in cases)
    )


def _row(ledger: Ledger, asked: _Asked, case: str, columns: tuple[str, ...], spot: Spot, cases: tuple[str, ...]) -> Row:
    cells: list[Cell] = []
    seen: list[Caution] = []
    for name in columns:
        figure = ledger.figure_at(asked.snippet, case, name, spot)
        baseline = asked.baseline if asked.baseline != case else None
        other = ledger.figure_at(asked.snippet, baseline, name, spot) if baseline else None
        predicted = None if figure.kind == "predicted" else prediction(ledger, figure)
        cells.append(Cell(figure, ledger.relative(figure, other) if other else None, predicted))
        seen += [caution for caution in cautions(ledger, figure) if figure.value is not None and caution not in seen]
    return Row(case, _parameters(asked, case, spot.profile, cases), tuple(cells), tuple(seen))


def _parameters(asked: _Asked, case: str, profile: str, cases: tuple[str, ...]) -> dict[str, Scalar]:
    """In what a case differs from its baseline; of a baseline, what the rows measured against it change."""
    own = asked.snippet.parameters_of(case, profile)
    baseline = _baseline(asked, case)
    if baseline != case:
        others = [baseline] if baseline else []
    else:
        others = [other for other in cases if _baseline(asked, other) == case]
    compared = [asked.snippet.parameters_of(other, profile) for other in others]
    return {name: value for name, value in own.items() if any(other[name] != value for other in compared)}


def _baseline(asked: _Asked, case: str) -> str | None:
    return asked.baseline or asked.snippet.baseline_of(case)
