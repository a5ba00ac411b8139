"""LaTeX to MathML at build time: no browser loads a script for a formula."""

from __future__ import annotations

import re
from typing import Literal
from xml.etree import ElementTree

from latex2mathml.converter import convert

from build_tools.errors import LedgerError, clipped
from build_tools.render.html import Html

# latex2mathml writes a command it does not know as an identifier, backslash and all.
UNKNOWN_COMMAND = re.compile(r"<m[ion]>(\\[A-Za-z]+)</m[ion]>")
EXAMPLE = r"$\frac{a}{b}$"
# MathML's own; nothing else may come of a formula.
ELEMENTS = {
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "ms", "mfrac", "msqrt", "mroot", "mstyle", "merror", "mpadded",
    "mphantom", "mfenced", "menclose", "msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts",
    "mprescripts", "none", "mtable", "mtr", "mlabeledtr", "mtd", "semantics",
}  # fmt: skip
PARTS = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "msubsup": 3, "munderover": 3}


def mathml(latex: str, display: Literal["inline", "block"]) -> Html:
    """The formula as MathML. Raises LedgerError for LaTeX that is wrong, or beyond what the converter knows."""
    try:
        written = convert(latex, display=display)
    except Exception as error:  # a dozen classes without a common base, and IndexError for some inputs
        raise LedgerError(f"not a formula: ${clipped(latex)}$: {_name(error)}", example=EXAMPLE) from None
    if problem := _not_mathml(written) or _incomplete(latex, written):
        raise LedgerError(f"not a formula: ${clipped(latex)}$: {problem}", example=EXAMPLE)
    if unknown := UNKNOWN_COMMAND.search(written):
        raise LedgerError(f"the formula ${clipped(latex)}$ uses {unknown[1]}, which is not known", example=EXAMPLE)
    return Html(written)


def _not_mathml(written: str) -> str | None:
    r"""The converter copies the text of \text{…} as it is: a < b there is no XML, and <script> would be a script."""
    try:
        elements = list(ElementTree.fromstring(written).iter())
    except ElementTree.ParseError:
        return r"its text cannot be written as MathML; < is \lt, and & is \&"
    for element in elements:
        if element.tag.rpartition("}")[2] not in ELEMENTS:
            return rf"<{element.tag.rpartition('}')[2]}> stands in it; < is \lt"
        if live := [name for name in element.attrib if name.startswith("on") or name.endswith("href")]:
            return f"formulas have no {live[0]}"
    return None


def _incomplete(latex: str, written: str) -> str | None:
    """What the converter passes over in silence: a brace without its partner, a fraction without its denominator."""
    bare = re.sub(r"\\.", "", latex)
    if bare.count("{") != bare.count("}"):
        return "a brace has no partner"
    for element in ElementTree.fromstring(written).iter():
        name = element.tag.rpartition("}")[2]
        if len(element) != PARTS.get(name, len(element)):
            return f"a part is missing in {name}"
    return None


def _name(error: Exception) -> str:
    """`MissingSuperScriptOrSubscriptError` as words."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", type(error).__name__.removesuffix("Error")).lower()
