"""What a page's front matter says of its source: checked with lines, and shown below the title in both languages."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import pytest
from figures.bench import DOCUMENT, NOTE, Bench, claim
from render.test_builders import BUILDERS, CONFIG, build
from render.test_markdown_ext import body, markdown

from build_tools.checks.parity import parity_findings
from build_tools.model import Text
from build_tools.model import header_card as model
from build_tools.render import header_words as words
from build_tools.render.nodes import page_problems

HEAD = """\
card:
  kind: video-summary
  updated: "2026-08-02"
  confidence: {value: high, by: course-summary}
  reading_status: {value: to-read, by: course-summary}
  learning_status: {value: done, by: to-do-list}
  run_label: conditional
  tags:
    - {zh: 大模型, en: large models}
    - {zh: 课程, en: course}
  sources:
    - {what: course-summary, access: private}
    - {what: video, access: unknown}
    - {what: notebook, access: public, document: note}
"""
PAGE = "# Page {#page}\n\nText.\n\n## Section {#section}\n\nMore.\n"
SHORT = 'card:\n  kind: video-summary\n  updated: "2026-08-02"\n  tags: [{zh: 课程, en: course}]\n  sources: [{what: video, access: unknown}]\n'


@pytest.fixture
def project(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Work in a project whose ledger has a statement of the document `note`."""
    monkeypatch.chdir(bench.root)
    bench.evidence(NOTE + claim("noted", kind="stated", source=DOCUMENT))
    return bench


def write(bench: Bench, head: str, text: str = PAGE, language: str = "en") -> Path:
    path = bench.root / "docs" / language / "lectures" / "page.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\n{head}---\n{text}" if head else text, encoding="utf-8")
    return path


def rendered(path: Path, language: str = "en") -> str:
    return markdown(language, path).convert(body(path.read_text(encoding="utf-8")))


def rows(html: str) -> dict[str, str]:
    """The card's rows as a reader sees them."""
    found = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html)
    return {name: re.sub(r"<[^>]*>", "", value.replace("</li><li>", " | ")) for name, value in found}


CARDS = {
    "zh": {
        "类型": "视频摘要",
        "更新": "2026-08-02（摘要的日期）",
        "置信度": "高（摘要自评）",
        "运行标签": "conditional（有条件）",
        "阅读状态": "待阅读（摘要标注）",
        "学习状态": "已完成（待办清单标注）",
        "标签": "大模型 | 课程",
        "来源": "资料摘要（非公开） | 视频（是否公开未知） | 课程 notebook（公开）",
    },
    "en": {
        "Kind": "video summary",
        "Updated": "2026-08-02 (the summary&#x27;s date)",
        "Confidence": "high (the summary&#x27;s own rating)",
        "Run label": "conditional",
        "Reading status": "to be read (marked in the summary)",
        "Learning status": "done (marked in a to-do list)",
        "Tags": "large models | course",
        "Sources": "course summary (private) | video (access unknown) | course notebook (public)",
    },
}


@pytest.mark.parametrize("language", CARDS)
def test_the_card_speaks_the_language_of_its_page(language: str, project: Bench) -> None:
    """Directly below the title, each value with whose word it is."""
    html = rendered(write(project, HEAD, language=language), language)

    assert rows(html) == CARDS[language]
    assert re.match(r'<h1 id="page">Page</h1>\s*<section class="ledger-header-card"', html)


def test_a_material_leads_to_its_statements(project: Bench) -> None:
    """In the ledger; a document that no claim cites has no place there."""
    path = write(project, HEAD)
    assert '<a href="../../evidence/#source-note">course notebook</a>' in rendered(path)

    project.evidence(NOTE)
    assert "<li>course notebook<small>" in rendered(path)
    assert not page_problems(path, project.ledger())


def test_what_a_source_does_not_say_is_left_out(project: Bench) -> None:
    """Ratings and states are optional; nothing is said in their place."""
    path = write(project, SHORT)

    assert list(rows(rendered(path))) == ["Kind", "Updated", "Tags", "Sources"]
    assert not page_problems(path, project.ledger())


