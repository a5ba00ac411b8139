"""What is wrong with claims as regards the numbers they speak of: each with its line in docs/evidence.toml."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from build_tools.errors import LedgerError
from build_tools.figures.number import judged, number, pieces
from build_tools.figures.resolve import Ledger
from build_tools.ledger.claims import CLAIM
from build_tools.model import Claim, Language, Text
from build_tools.toml_source import NEXT

LANGUAGES: tuple[Language, ...] = ("zh", "en")


def claim_problems(ledger: Ledger) -> list[LedgerError]:
    """References, expressions and limits that do not exist or cannot be meant, in the file's order."""
    return [problem for claim in ledger.claims.by_id.values() for problem in _problems(ledger, claim)]


def _problems(ledger: Ledger, claim: Claim) -> Iterator[LedgerError]:
    for keys, try_it in _parts(ledger, claim):
        try:
            try_it()
        except LedgerError as error:
            place = ledger.claims.place(claim, *keys)
            yield error if error.place else error.at(place, example=CLAIM[keys[0]], next_command=NEXT)
            return  # what follows would say the same again


def _parts(ledger: Ledger, claim: Claim) -> Iterator[tuple[tuple[str, ...], Callable[[], object]]]:
    """Each part of a claim with what raises unless it is right; the verdict last, as it needs all others."""
    if claim.tests:
        yield ("tests",), partial(number, ledger, claim.tests)
    for name, text in (("statement", claim.statement), ("note", claim.note), ("settle", claim.settle)):
        for language in LANGUAGES if text else ():
            assert text is not None
            yield (name, language), partial(_read, ledger, text, language, claim)
    yield ("expect" if claim.expect else "limits" if claim.limits else "tests",), partial(judged, ledger, claim)


def _read(ledger: Ledger, text: Text, language: Language, claim: Claim) -> None:
    for _ in pieces(ledger, text, language, claim):
        pass
