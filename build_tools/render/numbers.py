"""Numbers as a reader sees them: fixed decimals, thousands separators, never an exponent."""

from __future__ import annotations

import math

from build_tools.model import Figure, Language
from build_tools.render.words import UNITS, say

NONE = "—"
PLURALS = {"samples", "steps", "times", "tokens"}  # units that English counts


def number(value: float | None, decimals: int) -> str:
    """`1,024.0`; `—` where there is none. What rounds to zero has no sign."""
    if value is None or math.isnan(value):
        return NONE
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    written = f"{value:,.{decimals}f}"
    return written.removeprefix("-") if not written.strip("-0.,") else written.replace("-", "−")


def unit(name: str, language: Language) -> str:
    """A unit in the page's language; empty for a plain number."""
    return say(UNITS[name], language) if name in UNITS else name


def with_unit(figure: Figure, language: Language) -> str:
    """`31.4 MiB`."""
    if figure.value is None:
        return NONE
    counted = unit(figure.unit, language)
    if figure.value == 1 and language == "en" and counted in PLURALS:
        counted = counted.removesuffix("s")
    return f"{number(figure.value, figure.decimals)} {counted}".rstrip()


def spread(figure: Figure) -> str:
    """`31.3–31.6 · n = 5`; a single run has no range."""
    if figure.n < 2 or figure.low is None or figure.high is None:
        return f"n = {figure.n}"
    return f"{number(figure.low, figure.decimals)}–{number(figure.high, figure.decimals)} · n = {figure.n}"


def ratio(value: float) -> str:
    return number(value, 2)
