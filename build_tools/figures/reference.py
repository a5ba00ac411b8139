"""Names of numbers: `trainer/accumulate/peak_mib@full:h200`, and what to say of a name that does not exist."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from build_tools.errors import LedgerError
from build_tools.model import NAME

SELECTION = re.compile(rf"(?P<snippet>{NAME})(?:@(?P<profile>{NAME})(?::(?P<machine>{NAME}))?)?")
REFERENCE = re.compile(
    rf"(?P<snippet>{NAME})/(?P<case>{NAME})/(?P<metric>{NAME})(?:@(?P<profile>{NAME})(?::(?P<machine>{NAME}))?)?"
)
CLOSE_ENOUGH = 0.6  # difflib's own default: one or two letters of a short name


@dataclass(frozen=True)
class Selection:
    """A snippet, and where it was measured if that is said: what a table shows."""

    snippet: str
    profile: str | None = None
    machine: str | None = None


@dataclass(frozen=True)
class Reference:
    """One number of one case. Without a profile: `full` on the reference machine."""

    snippet: str
    case: str
    metric: str
    profile: str | None = None
    machine: str | None = None


def parse_selection(text: str) -> Selection:
    """Raises LedgerError for anything but `snippet`, `snippet@profile` and `snippet@profile:machine`."""
    if not (found := SELECTION.fullmatch(text)):
        raise LedgerError(f"{text!r} does not name a snippet", example="trainer, trainer@quick or trainer@full:h200")
    return Selection(**found.groupdict())


def parse_reference(text: str) -> Reference:
    """Raises LedgerError for anything but `snippet/case/metric`, with `@profile` or `@profile:machine` behind it."""
    if not (found := REFERENCE.fullmatch(text)):
        raise LedgerError(
            f"{text!r} is no reference",
            example="trainer/accumulate/peak_mib, …@quick or …@full:h200 behind it for another profile or machine",
        )
    return Reference(**found.groupdict())


def closest(name: str, names: Iterable[str], cutoff: float = CLOSE_ENOUGH) -> str | None:
    """The one of `names` that was probably meant."""
    return next(iter(difflib.get_close_matches(name.lower(), list(names), 1, cutoff)), None)


def unknown(what: str, name: str, names: Iterable[str], *, where: str = "", example: str | None = None) -> LedgerError:
    """`there is no case 'plian' in trainer; did you mean plain? there are: plain, accumulate`."""
    known = list(names)
    meant = closest(name, known)
    guess = f"; did you mean {meant}?" if meant else ";"
    return LedgerError(
        f"there is no {what} {name!r}{where}{guess} there are: {', '.join(known) or 'none'}", example=example
    )
