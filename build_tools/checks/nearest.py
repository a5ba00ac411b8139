"""The number of the ledger that somebody probably meant: of the same measure, and nearest to what was typed."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from build_tools.checks.quantities import Quantity
from build_tools.errors import LedgerError
from build_tools.figures.number import number
from build_tools.figures.reference import Selection
from build_tools.figures.resolve import REFERENCE_PROFILE, Ledger, Spot
from build_tools.figures.units import Dimensions, one_of
from build_tools.metrics import declared
from build_tools.model import Figure
from build_tools.snippet import Snippet

TRIED = 4  # a ratio may be refused, as two environments are never divided; then the next one is asked


@dataclass(frozen=True)
class Candidate:
    """A name or an expression of the ledger and its value in base quantities."""

    text: str
    value: float
    dimensions: Dimensions
    group: tuple[str, ...]  # what may be divided by each other


@lru_cache(maxsize=2)
def nearest_of(ledger: Ledger) -> Nearest:
    """One for each ledger: `current_ledger` gives the same one until a file changes."""
    return Nearest(ledger)


class Nearest:
    """Knows every number of a ledger, once somebody asks."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._known: list[Candidate] | None = None
        self._ratios: list[Candidate] | None = None

    def to(self, quantity: Quantity) -> tuple[str, Figure] | None:
        """The reference or expression nearest to what was typed, and its figure; None where nothing fits."""
        if quantity.unit is None:
            return None
        asked = one_of(quantity.unit)
        value = 1.0 if quantity.value is None else abs(quantity.value) * asked.value
        fitting = [known for known in self._candidates(quantity) if known.dimensions == asked.dimensions]
        fitting.sort(key=lambda known: abs(math.log(known.value / value)) if value else known.value)
        for candidate in fitting[:TRIED]:
            try:
                figure = number(self.ledger, candidate.text)
            except LedgerError:
                continue
            if figure.value is not None:
                return candidate.text, figure
        return None

    def _candidates(self, quantity: Quantity) -> Iterable[Candidate]:
        if self._known is None:
            self._known = [*self._measured(), *self._claimed()]
        if quantity.measure not in {"ratio", "percent"}:
            return self._known
        if self._ratios is None:
            self._ratios = list(_ratios(self._known))
        return [ratio for ratio in self._ratios if ratio.text.endswith(" in %") == (quantity.measure == "percent")]

    def _measured(self) -> Iterator[Candidate]:
        """Every number of every record, by the shortest name that it has."""
        for snippet in self.ledger.snippets.values():
            for spot in self.ledger.spots(Selection(snippet.name)):
                if spot.machine is not None:
                    yield from self._at(snippet, spot)

    def _at(self, snippet: Snippet, spot: Spot) -> Iterator[Candidate]:
        place = self._place(snippet, spot)
        for case in snippet.cases:
            for metric in declared(snippet.metrics):
                figure = self.ledger.figure_at(snippet, case, metric, spot)
                yield from _candidate(f"{snippet.name}/{case}/{metric}{place}", figure, (snippet.name, place, metric))

    def _place(self, snippet: Snippet, spot: Spot) -> str:
        if (spot.profile, spot.machine) == (REFERENCE_PROFILE, self.ledger.settings.reference):
            return ""
        alone = spot.machine == self.ledger.spokesman(snippet, spot.profile)
        return f"@{spot.profile}" if alone else f"@{spot.profile}:{spot.machine}"

    def _claimed(self) -> Iterator[Candidate]:
        for claim in self.ledger.claims.by_id.values():
            if claim.value is not None and claim.metric is not None:
                source = claim.source.document or claim.source.url or ""
                yield from _candidate(claim.id, number(self.ledger, claim.id), (source, claim.metric))


def _candidate(text: str, figure: Figure, group: tuple[str, ...]) -> Iterator[Candidate]:
    if figure.value is not None and figure.value > 0:
        unit = one_of(figure.unit)
        yield Candidate(text, figure.value * unit.value, unit.dimensions, group)


def _ratios(known: Iterable[Candidate]) -> Iterator[Candidate]:
    """Of any two numbers that were read in the same way: a / b, and by how much one differs from the other."""
    groups: dict[tuple[str, ...], list[Candidate]] = defaultdict(list)
    for candidate in known:
        groups[candidate.group].append(candidate)
    for members in groups.values():
        for one in members:
            for other in members:
                if one is not other:
                    yield from _ratios_of(one, other)


def _ratios_of(one: Candidate, other: Candidate) -> Iterator[Candidate]:
    if one.value == other.value:
        return
    yield Candidate(f"{one.text} / {other.text}", one.value / other.value, (), one.group)
    if one.value > other.value:
        text = f"({one.text} - {other.text}) / {{}} in %"
        yield Candidate(text.format(one.text), 1 - other.value / one.value, (), one.group)
        yield Candidate(text.format(other.text), one.value / other.value - 1, (), one.group)
