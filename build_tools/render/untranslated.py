"""A page that is not translated yet: a notice, and below it the Chinese text as Markdown, rendered like any other."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from build_tools.errors import LedgerError, Place
from build_tools.render import translation_words as words
from build_tools.render.html import Html, tag
from build_tools.render.page import Page
from build_tools.render.words import say
from build_tools.syntax import Node, parse
from build_tools.translations import SOURCE, STUB, TRANSLATION, is_stub, read

Stash = Callable[[str], str]  # HTML to the mark that stands for it in the Markdown
OPEN, CLOSE = '<div class="ledger-untranslated" lang="zh-CN">', "</div>"


def untranslated(page: Page) -> Html:
    """The fence itself: the notice, in the language of the page that is missing."""
    to_source = link(page.source or "", say(words.TO_SOURCE, "en"))
    said = tag("p", say(words.UNTRANSLATED, "en"), " ", to_source)
    return tag("div", said, class_="ledger-translation", role="note", lang="en", data_search_exclude=True)


def link(address: str, name: str) -> Html:
    """To a page in Chinese."""
    return tag("a", name, href=address, hreflang="zh-CN")


def original(root: Path, path: Path) -> Path:
    """The file whose text a page shows: of a stub the Chinese page, of any other itself."""
    source = source_of(root, path)
    with suppress(LedgerError):  # what cannot be read is told where it is checked
        return source if source and source.is_file() and is_stub(read(path)) else path
    return path


def source_of(root: Path, path: Path) -> Path | None:
    """The Chinese page that a page translates; None for a page that is no translation."""
    folder = root / TRANSLATION
    return root / SOURCE / path.relative_to(folder) if path.is_relative_to(folder) else None


def stub_problem(root: Path, path: Path, node: Node) -> LedgerError | None:
    """What is wrong with a fence `untranslated` on this page, or None."""
    if node.kind != STUB or node.problem:
        return None
    source = source_of(root, path)
    if source is None:
        return LedgerError(f"{STUB} stands on pages of {TRANSLATION} only: it shows the Chinese page of the same name")
    if not source.is_file():
        return LedgerError(f"{STUB}: there is no {Place(source)} to show")
    if node.column != 1:
        return LedgerError(f"{STUB} stands by itself at the beginning of a line: it shows a whole page")
    return None


def with_original(lines: list[str], chinese: list[str], stash: Stash) -> list[str]:
    """A stub's lines, with the Chinese ones behind its fence."""
    fence = next(node for node in parse("\n".join(lines), front_matter=False) if node.kind == STUB)
    shown = ["", stash(OPEN), "", *chinese, "", stash(CLOSE), ""]
    return [*lines[: fence.span[1]], *shown, *lines[fence.span[1] :]]
