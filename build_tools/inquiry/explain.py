"""Where one number comes from, whatever kind it is: measured, said by a source, or derived from others."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Protocol

from build_tools.figures.expression import COMPARISONS
from build_tools.figures.number import number, outcome_of
from build_tools.figures.resolve import Ledger
from build_tools.inquiry.measurement import measurement
from build_tools.inquiry.source import Derivation, Expectation, said
from build_tools.model import Figure


class Explanation(Protocol):
    """An answer, for people and for programs."""

    @property
    def figure(self) -> Figure: ...

    def lines(self, now: datetime, width: int) -> list[str]:
        """For a terminal."""
        ...

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        ...


def explain(ledger: Ledger, text: str) -> Explanation:
    """`text` names a number, or is an expectation such as `a > b`. Raises LedgerError for unknown names."""
    if set(COMPARISONS) & set(text.split()):
        return Expectation(text, outcome_of(ledger, text))
    figure = number(ledger, text)
    if figure.claim is not None:
        return said(ledger, figure)
    if figure.inputs:
        return Derivation(figure)
    return measurement(ledger, figure)
