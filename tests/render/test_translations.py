"""What a page shows of itself as a translation: the Chinese text where there is none, notices where it is behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from figures.bench import Bench
from render.test_markdown_ext import markdown

from build_tools.figures.resolve import current_ledger
from build_tools.render.nodes import page_problems
from build_tools.translations import accept

STUB = "# Page {#page}\n\n```untranslated\n```\n"
CHINESE = """\
# 页 {#page}

开头。

## 一节 {#one}

{value}`toy/plain/seconds@quick`，见[另一节](page.md#two)。

## 另一节 {#two}

```python
--8<-- "code.py"
```

```results toy@quick
```
"""
ENGLISH = "# Page {#page}\n\nStart.\n\n## One `x` {#one}\n\nText.\n\n## Two {#two}\n\nText.\n"


@pytest.fixture
def pages(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a project with one page in both languages."""
    monkeypatch.chdir(bench.root)
    bench.record()
    write(bench.root, "zh", CHINESE)
    write(bench.root, "en", ENGLISH)
    (bench.root / "docs/en/lectures/code.py").write_text("included = 1\n")
    return bench.root


def write(root: Path, language: str, text: str) -> Path:
    path = root / "docs" / language / "lectures" / "page.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def rendered(root: Path, language: str = "en") -> str:
    """The page as its builder renders it."""
    path = root / "docs" / language / "lectures" / "page.md"
    return markdown(language, path).convert(path.read_text(encoding="utf-8"))


# ------------------------------------------------------------------------------------------------------------- stubs


def test_a_stub_shows_the_chinese_text(pages: Path) -> None:
    """Below the notice, as Chinese, with sections, code, tables and numbers."""
    write(pages, "en", STUB)
    html = rendered(pages)
    before, _, text = html.partition('<div class="ledger-untranslated" lang="zh-CN">')

    assert "This page is not translated yet." in before
    assert 'href="../../../lectures/page/"' in before
    assert '<h2 id="one">' in text
    assert "included" in text
    assert 'class="ledger-results"' in text
    assert text.rstrip().endswith("</div>")
    assert "页</h1>" not in html


def test_numbers_of_a_stub_speak_chinese_and_lead_to_the_chinese_site(pages: Path) -> None:
    """The legend of the other language would explain marks that the page does not use."""
    write(pages, "en", STUB)
    html = rendered(pages)

    assert "实测" in html
    assert 'href="../../../measurements/#toy-quick-cpu-2c"' in html
    assert 'href="../../../records/toy/quick/cpu-2c/plain.json"' in html


def test_a_mistake_on_the_chinese_page_is_told_there(pages: Path) -> None:
    """It is no mistake of the stub."""
    write(pages, "zh", CHINESE.replace("toy/plain/sec", "toy/plane/sec"))
    write(pages, "en", STUB)

    assert "docs/zh/lectures/page.md:7: there is no case" in rendered(pages)
    assert not page_problems(pages / "docs/en/lectures/page.md", current_ledger(pages))


WRONG = {
    "on a Chinese page": ("zh", STUB, "untranslated stands on pages of docs/en only"),
    "in a list": ("en", "# Page {#page}\n\n- a\n\n    ```untranslated\n    ```\n", "stands by itself"),
    "with a name": ("en", "# Page {#page}\n\n```untranslated page\n```\n", "behind untranslated stands nothing"),
    "with content": ("en", "# Page {#page}\n\n```untranslated\nx\n```\n", "nothing stands in the fence untranslated"),
}


@pytest.mark.parametrize(("language", "text", "problem"), WRONG.values(), ids=WRONG)
def test_wrong_stub(pages: Path, language: str, text: str, problem: str) -> None:
    """It is told on the page, and by the check."""
    path = write(pages, language, text)

    assert problem in rendered(pages, language)
    assert [error for error in page_problems(path, current_ledger(pages)) if problem in str(error)]


def test_a_stub_of_nothing(pages: Path) -> None:
    """There is no Chinese page of this name."""
    (pages / "docs/zh/lectures/page.md").unlink()
    path = write(pages, "en", STUB)

    assert "there is no docs/zh/lectures/page.md to show" in rendered(pages)
    assert len(page_problems(path, current_ledger(pages))) == 1


# ----------------------------------------------------------------------------------------------------------- notices


def test_a_translation_that_was_looked_at_has_no_notice(pages: Path) -> None:
    """Nor has the Chinese page ever."""
    accept(pages, "all")

    assert "ledger-translation" not in rendered(pages)
    assert "ledger-translation" not in rendered(pages, "zh")


def test_a_section_that_has_moved_on(pages: Path) -> None:
    """The notice stands below its heading and leads to it; the other sections have none."""
    accept(pages, "all")
    write(pages, "zh", CHINESE.replace("见[另一节]", "参见[另一节]"))
    html = rendered(pages)

    assert html.count("ledger-translation") == 1
    assert '</h2>\n<div class="ledger-translation" role="note" data-search-exclude="data-search-exclude">' in html
    assert html.index('id="one"') < html.index("ledger-translation") < html.index('id="two"')
    assert 'href="../../../lectures/page/#one"' in html


def test_sections_that_nobody_has_looked_at_are_named_at_the_top(pages: Path) -> None:
    """In the words of the page, without markup."""
    accept(pages, "lectures/page.md#page")
    html = rendered(pages)

    assert html.count("ledger-translation") == 1
    assert html.index("ledger-translation") < html.index('id="one"')
    assert '<a href="../../../lectures/page/#one" hreflang="zh-CN">One x</a>' in html


def test_a_page_that_nobody_has_looked_at_says_it_once(pages: Path) -> None:
    html = rendered(pages)

    assert html.count("ledger-translation") == 1
    assert "This translation has not been checked" in html
    assert "#one" not in html


def test_a_heading_with_an_id_in_code_is_none(pages: Path) -> None:
    """The notice does not end up in a fence that shows how headings are written."""
    accept(pages, "all")
    write(pages, "zh", CHINESE.replace("开头。", "开头！"))
    write(pages, "en", "```markdown\n# Page {#page}\n```\n\n" + ENGLISH)
    html = rendered(pages)

    assert html.index("</pre>") < html.index("ledger-translation")


def test_records_of_translations_that_cannot_be_read(pages: Path) -> None:
    """The page says so, and is there."""
    (pages / "docs/translations.toml").write_text("[x\n")
    html = rendered(pages)

    assert "docs/translations.toml:" in html
    assert "ledger-error" in html
    assert '<h2 id="two">' in html
