"""A case as a whole: the record that speaks for it and how fresh that is, whichever of its numbers is asked for."""

from __future__ import annotations

import re

from build_tools.errors import LedgerError
from build_tools.figures.reference import parse_reference
from build_tools.figures.resolve import Ledger, Spot
from build_tools.metrics import METERS, declared
from build_tools.model import NAME, Figure
from build_tools.snippet import Snippet

CASE = re.compile(rf"(?P<case>{NAME}/{NAME})(?P<place>@{NAME}(:{NAME})?)?")
ANY_METER = next(iter(METERS))  # a reference names a number; every snippet has this one


def case_figure(ledger: Ledger, reference: str) -> Figure:
    """What `snippet/case`, `…@profile` or `…@profile:machine` stands for, found as numbers are. Raises LedgerError."""
    found = CASE.fullmatch(reference)
    if found is None:
        example = "trainer/accumulate@quick, or @full:h200 behind it for another profile or machine"
        raise LedgerError(f"{reference!r} does not name a case", example=example)
    asked = parse_reference(ledger.figure(f"{found['case']}/{ANY_METER}{found['place'] or ''}").reference)
    spot = Spot(asked.profile or "", asked.machine)
    return figure_of_case(ledger, ledger.snippet(asked.snippet), asked.case, spot)


def figure_of_case(ledger: Ledger, snippet: Snippet, case: str, spot: Spot) -> Figure:
    """A number that the case's record holds, if there is one: its freshness and reasons are those of the record."""
    figure = ledger.figure_at(snippet, case, ANY_METER, spot)
    record = figure.record
    held = [*record.samples, *record.series] if record else []
    metric = next((name for name in held if name in declared(snippet.metrics)), ANY_METER)
    return ledger.figure_at(snippet, case, metric, spot)
