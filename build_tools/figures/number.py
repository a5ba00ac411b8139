"""Every way to name a number: a reference, a claim, a quantity of a source's run, an expression over these."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from build_tools.errors import LedgerError, quoted
from build_tools.figures.claimed import claimed
from build_tools.figures.derive import Names, Outcome, compared, derived
from build_tools.figures.expression import is_expression, parse_comparison
from build_tools.figures.identities import quantities
from build_tools.figures.predicted import prediction
from build_tools.figures.reference import REFERENCE
from build_tools.figures.resolve import Ledger
from build_tools.figures.verdict import Judged, judge_claim
from build_tools.model import Claim, Figure, Language, Text
from build_tools.names import unknown

QUANTITY = re.compile(r"(?P<run>[a-z0-9][a-z0-9_-]*)/(?P<quantity>[a-z0-9][a-z0-9_-]*)")
PIECE = re.compile(r"\{([^{}]+)\}")
ABOUT = "about twice = trainer/accumulate/seconds / trainer/plain/seconds ≈ 2 ± 15 %"


@dataclass(frozen=True)
class About:
    """Words of comparison, the number that bears them, and what was compared."""

    words: str
    figure: Figure
    outcome: Outcome


def number(ledger: Ledger, text: str) -> Figure:
    """What a name or an expression stands for. Raises LedgerError with what there is."""
    text = " ".join(text.split())
    if is_expression(text):
        return derived(text, _names(ledger))
    if REFERENCE.fullmatch(text):
        return ledger.figure(text)
    if (found := QUANTITY.fullmatch(text)) and "@" not in text:
        return _quantity(ledger, found["run"], found["quantity"])
    if "/" in text or "@" in text:
        return ledger.figure(text)  # which says what a reference looks like
    return claim_figure(ledger, ledger.claim(text))


def claim_figure(ledger: Ledger, claim: Claim) -> Figure:
    """A claim as a figure; its metric may be one that the tested snippet declares."""
    if claim.tests and (found := REFERENCE.fullmatch(claim.tests)):
        return claimed(claim, ledger.snippet(found["snippet"]).metric(found["metric"]))
    return claimed(claim)


def about(ledger: Ledger, text: str) -> About:
    """`words = EXPRESSION ≈ 2 ± 15 %`. Raises LedgerError where it cannot be read, or does not hold."""
    words, equals, comparison = text.partition(" = ")
    if not equals or not words.strip():
        raise LedgerError(f"{quoted(text)} has no words = comparison", example=ABOUT)
    parsed = parse_comparison(comparison)
    if parsed.operator in {"≈", "=="} and not parsed.tolerance:
        raise LedgerError(f"{quoted(words)} needs a tolerance", example=ABOUT)
    outcome = compared(parsed, _names(ledger))
    if outcome.holds is False:
        left, right = (f"{side.value:.{max(side.decimals, 2)}f}" for side in (outcome.left, outcome.right))
        raise LedgerError(
            f"{quoted(words.strip())} does not hold: it is {left}, not {parsed.operator} {right}", example=ABOUT
        )
    return About(words.strip(), outcome.left, outcome)


def outcome_of(ledger: Ledger, text: str) -> Outcome:
    """Whether an expectation such as `a == 8 * b ± 1 %` holds. Raises LedgerError."""
    return compared(parse_comparison(text), _names(ledger))


def judged(ledger: Ledger, claim: Claim) -> Judged:
    """A claim and what the ledger's numbers say of it. Raises LedgerError for a name that does not exist."""
    tested = number(ledger, claim.tests) if claim.tests else None
    if tested is not None and tested.metric and tested.metric != claim.metric:
        raise LedgerError(
            f"{claim.id} is about {claim.metric} and tests {tested.metric}: unlike meters are never compared",
            example='metric = "device_mib" and tests = "trainer/accumulate/device_mib"',
        )
    if tested is not None and tested.value is None and REFERENCE.fullmatch(claim.tests or ""):
        tested = prediction(ledger, tested) or tested
    outcomes = tuple(outcome_of(ledger, text) for text in claim.expectations)
    limits = {name: ledger.claim(name) for name in claim.limits}
    for name, limit in limits.items():
        if limit.kind != "cited":
            raise LedgerError(
                f"{name} is {limit.kind}: only a cited claim sets limits", example='limits = ["goyal-2017"]'
            )
    return judge_claim(claim, claim_figure(ledger, claim), tested, outcomes, limits)


def pieces(ledger: Ledger, text: Text, language: Language, claim: Claim | None = None) -> Iterator[str | Figure]:
    """A text of the ledger in parts: words, and figures for `{value}` and any other `{…}`. Raises LedgerError."""
    for position, part in enumerate(PIECE.split(text.in_(language))):
        if position % 2 == 0:
            yield from [part] if part else []
        elif part == "value" and claim is not None:
            yield claim_figure(ledger, claim)
        else:
            yield number(ledger, part)


def _quantity(ledger: Ledger, run: str, name: str) -> Figure:
    known = quantities(ledger.claims, run)
    if name not in known:
        raise unknown("quantity", name, known, where=f" that {run} reports or implies")
    return known[name]


def _names(ledger: Ledger) -> Names:
    return Names(lambda name: number(ledger, name), lambda run: _count(ledger, run))


def _count(ledger: Ledger, run: str) -> int:
    """How many figures of a run the ledger holds that somebody wrote down: neither said nor believed."""
    return sum(
        claim.value is not None and claim.kind not in {"spoken", "stated"} for claim in ledger.claims.of_run(run)
    )
