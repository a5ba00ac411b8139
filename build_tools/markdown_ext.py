"""Our fences and roles in Python-Markdown, under MkDocs and Zensical alike.

SuperFences finds our fences (mkdocs.yml names `validate` and `fence` for each kind), so that they work in lists, tabs
and admonitions; a preprocessor first gives each its number, as SuperFences cannot read `a@b` in an info string.
Where a page goes wrong, it says so visibly and a line is logged; an exception would leave no page at all.
"""

from __future__ import annotations

import html
import logging
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, cast
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from build_tools.errors import LedgerError, Place
from build_tools.figures.resolve import current_ledger
from build_tools.ledger.glossary import load_glossary
from build_tools.model import Language
from build_tools.render.code import with_indents
from build_tools.render.formula import mathml
from build_tools.render.glossary import Definitions
from build_tools.render.header_card import below_title, card_of, header_card
from build_tools.render.html import Html, tag
from build_tools.render.nodes import Renderer, located, read_page
from build_tools.render.page import Page
from build_tools.render.stale import with_notices
from build_tools.render.untranslated import original, source_of, stub_problem, with_original
from build_tools.store import project_root
from build_tools.syntax import FENCES, ROLE_START, Node, page_video, parse, roles_in, split_lines
from build_tools.syntax.times import Video
from build_tools.translations import STUB, TRANSLATION, stale_sections
from build_tools.translations import untranslated as chinese_text
from build_tools.which_page import where

NAME = "ledger"
COMMITTED_ONLY = "LEDGER_COMMITTED_ONLY"
PREVIEW = "python -m build_tools build --no-measure"
# `mkdocs build --strict` counts what loggers below "mkdocs" warn of.
log = logging.getLogger("mkdocs.plugins.ledger")

TICKS = re.compile(r"`{3,}|~{3,}")
# Python-Markdown runs higher numbers first.
BEFORE_SUPERFENCES = 25.5
BEFORE_CODE_SPANS = 195
AFTER_INLINE = 15
AFTER_ATTRIBUTES = 4
AFTER_RAW_HTML = 15
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}


class LedgerExtension(Extension):
    """`build_tools.markdown_ext: {lang: zh}`."""

    def __init__(self, **options: Any) -> None:
        self.config = {"lang": ["zh", "language of what is rendered: zh or en"]}
        super().__init__(**options)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802, Python-Markdown's name
        language = self.getConfig("lang")
        if language not in {"zh", "en"}:
            raise ValueError(f"build_tools.markdown_ext: lang is zh or en, not {language!r}")
        md.preprocessors.register(_Document(md, language), NAME, BEFORE_SUPERFENCES)
        md.inlinePatterns.register(_Roles(ROLE_START, md), NAME, BEFORE_CODE_SPANS)
        md.treeprocessors.register(_Formulas(md), NAME, AFTER_INLINE)
        md.treeprocessors.register(_Terms(md), f"{NAME}-terms", AFTER_ATTRIBUTES)
        md.postprocessors.register(_Code(md), NAME, AFTER_RAW_HTML)


def makeExtension(**options: Any) -> LedgerExtension:  # noqa: N802, Python-Markdown's name
    return LedgerExtension(**options)


# What mkdocs.yml names for SuperFences


def validate(language: str, inputs: dict[str, str], options: dict[str, Any], attrs: dict[str, str], md: Any) -> bool:
    """Ours are the fences that the preprocessor has numbered; one in a comment or in indented code is not."""
    if "node" not in inputs:
        return False
    options["node"] = int(inputs["node"])
    return True


def fence(source: str, language: str, class_name: str, options: dict[str, Any], md: Markdown, **_: Any) -> str:
    return _document(md).fence(options["node"])


# The document being converted


