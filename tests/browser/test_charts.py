"""Charts on a phone and a large screen: nothing tiny, nothing on top of each other, readable in both schemes."""

from __future__ import annotations

import pytest
from browser.test_site import violations

PAGES = ["memory/where-it-goes/", "en/memory/where-it-goes/"]
SMALLEST = 11  # pixels
AA = 4.5  # contrast of small text; WCAG 2.1, 1.4.3
GRAPHICS = 3.0  # and of lines that carry meaning; 1.4.11

TEXTS = """() => [...document.querySelectorAll('.ledger-chart ledger-drawing text')].map(text => {
  const box = text.getBoundingClientRect();
  return {said: text.textContent, size: parseFloat(getComputedStyle(text).fontSize), chart: text.closest('figure').id,
          left: box.left, right: box.right, top: box.top, bottom: box.bottom, width: document.documentElement.clientWidth};
})"""
# Relative luminance as WCAG defines it, and the contrast of each text in a bar, each line and each label.
CONTRASTS = """() => {
  const parts = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const light = rgb => { const [r, g, b] = rgb.map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b; };
  const ratio = (one, other) => { const [a, b] = [light(parts(one)), light(parts(other))].sort((x, y) => y - x);
    return (a + .05) / (b + .05); };
  const paper = getComputedStyle(document.body).backgroundColor;
  const of = (selector, ink, ground) => [...document.querySelectorAll('.ledger-chart ' + selector)].map(e => {
    const style = getComputedStyle(e);
    return [selector, e.textContent || e.getAttribute('class'), ratio(style[ink], ground === 'paper' ? paper : style[ground])];
  });
  return [...of('text.within', 'fill', 'stroke'), ...of('text:not(.within)', 'fill', 'paper'), ...of('tspan', 'fill', 'paper'),
          ...of('path.line', 'stroke', 'paper'), ...of('.marker path', 'fill', 'paper')];
}"""


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("page", PAGES)
def test_text_is_large_enough_and_within_the_page(page, width, visit):
    texts = visit(width=width).open(page).evaluate(TEXTS)

    assert len(texts) > 50
    assert [text for text in texts if text["size"] < SMALLEST] == []
    assert [text for text in texts if text["left"] < 0 or text["right"] > text["width"]] == []


@pytest.mark.parametrize("width", [360, 1440])
@pytest.mark.parametrize("page", PAGES)
def test_no_text_stands_on_another(page, width, visit):
    texts = visit(width=width).open(page).evaluate(TEXTS)
    over = [
        (one["said"], other["said"])
        for number, one in enumerate(texts)
        for other in texts[number + 1 :]
        if one["chart"] == other["chart"]
        and min(one["right"], other["right"]) - max(one["left"], other["left"]) > 1
        and min(one["bottom"], other["bottom"]) - max(one["top"], other["top"]) > 3
    ]

    assert over == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_of_text_and_lines(scheme, visit):
    found = visit(scheme=scheme).open(PAGES[0]).evaluate(CONTRASTS)
    low = [one for one in found if one[2] < (GRAPHICS if "path" in one[0] else AA)]

    assert {one[0] for one in found} >= {"text.within", "text:not(.within)", "path.line"}
    assert low == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_with_the_data_open(scheme, visit):
    tab = visit(width=390, scheme=scheme).open(PAGES[1])
    for folded in tab.locator(".ledger-data > summary").all():
        folded.click()

    assert violations(tab) == []


def test_charts_need_no_script_and_no_other_host(visit):
    visitor = visit(javascript=False)
    tab = visitor.open(PAGES[0])

    assert tab.locator(".ledger-chart ledger-drawing > svg").count() == 3
    assert tab.locator(".ledger-chart .line").first.bounding_box()["width"] > 300
    assert visitor.foreign == []


def test_the_search_finds_no_number_of_a_drawing(built_site):
    """The drawing's text is not indexed; that of the table behind it is."""
    index = (built_site / "search" / "search_index.json").read_text(encoding="utf-8")

    assert "chart-trainer-1-title" not in index
    assert "2 个实验组。" not in index
    assert "5 个实验组。最高的是" not in index
