"""What a rendered piece must know of the page it stands on: the language, and the way to the roots."""

from __future__ import annotations

from dataclasses import dataclass

from build_tools.model import Kind, Language, Record


@dataclass(frozen=True)
class Page:
    """`root` leads to the root of this language's site, relative to the page: `../../`, or nothing on the home page.

    English lives one level below the composed site's root, where the records are.
    """

    language: Language
    root: str = ""

    def legend(self, kind: Kind) -> str:
        return f"{self.root}evidence/#{kind}"

    def record(self, record: Record) -> str:
        up = "../" if self.language == "en" else ""
        return f"{self.root}{up}records/{record.snippet}/{record.profile}/{record.machine.slug}/{record.case}.json"
