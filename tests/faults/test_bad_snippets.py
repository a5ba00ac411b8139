"""Whatever stands in a snippet's folder: it is used, or refused in one line, and the other snippets go on."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from faults.bad import FEW, as_toml, shaped, spoiled
from hypothesis import given
from hypothesis import strategies as st
from projects import NAP, NAP_TOML, REPOSITORY, Write

from build_tools.errors import LedgerError
from build_tools.figures.collect import Collection, collect
from build_tools.key import key_of
from build_tools.model import canonical_json
from build_tools.store import load_snippet

TRAINER = (REPOSITORY / "snippets" / "trainer" / "snippet.toml").read_text(encoding="utf-8")
VALUE, SYNTAX, SIZE = "snippet-toml-wrong-value", "snippet-toml-syntax", "snippet-toml-huge"
EDITOR, NAME, NUMBER = "snippet-toml-other-editor", "snippet-name", "snippet-toml-number"
LINK, PROGRAM, MISSING = "link-out-of-the-tree", "program-not-python", "program-missing"


def toml(find: str, replacement: str) -> str:
    assert find in NAP_TOML
    return NAP_TOML.replace(find, replacement)


def value(given: str) -> str:
    return toml("seconds = 0.01", f"seconds = {given}")


def case(line: str) -> str:
    return NAP_TOML + line + "\n"


# name: (fault, content, the line told or None, what is said)
TOML: dict[str, tuple[str, str | bytes, int | None, str]] = {
    "empty": (SYNTAX, "", None, "title is missing"),
    "binary": (SYNTAX, bytes(range(256)), 2, "byte 0x80 is not UTF-8"),
    "in UTF-16": (SYNTAX, NAP_TOML.encode("utf-16"), 1, "byte 0xff is not UTF-8"),
    "in GBK": (SYNTAX, NAP_TOML.encode("gbk"), 1, "is not UTF-8"),
    "with a NUL": (SYNTAX, "a = 1\0", 1, "not valid TOML"),
    "truncated": (SYNTAX, NAP_TOML[: NAP_TOML.index(", en")], 1, "not valid TOML"),
    "a table twice": (SYNTAX, case("[cases.short]"), 8, "not valid TOML"),
    "a key twice": (SYNTAX, "timeout_s = 1\n" + NAP_TOML, 3, "not valid TOML"),
    "nested without end": (SYNTAX, "a = " + "[" * 5000, None, "nested too deeply"),
    "a number of 5,000 digits": (SYNTAX, value("1" * 5000), None, "thousands of digits"),
    "ten megabytes": (SIZE, NAP_TOML + "#" * 10_000_000, None, "larger than 1 MiB"),
    "infinite parameter": (NUMBER, value("inf"), 5, "parameters.seconds = inf"),
    "parameter that is no number": (NUMBER, value("nan"), 5, "parameters.seconds = nan"),
    "infinite time limit": (NUMBER, toml("= 20", "= inf"), 2, "should be a finite number"),
    "time limit of 10**15": (NUMBER, toml("= 20", f"= {10**15}"), 2, "less than or equal to 604800"),
    "negative time limit": (NUMBER, toml("= 20", "= -1"), 2, "greater than 0"),
    "no repeats": (NUMBER, toml("quick = 2", "quick = 0"), 3, "greater than or equal to 1"),
    "repeats of 10**15": (NUMBER, toml("quick = 2", f"quick = {10**15}"), 3, "less than or equal to 1000"),
    "infinite memory": (NUMBER, case("needs = { memory_gib = inf }"), 8, "should be a finite number"),
    "text for a number": (VALUE, toml("= 20", '= "20"'), 2, "should be a number"),
    "true for a number": (VALUE, toml("= 20", "= true"), 2, "should be a number"),
    "line break in a value": (VALUE, toml("= 20", r'= "a\nb\u001b[31m"'), 2, "should be a number"),
    "list for a parameter": (VALUE, value("[1]"), 5, "should be true or false, a number or a string"),
    "text for a table": (VALUE, toml('{ zh = "打盹", en = "nap" }', '"nap"'), 1, "should be a table"),
    "text for a list": (VALUE, 'preload = "torch"\n' + NAP_TOML, 1, "should be a list"),
    "code for a module": (VALUE, 'preload = ["os; import x"]\n' + NAP_TOML, 1, "preload"),
    "key of ours": (VALUE, 'folder = "/etc"\n' + NAP_TOML, 1, "unknown key folder"),
    "key of 5,000 letters": (VALUE, case("x" * 5000 + " = 1"), 8, "is not a parameter"),
    "a pass twice": (VALUE, case('passes = ["time", "time"]'), 8, "each once"),
    "the pass check": (VALUE, case('passes = ["check"]'), 8, "each once"),
    "cases as a list": (VALUE, toml("[cases.short]", "[[cases]]"), 7, "cases"),
    "case with ..": (NAME, toml("cases.short", 'cases."../x"'), 7, "is no name"),
    "case in Chinese": (NAME, toml("cases.short", 'cases."显存"'), 7, "is no name"),
    "case with a line break": (NAME, toml("[cases.short]", '[cases]\n"a\\n" = {}'), 7, "is no name"),
    "parameter with a space": (NAME, toml("seconds =", '"a b" ='), 5, "cannot be a parameter"),
    "parameter named like a key": (NAME, toml("seconds =", "needs ="), 5, "cannot be a parameter"),
    "parameter named like Python": (NAME, toml("seconds =", "class ="), 5, "cannot be a parameter"),
}  # fmt: skip
ACCEPTED = {
    "byte order mark": "\ufeff" + NAP_TOML,
    "Windows line ends": NAP_TOML.replace("\n", "\r\n"),
    "tiny number": value("1e-300"),
    "large whole number": value(str(10**15)),
    "Chinese value": value('"显存 🙂"'),
}


def params(table: dict[str, tuple[str, str | bytes, int | None, str]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        ("content", "line", "says"),
        [pytest.param(*rest, marks=pytest.mark.fault(fault), id=name) for name, (fault, *rest) in table.items()],
    )


def problems(project: Path) -> list[LedgerError]:
    """What is told of a project in which one snippet, `good`, is right and stays usable."""
    found: Collection = collect(project, committed_only=False)
    assert "good" in found.snippets
    return found.problems


@pytest.fixture
def beside(write_snippet: Write) -> Write:
    """Write a snippet beside one that is right."""
    write_snippet("good")
    return write_snippet


@params(TOML)
def test_a_wrong_snippet_toml_is_one_line(
    content: str | bytes, line: int | None, says: str, project: Path, beside: Write
) -> None:
    """File, line, what is wrong, what would be right, the next command; the neighbour is not affected."""
    path = beside() / "snippet.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (error,) = problems(project)

    told = shaped(error)
    assert told["file"] == str(path)
    assert told["line"] == (str(line) if line else None)
    assert says in told["problem"]


@pytest.mark.fault(EDITOR)
@pytest.mark.parametrize("content", ACCEPTED.values(), ids=ACCEPTED)
def test_what_other_editors_write_is_read(content: str, project: Path, beside: Write) -> None:
    """A byte order mark and Windows line ends are nobody's mistake."""
    (beside() / "snippet.toml").write_bytes(content.encode())

    assert problems(project) == []


