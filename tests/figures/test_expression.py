"""The language of expressions: what it reads, and how it says what it cannot read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_tools.errors import LedgerError
from build_tools.figures.expression import Binary, Comparison, Count, Literal, Name, parse_comparison, parse_result

A, B, C = Name("a"), Name("b"), Name("c")
READ = {
    "a": A,
    "a/b/c@full:h200": Name("a/b/c@full:h200"),
    "a / b": Binary("/", A, B),
    "a - b - c": Binary("-", Binary("-", A, B), C),
    "a - b * c": Binary("-", A, Binary("*", B, C)),
    "(a - b) / c": Binary("/", Binary("-", A, B), C),
    "( a - b ) / c": Binary("/", Binary("-", A, B), C),
    "8 * b": Binary("*", Literal(8.0), B),
    "24 GiB": Literal(24.0, "GiB"),
    "1,024 samples / a": Binary("/", Literal(1024.0, "samples"), A),
    "count a": Count("a"),
}
WRONG = {
    "": "ends where a name",
    "a /": "ends where a name",
    "a b": "'b' stands in 'a b'",
    "a/ b": "'b' stands in",
    "(a - b": "ends where a closing bracket",
    "a)": "')' stands in",
    "a ** b": "'**' stands in",
    "__import__('os')": "stands in",
    "a in parsecs": "'parsecs' stands in",
    "(" * 51 + "a" + ")" * 51: "more than 50 brackets",
}


@pytest.mark.parametrize("text", READ)
def test_reads(text: str) -> None:
    """Products before sums, from left to right."""
    assert parse_result(text).expression == READ[text]


def test_reads_the_unit_asked_for() -> None:
    """`in` ends the expression."""
    assert parse_result("(a - b) / a in %").unit == "%"


@pytest.mark.parametrize("text", WRONG)
def test_says_what_it_cannot_read(text: str) -> None:
    """And where in the text."""
    with pytest.raises(LedgerError) as error:
        parse_result(text)

    assert WRONG[text] in error.value.problem


@pytest.mark.parametrize("tolerance", ["1 %", "1%", "1.0 %"])
def test_reads_a_comparison_with_its_tolerance(tolerance: str) -> None:
    """A share of the right side."""
    assert parse_comparison(f"a == 8 * b ± {tolerance}") == Comparison("==", A, Binary("*", Literal(8.0), B), 0.01)


@pytest.mark.parametrize("text", ["a", "a = b", "a > b > c", "a == b ± 1", "a == b ± x %", "a > b in %"])
def test_a_comparison_has_one_operator_and_a_percentage(text: str) -> None:
    """Anything else is an error."""
    with pytest.raises(LedgerError):
        parse_comparison(text)


@given(st.text(alphabet="ab1()+-*/ .%±<>=in", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing but LedgerError comes out."""
    try:
        parse_result(text)
        parse_comparison(text)
    except LedgerError:
        pass
