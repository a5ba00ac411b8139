"""Links to other hosts that lead nowhere. Only the weekly job asks: no pull request fails over another's server."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from build_tools.errors import LedgerError, Place, clipped
from build_tools.ledger.claims import EVIDENCE
from build_tools.reading import MIB, read_text

URL = re.compile(r"https?://[^\s<>\"'`|\\{}()（）\[\]，。；：、！？》」]+")
EXAMPLE_HOSTS = re.compile(r"https?://(localhost|127\.|([^/]*\.)?example\.(com|org|net)|…)")
GONE = {404, 410}  # whatever else a server answers, it is there: many refuse programs
ASKING = {"User-Agent": "vram-ledger link check"}
AT_ONCE, TRIES = 8, 2


def dead_links(root: Path, timeout_s: float) -> Iterator[LedgerError]:
    """Each dead address once, at the first place that names it."""
    places = dict(reversed([*_links(root)]))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = pool.map(partial(why_dead, timeout_s=timeout_s), places)
        for (url, place), why in zip(places.items(), found, strict=True):
            if why:
                yield LedgerError(
                    f"{clipped(url, 200)} leads nowhere: {why}", place=place,
                    example="the page's new address, or a copy in an archive",
                )  # fmt: skip


def _links(root: Path) -> Iterator[tuple[str, Place]]:
    """Every address in pages, the ledger and the READMEs, in the order of files and lines."""
    files = [*sorted((root / "docs").rglob("*.md")), root / EVIDENCE, *sorted(root.glob("*.md"))]
    for path in files:
        if path.is_file():
            text = read_text(path, at_most=MIB, example="a page", next_command="")
            for number, line in enumerate(text.splitlines(), 1):
                for found in URL.finditer(line):
                    if not EXAMPLE_HOSTS.match(found[0]):
                        yield found[0].rstrip(".,;:!?*_"), Place(path, number)


def why_dead(url: str, timeout_s: float) -> str | None:
    """What is wrong with an address, after a second try; None where something answers."""
    why = None
    for _ in range(TRIES):
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=ASKING), timeout=timeout_s):
                return None
        except urllib.error.HTTPError as error:
            if error.code not in GONE:
                return None
            why = f"{error.code} {error.reason}"
        except (OSError, ValueError) as error:  # no such host, no answer, no address at all
            why = str(getattr(error, "reason", error))
    return why
