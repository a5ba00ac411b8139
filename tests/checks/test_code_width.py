"""How wide a line of code is, and that the limits are what a phone really shows."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from projects import REPOSITORY

from build_tools.checks.code_width import COLUMNS, COLUMNS_INSIDE, HAN_COLUMNS, width

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PHONE = {"width": 390, "height": 844}


@pytest.mark.parametrize(
    ("line", "columns"),
    [
        ("", 0),
        ("abc", 3),
        ("abc   ", 3),
        ("\tabc", 7),
        ("中文字", 5),
        ("a中", 3),
        ("x = 1  # (1)!", 10),
        ("x = 1  # (12)!", 10),
        ("x = 1  # (1)! more", 18),
    ],
)
def test_width(line: str, columns: int) -> None:
    """Spaces at the end do not show, a full-width sign takes 5/3 of a column, a mark is a bubble."""
    assert width(line) == columns


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, float]]:
    """What Chromium says of code at 390 pixels, with the styles of the theme and ours."""
    if importlib.util.find_spec("playwright") is None or CHROMIUM is None:
        pytest.skip("needs playwright and chromium")
    from playwright.sync_api import sync_playwright

    page = tmp_path_factory.mktemp("width") / "page.html"
    page.write_text(_page())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        tab = browser.new_page(viewport=PHONE)
        tab.goto(page.as_uri())
        yield tab.evaluate(MEASURE)
        browser.close()


def _page() -> str:
    """Code on the page and in a list, within the elements that Material puts around them."""
    import material

    styles = Path(next(iter(material.__path__))) / "templates/assets/stylesheets"
    files = [*sorted(styles.glob("main.*.css")), *sorted((REPOSITORY / "docs/theme/assets").glob("*.css"))]
    links = "".join(f'<link rel="stylesheet" href="{file.as_uri()}">' for file in files)
    pre = '<div class="highlight"><pre><code>x</code></pre></div>'
    content = f"<p>text</p>{pre}<ul><li><p>item</p>{pre}</li></ul>"
    article = f'<article class="md-content__inner md-typeset">{content}</article>'
    return (
        f'<!doctype html><html lang="zh"><head><meta charset="utf-8">{links}</head><body dir="ltr" data-md-color-scheme="default">'
        f'<div class="md-container"><main class="md-main"><div class="md-main__inner md-grid"><div class="md-content">{article}'
        "</div></div></main></div></body></html>"
    )


MEASURE = """() => {
  const room = code => {
    const style = getComputedStyle(code), text = document.createElement("span");
    code.appendChild(text);
    const width = sign => { text.textContent = sign.repeat(100); return text.getBoundingClientRect().width / 100; };
    const letter = width("a"), han = width("中") / letter;
    text.remove();
    const inner = code.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return [inner / letter, han];
  };
  const [page, list] = [...document.querySelectorAll("pre > code")].map(room);
  return {page: page[0], list: list[0], han: page[1]};
}"""


@pytest.mark.slow
def test_limits_are_what_a_phone_shows(code: dict[str, float]) -> None:
    """Whole columns before a block scrolls; a change of the styles shows here."""
    assert (int(code["page"]), int(code["list"])) == (COLUMNS, COLUMNS_INSIDE)
    assert code["han"] == pytest.approx(HAN_COLUMNS, rel=0.02)
