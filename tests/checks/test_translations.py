"""Which translations have fallen behind, and what `--accept` records."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_tools.cli import main
from build_tools.errors import LedgerError
from build_tools.syntax.sections import sections
from build_tools.translations import FILE, accept, is_stub, read_recorded, stale_sections, untranslated

ZH = "# 页 {#page}\n\n甲\n\n## 节 {#section}\n\n乙\n\n```text\n## 不是标题\n```\n"
EN = "# Page {#page}\n\na\n\n## Section {#section}\n\nb\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one page in both languages, at which a translator has looked."""
    (tmp_path / "snippets").mkdir()
    (tmp_path / "pyproject.toml").write_text('[tool.ledger]\nreference = "h200"\nmachines = ["h200"]\n')
    (tmp_path / "constraints.txt").write_text("")
    for language, text in (("zh", ZH), ("en", EN)):
        (tmp_path / "docs" / language).mkdir(parents=True)
        (tmp_path / "docs" / language / "page.md").write_text(text)
    monkeypatch.chdir(tmp_path)
    accept(tmp_path, "page.md")
    return tmp_path


def rewrite(root: Path, old: str, new: str) -> None:
    path = root / "docs/zh/page.md"
    path.write_text(path.read_text().replace(old, new))


def stale(root: Path) -> list[str]:
    return [section.name for section in stale_sections(root, "page.md")]


def test_accepted(root: Path) -> None:
    """Nothing is behind, and the file says of which text each section is the translation."""
    assert stale(root) == []
    assert list(read_recorded(root)["page.md"]) == ["page", "section"]


def test_typo_marks_one_section(root: Path) -> None:
    """The others are as they were."""
    rewrite(root, "乙", "乙乙")

    assert stale(root) == ["page.md#section"]


@pytest.mark.parametrize(("old", "new"), [("甲\n", "甲   \n"), ("甲\n", "甲\n\n\n"), ("甲\n\n", "甲\n")])
def test_blank_lines_and_spaces_are_no_change(root: Path, old: str, new: str) -> None:
    """There is nothing for a translator in them."""
    rewrite(root, old, new)

    assert stale(root) == []


def test_changed_code_is_a_change(root: Path) -> None:
    """It belongs to the section it stands in, and is no heading."""
    rewrite(root, "不是标题", "仍然不是")

    assert stale(root) == ["page.md#section"]


def test_accept_one_section(root: Path) -> None:
    """The other one stays marked."""
    rewrite(root, "乙", "丙")
    rewrite(root, "甲", "丁")

    assert accept(root, "page.md#section") == ["page.md#section"]
    assert stale(root) == ["page.md#page"]


@pytest.mark.parametrize("name", ["page.md", "page", "docs/en/page.md", "docs/zh/page.md", "all"])
def test_accept_a_page_by_any_name(root: Path, name: str) -> None:
    """As it is written on the command line, in a message or in an editor."""
    rewrite(root, "乙", "丙")

    assert accept(root, name) == ["page.md#section"]
    assert stale(root) == []


def test_accept_forgets_what_is_gone(root: Path) -> None:
    """A section that was renamed leaves no digest behind."""
    rewrite(root, "#section", "#part")
    accept(root, "page.md")

    assert list(read_recorded(root)["page.md"]) == ["page", "part"]


def test_new_section_was_never_seen(root: Path) -> None:
    """It has no digest, which is not the same as another one."""
    rewrite(root, "## 节 {#section}", "## 新 {#new}\n\n戊\n\n## 节 {#section}")
    (found,) = stale_sections(root, "page.md")

    assert (found.source.id, found.accepted) == ("new", None)


@pytest.mark.parametrize(
    ("name", "words"),
    [("other.md", "there is no page docs/zh/other.md"), ("page.md#setcion", "has no section 'setcion'")],
)
def test_accept_what_does_not_exist(root: Path, name: str, words: str) -> None:
    """It says what there is."""
    with pytest.raises(LedgerError, match=words):
        accept(root, name)


def test_recorded_by_hand(root: Path) -> None:
    """A file that is none of ours is told with its line."""
    (root / FILE).write_text('x = "1"\n')

    with pytest.raises(LedgerError, match=r"docs/translations.toml:1: x: here stand digests"):
        read_recorded(root)


def test_stub(root: Path) -> None:
    """It shows the Chinese text below its own title; nothing of it is behind."""
    stub = "# Page {#page}\n\n```untranslated\n```\n"
    (root / "docs/en/page.md").write_text(stub)

    assert is_stub(stub)
    assert stale(root) == []
    shown = untranslated(root, "page.md")
    assert "甲" in shown
    assert "## 节 {#section}" in shown
    assert "# 页" not in shown


def test_page_that_shows_the_fence_is_no_stub() -> None:
    """Documentation shows it inside a longer fence, in a list or in a code span."""
    assert not is_stub("# Page {#page}\n\n````markdown\n```untranslated\n```\n````\n\n`untranslated`\n")


def test_sections_know_their_lines() -> None:
    """Front matter belongs to none, and neither do blank lines at the end."""
    found = sections(f"---\ntitle: 页\n---\n前面\n\n{ZH}\n\n")

    assert [(section.id, section.level, section.first, section.last) for section in found] == [
        ("", 0, 4, 5), ("page", 1, 6, 9), ("section", 2, 10, 16),
    ]  # fmt: skip


def test_command(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A stale translation is a note; accepting it is said, and then the check is silent."""
    rewrite(root, "乙", "丙")
    assert main(["check", "parity"]) == 1, "the code is only in one language"
    (root / "docs/en/page.md").write_text(EN + "\n```text\n## none\n```\n")

    assert main(["check", "parity"]) == 0
    assert "note: docs/en/page.md:5: the translation of #section may be behind" in capsys.readouterr().out
    assert main(["check", "parity", "--accept", "page.md#section"]) == 0
    assert "accepted: page.md#section\nparity: no problem found" in capsys.readouterr().out