@pytest.mark.fault(VALUE)
@pytest.mark.parametrize("source", [TRAINER, NAP_TOML], ids=["trainer", "nap"])
def test_any_change_is_used_or_told(source: str, write_snippet: Write) -> None:
    """Property: what is accepted can be measured and filed, what is not is one line of the right shape."""
    folder = write_snippet()

    @FEW
    @given(spoiled(tomllib.loads(source)))
    def holds(tree: object) -> None:
        (folder / "snippet.toml").write_text(as_toml(tree), encoding="utf-8")
        read_or_told(folder)

    holds()


@pytest.mark.fault(SYNTAX)
def test_any_truncation_and_any_byte_is_used_or_told(write_snippet: Write) -> None:
    """Property: cut off anywhere, with any bytes in its place."""
    folder, content = write_snippet(), TRAINER.encode()

    @FEW
    @given(st.integers(0, len(content)), st.integers(0, 40), st.binary(max_size=6))
    def holds(at: int, removed: int, added: bytes) -> None:
        (folder / "snippet.toml").write_bytes(content[:at] + added + content[at + removed :])
        read_or_told(folder)

    holds()


def read_or_told(folder: Path) -> None:
    try:
        snippet = load_snippet(folder)
    except LedgerError as error:
        shaped(error)
        return
    for profile in snippet.profiles:
        for name in snippet.cases_in(profile):
            canonical_json(key_of(snippet, name, profile, "some-machine", "cpu").model_dump())


