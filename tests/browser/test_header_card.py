"""The header card of a lecture, and the notes on its code, as a reader meets them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

CARD = "article > h1 + section.ledger-header-card"
WIDTH = """() => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)"""
NUMBER = re.compile(r'<span class="c1?">[^<]*\(\d+\)!?</span>')
NOTE = ".md-annotation > .md-tooltip--active, .md-tooltip2--active"


@pytest.fixture
def lectures(pages):
    """Pages with a card, in both languages."""
    found = [page for page in pages if "ledger-header-card" in page.file.read_text(encoding="utf-8")]
    assert {page.language for page in found} == {"zh", "en"}
    return found


@pytest.mark.parametrize("javascript", [True, False], ids=["javascript", "no-javascript"])
@pytest.mark.parametrize("width", [390, 1440])
def test_the_card_stands_below_the_title(width, javascript, lectures, visit):
    visitor = visit(width=width, javascript=javascript)
    for page in lectures:
        tab = visitor.open(page.path)
        card = tab.locator(CARD)
        expect(card).to_be_visible()
        assert all(text.strip() for text in card.locator("dt, dd").all_inner_texts())
        assert card.evaluate("card => card.scrollWidth <= card.clientWidth"), page.path
        assert card.evaluate("card => card.getBoundingClientRect().right <= document.documentElement.clientWidth")
        assert card.evaluate("card => card.getBoundingClientRect().height") < (400 if width == 390 else 220), page.path


def test_a_material_leads_to_its_statements_in_the_ledger(lectures, visit):
    visitor = visit()
    for page in lectures:
        tab = visitor.open(page.path)
        links = tab.locator(f"{CARD} .sources a")
        assert links.count(), page.path
        for address in links.evaluate_all("links => links.map(link => link.href)"):
            tab.goto(address)
            expect(tab.locator(f"[id='{address.partition('#')[2]}']")).to_be_visible()


# ---------------------------------------------------------------- notes on code


@pytest.fixture
def annotated(pages):
    """Pages with numbers in comments of their code, of which the theme makes notes."""
    found = [page for page in pages if NUMBER.search(page.file.read_text(encoding="utf-8"))]
    assert any("lectures/" in page.path for page in found)
    return found


def test_closed_notes_do_not_widen_a_page_opened_as_a_file(annotated, visit):
    """There the theme's script ends before it takes them away."""
    visitor = visit(width=390, height=844)
    wide = {}
    for page in annotated:
        visitor.tab.goto(page.file.as_uri(), wait_until="load")
        expect(visitor.tab.locator(".md-annotation").first).to_be_attached()
        if by := visitor.tab.evaluate(WIDTH):
            wide[page.path] = by
    assert not wide


@pytest.mark.parametrize("how", ["tap", "keyboard"])
def test_notes_on_code_open_within_a_phone(how, annotated, visit):
    visitor = visit(width=390, height=844, touch=True)
    for page in annotated:
        tab = visitor.open(page.path)
        expect(tab.locator(".md-annotation").first).to_be_attached()
        for note in tab.locator(".md-annotation").all():
            if not note.is_visible():
                continue
            if how == "tap":
                note.locator(".md-annotation__index").tap()
            else:
                note.focus()
            expect(tab.locator(NOTE)).to_be_visible()
            box = tab.locator(NOTE).bounding_box()
            assert box["x"] >= 0, page.path
            assert box["x"] + box["width"] <= 390, page.path
            assert tab.locator(NOTE).inner_text().strip()
            assert tab.evaluate(WIDTH) == 0, page.path
            tab.evaluate("document.activeElement.blur()")
            expect(tab.locator(NOTE)).to_have_count(0)
