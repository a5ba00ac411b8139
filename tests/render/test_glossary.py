"""Terms on pages: the list of all, and the first mention in each section with its meaning."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from figures.bench import Bench
from render.test_markdown_ext import markdown

GLOSSARY = """\
[[term]]
zh = "微批次"
en = "micro-batch"
means = { zh = "一次前向的样本。", en = "The samples of one <b>pass</b>." }
[[term]]
zh = "优化器步"
en = "optimizer step"
means = { zh = "更新一次。", en = "One update." }
also = { zh = ["更新"], en = ["optimiser step", "step"] }
"""


@pytest.fixture
def root(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a glossary and its page."""
    monkeypatch.chdir(bench.root)
    for language in ("zh", "en"):
        folder = bench.root / "docs" / language
        (folder / "lectures").mkdir(parents=True)
        (folder / "glossary.md").write_text("# Glossary {#glossary}\n\n```glossary\n```\n\nA micro-batch, 微批次.\n")
    (bench.root / "docs/glossary.toml").write_text(GLOSSARY)
    return bench.root


def rendered(root: Path, text: str, language: str = "en", page: str = "lectures/page.md") -> str:
    path = root / "docs" / language / page
    if text:
        path.write_text(text, encoding="utf-8")
    return markdown(language, path).convert(path.read_text(encoding="utf-8"))


def explained(html: str) -> list[str]:
    return re.findall(r'class="ledger-term" href="[^"]*">([^<]*)<', html)


FOUND = {
    "a term": ("en", "A micro-batch.", ["micro-batch"]),
    "the plural, at the beginning of a sentence": ("en", "Micro-batches are small.", ["Micro-batches"]),
    "once in a section": ("en", "A micro-batch and a micro-batch.\n\nA micro-batch.", ["micro-batch"]),
    "again in the next section": ("en", "A micro-batch.\n\n## Next\n\nA micro-batch.", ["micro-batch"] * 2),
    "two terms": ("en", "An optimizer step per micro-batch.", ["optimizer step", "micro-batch"]),
    "in Chinese between other signs": ("zh", "每个微批次都算。", ["微批次"]),
    "another spelling": ("en", "One optimiser step.", ["optimiser step"]),
    "everyday words": ("en", "Step by step.", []),
    "everyday words in Chinese": ("zh", "之后更新。", []),
    "over a line end": ("en", "An optimizer\nstep.", ["optimizer\nstep"]),
    "in a list": ("en", "- a micro-batch", ["micro-batch"]),
    "in a table": ("en", "|a|\n|---|\n|micro-batch|", ["micro-batch"]),
    "in emphasis": ("en", "A **micro-batch**.", ["micro-batch"]),
    "in an admonition": ("en", "!!! note\n\n    A micro-batch.", ["micro-batch"]),
    "in a heading": ("en", "## A micro-batch", []),
    "in the title of an admonition": ("en", '!!! note "A micro-batch"\n\n    Text.', []),
    "in a summary": ("en", '??? note "A micro-batch"\n\n    Text.', []),
    "in the head of a table": ("en", "|micro-batch|\n|---|\n|a|", []),
    "in code": ("en", "`micro-batch`\n\n```python\nmicro-batch\n```", []),
    "in a link": ("en", "[a **micro-batch**](https://x.org/)", []),
    "in a formula": ("en", r"$\text{micro-batch}$", []),
    "within another word": ("en", "micro-batching", []),
    "words of the other language": ("en", "微批次", []),
}


@pytest.mark.parametrize(("language", "text", "words"), FOUND.values(), ids=FOUND)
def test_mentions(root: Path, language: str, text: str, words: list[str]) -> None:
    """Which words of a page say what they mean."""
    assert explained(rendered(root, f"# Page\n\n{text}\n", language)) == words


def test_a_meaning(root: Path) -> None:
    """The card has both words, the meaning as text and a link, and no search takes it in."""
    html = rendered(root, "A micro-batch.")

    assert 'href="../../glossary/#micro-batch"' in html
    assert '<span class="other" lang="zh-CN">微批次</span>' in html
    assert "The samples of one &lt;b&gt;pass&lt;/b&gt;." in html
    assert html.count("data-search-exclude=") == 1


def test_the_list(root: Path) -> None:
    """English in its alphabet, Chinese in the order of the file; anchors are the same."""
    english, chinese = (rendered(root, "", language, "glossary.md") for language in ("en", "zh"))

    assert re.findall(r'<dt id="([^"]+)"', english) == ["micro-batch", "optimizer-step"]
    assert re.findall(r'<dt id="([^"]+)"', chinese) == ["micro-batch", "optimizer-step"]
    assert '<dt id="micro-batch">微批次 <span class="other" lang="en">micro-batch</span></dt>' in chinese
    assert explained(english) == explained(chinese) == []


def test_without_a_page_of_all_terms(root: Path) -> None:
    """There would be nowhere to lead to."""
    (root / "docs/en/glossary.md").unlink()

    assert explained(rendered(root, "A micro-batch.")) == []


def test_a_glossary_with_a_mistake(root: Path) -> None:
    """The rest of it is shown; the check of both languages tells of the mistake."""
    (root / "docs/glossary.toml").write_text(GLOSSARY + '[[term]]\nzh = "无"\n')

    assert explained(rendered(root, "A micro-batch.")) == ["micro-batch"]


def test_no_terms(root: Path) -> None:
    (root / "docs/glossary.toml").unlink()

    assert "The glossary has no entries yet." in rendered(root, "", "en", "glossary.md")
    assert explained(rendered(root, "A micro-batch.")) == []
