"""Arithmetic on figures: units are checked, unlike measurements refused, and the result is as weak as its inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import get_args

from build_tools.errors import LedgerError
from build_tools.figures.expression import Binary, Comparison, Count, Expression, Literal, Name, names_in, parse_result
from build_tools.figures.freshness import worst
from build_tools.figures.like import refuse_unlike, unlike_runs
from build_tools.figures.units import Quantity, one_of, spelled, unit_of
from build_tools.model import Figure, Kind, Reason, Text

KINDS: tuple[Kind, ...] = get_args(Kind)  # strongest first
RATIO_DECIMALS, PERCENT_DECIMALS = 2, 0
COUNTED = {"steps", "times", "samples", "tokens"}
ROUNDING = 1e-9  # relative; what floating-point arithmetic may add to an exact equality

Lookup = Callable[[str], Figure]
Counter = Callable[[str], int]


@dataclass(frozen=True)
class Names:
    """What the names in an expression stand for: `figure` finds a number, `count` a run's figures."""

    figure: Lookup
    count: Counter


@dataclass(frozen=True)
class Outcome:
    """A comparison that was made. `holds` is None where a number is missing, or for the reason `apart`."""

    comparison: Comparison
    holds: bool | None
    left: Figure
    right: Figure
    apart: Reason | None = None

    @property
    def text(self) -> str:
        """What was compared, as it was written."""
        sides = (_written(side, None) for side in (self.comparison.left, self.comparison.right))
        return f" {self.comparison.operator} ".join(sides)


def derived(text: str, names: Names) -> Figure:
    """The number of an expression. Raises LedgerError for a wrong grammar, name or unit, and for unlike inputs."""
    result = parse_result(text)
    inputs = _inputs([result.expression], names)
    if not inputs:
        raise LedgerError(f"{text!r} uses no number of the ledger", example="a / b, with names for a and b")
    refuse_unlike(inputs.values())
    return _figure(text, result.expression, result.unit, inputs, names)


def compared(comparison: Comparison, names: Names) -> Outcome:
    """Whether a comparison holds. Raises LedgerError as `derived` does."""
    sides = (comparison.left, comparison.right)
    inputs = _inputs(sides, names)
    refuse_unlike(inputs.values())
    left, right = (_side(side, inputs, names) for side in sides)
    one, other = (_dimensions(side, inputs, names) for side in sides)
    if one.dimensions != other.dimensions:
        raise LedgerError(f"{spelled(one.dimensions)} is compared with {spelled(other.dimensions)}")
    apart = unlike_runs(inputs.values())
    if apart or left.value is None or right.value is None:
        return Outcome(comparison, None, left, right, apart)
    values = ((side.value or 0.0) * one_of(side.unit).value for side in (left, right))
    return Outcome(comparison, _holds(comparison, *values), left, right)


def _side(side: Expression, inputs: dict[str, Figure], names: Names) -> Figure:
    """One side of a comparison: the figure itself where it is only named."""
    if isinstance(side, Name):
        return inputs[side.text]
    return _figure(_written(side, None), side, None, inputs, names)


def _holds(comparison: Comparison, left: float, right: float) -> bool:
    """The tolerance is a share of the right side, for every operator: `a < b ± 5 %` allows a up to 1.05 b."""
    slack = max(comparison.tolerance, ROUNDING if comparison.operator in {"==", "≈", "<=", ">="} else 0.0) * abs(right)
    match comparison.operator:
        case "<":
            return left < right + slack
        case "<=":
            return left <= right + slack
        case ">":
            return left > right - slack
        case ">=":
            return left >= right - slack
    return abs(left - right) <= slack


def _inputs(expressions: Iterable[Expression], names: Names) -> dict[str, Figure]:
    return {name: names.figure(name) for expression in expressions for name in names_in(expression)}


