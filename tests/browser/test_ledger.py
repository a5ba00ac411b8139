"""The evidence ledger and the list of records, as a visitor uses them."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

SHOWN = ".ledger-entry:visible"


@pytest.mark.parametrize(("path", "said"), [("evidence/", "显示"), ("en/evidence/", "shown")])
def test_the_filter_works_by_keyboard_and_says_how_many(path, said, visit):
    tab = visit().open(path)
    every = tab.locator(".ledger-entry").count()
    select = tab.locator("select[name=kind]")
    assert tab.locator(SHOWN).count() == every
    select.focus()
    tab.keyboard.press("ArrowDown")
    kind = select.input_value()
    assert kind
    assert 0 < tab.locator(SHOWN).count() < every
    assert set(tab.locator(SHOWN).evaluate_all("all => all.map(e => e.dataset.kind)")) == {kind}
    expect(tab.locator(".ledger-filter output")).to_contain_text(said)
    expect(tab.locator(".ledger-filter output")).to_contain_text(str(tab.locator(SHOWN).count()))


def test_filters_add_up_and_groups_without_entries_go(visit):
    tab = visit().open("evidence/")
    tab.select_option("select[name=verdict]", "contradicted")
    contradicted = tab.locator(SHOWN).count()
    assert contradicted
    assert tab.locator(".ledger-group:visible").count() < tab.locator(".ledger-group").count()
    tab.fill("input[name=text]", "no such words")
    expect(tab.locator(SHOWN)).to_have_count(0)
    expect(tab.locator(".ledger-nothing")).to_be_visible()
    tab.click(".ledger-filter button")
    assert tab.locator(SHOWN).count() > contradicted


def test_the_address_keeps_the_choice(visit, site_url):
    tab = visit().open("evidence/")
    tab.select_option("select[name=verdict]", "contradicted")
    tab.fill("input[name=text]", "batch")
    expected = tab.locator(SHOWN).count()
    tab.reload()
    assert tab.locator("select[name=verdict]").input_value() == "contradicted"
    assert tab.locator(SHOWN).count() == expected


def test_a_link_to_an_entry_shows_it_whatever_is_filtered(visit):
    tab = visit().open("evidence/?verdict=contradicted")
    hidden = tab.locator(".ledger-entry[data-verdict=none]").first.get_attribute("id")
    tab.evaluate("name => { location.hash = name }", hidden)
    expect(tab.locator(f"[id='{hidden}']")).to_be_in_viewport()
    assert tab.locator("select[name=verdict]").input_value() == ""


def test_an_unknown_choice_in_the_address_is_none(visit):
    tab = visit().open("evidence/?kind=rumour&source=<b>")
    assert tab.locator(SHOWN).count() == tab.locator(".ledger-entry").count()


@pytest.mark.parametrize("path", ["evidence/", "en/evidence/"])
def test_every_entry_is_listed_without_javascript(path, visit):
    """And there is no form that would do nothing."""
    tab = visit(javascript=False).open(path)
    assert tab.locator(SHOWN).count() == tab.locator(".ledger-entry").count() > 20
    assert not tab.locator(".ledger-filter").is_visible()


def test_controls_have_labels(visit):
    tab = visit().open("en/evidence/")
    for name in ("Kind of evidence", "Verdict", "Source"):
        expect(tab.get_by_role("combobox", name=name, exact=True)).to_be_visible()
    expect(tab.get_by_role("searchbox", name="Contains", exact=True)).to_be_visible()


@pytest.mark.parametrize("path", ["measurements/", "en/measurements/"])
def test_every_record_can_be_opened(path, visit):
    tab = visit().open(path)
    links = tab.locator(".ledger-records td a").evaluate_all("all => all.map(e => e.href)")
    assert links
    for link in links:
        answer = tab.request.get(link)
        assert answer.ok, link
        assert answer.json()["status"] == "ok"
