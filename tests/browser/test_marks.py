"""Marks and their cards: by mouse, keyboard and touch, without JavaScript, and for whoever sees no colours."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest
from browser.test_site import violations
from playwright.sync_api import expect

MARK = "article .ledger-mark[aria-controls]"
CLAIM = "article .ledger-mark[aria-controls][href*='evidence/#']"
OPEN = ".ledger-card:popover-open"
PAGES = ["legend/", "evidence/", "measurements/", "lectures/gradient-accumulation/"]
EVERY = [place + page for place in ("", "en/") for page in PAGES]


class Anchors(HTMLParser):
    """Ids of a page, and where its marks and verdicts lead."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        names = {name: value or "" for name, value in attributes}
        self.ids += [names["id"]] if "id" in names else []
        if tag == "a" and {"ledger-mark", "ledger-verdict"} & set(names.get("class", "").split()):
            self.links.append(names["href"])


def anchors(page) -> Anchors:
    found = Anchors()
    found.feed(page.file.read_text(encoding="utf-8"))
    return found


def test_every_mark_leads_to_an_anchor_that_is_there(pages, site_url):
    """Without JavaScript that is all a mark does."""
    known = {page.path: anchors(page) for page in pages}
    ids = {urljoin(site_url, path): set(found.ids) for path, found in known.items()}
    broken = [
        f"{path}: {link}"
        for path, found in known.items()
        for link in found.links
        if (target := urlsplit(urljoin(urljoin(site_url, path), link))).fragment
        not in ids.get(target._replace(fragment="").geturl(), ())
    ]
    assert sum(len(found.links) for found in known.values()) > 20
    assert not broken, "\n".join(broken[:20])


def test_no_id_stands_twice_on_a_page(pages):
    for page in pages:
        found = anchors(page).ids
        assert sorted(set(found)) == sorted(found), page.path


# ------------------------------------------------------------------ keyboard


def focus(tab, mark) -> None:
    """As Tab does: on the mark, coming from what stands before it."""
    mark.evaluate("mark => mark.scrollIntoView({block: 'center'})")
    mark.evaluate(
        """mark => { const all = [...document.querySelectorAll('a[href], button, input, select, [tabindex="0"]')]
          .filter(e => e.getClientRects().length && e.tabIndex >= 0); all[all.indexOf(mark) - 1].focus({preventScroll: true}); }"""
    )
    tab.keyboard.press("Tab")


def test_tab_opens_a_card_and_escape_closes_it(visit):
    tab = visit().open("legend/")
    mark = tab.locator(MARK).first
    focus(tab, mark)
    expect(mark).to_be_focused()
    expect(tab.locator(OPEN)).to_be_visible()
    expect(mark).to_have_attribute("aria-expanded", "true")

    tab.keyboard.press("Escape")
    expect(tab.locator(OPEN)).to_have_count(0)
    expect(mark).to_be_focused()
    expect(mark).to_have_attribute("aria-expanded", "false")


def test_tab_goes_through_the_card_s_links_and_on(visit):
    """Nobody is trapped: behind the last link comes what follows the mark, and the card is gone."""
    tab = visit().open("legend/")
    focus(tab, tab.locator(MARK).first)
    links = tab.locator(f"{OPEN} a").count()
    assert links
    for _ in range(links):
        tab.keyboard.press("Tab")
        assert tab.evaluate(f"document.activeElement.closest({OPEN!r}) !== null")
    tab.keyboard.press("Tab")
    assert tab.evaluate(
        "document.activeElement.closest('.ledger-card') === null && document.activeElement !== document.body"
    )
    visible = tab.locator(OPEN)
    assert visible.count() == 0 or visible.evaluate("card => card.previousElementSibling === document.activeElement")


def test_escape_within_a_card_goes_back_to_its_mark(visit):
    tab = visit().open("legend/")
    mark = tab.locator(MARK).first
    focus(tab, mark)
    tab.keyboard.press("Tab")
    tab.keyboard.press("Escape")
    expect(mark).to_be_focused()
    expect(tab.locator(OPEN)).to_have_count(0)


