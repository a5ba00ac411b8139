"""What a rendered piece must know of the page it stands on: the language, the way to the roots, the video."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from build_tools.model import Language, Record
from build_tools.syntax.times import Video


@dataclass(frozen=True)
class Page:
    """`root` leads to the root of this language's site, relative to the page: `../../`, or nothing on the home page.

    English lives one level below the composed site's root, where the records are.
    `cards`: marks have cards here; a heading has no room for one, as its text becomes an entry of the contents.
    `source`: where a translated page leads to the Chinese one; None on a Chinese page.
    `old_days`: the age from which a measurement is called old, as the project's settings say.
    """

    language: Language
    root: str = ""
    video: Video | None = None
    cards: bool = True
    source: str | None = None
    old_days: int = 90

    def legend(self, anchor: str) -> str:
        return f"{self.root}legend/#{anchor}"

    def evidence(self, claim: str) -> str:
        return f"{self.root}evidence/#{claim}"

    def measurements(self, anchor: str) -> str:
        return f"{self.root}measurements/#{anchor}"

    def memory(self, page: str) -> str:
        """A page about the memory model."""
        return f"{self.root}memory/{page}/"

    def glossary(self, term: str) -> str:
        return f"{self.root}glossary/#{term}"

    def record(self, record: Record) -> str:
        up = "../" if self.language == "en" else ""
        return f"{self.root}{up}records/{record.snippet}/{record.profile}/{record.machine.slug}/{record.case}.json"


def group_anchor(snippet: str, profile: str, machine: str) -> str:
    """Where the records of a snippet at one profile on one machine stand on the page of measurements."""
    return f"{snippet}-{profile}-{machine}"


def page_address(source: PurePath) -> str:
    """`lectures/x.md` is built into `lectures/x/`, an index into its own folder."""
    page = source.parent if source.stem in {"index", "README"} else source.with_suffix("")
    return "" if page == PurePath() else f"{page.as_posix()}/"
