"""The terms of docs/glossary.toml: the list of all, and in running text the first of each section with its meaning."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from xml.etree.ElementTree import Element

from markdown.util import AtomicString

from build_tools.figures.resolve import Ledger
from build_tools.ledger.glossary import Mention, Term, entries, load_glossary, mentions
from build_tools.model import Language
from build_tools.render import translation_words as words
from build_tools.render.card import CARD
from build_tools.render.html import Html, tag
from build_tools.render.notes import note
from build_tools.render.page import Page
from build_tools.render.words import say

Stash = Callable[[str], str]  # HTML to the mark that stands for it in the text
OTHER: dict[Language, Language] = {"zh": "en", "en": "zh"}
HTML_LANG: dict[Language, str] = {"zh": "zh-CN", "en": "en"}
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
# Where a word is a name, a label or code, or a link already.
NOT_RUNNING_TEXT = HEADINGS | {"a", "abbr", "button", "code", "kbd", "label", "math", "pre", "script", "style",
                               "summary", "svg", "th"}  # fmt: skip
# Of the words that are right besides the agreed one: `optimiser step`, `FSDP` and `全局批大小` are the term and nothing
# else; `step`, `window` and `更新` are everyday words as well.
UNMISTAKABLE = re.compile(r"\w[\s-]+\w|[A-Z]{2}|[a-z][A-Z]|[一-鿿]{4}")
NOT_RUNNING_CLASSES = {"admonition-title", "arithmatex", "tabbed-labels", "footnote", "toc"}


def glossary(ledger: Ledger, page: Page) -> Html:
    """The fence: every term with its word in the other language and its meaning, each with an anchor."""
    found = entries(load_glossary(ledger.root), page.language)
    if not found:
        return note(say(words.NO_TERMS, page.language))
    lines: list[Html] = []
    for entry in found:
        other = tag("span", entry.other, class_="other", lang=HTML_LANG[OTHER[page.language]])
        lines += [tag("dt", entry.word, " ", other, id=entry.id), tag("dd", entry.means)]
    return tag("dl", *lines, class_="ledger-glossary")


def definition(page: Page, term: Term, shown: str) -> Html:
    """The word as a link to the glossary, with a card that says what it means."""
    language, other = page.language, OTHER[page.language]
    home = page.glossary(term.id)
    head = tag("span", term.word(language), " ", tag("span", term.word(other), class_="other", lang=HTML_LANG[other]),
               class_="head")  # fmt: skip
    means = tag("span", term.means.in_(language), class_="means")
    links = tag("span", tag("a", say(words.TO_GLOSSARY, language), href=home), class_="links")
    card = tag(
        CARD, head, means, links, class_="ledger-card", popover="manual", hidden=True, role="group",
        aria_label=term.word(language), data_search_exclude=True,
    )  # fmt: skip
    return Html(tag("a", shown, class_="ledger-term", href=home) + card)


class Definitions:
    """Puts definitions into the text of a page, at the first mention of each term in a section."""

    def __init__(self, page: Page, terms: Sequence[Term], stash: Stash) -> None:
        self.page, self.terms, self.stash = page, terms, stash
        self._seen: set[str] = set()

    def put_into(self, root: Element) -> None:
        for block in root:
            if block.tag in HEADINGS:
                self._seen.clear()
            self._element(block)

    def _element(self, element: Element) -> None:
        if element.tag in NOT_RUNNING_TEXT or NOT_RUNNING_CLASSES & set(element.get("class", "").split()):
            return
        element.text = self._text(element.text)
        for child in element:
            self._element(child)
            child.tail = self._text(child.tail)

    def _text(self, text: str | None) -> str | None:
        if not text or isinstance(text, AtomicString) or not text.strip():
            return text
        parts, position = [], 0
        for mention in self._first(text):
            start, end = mention.span
            shown = definition(self.page, mention.term, text[start:end])
            parts += [text[position:start], self.stash(shown)]
            position = end
        return "".join([*parts, text[position:]])

    def _first(self, text: str) -> Iterator[Mention]:
        """The first mention of each term by a word that means nothing else."""
        for mention in mentions(self.terms, self.page.language, text):
            if mention.term.id not in self._seen and (mention.agreed or UNMISTAKABLE.search(mention.form)):
                self._seen.add(mention.term.id)
                yield mention
