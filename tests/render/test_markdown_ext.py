"""The extension within Python-Markdown, configured as mkdocs.yml does it."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from figures.bench import Bench
from markdown import Markdown
from markdown.treeprocessors import Treeprocessor
from test_syntax import NOT_OURS, OURS, REF

from build_tools import markdown_ext
from build_tools.render.nodes import CHECKS, FIGURES, RENDERERS, page_problems
from build_tools.syntax import FENCES, ROLES

EXTENSIONS = [
    "admonition", "attr_list", "def_list", "footnotes", "md_in_html", "tables", "toc", "pymdownx.arithmatex",
    "pymdownx.details", "pymdownx.highlight", "pymdownx.inlinehilite", "pymdownx.snippets", "pymdownx.superfences",
    "pymdownx.tabbed", "build_tools.markdown_ext",
]  # fmt: skip
OURS_IN_SUPERFENCES = [
    {"name": name, "class": name, "format": markdown_ext.fence, "validator": markdown_ext.validate} for name in FENCES
]


class Relpath(Treeprocessor):
    """What MkDocs leaves on the Markdown instance."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = SimpleNamespace(abs_src_path=str(file), url="lectures/page/")


def markdown(lang: str = "en", page: Path | None = None) -> Markdown:
    configs: dict[str, Any] = {
        "pymdownx.arithmatex": {"generic": True},
        "pymdownx.snippets": {"base_path": [str(page.parent if page else Path())]},
        "pymdownx.superfences": {"custom_fences": OURS_IN_SUPERFENCES},
        "pymdownx.tabbed": {"alternate_style": True},
        "build_tools.markdown_ext": {"lang": lang},
    }
    md = Markdown(extensions=EXTENSIONS, extension_configs=configs)
    if page:
        md.treeprocessors.register(Relpath(page), "relpath", 0)
    return md


