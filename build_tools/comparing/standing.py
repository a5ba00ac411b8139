"""How things stand on the two sides: verdicts on claims that flip, and numbers that a change makes stale."""

from __future__ import annotations

from collections.abc import Iterator

from build_tools.comparing.difference import Flip, MadeStale
from build_tools.comparing.side import Side
from build_tools.errors import LedgerError
from build_tools.figures.case import figure_of_case
from build_tools.figures.number import judged
from build_tools.figures.reference import Selection
from build_tools.figures.resolve import Ledger, Spot
from build_tools.figures.verdict import Judged
from build_tools.metrics import declared
from build_tools.model import Figure
from build_tools.render.reasons import sentence
from build_tools.snippet import Snippet


def flips(old: Side, new: Side) -> Iterator[Flip]:
    """Claims of both sides whose verdict is another one now."""
    for name in new.ledger.claims.by_id:
        if name in old.ledger.claims.by_id:
            was, now = _judged(old.ledger, name), _judged(new.ledger, name)
            if was and now and was.verdict != now.verdict:
                why = tuple(sentence(reason, "en") for reason in now.reasons)
                yield Flip(claim=name, was=was.verdict, now=now.verdict, why=why)


def _judged(ledger: Ledger, name: str) -> Judged | None:
    """None where the claim names what does not exist there; `check` tells that."""
    try:
        return judged(ledger, ledger.claim(name))
    except LedgerError:
        return None


def made_stale(old: Side, new: Side) -> Iterator[MadeStale]:
    """Cases whose record is the one of before, was current, and is stale now; those of one snippet together."""
    for snippet in new.ledger.snippets.values():
        for spot in new.ledger.spots(Selection(snippet.name)):
            if spot.machine is not None:
                yield from _stale_at(old.ledger, new.ledger, snippet, spot)


def _stale_at(old: Ledger, new: Ledger, snippet: Snippet, spot: Spot) -> Iterator[MadeStale]:
    found = {case: figure_of_case(new, snippet, case, spot) for case in snippet.cases_in(spot.profile)}
    stale = {case: figure for case, figure in found.items() if figure.freshness == "stale"}
    fresh_before = {case: figure for case, figure in stale.items() if _was_current(old, snippet, case, spot)}
    if not fresh_before:
        return
    why = [sentence(reason, "en") for figure in fresh_before.values() for reason in figure.reasons]
    yield MadeStale(
        snippet=snippet.name, profile=spot.profile, machine=spot.machine or "", cases=tuple(fresh_before),
        figures=sum(_held(figure, snippet) for figure in fresh_before.values()), why=tuple(dict.fromkeys(why)),
    )  # fmt: skip


def _was_current(old: Ledger, snippet: Snippet, case: str, spot: Spot) -> bool:
    before = old.snippets.get(snippet.name)
    if before is None or case not in before.cases or spot.profile not in before.profiles:
        return False
    return figure_of_case(old, before, case, spot).freshness in ("fresh", "older-versions")


def _held(figure: Figure, snippet: Snippet) -> int:
    """How many numbers the record holds."""
    record = figure.record
    return len({*record.samples, *record.series} & declared(snippet.metrics).keys()) if record else 0
