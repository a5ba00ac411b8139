"""How wide a line of code is, and that the limits are what a phone really shows."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from projects import REPOSITORY

from build_tools.checks.code_width import HAN_COLUMNS, PHONE_COLUMNS, PHONE_COLUMNS_INSIDE, Line, width
from build_tools.render.code import with_indents

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


@pytest.mark.parametrize(
    ("html", "indented"),
    [
        ('<span id="__span-0-1">    <b>x</b>', '<span id="__span-0-1" style="--indent: 4ch">    <b>x</b>'),
        (
            '<span id="__span-0-1"><span class="w">  </span>x',
            '<span id="__span-0-1" style="--indent: 2ch"><span class="w">  </span>x',
        ),
        ('<span id="__span-0-1">x  y', None),
        ('<span id="__span-0-1">   \n</span>', None),
        ("<p>    x</p>", None),
    ],
)
def test_a_line_says_how_far_it_is_indented(html: str, indented: str | None) -> None:
    """Only where there is something to indent."""
    assert with_indents(html) == (indented or html)


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
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


def room(columns: int, indent: int = 0) -> int:
    """What the check allows."""
    return Line(Path(), 1, " " * indent + "x", columns).room


def indented(columns: int) -> str:
    """A line with its break in the only place where it fits: a space at the end of a line of the phone takes no room."""
    first = "    " + "a" * (PHONE_COLUMNS - 4)
    return f"{first} {'a' * (columns - len(first) - 1)}"


# By name of the block: its lines. The last is too long by as little as shows.
LINES = {
    "page": ["a" * room(PHONE_COLUMNS), "", "a", "a" * (room(PHONE_COLUMNS) + 1)],
    "indented": [indented(room(PHONE_COLUMNS, 4)), indented(room(PHONE_COLUMNS, 4) + 2)],
    "list": ["a" * room(PHONE_COLUMNS_INSIDE), "a" * (room(PHONE_COLUMNS_INSIDE) + 1)],
}


def _page() -> str:
    """Code on the page and in a list, within the elements that Material puts around them."""
    import material

    styles = Path(next(iter(material.__path__))) / "templates/assets/stylesheets"
    files = [*sorted(styles.glob("main.*.css")), *sorted((REPOSITORY / "docs/theme/assets").glob("*.css"))]
    links = "".join(f'<link rel="stylesheet" href="{file.as_uri()}">' for file in files)
    content = f"<p>text</p>{_block('page')}{_block('indented')}<ul><li><p>item</p>{_block('list')}</li></ul>"
    article = f'<article class="md-content__inner md-typeset">{content}</article>'
    return (
        f'<!doctype html><html lang="zh"><head><meta charset="utf-8">{links}</head><body dir="ltr" data-md-color-scheme="default">'
        f'<div class="md-container"><main class="md-main"><div class="md-main__inner md-grid"><div class="md-content">{article}'
        "</div></div></main></div></body></html>"
    )


def _block(name: str) -> str:
    lines = [f'<span id="__span-0-{number}">{line}\n</span>' for number, line in enumerate(LINES[name], 1)]
    return with_indents(f'<div class="highlight" id="{name}"><pre><code>{"".join(lines)}</code></pre></div>')


MEASURE = """() => Object.fromEntries([...document.querySelectorAll(".highlight")].map(block => {
  const code = block.querySelector("code"), style = getComputedStyle(code);
  const probe = document.createElement("span");
  code.appendChild(probe);
  const width = sign => { probe.textContent = sign.repeat(10); return probe.getBoundingClientRect().width / 10; };
  const letter = width("a"), han = width("中") / letter;
  probe.remove();
  const inner = code.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const rows = [...code.children].map(line => Math.round(line.getBoundingClientRect().height / parseFloat(style.lineHeight)));
  const scrolls = code.scrollWidth > code.clientWidth;
  code.setAttribute("data-md-copying", "");
  const copied = code.innerText;
  return [block.id, {room: inner / letter, han, rows, scrolls, copied}];
}))"""


@pytest.mark.slow
def test_limits_are_what_a_phone_shows(code: dict[str, Any]) -> None:
    """Whole columns of a line; a change of the styles shows here."""
    assert (int(code["page"]["room"]), int(code["list"]["room"])) == (PHONE_COLUMNS, PHONE_COLUMNS_INSIDE)
    assert code["page"]["han"] == pytest.approx(HAN_COLUMNS, rel=0.02)


@pytest.mark.slow
def test_a_line_within_the_limit_takes_two_lines_of_a_phone(code: dict[str, Any]) -> None:
    """One column more takes three; nothing scrolls, and a blank line stays one."""
    assert {name: found["rows"] for name, found in code.items()} == {
        "page": [2, 1, 1, 3], "indented": [2, 3], "list": [2, 3],
    }  # fmt: skip
    assert not any(found["scrolls"] for found in code.values())


@pytest.mark.slow
def test_what_is_copied_is_what_was_written(code: dict[str, Any]) -> None:
    """Without the line ends that the phone added."""
    assert {name: found["copied"].rstrip("\n") for name, found in code.items()} == {
        name: "\n".join(lines) for name, lines in LINES.items()
    }
