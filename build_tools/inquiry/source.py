"""Where a number comes from that no run of ours gave: what a source says, and what follows from other numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from build_tools.errors import Place
from build_tools.figures.derive import Outcome
from build_tools.figures.like import leaves
from build_tools.figures.number import judged, pieces
from build_tools.figures.resolve import Ledger
from build_tools.figures.verdict import Judged
from build_tools.inquiry.wording import Fact, fact_lines, one_below_the_other, sentences
from build_tools.model import Figure, Source
from build_tools.render import words
from build_tools.render.numbers import with_unit


@dataclass(frozen=True)
class Said:
    """A claim, its verdict, and where it stands in the ledger."""

    figure: Figure
    statement: str
    judged: Judged
    place: Place

    def lines(self, now: datetime, width: int) -> list[str]:
        """The statement, where it stands, what speaks for or against it."""
        return fact_lines(self.figure.reference, self._facts(), width)

    def _facts(self) -> Iterator[Fact]:
        claim = self.judged.claim
        yield "says", self.statement
        yield "known as", words.KINDS[claim.kind].en
        yield from one_below_the_other("source", source_words(claim.source))
        if claim.run:
            yield "run", ", ".join([claim.run, *_setting(self.judged)])
        if self.judged.verdict:
            yield "verdict", self.judged.verdict
        yield from one_below_the_other("because", sentences(self.judged.reasons))
        yield from one_below_the_other("held against", (_line(figure) for figure in leaves(self.judged.tested)))
        yield "entry", str(self.place)

    def as_data(self) -> dict[str, Any]:
        figure = self.figure.model_dump(mode="json", exclude_none=True, exclude={"label"})
        return {
            **figure,
            "statement": self.statement,
            "verdict": self.judged.verdict,
            "why": list(sentences(self.judged.reasons)),
            "tested": [
                one.model_dump(mode="json", include={"reference", "value", "unit"}) for one in self.judged.tested
            ],
        }


@dataclass(frozen=True)
class Derivation:
    """A derived number, its arithmetic and what it rests on."""

    figure: Figure

    def lines(self, now: datetime, width: int) -> list[str]:
        """The arithmetic, then the inputs to the last, each with its own kind."""
        return fact_lines(self.figure.reference, self._facts(), width)

    def _facts(self) -> Iterator[Fact]:
        figure = self.figure
        if figure.value is not None:
            yield "value", with_unit(figure, "en")
            yield "arithmetic", figure.arithmetic or ""
        kind = f", from inputs as weak as {words.KINDS[figure.weakest].en}" if figure.weakest else ""
        yield "known as", f"{words.KINDS[figure.kind].en}{kind}, {words.FRESHNESS[figure.freshness].en}"
        yield from one_below_the_other("because", sentences(figure.reasons))
        yield from one_below_the_other("inputs", (_line(one) for one in leaves([figure])))

    def as_data(self) -> dict[str, Any]:
        figure = self.figure.model_dump(mode="json", exclude_none=True, exclude={"label", "inputs"})
        inputs = [
            one.model_dump(mode="json", include={"reference", "value", "unit", "kind"}) for one in leaves([self.figure])
        ]
        return {**figure, "why": list(sentences(self.figure.reasons)), "inputs": inputs}


@dataclass(frozen=True)
class Expectation:
    """A comparison, and whether it holds."""

    text: str
    outcome: Outcome

    @property
    def figure(self) -> Figure:
        return self.outcome.left

    def lines(self, now: datetime, width: int) -> list[str]:
        """Whether it holds, both sides, and what they rest on."""
        return fact_lines(self.text, self._facts(), width)

    def _facts(self) -> Iterator[Fact]:
        left, right = self.outcome.left, self.outcome.right
        yield "outcome", {True: "holds", False: "fails", None: "not known yet"}[self.outcome.holds]
        for name, side in (("left", left), ("right", right)):
            if side.value is not None:
                yield name, f"{with_unit(side, 'en')}" + (f" = {side.arithmetic}" if side.inputs else "")
        apart = (self.outcome.apart,) if self.outcome.apart else ()
        yield from one_below_the_other("because", sentences((*apart, *left.reasons, *right.reasons)))
        yield from one_below_the_other("inputs", (_line(one) for one in self._inputs()))

    def _inputs(self) -> list[Figure]:
        """Numbers of the ledger on either side; one that stands in the text itself is none."""
        named = leaves([self.outcome.left, self.outcome.right])
        return [one for one in named if one.kind != "derived"]

    def as_data(self) -> dict[str, Any]:
        sides = {name: _brief(side) for name, side in (("left", self.outcome.left), ("right", self.outcome.right))}
        inputs = [_brief(one) for one in self._inputs()]
        return {"expectation": self.text, "holds": self.outcome.holds, **sides, "inputs": inputs}


def said(ledger: Ledger, figure: Figure) -> Said:
    """What there is to tell of a claim's figure."""
    assert figure.claim is not None
    claim = figure.claim
    parts = pieces(ledger, claim.statement, "en", claim)
    statement = "".join(part if isinstance(part, str) else with_unit(part, "en") for part in parts)
    return Said(figure, statement, judged(ledger, claim), ledger.claims.place(claim))


def source_words(source: Source) -> Iterator[str]:
    """Where a reader finds it."""
    if source.document:
        yield source.document + (f", item {source.item}" if source.item else "")
    if source.notebook:
        yield source.notebook + (f", {source.cell.en}" if source.cell else "")
    if source.video or source.at:
        yield ", ".join(part for part in (source.video or "the video", source.at and f"at {source.at}") if part)
    if source.url:
        place = f", {source.place.en}" if source.place else ""
        yield source.url + place + (f", read {source.read:%Y-%m-%d}" if source.read else "")


def _setting(judged: Judged) -> Iterator[str]:
    if judged.claim.hardware:
        yield judged.claim.hardware
    if judged.claim.devices:
        yield f"{judged.claim.devices} device{'s' if judged.claim.devices > 1 else ''}"


def _line(figure: Figure) -> str:
    if figure.value is None:
        return f"{figure.reference}: {'; '.join(sentences(figure.reasons))}"
    return f"{figure.reference}: {with_unit(figure, 'en')} ({words.KINDS[figure.kind].en})"


def _brief(figure: Figure) -> dict[str, Any]:
    return figure.model_dump(mode="json", include={"reference", "value", "unit", "kind", "freshness"})
