"""A tiny language over numbers of the ledger: `(a - b) / a in %`, `a == 8 * b ± 1 %`. Python never evaluates it.

    comparison := sum (("<" | "<=" | ">" | ">=" | "==" | "≈") sum ["±" number "%"])?
    sum        := product (("+" | "-") product)*          result := sum ["in" unit]
    product    := operand (("*" | "/") operand)*
    operand    := name | number [unit] | "(" sum ")" | "count" name

Operators stand between spaces; names (references, claims, quantities of a run) contain none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from build_tools.errors import LedgerError, quoted
from build_tools.figures.units import BASES

COMPARISONS = ("<", "<=", ">", ">=", "==", "≈")
OPERATORS = {*COMPARISONS, *"+-*/()", "in", "count", "±"}
NUMBER = re.compile(r"-?\d[\d,]*(\.\d+)?")
NAME = re.compile(r"[a-z0-9][a-z0-9_./:@-]*")
DEEPEST = 50  # brackets within brackets
EXAMPLE = "trainer/accumulate/seconds / trainer/plain/seconds"


@dataclass(frozen=True)
class Name:
    """A number of the ledger."""

    text: str


@dataclass(frozen=True)
class Literal:
    """A number that stands in the expression itself."""

    value: float
    unit: str = "1"


@dataclass(frozen=True)
class Count:
    """How many figures the ledger holds of a source's run."""

    run: str


@dataclass(frozen=True)
class Binary:
    """`left operator right`, with one of + - * /."""

    operator: str
    left: Expression
    right: Expression


Expression = Name | Literal | Count | Binary


@dataclass(frozen=True)
class Result:
    """An expression, and the unit its number is asked for in."""

    expression: Expression
    unit: str | None = None


@dataclass(frozen=True)
class Comparison:
    """What should hold. `tolerance` is relative to the right side."""

    operator: str
    left: Expression
    right: Expression
    tolerance: float = 0.0


def parse_result(text: str) -> Result:
    """A number to be shown. Raises LedgerError."""
    tokens = _Tokens(text)
    expression = _sum(tokens)
    unit = _unit(tokens) if tokens.take("in") else None
    tokens.end()
    return Result(expression, unit)


def parse_comparison(text: str) -> Comparison:
    """Something that holds or does not. Raises LedgerError."""
    tokens = _Tokens(text)
    left = _sum(tokens)
    operator = tokens.next(f"one of {' '.join(COMPARISONS)}")
    if operator not in COMPARISONS:
        raise tokens.wrong(operator, f"one of {' '.join(COMPARISONS)}")
    right = _sum(tokens)
    tolerance = _tolerance(tokens) if tokens.take("±") else 0.0
    tokens.end()
    return Comparison(operator, left, right, tolerance)


def names_in(expression: Expression) -> list[str]:
    """The names an expression uses, in its order."""
    match expression:
        case Name(text):
            return [text]
        case Binary(_, left, right):
            return [*names_in(left), *names_in(right)]
    return []


def is_expression(text: str) -> bool:
    """Whether this is more than the name of one number: it has an operator, a bracket or a unit asked for."""
    return bool(OPERATORS & set(re.findall(r"[()]|[^\s()]+", text)))


class _Tokens:
    """Brackets, and words between spaces."""

    def __init__(self, text: str) -> None:
        self.text, self.depth = text, 0
        self._left: list[str] = re.findall(r"[()]|[^\s()]+", text)

    def take(self, token: str) -> bool:
        """Go past this token if it comes next."""
        if self._left[:1] != [token]:
            return False
        self._left.pop(0)
        return True

    def next(self, wanted: str) -> str:
        if not self._left:
            raise LedgerError(f"{quoted(self.text)} ends where {wanted} should stand", example=EXAMPLE)
        return self._left.pop(0)

    def peek(self) -> str | None:
        return self._left[0] if self._left else None

    def end(self) -> None:
        if self._left:
            raise self.wrong(self._left[0], "an operator between spaces, or the end")

    def wrong(self, token: str, wanted: str) -> LedgerError:
        return LedgerError(f"{quoted(token)} stands in {quoted(self.text)} where {wanted} should", example=EXAMPLE)


def _sum(tokens: _Tokens) -> Expression:
    return _chain(tokens, ("+", "-"), _product)


def _product(tokens: _Tokens) -> Expression:
    return _chain(tokens, ("*", "/"), _operand)


def _chain(tokens: _Tokens, operators: tuple[str, ...], part: Callable[[_Tokens], Expression]) -> Expression:
    expression = part(tokens)
    while (operator := tokens.peek()) in operators:
        tokens.next("")
        expression = Binary(str(operator), expression, part(tokens))
    return expression


def _operand(tokens: _Tokens) -> Expression:
    wanted = "a name, a number or a bracket"
    token = tokens.next(wanted)
    if token == "(":
        return _bracket(tokens)
    if token == "count":
        return Count(tokens.next("the name of a run"))
    if NUMBER.fullmatch(token):
        literal = Literal(float(token.replace(",", "")))
        return replace(literal, unit=tokens.next("")) if tokens.peek() in BASES.keys() - {"1"} else literal
    if NAME.fullmatch(token):
        return Name(token)
    raise tokens.wrong(token, wanted)


def _bracket(tokens: _Tokens) -> Expression:
    tokens.depth += 1
    if tokens.depth > DEEPEST:
        raise LedgerError(f"more than {DEEPEST} brackets", example=EXAMPLE)
    expression = _sum(tokens)
    if (closing := tokens.next("a closing bracket")) != ")":
        raise tokens.wrong(closing, "an operator between spaces or a closing bracket")
    return expression


def _unit(tokens: _Tokens) -> str:
    unit = tokens.next("a unit")
    if not all(part in BASES for part in unit.split("/")):
        raise tokens.wrong(unit, f"one of {' '.join(BASES)}")
    return unit


def _tolerance(tokens: _Tokens) -> float:
    number = tokens.next("a percentage")
    number, percent = (number[:-1], "%") if number.endswith("%") else (number, None)
    if not NUMBER.fullmatch(number) or (percent or tokens.next("%")) != "%":
        raise tokens.wrong(number, "a percentage such as 15 %")
    return float(number) / 100