FOLDERS = ["a b", "显存", "..x", "Nap", "a\nb", "\x1b[31m", "-a", "a.b", "shared", "<img src=x>", os.fsdecode(b"\xff")]


@pytest.mark.fault(NAME)
@pytest.mark.parametrize("name", FOLDERS, ids=ascii)
def test_a_folder_whose_name_is_none_is_told(name: str, project: Path, beside: Write) -> None:
    """Also one that no terminal can print."""
    beside().rename(project / "snippets" / name)
    (error,) = problems(project)

    assert "is no name for a snippet" in shaped(error)["problem"]


@pytest.mark.fault(MISSING)
@pytest.mark.parametrize("kind", ["missing", "folder", "pipe"])
def test_a_missing_program_is_told(kind: str, project: Path, beside: Write) -> None:
    """Nothing, a folder, or a pipe that nobody writes to in its place."""
    main = beside() / "main.py"
    main.unlink()
    if kind != "missing":
        {"folder": Path.mkdir, "pipe": os.mkfifo}[kind](main)
    (error,) = problems(project)

    assert shaped(error)["file"] == str(main)
    assert "the program is missing" in str(error)


PROGRAMS: dict[str, tuple[bytes, str]] = {
    "binary": (bytes(range(256)), "not valid Python"),
    "with a NUL": (b"x = 1\0", "not valid Python"),
    "with a syntax error": (b"def run(:\n", "main.py:1: not valid Python"),
    "in UTF-16": (NAP.encode("utf-16"), "not valid Python"),
    "of an unknown encoding": (b"# -*- coding: nosuch -*-\n", "not valid Python"),
    "nested too deeply": (b"x = " + b"-" * 5000 + b"1\n", "nested too deeply"),
    "of six megabytes": (b"x = 1\n" * 1_000_000, "larger than 1 MiB"),
}


@pytest.mark.fault(PROGRAM)
@pytest.mark.parametrize(("content", "says"), PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_that_is_none_is_told(content: bytes, says: str, project: Path, beside: Write) -> None:
    """Before anything is measured, and without stopping the pages of other snippets."""
    (beside() / "main.py").write_bytes(content)
    (error,) = problems(project)

    shaped(error)
    assert says in str(error)


def moved_out(path: Path, outside: Path) -> Path:
    """`path` becomes a link to what it was, outside the project."""
    path.rename(outside / path.name)
    path.symlink_to(outside / path.name)
    return path


def made(path: Path, target: str) -> Path:
    path.symlink_to(target)
    return path


LINKS: dict[str, Callable[[Path, Path], Path]] = {
    "folder": lambda folder, outside: moved_out(folder, outside),
    "program": lambda folder, outside: moved_out(folder / "main.py", outside),
    "snippet.toml": lambda folder, outside: moved_out(folder / "snippet.toml", outside),
    "snippet.toml to itself": lambda folder, outside: (
        (folder / "snippet.toml").unlink() or made(folder / "snippet.toml", "snippet.toml")
    ),
    "records": lambda folder, outside: made(folder / "records", str(outside)),
    "data": lambda folder, outside: made(folder / "data.csv", "/etc/passwd"),
    "folder of data": lambda folder, outside: made(folder / "data", "/etc"),
    "to nothing": lambda folder, outside: made(folder / "data.csv", "nothing"),
    "to the neighbour": lambda folder, outside: made(folder / "other", "../good"),
}


@pytest.mark.fault(LINK)
@pytest.mark.parametrize("make", LINKS.values(), ids=LINKS)
def test_a_link_out_of_the_folder_is_refused(
    make: Callable[[Path, Path], Path], project: Path, beside: Write, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What is behind it would count neither in the digest nor in a checkout; the link itself is named."""
    link = make(beside(), tmp_path_factory.mktemp("outside"))
    error, *_ = problems(project)

    assert shaped(error)["file"] == str(link)
    assert "is a link that leaves" in str(error)


def test_a_link_within_the_folder_is_fine(project: Path, beside: Write) -> None:
    """It goes wherever the folder goes."""
    made(beside() / "data.txt", "main.py")

    assert problems(project) == []
