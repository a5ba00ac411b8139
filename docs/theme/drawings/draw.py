"""Write the drawings of this folder into the pages that show them, each language with its own words.

    python docs/theme/drawings/draw.py            writes
    python docs/theme/drawings/draw.py --check    only compares; exit code 1 where a page is behind

A drawing is `NAME.svg`, whose words are `Chinese | English`. A page shows it between `<!-- drawing: NAME -->` and
`<!-- end of drawing -->`: inline, so that its text can be found and read aloud, and takes the page's colours.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

DRAWINGS = Path(__file__).parent
DOCS = DRAWINGS.parents[1]
LANGUAGES = ("zh", "en")  # in the order of the words
SHOWN = re.compile(r"(?P<start><!-- drawing: (?P<name>[a-z-]+) -->\n).*?(?P<end><!-- end of drawing -->)", re.S)
TEXT = re.compile(r'(?<=>)[^<>]+(?=<)|(?<=aria-label=")[^"]+')
SEPARATOR = " | "
FIGURE = "width:100%;max-width:23rem;margin:1.4em auto"  # no rule of the style sheet: a drawing brings its own


def in_language(svg: str, language: str) -> str:
    """The drawing with the words of one language; what has no separator is the same in both."""
    position = LANGUAGES.index(language)

    def words(found: re.Match[str]) -> str:
        sides = found[0].split(SEPARATOR)
        return sides[position].replace(" ： ", "：") if len(sides) == len(LANGUAGES) else found[0]

    return TEXT.sub(words, svg)


def figure(name: str, language: str) -> str:
    """What stands on a page: a block of HTML without blank lines, which Markdown leaves as it is."""
    svg = in_language((DRAWINGS / f"{name}.svg").read_text(encoding="utf-8"), language)
    return f'<figure class="ledger-drawing" style="{FIGURE}">\n{svg.strip()}\n</figure>\n'


def drawn(page: str, language: str) -> str:
    """The page with every drawing as it should be."""
    return SHOWN.sub(lambda found: found["start"] + figure(found["name"], language) + found["end"], page)


def outdated() -> Iterator[tuple[Path, str]]:
    """Each page whose drawings differ, and its text as it should be."""
    for language in LANGUAGES:
        for path in sorted((DOCS / language).rglob("*.md")):
            text = path.read_text(encoding="utf-8")
            if (right := drawn(text, language)) != text:
                yield path, right


def main() -> int:
    behind = list(outdated())
    for path, right in behind:
        print(f"{path}: {'its drawing is behind' if '--check' in sys.argv else 'drawn'}")
        if "--check" not in sys.argv:
            path.write_text(right, encoding="utf-8")
    return 1 if behind and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