@pytest.fixture
def toy(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Work in a project with a record of `toy/plain` at `quick`; `toy` also goes by the name of `trainer`."""
    monkeypatch.chdir(bench.root)
    bench.snippet("trainer")
    bench.record()
    bench.record(snippet="trainer")
    return bench


def body(source: str) -> str:
    """What a builder hands to Markdown: no byte order mark, no front matter."""
    lines = source.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0] == "---" and "---" in lines[1:]:
        lines = lines[lines.index("---", 1) + 1 :]
    return "\n".join(lines)


@pytest.mark.parametrize("source", OURS.values(), ids=OURS)
def test_what_is_ours_is_rendered(toy: Bench, source: str) -> None:
    """The renderer sees each node that the grammar sees, once, wherever it stands."""
    if source.startswith("[^1]"):
        source = f"a[^1]\n\n{source}"
    html = markdown().convert(body(source))

    assert html.count('class="ledger-value"') + html.count('class="ledger-results"') == 1
    assert "ledger-error" not in html
    assert "{value}" not in html


@pytest.mark.parametrize("source", NOT_OURS.values(), ids=NOT_OURS)
def test_what_is_not_ours_is_left_alone(toy: Bench, source: str) -> None:
    """Pages can show the syntax: nothing is rendered, nothing is an error, and no trace of our numbering is left."""
    html = markdown().convert(body(source))

    assert "ledger-" not in html
    assert "node=" not in html


def test_shown_syntax_stays_as_written(toy: Bench) -> None:
    """A role in a longer code span, after a backslash and in a fence, word for word."""
    html = markdown().convert(f"`` {{value}}`{REF}` `` \\{{value}}`x`\n\n````text\n```results toy\n```\n````")

    assert f"<code>{{value}}`{REF}`</code>" in html
    assert "{value}<code>x</code>" in html
    assert "```results toy" in html


def test_fence_right_behind_a_paragraph(toy: Bench) -> None:
    """The table does not end up inside the paragraph, where HTML allows none."""
    html = markdown().convert("text\n```results toy@quick\n```\nmore")

    assert '<p>text</p>\n<div class="ledger-results"' in html
    assert "</div>\n<p>more</p>" in html


def test_fence_that_is_never_closed(toy: Bench) -> None:
    """Its error stands where it begins, and the rest of the page is still there."""
    html = markdown().convert("```results toy\n\nmore")

    assert "never closed" in html
    assert "<p>more</p>" in html
    assert "node=" not in html


def test_ids_of_two_tables(toy: Bench) -> None:
    """Tables of one snippet count on; tab sets have their own names."""
    html = markdown().convert("```results toy\n```\n\n```results toy\n```")

    assert 'id="results-toy-1"' in html
    assert 'id="results-toy-2"' in html
    assert html.count('name="__ledger_91"') == 2


def test_committed_only(toy: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A published build does not show what only this machine knows."""
    toy.record("accumulate", local=True)
    source = "{value}`toy/accumulate/seconds@quick`"
    assert "1.75 s" in markdown().convert(source)

    monkeypatch.setenv("LEDGER_COMMITTED_ONLY", "1")
    assert "1.75 s" not in markdown().convert(source)


def test_formulas(toy: Bench) -> None:
    """Inline and displayed formulas become MathML."""
    html = markdown().convert("$a < b$ and\n\n$$\nB = b \\times K\n$$")

    assert '<span class="arithmatex"><math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">' in html
    assert '<div class="arithmatex"><math xmlns="http://www.w3.org/1998/Math/MathML" display="block">' in html
    assert "<mo>&#x0003C;</mo>" in html


PAGE = """\
---
title: Page
---
# Page

--8<-- "included.md"

Wrong: {value}`toy/plian/seconds@quick`.

```results toy
cases: [plain]
columns: [secnds]
```

$\\nosuch{a}$ {vaule}`x`
"""
EXPECTED = [
    (8, "no case 'plian'"),
    (12, "no metric 'secnds'"),
    (15, "no role 'vaule'"),
]


@pytest.fixture
def page(toy: Bench) -> Path:
    """A page with an error of each kind, whose lines front matter and an include have shifted."""
    (toy.root / "included.md").write_text("one\n\ntwo\n\nthree\n")
    path = toy.root / "page.md"
    path.write_text(PAGE)
    return path


def test_errors_are_shown_and_logged(page: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Where the number would be stands an error with the line of the source; strict builds count the log."""
    with caplog.at_level(logging.ERROR, "mkdocs.plugins.ledger"):
        html = markdown("zh", page).convert(body(PAGE))

    assert 4 == html.count('class="ledger-error" role="alert"') == len(caplog.records)
    assert "three" in html
    for line, problem in [*EXPECTED, (15, r"uses \nosuch")]:
        assert any(f"page.md:{line}: " in message and problem in message for message in caplog.messages)


def test_page_problems(page: Path, toy: Bench) -> None:
    """The same errors of fences and roles are found without rendering."""
    found = page_problems(page, toy.ledger())

    assert [line for line, _ in EXPECTED] == [error.place.line for error in found if error.place]
    assert all(problem in str(error) for (_, problem), error in zip(EXPECTED, found, strict=True))


def test_page_that_is_not_text(toy: Bench) -> None:
    """A file in another encoding is one error."""
    path = toy.root / "page.md"
    path.write_bytes(b"\xff\xfe")

    assert "cannot be read" in str(page_problems(path, toy.ledger())[0])


def test_links_climb_from_the_page(page: Path) -> None:
    """`lectures/page/` is two folders below its site, English one more below the composed site."""
    source = "```results toy@quick\n```"

    assert 'href="../../records/toy/quick/cpu-2c/plain.json"' in markdown("zh", page).convert(source)
    assert 'href="../../../records/toy/quick/cpu-2c/plain.json"' in markdown("en", page).convert(source)


def test_project_that_cannot_be_read(toy: Bench) -> None:
    """Broken settings are told at each place; the page is still there."""
    (toy.root / "pyproject.toml").write_text("[tool.ledger]\n")
    html = markdown().convert("text {value}`toy/plain/seconds`")

    assert "<p>text " in html
    assert "reference is missing" in html


def test_mistake_of_ours(toy: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """A bug in the renderer shows on the page and in the log, and does not take the page away."""
    monkeypatch.setitem(RENDERERS, "results", lambda renderer, node: 1 / 0)  # type: ignore[arg-type]
    html = markdown().convert("text\n\n```results toy\n```")

    assert "<p>text</p>" in html
    assert "ZeroDivisionError" in html
    assert "ZeroDivisionError" in caplog.text


def test_wrong_language() -> None:
    """A language we do not have is refused at once."""
    with pytest.raises(ValueError, match="lang is zh or en, not 'fr'"):
        markdown("fr")


def test_every_kind_has_a_renderer_a_check_and_figures() -> None:
    """The grammar knows no node that cannot be rendered, and the twin forgets none."""
    assert {*FENCES, *ROLES} == set(RENDERERS) == set(CHECKS) == set(FIGURES)


def test_no_card_in_a_heading(toy: Bench) -> None:
    """Its text becomes an entry of the contents, and the mark stays a link."""
    md = markdown()
    html = md.convert("# Title {value}`toy/plain/seconds@quick` {#t}\n\n{value}`toy/plain/seconds@quick`")
    heading, _, text = html.partition("</h1>")

    assert 'class="ledger-mark"' in heading
    assert "ledger-card" not in heading
    assert "ledger-card" in text
    assert "median" not in md.toc  # type: ignore[attr-defined]


def test_a_card_stays_within_its_paragraph(toy: Bench) -> None:
    """Nothing in it would end one."""
    html = markdown().convert("before {value}`toy/plain/seconds@quick` after")

    assert html.startswith("<p>before ")
    assert html.endswith(" after</p>")
    assert html.count("<p>") == 1
    assert not re.search(r"<(div|p|dl|ul|details|table)\b", html[3:])


TIMES = "---\nvideo: {url: 'https://example.org/v', length: '08:40'}\n---\n# One\n\n{at}`07:45` {at}`05:10`\n\n# Two\n\n{at}`05:10` {at}`09:00`\n"


def test_times_of_a_page(toy: Bench, caplog: pytest.LogCaptureFixture) -> None:
    """What only the page as a whole tells is an error in its place; the video is the front matter's."""
    path = toy.root / "page.md"
    path.write_text(TIMES)
    with caplog.at_level(logging.ERROR, "mkdocs.plugins.ledger"):
        html = markdown(page=path).convert(body(TIMES))

    assert 'href="https://example.org/v?t=465"' in html
    assert "page.md:6: 05:10 stands behind 07:45" in html
    assert "page.md:10: 09:00 lies beyond the end of the video" in html
    assert [error.place.line for error in page_problems(path, toy.ledger()) if error.place] == [6, 10]
