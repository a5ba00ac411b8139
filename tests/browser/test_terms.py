"""Terms of the glossary in running text: what they mean, by mouse, keyboard and touch, and without JavaScript."""

from __future__ import annotations

import json
import re

import pytest
from browser.conftest import ROOT
from browser.test_marks import OPEN, focus
from browser.test_site import violations
from playwright.sync_api import expect

from build_tools.ledger.glossary import load_glossary

TERM = "article .ledger-term"
LECTURE = "lectures/gradient-accumulation/"
LECTURES = [LECTURE, f"en/{LECTURE}"]


@pytest.mark.parametrize("path", LECTURES)
def test_tab_shows_what_a_term_means_and_escape_hides_it(path, visit):
    """The focus stays on the term, and a screen reader is told that something opens."""
    tab = visit().open(path)
    term = tab.locator(TERM).first
    focus(tab, term)
    expect(term).to_be_focused()
    expect(tab.locator(f"{OPEN} .means")).to_be_visible()
    expect(term).to_have_attribute("aria-expanded", "true")

    tab.keyboard.press("Escape")
    expect(tab.locator(OPEN)).to_have_count(0)
    expect(term).to_be_focused()


def test_enter_follows_a_term_to_its_place_in_the_glossary(visit):
    tab = visit().open(LECTURE)
    term = tab.locator(TERM).first
    focus(tab, term)
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/glossary/#*")
    assert tab.locator("dt:target").count() == 1
    expect(tab.locator("dt:target")).to_be_in_viewport()


@pytest.mark.parametrize("path", LECTURES)
def test_a_tap_shows_the_meaning_within_a_phone_s_screen(path, visit):
    """Of each term, without leaving the page; a tap elsewhere hides it."""
    tab = visit(width=390, height=844, touch=True).open(path)
    address, terms = tab.url, tab.locator(TERM)
    assert terms.count() > 5
    for number in range(min(terms.count(), 12)):
        terms.nth(number).evaluate("term => term.scrollIntoView({block: 'center'})")
        terms.nth(number).tap()
        box = tab.locator(OPEN).bounding_box()
        assert box["x"] >= 0, number
        assert box["x"] + box["width"] <= 390, number
        tab.touchscreen.tap(195, 20 if box["y"] > 60 else 834)
        expect(tab.locator(OPEN)).to_have_count(0)
    assert tab.url == address


@pytest.mark.parametrize("path", LECTURES)
def test_each_term_once_in_a_section_and_never_in_a_heading_link_or_code(path, visit):
    """What explains a line of code is running text, though the theme puts it there."""
    found = (
        visit()
        .open(path)
        .locator("article")
        .evaluate(
            """article => { const seen = new Set(), twice = [], wrong = [];
             for (const e of article.querySelectorAll('h1, h2, h3, h4, h5, h6, .ledger-term')) {
               if (!e.classList.contains('ledger-term')) { seen.clear(); continue; }
               if (e.parentElement.closest('h1, h2, h3, h4, h5, h6, a, code, pre, summary, th, .admonition-title') && !e.closest('.md-annotation')) wrong.push(e.textContent);
               if (seen.has(e.getAttribute('href'))) twice.push(e.textContent);
               seen.add(e.getAttribute('href')); }
             return [twice, wrong]; }"""
        )
    )
    assert found == [[], []]


def test_a_term_is_a_link_without_javascript(visit):
    tab = visit(javascript=False).open(LECTURE)
    assert not tab.locator(".ledger-card:visible").count()
    tab.locator(TERM).first.click()
    assert re.search(r"/glossary/#[a-z-]+$", tab.url)


def test_the_glossary_page_has_every_term_with_its_anchor(pages, visit):
    """In both languages the same anchors."""
    terms = {term.id for term in load_glossary(ROOT).terms}
    for path in ("glossary/", "en/glossary/"):
        tab = visit().open(path)
        assert set(tab.locator("dl.ledger-glossary dt").evaluate_all("all => all.map(dt => dt.id)")) == terms


def test_meanings_are_found_on_the_glossary_page_alone(built_site):
    """By a search; they stand on every page that uses the term."""
    term = load_glossary(ROOT).terms[0]
    for place, means in (("", term.means.zh), ("en/", term.means.en)):
        index = json.loads((built_site / place / "search/search_index.json").read_text(encoding="utf-8"))
        homes = {
            entry["location"].partition("#")[0]
            for entry in index["docs"]
            if means in entry["text"].replace("\u200b", "")
        }
        assert homes == {"glossary/"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_serious_in_an_open_meaning(width, scheme, visit):
    problems = []
    for path in (*LECTURES, "glossary/"):
        tab = visit(width=width, scheme=scheme).open(path)
        if path != "glossary/":
            tab.locator(TERM).first.click()
            expect(tab.locator(OPEN)).to_be_visible()
        problems += [f"{path}: {problem}" for problem in violations(tab)]
    assert not problems, "\n".join(problems)