def test_enter_follows_the_link(visit):
    tab = visit().open("legend/")
    mark = tab.locator(CLAIM).first
    wanted = mark.evaluate("mark => mark.href")
    focus(tab, mark)
    tab.keyboard.press("Enter")
    tab.wait_for_url(wanted)
    expect(tab.locator(f"[id='{urlsplit(wanted).fragment}']")).to_be_in_viewport()


# ------------------------------------------------------------ mouse and touch


def test_a_click_opens_the_card_and_another_closes_it(visit):
    tab = visit().open("legend/")
    mark, address = tab.locator(CLAIM).first, tab.url
    mark.click()
    expect(tab.locator(OPEN)).to_be_visible()
    assert tab.url == address

    mark.click()
    expect(tab.locator(OPEN)).to_have_count(0)
    mark.click()
    tab.locator("h1").click()
    expect(tab.locator(OPEN)).to_have_count(0)


def test_the_card_opens_on_hovering_and_stays_while_the_pointer_is_on_it(visit):
    tab = visit().open("legend/")
    tab.locator(MARK).first.hover()
    expect(tab.locator(OPEN)).to_be_visible()
    tab.locator(f"{OPEN} .links").hover()
    tab.wait_for_timeout(400)
    expect(tab.locator(OPEN)).to_be_visible()

    tab.locator("h1").hover()
    expect(tab.locator(OPEN)).to_have_count(0)


def test_a_click_with_a_modifier_is_the_browser_s(visit):
    tab = visit().open("legend/")
    with tab.context.expect_page() as opened:
        tab.locator(CLAIM).first.click(modifiers=["Control"])
    assert "evidence/#" in opened.value.url
    assert tab.url.endswith("/legend/")


@pytest.mark.parametrize("language", ["", "en/"])
def test_a_tap_opens_the_card_within_a_phone_s_screen(language, visit):
    """Of every mark, without leaving the page."""
    tab = visit(width=390, height=844, touch=True).open(f"{language}legend/")
    address, marks = tab.url, tab.locator(MARK)
    assert marks.count() > 5
    for number in range(marks.count()):
        marks.nth(number).evaluate("mark => mark.scrollIntoView({block: 'center'})")
        marks.nth(number).tap()
        card = tab.locator(OPEN)
        expect(card).to_be_visible()
        box = card.bounding_box()
        assert box["x"] >= 0, number
        assert box["x"] + box["width"] <= 390, number
        assert box["y"] >= 0, number
        assert box["y"] + box["height"] <= 844, number
        assert card.evaluate("card => card.scrollWidth <= card.clientWidth"), number
        tab.touchscreen.tap(195, 20 if box["y"] > 60 else 834)
        expect(card).to_have_count(0)
    assert tab.url == address


def test_a_link_in_a_card_can_be_tapped(visit):
    tab = visit(width=390, height=844, touch=True).open("legend/")
    tab.locator(CLAIM).first.tap()
    tab.locator(f"{OPEN} .links a").first.tap()
    tab.wait_for_url("**/evidence/#*")


# ---------------------------------------------------------- without JavaScript


@pytest.mark.parametrize("path", ["legend/", "en/legend/"])
def test_a_mark_is_a_link_without_javascript(path, visit):
    visitor = visit(javascript=False)
    tab = visitor.open(path)
    marks = tab.locator("article a.ledger-mark")
    assert tab.locator(".ledger-card").count()
    assert not tab.locator(".ledger-card:visible").count()

    wanted = tab.locator("article a.ledger-mark[href*='evidence/#']").first.evaluate("mark => mark.href")
    tab.locator("article a.ledger-mark[href*='evidence/#']").first.click()
    assert tab.url == wanted
    expect(tab.locator(f"[id='{urlsplit(wanted).fragment}']")).to_be_in_viewport()
    assert marks.count()
    assert not visitor.complaints