class _Document(Preprocessor):
    """Knows the page that is being converted, its nodes, and how to render them."""

    def __init__(self, md: Markdown, language: Language) -> None:
        super().__init__(md)
        self.language: Language = language
        self.page = Page(language)
        self.nodes: list[Node] = []
        self._source: list[Node] = []

    def run(self, lines: list[str]) -> list[str]:
        """Number our fences; set them off by blank lines, without which they would stay inside a paragraph."""
        self._read()
        self._renderer = self._new_renderer()
        lines = self._with_card(self._with_translation(split_lines("\n".join(lines))))
        seen = parse("\n".join(lines), front_matter=False)
        self.nodes = [node for node in seen if node.is_fence]
        self._source = self._source_nodes() if self.text_path else seen
        numbered, beyond = list(lines), max(map(len, TICKS.findall("\n".join(lines))), default=2) + 1
        for number, node in reversed(list(enumerate(self.nodes))):
            first, last = node.span
            prefix, ticks = _opening(lines[first - 1])
            blank = prefix.rstrip(" \t")
            body = lines[first:last]
            if node.problem:
                # Its error needs a place to stand even where it is never closed or so deep that it would be code: here,
                # with more ticks than any other fence has, or it would close one of these.
                prefix, blank, ticks = "", "", ticks[0] * beyond
                body = [ticks]
            kind = node.kind if node.kind in FENCES else next(iter(FENCES))
            numbered[first - 1 : last] = [blank, f'{prefix}{ticks}{kind} node="{number}"', *body, blank]
        return numbered

    def fence(self, number: int) -> Html:
        return self.rendered(self.nodes[number], "div")

    def rendered(self, node: Node, element: Literal["div", "span"], *, cards: bool = True) -> Html:
        """The node as HTML; what is wrong with it, where something is."""
        try:
            if isinstance(self._renderer, LedgerError):
                raise self._renderer
            if node.kind == STUB and (problem := self._stub_problem(node)):
                raise problem
            if node.kind == "at" and (problem := self._page_problem(node)):
                raise problem
            on = self._renderer
            return (on if cards else Renderer(on.ledger, replace(on.page, cards=False))).render(node)
        except LedgerError as problem:
            return self.failed(self._located(problem, node), element)
        except Exception as error:  # a mistake of ours: SuperFences would swallow it, Zensical would drop the page
            log.exception("%s of %s", node.kind, self.path)
            return self.failed(LedgerError(f"{type(error).__name__}: {error}"), element)

    def failed(self, problem: LedgerError, element: Literal["div", "span"]) -> Html:
        log.error("%s", problem)
        return tag(element, str(problem), class_="ledger-error", role="alert")

    def _new_renderer(self) -> Renderer | LedgerError:
        try:
            ledger = current_ledger(project_root(), committed_only=os.environ.get(COMMITTED_ONLY) == "1")
        except LedgerError as problem:
            return problem
        self.page = replace(self.page, old_days=ledger.settings.age.old_days)
        return Renderer(ledger, self.page)

    def _read(self) -> None:
        """Which file's text this is, and what a rendered piece must know of the page.

        A stub shows the Chinese page, in its words, with the links of the Chinese site.
        """
        self.root = _project(self.path)
        here = where(self.md)
        root, path = "../" * here.depth, here.path
        self.text_path = original(self.root, path) if self.root and path else path
        translated = self.root is not None and path is not None and source_of(self.root, path) is not None
        source = f"{root}../{here.address}" if translated else None
        self.page = Page(self.language, root, self._video(), source=source)
        self.own_page = self.page
        if self.is_stub:
            self.page = replace(self.page, language="zh", root=f"{root}../")

    @property
    def is_stub(self) -> bool:
        return self.text_path != self.path

    def _with_translation(self, lines: list[str]) -> list[str]:
        """With the Chinese text where there is no translation yet, and notices where it is behind."""
        root, path = self.root, self.path
        if root is None or path is None or self.page.source is None:
            return lines
        name, stash = path.relative_to(root / TRANSLATION).as_posix(), self.md.htmlStash.store
        try:
            if self.is_stub:
                chinese = split_lines(chinese_text(root, name))
                if "snippet" in self.md.preprocessors:  # whose turn is over
                    chinese = self.md.preprocessors["snippet"].run(chinese)
                return with_original(lines, chinese, stash)
            return with_notices(lines, self.page, stale_sections(root, name), stash)
        except LedgerError as problem:
            return ["", stash(self.failed(problem, "div")), "", *lines]

    def _with_card(self, lines: list[str]) -> list[str]:
        """With what the page's own front matter says of its source, in the page's own language."""
        path, renderer = self.path, self._renderer
        if path is None or isinstance(renderer, LedgerError):  # told by every number of the page
            return lines
        try:
            card, problems = card_of(path, read_page(path), renderer.ledger)
        except LedgerError:  # told by the check of pages
            return lines
        shown = [self.failed(problem, "div") for problem in problems]
        shown += [header_card(renderer.ledger, self.own_page, card)] if card else []
        return below_title(lines, shown, self.md.htmlStash.store)

    def _video(self) -> Video | None:
        """Builders keep the front matter to themselves; the page's file has it."""
        try:
            return page_video(read_page(self.text_path)) if self.text_path else None
        except LedgerError:
            return None

    def _stub_problem(self, node: Node) -> LedgerError | None:
        return stub_problem(self.root, self.path, node) if self.root and self.path else None

    def _page_problem(self, node: Node) -> LedgerError | None:
        """What only the page as a whole tells of a time: that it goes back, or lies beyond the video."""
        same = (seen for seen in self._source if (seen.kind, seen.text) == (node.kind, node.text))
        return next((seen.problem for seen in same if seen.problem), None)

    def _located(self, problem: LedgerError, node: Node) -> LedgerError:
        """With file and line of the source: front matter and includes have shifted the lines seen here."""
        if self.path is None or self.text_path is None:
            return problem
        same = [seen for seen in self._source if (seen.kind, seen.text, seen.body) == _identity(node)]
        wrong = [seen.line for seen in same if seen.problem] or [seen.line for seen in same]
        path = self.path if node.kind == STUB else self.text_path
        return located(problem, node, path, line=next(iter(wrong), None))

    def _source_nodes(self) -> list[Node]:
        try:
            return parse(read_page(cast(Path, self.text_path)))
        except LedgerError:
            return []

    @property
    def path(self) -> Path | None:
        """The page's source file."""
        return where(self.md).path