@pytest.mark.parametrize("head", ["", "title: x\n"], ids=["no front matter", "no card"])
def test_a_page_without_a_card(head: str, project: Bench) -> None:
    """It has none."""
    path = write(project, head)

    assert "ledger-header-card" not in rendered(path)
    assert not page_problems(path, project.ledger())


def test_a_page_without_a_title_begins_with_its_card(project: Bench) -> None:
    """A heading of another level is no title."""
    html = rendered(write(project, SHORT, "Text.\n\n## Section {#section}\n"))

    assert html.index("ledger-header-card") < html.index("Text.")


def test_a_stub_has_the_card_in_its_own_language(project: Bench) -> None:
    """Below its title, outside the Chinese text, with links of its own site."""
    write(project, HEAD, language="zh")
    path = write(project, HEAD, "# Page {#page}\n\n```untranslated\n```\n")
    html = rendered(path)

    assert html.count("ledger-header-card") == 1
    assert rows(html) == CARDS["en"]
    assert html.index("ledger-header-card") < html.index("ledger-translation")
    assert 'href="../../evidence/#source-note"' in html


# What is replaced in HEAD, by what, the line of the page and what is said there.
WRONG: dict[str, tuple[str, str, int, str]] = {
    "unknown key": ("run_label", "run_lable", 8, "no key 'run_lable' in card; did you mean run_label?"),
    "unknown key in a rating": ("by: course-summary}\n  r", "who: x}\n  r", 5, "there are: value, by"),
    "unknown kind": ("video-summary", "vidoe-summary", 3, "did you mean video-summary?"),
    "confidence": ("value: high", "value: higher", 5, "did you mean high? there are: high, medium, low"),
    "reading status": ("to-read", "toread", 6, "there are: to-read, reading, read"),
    "learning status": ("value: done", "value: 已完成", 7, "'已完成' for card.learning_status.value; there are: to-do"),
    "who marks": ("by: to-do-list", "by: todo", 7, "there are: course-summary, to-do-list"),
    "run label": ("run_label: conditional", "run_label: yes", 8, "there are: conditional"),
    "missing language": ("{zh: 课程, en: course}", "{zh: 课程}", 11, "card.tags.en is missing"),
    "empty language": ("en: course}", 'en: ""}', 11, "card.tags.en is empty"),
    "material": ("what: video", "what: film", 14, "there are: course-summary, transcript, video, notebook"),
    "access": ("access: public", "access: pubic", 15, "did you mean public? there are: public, private, unknown"),
    "document": ("document: note", "document: notes", 15, "no document 'notes' in docs/evidence.toml; did you mean"),
    "name of a document": ("document: note", "document: No te", 15, "is a name of a document, not 'No te'"),
    "missing date": ('  updated: "2026-08-02"\n', "", 2, "card.updated is missing"),
    "day that is none": ("2026-08-02", "2026-02-30", 4, "card.updated is a day, not '2026-02-30'"),
    "other way to write a day": ("2026-08-02", "20260802", 4, "card.updated is a day, not '20260802'"),
    "list for a text": ("kind: video-summary", "kind: [a]", 3, "card.kind is one text, not ['a']"),
    "text for a rating": ("{value: high, by: course-summary}", "high", 5, "settings of the form `name: value`, not 'high'"),
    "text for a list": (HEAD[HEAD.index("  tags:") : HEAD.index("  sources:")], "  tags: a\n", 9, "card.tags is a list"),
    "no source": (HEAD[HEAD.index("  sources:") :], "  sources: []\n", 12, "card.sources is empty"),
    "card of one word": (HEAD, "card: x\n", 2, "card is settings of the form `name: value`, not 'x'"),
    "twice": ("  run_label: conditional\n", "  kind: video-summary\n", 8, "'kind' stands twice"),
    "key that is a list": ("run_label: conditional", "? [a]\n  : b", 2, "there is no key"),
    "within itself": (HEAD, "card: &a {kind: *a}\n", 2, "card.kind is one text"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "says"), WRONG.values(), ids=WRONG)
