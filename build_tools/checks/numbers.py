"""Numbers that somebody typed where a reference belongs: in pages, drawings, scripts, texts of TOML, snippets, README.

A number of the ledger is written with a role: {value}, {claim}, {about} for words, {hypothetical} where it is imagined.
Where none of these fits, a comment gives the reason (see `reasons`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from build_tools.checks.finding import Findings, spot_of
from build_tools.checks.nearest import Nearest, nearest_of
from build_tools.checks.page import Page, page_at
from build_tools.checks.quantities import Quantity, quantities
from build_tools.checks.readable import Readable, readable, readable_files
from build_tools.checks.reasons import Excuses
from build_tools.checks.running_text import LONGEST, line_at, sentence_at
from build_tools.errors import LedgerError, Place, clipped
from build_tools.figures.derive import printed
from build_tools.figures.expression import Literal, parse_comparison
from build_tools.figures.resolve import Ledger, current_ledger
from build_tools.model import Figure
from build_tools.syntax import Node

CHECK = "numbers"
NEXT = "python -m build_tools check numbers"
IMAGINED = "{hypothetical}`24 GB`, where nobody has measured it"
WORDS_AGREE = 0.25  # relative difference between a word and the number it is compared with: `about twice` is 1.6 to 2.5


def number_findings(root: Path, ledger: Ledger | None = None) -> Findings:
    """Every typed number of the project. Raises LedgerError where the ledger cannot be made."""
    nearest = nearest_of(ledger or current_ledger(root))
    found = Findings()
    for path in readable_files(root):
        found.problems += typed_numbers(path, nearest)
    return found


def typed_numbers(path: Path, nearest: Nearest) -> list[LedgerError]:
    """The typed numbers of one file, in its order."""
    try:
        file = readable(path)
    except LedgerError as error:
        return [error]
    shown = page_at(path).lines_of_code if path.suffix == ".md" else ()
    excuses = Excuses(path, file.text, CHECK, skip=shown)
    found = [
        _problem(file, quantity, nearest)
        for quantity in quantities(file.said)
        if not excuses.excused(file.spot(quantity.span[0]).line or 0)
    ]
    if path.suffix == ".md":
        found += wrong_words(page_at(path))
    return sorted([*found, *excuses.problems()], key=lambda error: error.place.line or 0 if error.place else 0)


def _problem(file: Readable, quantity: Quantity, nearest: Nearest) -> LedgerError:
    start, end = quantity.span
    of_page = file.path.suffix == ".md"
    sentence = sentence_at(file.text, start, end) if of_page else clipped(line_at(file.text, start).strip(), LONGEST)
    written = " ".join(quantity.text.split())
    what = "compares without a figure" if quantity.in_words else "is typed, not taken from a record or a source"
    return LedgerError(
        f"{written!r} {what}: {sentence}", place=file.spot(start),
        example=_suggestion(written, quantity, nearest.to(quantity)), next_command=NEXT,
    )  # fmt: skip


def _suggestion(written: str, quantity: Quantity, found: tuple[str, Figure] | None) -> str:
    """The nearest number of the ledger, as it would be written on a page."""
    if found is None:
        return IMAGINED
    text, figure = found
    shown = printed(figure)
    if not quantity.in_words:
        return f"{{value}}`{text}`, which is {shown}"
    target = figure.value if quantity.value is None else quantity.value
    return f"{{about}}`{written} = {text} ≈ {target:.2g} ± 15 %`, where it is {shown}"


def wrong_words(page: Page) -> Iterator[LedgerError]:
    """`about twice` whose comparison is with 3: the words and the number that they are held against differ."""
    for node in page.nodes:
        if node.kind != "about" or node.problem:
            continue
        words, _, comparison = node.text.partition(" = ")
        said, compared = _ratio(words), _literal(comparison)
        if said and compared and abs(said - compared) > WORDS_AGREE * compared:
            problem = f"{words.strip()!r} says {said:g}, and is compared with {compared:g}"
            yield LedgerError(
                problem,
                place=_place(page, node),
                example=f"{{about}}`about twice = {_left(comparison)} ≈ 2 ± 15 %`",
                next_command=NEXT,
            )


def _ratio(words: str) -> float | None:
    found = next((quantity for quantity in quantities(words) if quantity.measure == "ratio"), None)
    return found.value if found else None


def _literal(comparison: str) -> float | None:
    try:
        right = parse_comparison(comparison).right
    except LedgerError:
        return None  # the check of references tells
    return right.value if isinstance(right, Literal) and right.unit == "1" else None


def _left(comparison: str) -> str:
    return re.split(r" (?:≈|==|<=?|>=?) ", comparison)[0].strip()


def _place(page: Page, node: Node) -> Place:
    return spot_of(page.path, "\n" * (node.line - 1) + " " * (node.column - 1), node.line + node.column - 2)
