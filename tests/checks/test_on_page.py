"""The preview shows on a page what the checks find there."""

from __future__ import annotations

from pathlib import Path

import pytest
from figures.bench import Bench

from build_tools.checks.on_page import show_findings

BUILT = "<html><body><article class='x'>\n<h1>页</h1></article></body></html>"


@pytest.fixture
def root(bench: Bench) -> Path:
    """A page in both languages and the HTML that a builder made of it; only the Chinese one has a finding."""
    for language, words in (("zh", "页 {#page}\n\n用了 <b>3 秒</b>。"), ("en", "Page {#page}\n\nSlow.")):
        folder = bench.root / "docs" / language / "a"
        folder.mkdir(parents=True)
        (folder / "b.md").write_text(f"# {words}\n")
        (folder / "index.md").write_text(f"# {words}\n")
    for page in ("a/b", "a", "en/a/b", "en/a"):
        path = bench.root / "site" / page / "index.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(BUILT)
    return bench.root


def test_findings_stand_on_their_page(root: Path) -> None:
    """With line and column, as text; a page that nothing was found on is left as it was."""
    lines = list(show_findings(root, root / "site"))
    texts = {page: (root / "site" / page / "index.html").read_text() for page in ("a/b", "a", "en/a/b", "en/a")}

    assert sum("'3 秒' is typed" in line for line in lines) == 2
    for page in ("a/b", "a"):
        assert "<li>3:7: &#x27;3 秒&#x27; is typed" in texts[page]
        assert "用了 &lt;b&gt;3 秒&lt;/b&gt;" in texts[page]
        assert texts[page].index('<div class="admonition') < texts[page].index("<h1>")
    assert "'3 秒'" not in texts["en/a"]


def test_notes_and_problems_are_counted(root: Path) -> None:
    """A translation that nobody has looked at is a problem of the English page."""
    list(show_findings(root, root / "site"))

    assert "check: 1 problem(s), 0 note(s)" in (root / "site/en/a/b/index.html").read_text()