def test_wrong_card(old: str, new: str, line: int, says: str, project: Bench, caplog: pytest.LogCaptureFixture) -> None:
    """The same words with file and line in `check`, on the page and in the build's log; no half of a card is shown."""
    path = write(project, HEAD.replace(old, new, 1))
    with caplog.at_level(logging.ERROR, "mkdocs.plugins.ledger"):
        html = rendered(path)
    told = [str(error) for error in page_problems(path, project.ledger())]

    assert told == caplog.messages
    assert [error for error in told if error.startswith(f"docs/en/lectures/page.md:{line}: ") and says in error]
    assert all("; for example: " in error for error in told)
    assert html.count('class="ledger-error"') == len(told)
    assert "ledger-header-card" not in html


def test_every_mistake_is_told_at_once(project: Bench) -> None:
    """In the order of their lines."""
    path = write(project, HEAD.replace("kind: v", "kind: x").replace("en: course}", "fr: cours}"))

    assert [error.place.line for error in page_problems(path, project.ledger()) if error.place] == [3, 11, 11]


def test_a_card_writes_no_markup(project: Bench) -> None:
    """Tags are words."""
    html = rendered(write(project, SHORT.replace("en: course", 'en: "<script>x</script>"')))

    assert "<li>&lt;script&gt;x&lt;/script&gt;</li>" in html


def test_a_date_without_quotes_is_what_was_written(project: Bench) -> None:
    """YAML would make a date of it."""
    path = write(project, SHORT.replace('"', ""))

    assert rows(rendered(path))["Updated"].startswith("2026-08-02")


def test_cards_of_both_languages_are_equal(project: Bench) -> None:
    """A difference is told by the one setting that differs."""
    write(project, HEAD, language="zh")
    write(project, HEAD)
    assert not [error for error in parity_findings(project.root).problems if "card" in str(error)]

    write(project, HEAD.replace("en: course}", "en: courses}").replace("value: high", "value: low"))
    told = [str(error) for error in parity_findings(project.root).problems if "card" in str(error)]
    assert len(told) == 2
    assert any("card.confidence.value is 'low', in docs/zh/lectures/page.md:1 it is 'high'" in line for line in told)
    assert any("card.tags.2.en is 'courses'" in line for line in told)


TABLES: dict[str, tuple[Mapping[Any, Text], Any]] = {
    "kinds": (words.KINDS, model.CardKind),
    "whose date": (words.WHOSE_DATE, model.CardKind),
    "levels": (words.LEVELS, model.Level),
    "raters": (words.RATED_BY, model.Rater),
    "reading": (words.READING_STATUS, model.Reading),
    "learning": (words.LEARNING_STATUS, model.Learning),
    "markers": (words.MARKED_BY, model.Marker),
    "run labels": (words.RUN_LABELS, model.RunLabel),
    "materials": (words.MATERIALS, model.Material),
    "access": (words.ACCESS, model.Access),
}


@pytest.mark.parametrize(("table", "values"), TABLES.values(), ids=TABLES)
def test_every_value_has_words(table: Mapping[Any, Text], values: Any) -> None:
    """A value added to a closed list gets its words in both languages."""
    assert list(table) == list(get_args(values))
    assert all(re.search(r"[一-鿿]", text.zh) for text in table.values() if text.zh)


@pytest.mark.parametrize("builder", BUILDERS)
def test_both_builders_show_it_and_search_leaves_it_out(builder: str, project: Bench) -> None:
    """MkDocs and Zensical keep the front matter to themselves; the text below the card is found."""
    (project.root / "mkdocs.yml").write_text(
        CONFIG.replace("plugins: []", "plugins: [search]").replace("docs_dir: docs", "docs_dir: docs/en")
    )
    write(project, HEAD)
    (project.root / "docs/en/index.md").write_text("# Home {#home}\n")
    done = build(project.root, builder)
    assert done.returncode == 0, done.stderr

    html = (project.root / "site/lectures/page/index.html").read_text(encoding="utf-8")
    assert rows(html) == CARDS["en"]
    assert re.search(r'</h1>\s*<section class="ledger-header-card"', html)
    assert 'href="../../evidence/#source-note"' in html

    (index,) = (project.root / "site").rglob("search*.json")
    found = json.dumps(json.loads(index.read_text(encoding="utf-8")), ensure_ascii=False)
    assert "Text." in found
    assert not [word for word in ("own rating", "conditional", "large models") if word in found]
