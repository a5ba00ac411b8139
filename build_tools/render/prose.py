"""Texts of the ledger in HTML: their words, and each number in them with its mark."""

from __future__ import annotations

from build_tools.figures.number import pieces
from build_tools.figures.resolve import Ledger
from build_tools.model import Claim, Figure, Text
from build_tools.render.html import Html, text
from build_tools.render.number import brief, written
from build_tools.render.page import Page


def prose(ledger: Ledger, page: Page, words: Text, claim: Claim) -> Html:
    """A statement, note or way to settle; the claim's own number has its mark behind it all. Raises LedgerError."""
    return text(*(_piece(page, claim, part) for part in pieces(ledger, words, page.language, claim)))


def _piece(page: Page, claim: Claim, part: str | Figure) -> Html:
    if isinstance(part, str):
        return text(part)
    if part.claim is not None and part.claim.id == claim.id:
        return written(part, page.language)
    return brief(page, part)
