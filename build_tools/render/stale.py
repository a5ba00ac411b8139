"""What an English page says where the Chinese text has moved on: at each section that did, with a way to the source."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from build_tools.render import translation_words as words
from build_tools.render.html import Html, joined, tag
from build_tools.render.page import Page
from build_tools.render.untranslated import Stash, link
from build_tools.render.words import say
from build_tools.syntax.sections import Section, sections
from build_tools.translations import Stale

MARKUP = re.compile(r"\{[\w-]+\}`[^`]*`|[`*_]")  # in a heading: roles, code and emphasis


def with_notices(lines: list[str], page: Page, stale: Sequence[Stale], stash: Stash) -> list[str]:
    """The page's lines with a notice below the heading of each section that is behind.

    Sections that no translator has looked at since are named once, below the page's title.
    """
    if not stale:
        return lines
    found = sections("\n".join(lines))
    headings = {section.id: section for section in found if section.id}
    notices = {headings[one.source.id].first: section_notice(page, one) for one in stale if _moved(one, headings)}
    if rest := [one for one in stale if not _moved(one, headings)]:
        top = next((section.first for section in found if section.level), 0)
        notices[top] = Html(page_notice(page, rest, headings) + notices.get(top, ""))
    shown = list(lines)
    for first in sorted(notices, reverse=True):
        shown[first:first] = ["", stash(notices[first]), ""]
    return shown


def _moved(one: Stale, headings: Mapping[str, Section]) -> bool:
    return one.accepted is not None and one.source.id in headings


def section_notice(page: Page, one: Stale) -> Html:
    to_section = link(_address(page, one), say(words.TO_SECTION, page.language))
    return _note(say(words.BEHIND, page.language), Html(f" {to_section}"))


def page_notice(page: Page, stale: Sequence[Stale], headings: Mapping[str, Section]) -> Html:
    """One for many sections: with their names, unless it is all of them."""
    if {one.source.id for one in stale} >= headings.keys():
        to_source = link(page.source or "", say(words.TO_SOURCE, page.language))
        return _note(say(words.PAGE_UNSEEN, page.language), Html(f" {to_source}"))
    links = [link(_address(page, one), _title(headings.get(one.source.id, one.source))) for one in stale]
    return _note(say(words.SECTIONS_UNSEEN, page.language), Html(f" {joined(' · ', links)}"))


def _note(said: str, behind: Html) -> Html:
    return tag("div", tag("p", said, behind), class_="ledger-translation", role="note", data_search_exclude=True)


def _address(page: Page, one: Stale) -> str:
    return f"{page.source}#{one.source.id}"


def _title(section: Section) -> str:
    return MARKUP.sub("", section.title).strip() or section.id
