"""Names of numbers: `trainer/accumulate/peak_mib@full:h200`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from build_tools.errors import LedgerError
from build_tools.model import NAME

SELECTION = re.compile(rf"(?P<snippet>{NAME})(?:@(?P<profile>{NAME})(?::(?P<machine>{NAME}))?)?")
REFERENCE = re.compile(
    rf"(?P<snippet>{NAME})/(?P<case>{NAME})/(?P<metric>{NAME})(?:@(?P<profile>{NAME})(?::(?P<machine>{NAME}))?)?"
)


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
