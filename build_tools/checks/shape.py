"""The parts of a page that are the same in every language, in their order: what `parity` holds against each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass

from build_tools.checks.links import links_of
from build_tools.checks.page import Page, heading_in, includes
from build_tools.syntax import FENCES, ROLES, Node

LANGUAGE_IN_NAME = re.compile(r"(?<=[-._/])(?:zh|en)(?=[-._/])")
IMAGE = re.compile(r"!\[[^\]]*\]\((?P<target>[^)\s]+)[^)]*\)|<img\b[^>]*\bsrc=[\"'](?P<src>[^\"']+)")
NUMBERED = re.compile(r"\d+\.[ \t]+")
NOTE = re.compile(r"(?P<sign>!!!|\?\?\?\+?)[ ]+(?P<kind>[\w-]+)")
FORMULA = re.compile(r"(?<!\\)\$\$(?P<formula>.+?)\$\$", re.S)
WORDS_IN_FORMULA = re.compile(r"\\(?:text|mbox|textrm)\{[^{}]*\}|\s+|\\[,;:!]")


TableKey = tuple[int, int]  # rows and columns


@dataclass(frozen=True)
class Part:
    """One part of a page. `key` is what must be equal in both languages, `shown` how a message writes it."""

    line: int
    key: Hashable
    shown: str


def references(page: Page) -> Iterator[Part]:
    """Roles and fences of ours but for times, which have a line of their own."""
    for node in page.nodes:
        if node.kind in FENCES:
            yield Part(node.line, (node.kind, node.text, tuple(sorted(node.options.items()))), _fence(node))
        elif node.kind != "at" and node.kind in ROLES:
            key = ROLE_KEYS.get(node.kind, str)(node.text)
            yield Part(node.line, (node.kind, key), f"{{{node.kind}}}`{key}`")


def _fence(node: Node) -> str:
    options = "".join(
        f" {name}: {value if isinstance(value, str) else ', '.join(value)};"
        for name, value in sorted(node.options.items())
    )
    return f"the fence `{node.kind} {node.text}".rstrip() + f"`{options.rstrip(';')}"


def _comparison(text: str) -> str:
    """Of `about twice = a / b ≈ 2 ± 15 %` what is compared: the words are each language's own."""
    return text.partition(" = ")[2] or text


# What of a role is the same in both languages, where that is not the whole of it.
ROLE_KEYS: Mapping[str, Callable[[str], str]] = {
    "about": _comparison,
    "hypothetical": lambda text: " ".join(re.findall(r"[\d.,]+", text)),  # 24 GB 的卡, a 24 GB card
}


def times(page: Page) -> Iterator[Part]:
    return (Part(node.line, node.text, f"{{at}}`{node.text}`") for node in page.nodes if node.kind == "at")


def included(page: Page) -> Iterator[Part]:
    for fence in page.fences:
        yield from (Part(line, name, f'--8<-- "{name}"') for line, name in includes(fence))


def fences(page: Page) -> Iterator[Part]:
    """Code of any language. Ours are references."""
    for fence in page.fences:
        if fence.info.split()[0] not in FENCES:
            yield Part(fence.first, fence.info, f"a fence `{fence.info}`")
    yield from (Part(line, "", "a fence without a name") for line in page.nameless_fences)


def tables(page: Page) -> Iterator[Part]:
    for table in page.tables:
        yield Part(table.line, (table.rows, table.columns), f"a table of {table.rows} rows and {table.columns} columns")


def notes(page: Page) -> Iterator[Part]:
    """Admonitions and what can be opened, questions among them."""
    for block in page.texts:
        if found := NOTE.match(block.lines[0].lstrip("> \t")):
            yield Part(block.first, (found["sign"], found["kind"]), f"`{found[0]}`")


def numbered(page: Page) -> Iterator[Part]:
    """Items of numbered lists: explanations of code are counted by their position."""
    for block in page.texts:
        if NUMBERED.match(block.lines[0].lstrip("> \t")):
            yield Part(block.first, "item", "a numbered item")


def images(page: Page) -> Iterator[Part]:
    for block in page.texts:
        text = "\n".join(block.lines)
        for found in IMAGE.finditer(text):
            target = found["target"] or found["src"]
            line = block.first + text.count("\n", 0, found.start())
            yield Part(line, LANGUAGE_IN_NAME.sub("", target), f"the image {target}")


def links(page: Page) -> Iterator[Part]:
    """Where links within the site lead, sorted: words may stand in another order. Images are a kind of their own."""
    drawn = {part.shown.removeprefix("the image ") for part in images(page)}
    found = (
        Part(link.line, link.target, f"a link to {link.target}") for link in links_of(page) if link.target not in drawn
    )
    return iter(sorted(found, key=lambda part: str(part.key)))


def formulas(page: Page) -> Iterator[Part]:
    """Formulas on lines of their own; words in them are each language's own."""
    for block in page.texts:
        text = "\n".join(block.lines)
        for found in FORMULA.finditer(text):
            line = block.first + text.count("\n", 0, found.start())
            yield Part(line, WORDS_IN_FORMULA.sub("", found["formula"]), f"$${found['formula'].strip()}$$")


def deep_headings(page: Page) -> Iterator[Part]:
    """Headings in lists and quotes, which begin no section."""
    for block in page.texts:
        if heading_in(block) and not block.lines[0].startswith("#"):
            yield Part(block.first, "heading", "a heading within a list or quote")


# What is compared within each section: how a message calls several of them, and where they come from.
PARTS: Mapping[str, Callable[[Page], Iterator[Part]]] = {
    "references": references,
    "times": times,
    "includes": included,
    "fences": fences,
    "tables": tables,
    "notes and questions": notes,
    "numbered items": numbered,
    "images": images,
    "links": links,
    "formulas": formulas,
    "headings in lists": deep_headings,
}
