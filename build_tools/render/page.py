"""What a rendered piece must know of the page it stands on: the language, the way to the roots, the video."""

from __future__ import annotations

from dataclasses import dataclass

from build_tools.model import Language, Record
from build_tools.syntax.times import Video


@dataclass(frozen=True)
class Page:
    """`root` leads to the root of this language's site, relative to the page: `../../`, or nothing on the home page.

    English lives one level below the composed site's root, where the records are.
    `cards`: marks have cards here; a heading has no room for one, as its text becomes an entry of the contents.
    """

    language: Language
    root: str = ""
    video: Video | None = None
    cards: bool = True

    def legend(self, anchor: str) -> str:
        return f"{self.root}legend/#{anchor}"

    def evidence(self, claim: str) -> str:
        return f"{self.root}evidence/#{claim}"

    def measurements(self, anchor: str) -> str:
        return f"{self.root}measurements/#{anchor}"

    def record(self, record: Record) -> str:
        up = "../" if self.language == "en" else ""
        return f"{self.root}{up}records/{record.snippet}/{record.profile}/{record.machine.slug}/{record.case}.json"


def group_anchor(snippet: str, profile: str, machine: str) -> str:
    """Where the records of a snippet at one profile on one machine stand on the page of measurements."""
    return f"{snippet}-{profile}-{machine}"
