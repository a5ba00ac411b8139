"""LaTeX to MathML at build time: no browser loads a script for a formula."""

from __future__ import annotations

import re
from typing import Literal

from latex2mathml.converter import convert

from build_tools.errors import LedgerError
from build_tools.render.html import Html

# latex2mathml writes a command it does not know as an identifier, backslash and all.
UNKNOWN_COMMAND = re.compile(r"<m[ion]>(\\[A-Za-z]+)</m[ion]>")


def mathml(latex: str, display: Literal["inline", "block"]) -> Html:
    """The formula as MathML. Raises LedgerError for LaTeX that is wrong, or beyond what the converter knows."""
    try:
        written = convert(latex, display=display)
    except Exception as error:  # a dozen classes without a common base, and IndexError for some inputs
        raise LedgerError(f"not a formula: ${latex}$: {_name(error)}", example=r"$\frac{a}{b}$") from None
    if unknown := UNKNOWN_COMMAND.search(written):
        raise LedgerError(f"the formula ${latex}$ uses {unknown[1]}, which is not known", example=r"$\frac{a}{b}$")
    return Html(written)


def _name(error: Exception) -> str:
    """`MissingSuperScriptOrSubscriptError` as words."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", type(error).__name__.removesuffix("Error")).lower()