def _project(path: Path | None) -> Path | None:
    """The project that a page belongs to; None for a text that belongs to none."""
    try:
        return project_root() if path else None
    except LedgerError:
        return None


def _document(md: Markdown) -> _Document:
    return cast(_Document, md.preprocessors[NAME])


def _identity(node: Node) -> tuple[str, str, str]:
    return node.kind, node.text, node.body


def _opening(line: str) -> tuple[str, str]:
    """Indentation with quote marks, and the fence itself."""
    found = re.match(r"([> \t]*)(`+|~+)", line)
    assert found is not None  # the parser saw a fence here
    return found[1], found[2]


class _Roles(InlineProcessor):
    """Roles, before code spans; which braces are one is for the grammar to say."""

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[Any, Any, Any]:  # type: ignore[override]  # noqa: N802
        node = next((node for node in roles_in(data) if node.span[0] == m.start(0)), None)
        if node is None:
            return None, None, None
        in_heading = not HEADINGS.isdisjoint(getattr(self.md.treeprocessors["inline"], "ancestors", ()))
        rendered = _document(self.md).rendered(node, "span", cards=not in_heading)
        return self.md.htmlStash.store(rendered), *node.span


class _Formulas(Treeprocessor):
    """What pymdownx.arithmatex (`generic: true`) leaves for a script in the browser becomes MathML here."""

    def run(self, root: Element) -> None:
        for element in root.iter():
            if element.tag in {"span", "div"} and element.get("class") == "arithmatex" and element.text:
                latex = html.unescape(element.text.strip())[2:-2].strip()
                element.text = AtomicString(self.md.htmlStash.store(self._formula(latex, element.tag)))

    def _formula(self, latex: str, element: str) -> Html:
        try:
            return mathml(latex, "inline" if element == "span" else "block")
        except LedgerError as problem:
            document = _document(self.md)
            place = Place(document.path, _line_of(latex, document.path)) if document.path else None
            return document.failed(problem.at(place, next_command=PREVIEW) if place else problem, "span")


class _Terms(Treeprocessor):
    """Words of the glossary say what they mean, where the project has a page of all of them."""

    def run(self, root: Element) -> None:
        document = _document(self.md)
        page, project = document.page, document.root
        home = project / "docs" / page.language / "glossary.md" if project else None
        if project and home and home.is_file() and document.path != home:
            Definitions(page, load_glossary(project).terms, self.md.htmlStash.store).put_into(root)


class _Code(Postprocessor):
    def run(self, text: str) -> str:
        return with_indents(text)


def _line_of(latex: str, path: Path) -> int | None:
    """The first line of a file with the beginning of this formula on it."""
    beginning = latex.split("\n", 1)[0]
    lines = split_lines(path.read_text(encoding="utf-8-sig", errors="replace")) if path.is_file() else []
    return next((number for number, line in enumerate(lines, 1) if beginning in line), None)
