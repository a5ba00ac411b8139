"""Why a check should leave something alone: a comment with a reason, never without.

    16 GiB of memory are needed. <!-- numbers: declared in snippet.toml, not measured -->      for this line
    # numbers: declared in snippet.toml, not measured                                          for the line below

The comment is one of the file's language; one in a code span only shows how it is written. It names the check, and
what it excuses must be there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from build_tools.checks.finding import spot_of
from build_tools.errors import LedgerError

MARKUP = r"(?<!`)<!--[ \t]*{check}:(?P<reason>.*?)-->"
HASH = r"(?:^|(?<=\s))#[ \t]*{check}:(?P<reason>[^\n]*)"
SLASHES = r"(?:^|(?<=\s))//[ \t]*{check}:(?P<reason>[^\n]*)"
COMMENTS = {".md": MARKUP, ".svg": MARKUP, ".html": MARKUP, ".toml": HASH, ".py": HASH, ".js": SLASHES}
SHORTEST = 6  # signs: `why` is no reason
LONG_ENOUGH = re.compile(r"(?:[一-鿿]|\w\w)")


@dataclass
class Excuse:
    """A reason, the line that it stands on, and the one that it is for."""

    line: int
    covers: int
    reason: str
    offset: int
    used: bool = field(default=False)

    @property
    def good(self) -> bool:
        return len(self.reason) >= SHORTEST and LONG_ENOUGH.search(self.reason) is not None


class Excuses:
    """The reasons given in one file for one check."""

    def __init__(self, path: Path, text: str, check: str, *, skip: Iterable[int] = ()) -> None:
        self.path, self.text, self.check = path, text, check
        skipped = set(skip)
        found = re.finditer(COMMENTS[path.suffix].format(check=check), text, re.M) if f"{check}:" in text else ()
        excuses = [_excuse(text, comment) for comment in found]
        self._excuses = [excuse for excuse in excuses if excuse.line not in skipped]

    def excused(self, line: int) -> bool:
        """Whether there is a reason to leave this line alone; marks it as needed."""
        fitting = [excuse for excuse in self._excuses if excuse.covers == line and excuse.good]
        for excuse in fitting:
            excuse.used = True
        return bool(fitting)

    def problems(self) -> list[LedgerError]:
        """Reasons that say nothing, and those that nothing needs any more. To be asked when the check is over."""
        right = f"{self.check}: declared in snippet.toml, not measured"
        found = []
        for excuse in self._excuses:
            if excuse.good and excuse.used:
                continue
            problem = f"{excuse.reason!r} is no reason" if not excuse.good else "nothing here needs this reason"
            found.append(
                LedgerError(
                    f"{self.check}: {problem}", place=spot_of(self.path, self.text, excuse.offset), example=right
                )
            )
        return found


def _excuse(text: str, comment: re.Match[str]) -> Excuse:
    line = text.count("\n", 0, comment.start()) + 1
    start = text.rfind("\n", 0, comment.start()) + 1
    alone = not text[start : comment.start()].strip("> \t")
    return Excuse(line, _next_line(text, line) if alone else line, comment["reason"].strip(), comment.start())


def _next_line(text: str, line: int) -> int:
    """The next line that holds something."""
    following = text.split("\n")[line:]
    return line + next((offset for offset, words in enumerate(following, 1) if words.strip()), 1)