def _figure(text: str, expression: Expression, unit: str | None, inputs: dict[str, Figure], names: Names) -> Figure:
    """The figure of one expression; without a value where an input has none."""
    used = tuple(inputs[name] for name in dict.fromkeys(names_in(expression)))
    dimensions = _dimensions(expression, inputs, names).dimensions
    written = unit or unit_of(dimensions)
    if one_of(written).dimensions != dimensions:
        raise LedgerError(f"{text!r} is {spelled(dimensions)} and cannot be given in {written}")
    reasons = _each_once(reason for figure in used for reason in figure.reasons)
    value = None
    if missing := [figure for figure in used if figure.value is None]:
        reasons.insert(0, Reason(code="input_missing", detail={"name": missing[0].reference}))
    elif apart := unlike_runs(used):
        reasons.insert(0, apart)
    else:
        try:
            value = (_value(expression, inputs, names) / one_of(written)).value
        except ZeroDivisionError:
            reasons.insert(0, Reason(code="divisor_zero"))
    return Figure(
        reference=text, metric="", unit=written, label=Text(zh=text, en=text), kind="derived",
        decimals=_decimals(written, value, used), value=value, reasons=tuple(reasons), inputs=used,
        freshness="pending" if value is None else worst([figure.freshness for figure in used] or ["fresh"]),
        weakest=weakest(used), arithmetic=None if value is None else _written(expression, inputs),
    )  # fmt: skip


def _each_once(reasons: Iterable[Reason]) -> list[Reason]:
    told: list[Reason] = []
    for reason in reasons:
        told += [] if reason in told else [reason]
    return told


def weakest(figures: Iterable[Figure]) -> Kind | None:
    """The weakest kind of evidence among these, through derived ones to what they rest on."""
    return max((figure.weakest or figure.kind for figure in figures), key=KINDS.index, default=None)


def _decimals(unit: str, value: float | None, inputs: Iterable[Figure]) -> int:
    """As exact as the least exact input in this unit; a ratio has two decimals, a count none."""
    if unit == "%":
        return PERCENT_DECIMALS if value is None or abs(value) >= 10 else PERCENT_DECIMALS + 1
    if unit in COUNTED:
        return 0
    alike = [figure.decimals for figure in inputs if unit != "1" and one_of(figure.unit) == one_of(unit)]
    return min(alike, default=RATIO_DECIMALS)


def _dimensions(expression: Expression, inputs: dict[str, Figure], names: Names) -> Quantity:
    """The expression worked out with ones for numbers, for its unit. Raises LedgerError for a sum of unlikes."""
    ones = {name: figure.model_copy(update={"value": 1.0}) for name, figure in inputs.items()}
    return _value(expression, ones, names, ones=True)


def _value(expression: Expression, inputs: dict[str, Figure], names: Names, *, ones: bool = False) -> Quantity:
    match expression:
        case Name(text):
            figure = inputs[text]
            assert figure.value is not None
            return Quantity(figure.value) * one_of(figure.unit)
        case Literal(value, unit):
            return Quantity(1.0 if ones else value) * one_of(unit)
        case Count(run):
            return Quantity(1.0 if ones else float(names.count(run)))
    left, right = (_value(side, inputs, names, ones=ones) for side in (expression.left, expression.right))
    return _operated(expression.operator, left, right, ones=ones)


def _operated(operator: str, left: Quantity, right: Quantity, *, ones: bool) -> Quantity:
    if operator == "*":
        return left * right
    if operator == "/":
        return left / right
    if left.dimensions != right.dimensions:
        one, other = spelled(left.dimensions), spelled(right.dimensions)
        raise LedgerError(f"{one} and {other} cannot be added or subtracted", example="a - b, both in MiB")
    if ones:
        return left
    return left + right if operator == "+" else left - right


def _written(expression: Expression, inputs: dict[str, Figure] | None) -> str:
    """The expression as text, with numbers for names where `inputs` are given."""
    match expression:
        case Name(text):
            return printed(inputs[text]) if inputs else text
        case Literal(value, unit):
            return f"{value:,.10g}" + ("" if unit == "1" else f" {unit}")
        case Count(run):
            return f"count {run}"
    left, right = (_bracketed(side, inputs) for side in (expression.left, expression.right))
    return f"{left} {expression.operator} {right}"


def _bracketed(expression: Expression, inputs: dict[str, Figure] | None) -> str:
    written = _written(expression, inputs)
    return f"({written})" if isinstance(expression, Binary) else written


def printed(figure: Figure) -> str:
    """`31.4 MiB`: in no language's words, for arithmetic that a reader can repeat. The figure has a value."""
    unit = "" if figure.unit == "1" else f" {figure.unit}"
    return f"{figure.value:,.{figure.decimals}f}{unit}"
