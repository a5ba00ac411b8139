"""What to say of a name that does not exist: the one that was probably meant, and those that there are."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from build_tools.errors import LedgerError

CLOSE_ENOUGH = 0.6  # difflib's own default: one or two letters of a short name


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
