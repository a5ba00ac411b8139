"""Lines of code that know how far they are indented, so that on a phone they can go on below their own beginning."""

from __future__ import annotations

import re

# What pymdownx.highlight writes for a line (`line_spans: __span`); some languages have an element for blank space.
LINE = re.compile(r'(?P<line><span id="__span-\d+-\d+")>(?=(?:<a [^>]*></a>)?(?:<span class="w">)?(?P<indent> +)\S)')


def with_indents(html: str) -> str:
    """Each line of code that begins with spaces says how many, for the style sheet: `--indent: 4ch`."""
    return LINE.sub(lambda found: f'{found["line"]} style="--indent: {len(found["indent"])}ch">', html)
