"""Where two sequences first differ, and how a message says so."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher

from build_tools.errors import Place

Spans = tuple[slice, slice]


def first_difference(ours: Sequence[Hashable], theirs: Sequence[Hashable]) -> Spans | None:
    """The first stretch of each side that has no like on the other; None where both are equal."""
    matcher: SequenceMatcher[Hashable] = SequenceMatcher(isjunk=None, a=ours, b=theirs, autojunk=False)
    for kind, first, last, other_first, other_last in matcher.get_opcodes():
        if kind != "equal":
            return slice(first, last), slice(other_first, other_last)
    return None


def in_words(ours: Sequence[str], theirs: Sequence[str], there: Place) -> str:
    """`ours` stands at `there`, the source; `theirs` is what the translation has for it. One of them may be empty."""
    if not theirs:
        return f"{ours[0]} of {there} is missing"
    if not ours:
        return f"{theirs[0]} does not stand in {there}"
    return f"here is {theirs[0]}, in {there} it is {ours[0]}"