# --------------------------------------------------------- seeing and hearing


def test_shapes_differ_without_colours(visit):
    """Each kind and each verdict has a shape of its own, each state but fresh a frame of its own."""
    tab = visit().open("legend/")
    shapes = tab.locator("article p > span:is(.ledger-mark, .ledger-verdict):first-child").evaluate_all(
        """marks => marks.map(mark => ({
             name: 'verdict' in mark.dataset ? 'verdict ' + mark.dataset.verdict : (mark.dataset.freshness === 'fresh' ? mark.dataset.kind : mark.dataset.freshness),
             state: mark.dataset.freshness, shape: getComputedStyle(mark, '::before').maskImage,
             frame: ['borderTopStyle', 'borderTopWidth', 'borderInlineStartWidth'].map(n => getComputedStyle(mark)[n]).join() }))"""
    )
    named = {one["name"]: one for one in shapes}
    states = [one["frame"] for one in named.values() if one["state"] not in (None, "fresh")]
    kinds = [one["shape"] for one in named.values() if one["state"] in (None, "fresh")]
    assert len(kinds) >= 14
    assert all(shape.startswith("url(") for shape in kinds)
    assert len(set(kinds)) == len(kinds)
    assert len(states) == len(set(states)) == 5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_serious_in_an_open_card(width, scheme, visit):
    """Of each kind there is, in both languages."""
    problems = []
    for path in ("legend/", "en/legend/"):
        tab = visit(width=width, scheme=scheme).open(path)
        for kind in sorted(set(tab.locator(MARK).evaluate_all("marks => marks.map(mark => mark.dataset.kind)"))):
            tab.locator(f"{MARK}[data-kind={kind}]").first.click()
            expect(tab.locator(OPEN)).to_be_visible()
            problems += [f"{path}, {kind}: {problem}" for problem in violations(tab)]
            tab.keyboard.press("Escape")
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", EVERY)
def test_axe_finds_nothing_at_all_where_marks_are(path, scheme, visit):
    """Minor ones included, but for two: the theme's buttons beside code, and the empty corner of a Markdown table."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    tab = visit(scheme=scheme).open(path)
    found = axe.run(tab, context="article").response["violations"]
    ours = [one for one in found if one["id"] not in ("landmark-unique", "empty-table-header")]
    assert not [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in ours]


def test_cards_are_in_no_search_index(built_site):
    """Their words would be found on every page with a number."""
    for place in ("", "en/"):
        index = next(path for path in (built_site / place).glob("search*/search_index.json"))
        text = json.dumps(json.loads(index.read_text(encoding="utf-8")), ensure_ascii=False)
        assert not re.search(
            r"引用名：|用到的数：|次的中位数，|median of \d+, \d|reference: <code>", text.replace("\u200b", "")
        )


def test_nothing_of_a_card_is_printed(visit):
    tab = visit().open("legend/")
    tab.locator(MARK).first.click()
    tab.emulate_media(media="print")
    expect(tab.locator(".ledger-card").first).to_be_hidden()


# ---------------------------------------------------------------------- twins


@pytest.mark.parametrize("path", EVERY)
def test_each_page_leads_to_its_figures(path, visit, built_site):
    """A link for people and one for programs, and there is one figure for each mark with a card."""
    tab = visit().open(path)
    links = tab.locator("a[type='application/json'], link[type='application/json']").evaluate_all(
        "all => all.map(e => e.href)"
    )
    assert links == [urljoin(tab.url, "figures.json")] * 2
    expect(tab.locator("a[type='application/json']")).to_be_visible()
    twin = json.loads((built_site / path / "figures.json").read_text(encoding="utf-8"))
    shown = tab.locator(
        "article > :not(.ledger-evidence) .ledger-value[data-kind]:not([data-kind=hypothetical]) > .ledger-card"
    ).count()
    assert len([one for one in twin["figures"] if one["shown_by"] == "value"]) == shown
