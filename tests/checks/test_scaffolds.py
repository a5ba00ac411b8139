"""What `new` writes passes every check as it is, and says where somebody has to write."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from projects import REPOSITORY

from build_tools.checks.everything import CHECKS, run_check
from build_tools.cli import main
from build_tools.errors import LedgerError
from build_tools.scaffolds import new_lecture, new_snippet
from build_tools.syntax.blocks import FenceBlock, blocks


@pytest.fixture
def project(pages: Path, tmp_path: Path) -> Path:
    """The real pages, to be changed."""
    shutil.copytree(pages, tmp_path, dirs_exist_ok=True)
    return tmp_path


def everything(root: Path) -> set[str]:
    with contextlib.chdir(root):
        return {str(problem) for check in CHECKS for problem in run_check(check, root).problems}


def make(project: Path) -> None:
    list(new_snippet(project, "my_snippet"))
    list(new_lecture(project, "my-lecture", "my_snippet"))
    list(new_lecture(project, "another"))


def test_passes_all_checks(project: Path) -> None:
    """Both lectures and the snippet, together with all that is there."""
    before = everything(project)
    make(project)

    assert everything(project) - before == set()


def test_every_place_to_fill_is_told(project: Path) -> None:
    """One note for each file, with the word to search for."""
    make(project)
    notes = [str(note) for note in run_check("prose", project).notes]
    files = ["zh/lectures/my-lecture.md", "en/lectures/my-lecture.md", "my_snippet/main.py", "my_snippet/snippet.toml"]

    for file in files:
        assert [note for note in notes if file in note and "search for FILL" in note]


def test_lecture_shows_the_snippet(project: Path) -> None:
    """Its code with an explanation for each mark, its results, and one number."""
    make(project)
    for language in ("zh", "en"):
        page = (project / f"docs/{language}/lectures/my-lecture.md").read_text(encoding="utf-8")

        assert '--8<-- "my_snippet/main.py:train"' in page
        assert "```results my_snippet\n```" in page
        assert "{value}`my_snippet/plain/seconds@quick`" in page
        assert page.count("\n1. FILL") == 1
        assert "%" not in page


def test_lecture_without_snippet_has_no_fence(project: Path) -> None:
    """And says what belongs there."""
    make(project)
    page = (project / "docs/zh/lectures/another.md").read_text(encoding="utf-8")

    assert [block for block in blocks(page.split("\n"), 0, bool) if isinstance(block, FenceBlock)] == []
    assert "`new snippet`" in page


def test_navigation(project: Path) -> None:
    """Both sites list the lecture behind the last one; comments stay."""
    before = (project / "mkdocs.yml").read_text(encoding="utf-8")
    make(project)
    after = (project / "mkdocs.yml").read_text(encoding="utf-8")

    assert [line for line in before.splitlines() if line not in after.splitlines()] == []
    assert after.index("lectures/gradient-accumulation.md") < after.index("lectures/my-lecture.md")
    assert "lectures/my-lecture.md" in (project / "mkdocs.en.yml").read_text(encoding="utf-8")


def test_navigation_without_lectures(project: Path) -> None:
    """Then somebody has to do it, and is told."""
    for name in ("mkdocs.yml", "mkdocs.en.yml"):
        (project / name).write_text("nav:\n  - index.md\n")

    assert sum(line.startswith("to do: ") for line in new_lecture(project, "x")) == 2


WRONG: dict[str, tuple[Callable[[Path], object], str]] = {
    "name": (lambda root: list(new_lecture(root, "My Lecture")), "is no name"),
    "path": (lambda root: list(new_snippet(root, "../x")), "is no name"),
    "page_exists": (lambda root: list(new_lecture(root, "gradient-accumulation")), "is there already"),
    "snippet_exists": (lambda root: list(new_snippet(root, "loop")), "is there already"),
    "no_such_snippet": (lambda root: list(new_lecture(root, "x", "nothing")), "there is no snippet 'nothing'"),
}


@pytest.mark.parametrize(("wrong", "words"), WRONG.values(), ids=WRONG)
def test_wrong_use(project: Path, wrong: Callable[[Path], object], words: str) -> None:
    """One line, a next command, and nothing is written."""
    files = sorted(project.rglob("*"))
    with pytest.raises(LedgerError, match=words) as caught:
        wrong(project)

    assert caught.value.next_command
    assert sorted(project.rglob("*")) == files


def test_command(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Says what it wrote and what comes next."""
    monkeypatch.chdir(project)

    assert main(["new", "snippet", "mine"]) == 0
    assert main(["new", "lecture", "mine", "--snippet", "mine"]) == 0
    said = capsys.readouterr().out
    assert "written: docs/en/lectures/mine.md" in said
    assert "next: write where it says FILL" in said


@pytest.mark.slow
def test_snippet_can_be_measured(project: Path) -> None:
    """As it is, on any CPU; and its style is the project's."""
    make(project)
    shutil.copytree(REPOSITORY / "build_tools", project / "build_tools")
    command = [sys.executable, "-m", "build_tools", "measure", "my_snippet", "--repeats", "1", "--device", "cpu"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True)
    style = subprocess.run([sys.executable, "-m", "ruff", "check", "snippets/my_snippet"], cwd=project)

    assert done.returncode == 0, done.stderr
    assert style.returncode == 0
