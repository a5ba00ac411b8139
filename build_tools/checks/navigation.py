"""The navigation of both sites: the same pages in the same places. Titles are each language's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from build_tools.checks.difference import first_difference, in_words
from build_tools.errors import LedgerError, Place
from build_tools.translations import read

CONFIGS = {"zh": "mkdocs.yml", "en": "mkdocs.en.yml"}
NEXT = "python -m build_tools check parity"


@dataclass(frozen=True)
class Entry:
    """A page or, with an empty `page`, a group of pages. `depth` is 0 at the top."""

    line: int
    depth: int
    page: str

    @property
    def shown(self) -> str:
        return f"{self.page or 'a group'} at depth {self.depth}"


TOP = Entry(1, 0, "")


def navigation_problems(root: Path) -> Iterator[LedgerError]:
    """The first difference. A configuration that cannot be read is told by `build`."""
    if not all((root / name).is_file() for name in CONFIGS.values()):
        return
    ours, theirs = (navigation(root / name) for name in CONFIGS.values())
    spans = first_difference(*([(entry.depth, entry.page) for entry in side] for side in (ours, theirs)))
    if spans is None:
        return
    one, other = ours[spans[0]], theirs[spans[1]]
    here = Place(root / CONFIGS["en"], (other or theirs[spans[1].start - 1 :] or [TOP])[0].line)
    there = Place(root / CONFIGS["zh"], (one or ours[spans[0].start - 1 :] or [TOP])[0].line)
    words = in_words([entry.shown for entry in one], [entry.shown for entry in other], there)
    yield LedgerError(f"nav: {words}", place=here, example=f"- Title: {(one or other)[0].page}", next_command=NEXT)


def navigation(config: Path) -> list[Entry]:
    """The entries of `nav`, in its order; empty where there is none or the file is no YAML."""
    try:
        root = yaml.compose(read(config), Loader=yaml.SafeLoader)
    except (LedgerError, yaml.YAMLError, RecursionError):
        return []
    settings = dict(_pairs(root))
    return list(_entries(settings["nav"], 0)) if "nav" in settings else []


def _pairs(node: yaml.Node | None) -> Iterator[tuple[str, yaml.Node]]:
    for key, value in node.value if isinstance(node, yaml.MappingNode) else []:
        yield str(key.value), value


def _entries(node: yaml.Node, depth: int) -> Iterator[Entry]:
    for item in node.value if isinstance(node, yaml.SequenceNode) else []:
        values = [value for _, value in _pairs(item)] if isinstance(item, yaml.MappingNode) else [item]
        for value in values:
            line = value.start_mark.line + 1
            if isinstance(value, yaml.ScalarNode):
                yield Entry(line, depth, str(value.value))
            else:
                yield Entry(item.start_mark.line + 1, depth, "")
                yield from _entries(value, depth + 1)
