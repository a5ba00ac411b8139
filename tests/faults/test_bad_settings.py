"""Settings, pins and command lines that are wrong: one line, an exit code, and what was there stays."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from faults.bad import shaped
from projects import REPOSITORY, Write

from build_tools.cli import FAILED, WRONG_USE, main

ZH, EN = "mkdocs.yml", "mkdocs.en.yml"
YAML, OURS, BUILDERS = "settings-not-yaml", "settings-of-ours", "settings-of-the-builder"
PROJECT, PINS = "project-settings", "constraints-garbage"
OPTION, TARGET = "wrong-option", "wrong-target"
Edit = Callable[[str], str | bytes]


@pytest.fixture
def configured(project: Path, write_snippet: Write, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with this repository's settings, a snippet, an empty page a language and a site built before."""
    write_snippet()
    for name in (ZH, EN, "docs/theme/.inherit.yml"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(REPOSITORY / name, project / name)
    for folder in ("docs/zh", "docs/en", "build_tools", "site"):
        (project / folder).mkdir(parents=True)
    (project / "site" / "index.html").write_text("the last good site")
    monkeypatch.chdir(project)
    return project


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    """Exit code and lines of a command."""
    capsys.readouterr()
    try:
        code = main(arguments)
    except SystemExit as ended:
        code = int(ended.code or 0)
    written = capsys.readouterr()
    return code, (written.out + written.err).splitlines()


def swapped(find: str, replacement: str) -> Edit:
    def edit(text: str) -> str:
        assert find in text
        before, _, after = text.rpartition(find)
        return before + replacement + after

    return edit


# name: (fault, file, edit, "file:line" as a pattern, what is said)
SETTINGS: dict[str, tuple[str, str, Edit, str, str]] = {
    "no language": (OURS, EN, swapped("    lang: en", "    {}"), rf"{ZH}:\d+", "lang is 'zh', not en"),
    "another language": (OURS, EN, swapped("lang: en", "lang: fr"), rf"{EN}:\d+", "lang is 'fr', not en"),
    "languages": (OURS, EN, swapped("lang: en", "lang: [en]"), rf"{EN}:\d+", "lang is no single text, not en"),
    "option misspelt": (OURS, EN, swapped("lang: en", "langs: en"), rf"{EN}:\d+", "no option 'langs'; did you mean lang"),
    "extension misspelt": (OURS, ZH, swapped("  build_tools.markdown_ext:", "  build_tools.markdwn_ext:"), rf"{ZH}:\d+", "lang is missing"),
    "extensions as a list": (OURS, ZH, lambda text: text[: text.index("markdown_extensions:")] + "markdown_extensions: [tables]\n", rf"{ZH}:\d+", "lang is missing"),
    "no fences": (OURS, ZH, swapped("custom_fences:", "custom_fence:"), rf"{ZH}:\d+", "has no fence 'results'"),
    "fence misspelt": (OURS, ZH, swapped("- name: results", "- name: result"), rf"{ZH}:\d+", "has no fence 'results'"),
    "validator misspelt": (OURS, ZH, swapped("markdown_ext.validate", "markdown_ext.valdate"), rf"{ZH}:\d+", "the validator of the fence"),
    "format of another": (OURS, ZH, swapped("build_tools.markdown_ext.fence", "os.system"), rf"{ZH}:\d+", "the format of the fence"),
    "another docs_dir": (OURS, ZH, swapped("docs_dir: docs/zh", "docs_dir: docs/en"), rf"{ZH}:\d+", "docs_dir is 'docs/en', not docs/zh"),
    "another site_dir": (OURS, ZH, swapped("site_dir: .build/zh", "site_dir: docs"), rf"{ZH}:\d+", "site_dir is 'docs'"),
    "nothing inherited": (OURS, EN, swapped(".inherit.yml", ".inherits.yml"), rf"{EN}:\d+", "INHERIT: there is no file"),
    "a circle": (OURS, EN, swapped("docs/theme/.inherit.yml", EN), EN, "inherits from itself"),
    "an open bracket": (YAML, ZH, swapped("site_name: ", "site_name: ["), rf"{ZH}:\d+", "not valid YAML"),
    "a tab": (YAML, ZH, swapped("docs_dir:", "\tdocs_dir:"), rf"{ZH}:\d+", "not valid YAML"),
    "binary": (YAML, ZH, lambda text: bytes(range(256)), rf"{ZH}:2", "is not UTF-8"),
    "empty": (YAML, ZH, lambda text: "", ZH, "settings are lines of the form"),
    "a list of settings": (YAML, EN, lambda text: "- a\n", EN, "settings are lines of the form"),
    "nested without end": (YAML, EN, lambda text: "a: " + "[" * 2000, EN, "nested too deeply"),
    "no ledger": (PROJECT, "pyproject.toml", lambda text: "", "pyproject.toml", "reference is missing"),
    "tool is a number": (PROJECT, "pyproject.toml", lambda text: "tool = 1", "pyproject.toml:1", "should be a table"),
    "machines in words": (PROJECT, "pyproject.toml", swapped('["h200"]', '"h200"'), "pyproject.toml:3", "should be a list"),
    "no machine": (PROJECT, "pyproject.toml", swapped('["h200"]', "[]"), "pyproject.toml:3", "machines"),
    "machine with a space": (PROJECT, "pyproject.toml", swapped('["h200"]', '["h 200"]'), "pyproject.toml:3", "is no name"),
    "no TOML": (PROJECT, "pyproject.toml", lambda text: "[tool", "pyproject.toml:1", "not valid TOML"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("file", "edit", "place", "says"),
    [pytest.param(*rest, marks=pytest.mark.fault(fault), id=name) for name, (fault, *rest) in SETTINGS.items()],
)
def test_wrong_settings_are_told_before_building(
    file: str, edit: Edit, place: str, says: str, configured: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line; the last good site stands."""
    content = edit((configured / file).read_text(encoding="utf-8"))
    (configured / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    code, (line,) = run(capsys, "build", "--no-measure")

    assert code == FAILED
    assert re.match(f"error: {place}: ", line), line
    assert says in shaped(line.removeprefix("error: "))["problem"]
    assert (configured / "site" / "index.html").read_text() == "the last good site"


@pytest.mark.fault(YAML)
def test_missing_settings_are_told(configured: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No file, no site."""
    (configured / EN).unlink()
    code, (line,) = run(capsys, "build", "--no-measure")

    assert (code, line.startswith(f"error: {EN}: is missing; ")) == (FAILED, True)


@pytest.mark.fault(BUILDERS)
def test_the_builder_has_its_say_in_one_line(configured: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without the frames of its traceback."""
    text = (configured / ZH).read_text(encoding="utf-8")
    (configured / ZH).write_text(text.replace("  pymdownx.snippets:", "  pymdownx.snippets:\n    nosuch: 1"), "utf-8")
    code, told = run(capsys, "build", "--no-measure")
    (line,) = [line for line in told if not line.startswith(("owed: ", "degraded: "))]

    assert code == FAILED
    assert line.startswith(f"error: mkdocs could not build {ZH}: ")
    assert "nosuch" in line
    assert "File " not in line


@pytest.mark.fault(PINS)
@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        pytest.param(bytes(range(256)), 2, "is not UTF-8", id="binary"),
        pytest.param(b"torch==2.13.0\ntorch=2.13.0\n", 2, "'torch=2.13.0' pins nothing", id="one sign missing"),
        pytest.param(b"<html>", 1, "pins nothing", id="a web page"),
    ],
)
def test_pins_that_are_none_are_told(
    content: bytes, line: int, says: str, configured: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They would silently stop comparing versions."""
    (configured / "constraints.txt").write_bytes(content)
    code, (told, *_) = run(capsys, "check", "pages")

    assert code == FAILED
    assert told.startswith(f"constraints.txt:{line}: ")
    assert says in shaped(told)["problem"]


# name: (fault, arguments, exit code, what is said)
COMMANDS: dict[str, tuple[str, list[str], int, str]] = {
    "no command": (OPTION, [], WRONG_USE, "COMMAND"),
    "unknown command": (OPTION, ["mesure"], WRONG_USE, "invalid choice: 'mesure'"),
    "unknown option": (OPTION, ["measure", "--fast"], WRONG_USE, "unrecognized arguments: --fast"),
    "option with control characters": (OPTION, ["measure", "--\x1b[31m"], WRONG_USE, r"--\x1b[31m"),
    "unknown device": (OPTION, ["measure", "--device", "tpu"], WRONG_USE, "'auto', 'cpu', 'cuda'"),
    "unknown builder": (OPTION, ["build", "--builder", "hugo"], WRONG_USE, "'mkdocs', 'zensical'"),
    "unknown part": (OPTION, ["check", "everything"], WRONG_USE, "invalid choice"),
    "no repeats": (OPTION, ["measure", "--repeats", "0"], WRONG_USE, "from 1 to 1000, for example 5"),
    "repeats beyond reason": (OPTION, ["measure", "--repeats", str(10**15)], WRONG_USE, "from 1 to 1000"),
    "repeats in words": (OPTION, ["measure", "--repeats", "five"], WRONG_USE, "no whole number above 0"),
    "endless time limit": (OPTION, ["measure", "--timeout", "inf"], WRONG_USE, "for example 300"),
    "no time at all": (OPTION, ["measure", "--budget", "-1"], WRONG_USE, "for example 300"),
    "no port": (OPTION, ["serve", "--port", "99999"], WRONG_USE, "from 1 to 65535, for example 8000"),
    "card without memory": (OPTION, ["measure", "--rehearse", "H200"], WRONG_USE, "for example H200:141"),
    "card without a name": (OPTION, ["measure", "--rehearse", ":141"], WRONG_USE, "for example H200:141"),
    "card with words for memory": (OPTION, ["measure", "--rehearse", "H200:lots"], WRONG_USE, "for example H200:141"),
    "card without a place": (OPTION, ["measure", "--rehearse", "H200:141"], FAILED, "for example: --rehearse"),
    "unknown snippet": (TARGET, ["measure", "nip"], FAILED, "did you mean nap? there are: nap"),
    "unknown case": (TARGET, ["measure", "nap/shirt"], FAILED, "did you mean short? there are: short"),
    "no case behind the stroke": (TARGET, ["measure", "nap/"], FAILED, "no case '' in nap"),
    "path for a snippet": (TARGET, ["measure", "../nap"], FAILED, "no snippet '..'"),
    "unknown profile": (TARGET, ["measure", "--profile", "fast"], FAILED, "there are: auto, quick"),
    "no such device": ("no-such-device", ["measure", "--device", "cuda"], FAILED, "no CUDA device is visible here"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [pytest.param(*rest, marks=pytest.mark.fault(fault), id=name) for name, (fault, *rest) in COMMANDS.items()],
)
def test_wrong_use_is_one_line(
    arguments: list[str],
    code: int,
    says: str,
    configured: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is wrong and what there is; nothing was measured."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    ended, (line,) = run(capsys, *arguments)

    assert ended == code
    assert line.startswith("error: ")
    assert line.isprintable()
    assert says in line
    assert "next: " in line or "for example: " in line
    assert not (configured / ".ledger").exists()


@pytest.mark.fault("out-is-a-file")
def test_an_archive_that_cannot_be_written_is_told_first(configured: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not after an hour of measuring."""
    (configured / "taken").write_text("mine")
    code, lines = run(capsys, "measure", "--device", "cpu", "--out", "taken")

    assert code == FAILED
    assert "taken: --out: cannot be a folder" in lines[-1]
    assert not any("nap/short at" in line for line in lines)
    assert (configured / "taken").read_text() == "mine"


@pytest.mark.fault("port-taken")
def test_a_port_in_use_is_told(configured: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a port to try instead."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, lines = run(capsys, "serve", "--port", str(port))

    assert code == FAILED
    assert f"error: port {port}: " in lines[-1]
    assert "next: python -m build_tools serve --port" in lines[-1]


@pytest.mark.fault("outside-a-project")
@pytest.mark.parametrize("command", ["measure", "build", "serve", "check"])
def test_outside_a_project(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Says what was looked for and where."""
    monkeypatch.chdir(tmp_path)
    code, lines = run(capsys, command)

    assert code == FAILED
    assert "no project here" in lines[0]
    assert "next: cd into a checkout" in lines[0]


@pytest.mark.fault("constraints-missing")
def test_missing_constraints_stop_make() -> None:
    """Before anything is installed without them."""
    done = subprocess.run(
        ["make", "--no-print-directory", "site", "CONSTRAINTS=nosuch.txt"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )

    assert done.returncode != 0
    assert "error: nosuch.txt is missing; for example: CONSTRAINTS=constraints.txt" in done.stderr
