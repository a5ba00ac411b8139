"""What makes a result stale, and what does not."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from projects import REPOSITORY, Write

from build_tools.errors import LedgerError
from build_tools.key import differences, key_of, program_digest
from build_tools.store import load_snippet

PROGRAM = '''\
"""A module docstring."""
import math  # a comment

def area(radius, *, scale=None):
    """A function docstring."""
    # Why: because.
    return f"{math.pi * radius ** 2:.2f} {scale!r}"

class Shape:
    """A class docstring."""
    sides: int = 4

async def main():
    """Only a docstring."""
'''
HARMLESS = {
    "comment reworded": ("# Why: because.", "# Why: for another reason."),
    "comment removed": ("  # a comment", ""),
    "module docstring reworded": ("A module docstring.", "Another text,\nover two lines."),
    "function docstring removed": ('    """A function docstring."""\n', ""),
    "class docstring reworded": ("A class docstring.", "Another."),
    "blank lines added": ("class Shape", "\n\n\nclass Shape"),
    "trailing space added": ("import math", "import math   "),
    "line broken inside brackets": ("(radius, *, scale=None)", "(\n    radius,\n    *,\n    scale=None,\n)"),
    "windows line ends": ("\n", "\r\n"),
}
HARMFUL = {
    "a number changed": ("** 2", "** 3"),
    "a format changed": (":.2f", ":.3f"),
    "a default changed": ("scale=None", "scale=False"),
    "an annotation changed": ("sides: int", "sides: float"),
    "a name changed": ("class Shape", "class Form"),
    "a conversion changed": ("{scale!r}", "{scale!s}"),
    "a statement added": ("import math  #", "import math, os  #"),
    "async removed": ("async def", "def"),
}


def digest_of(tmp_path: Path, program: str) -> str:
    folder = tmp_path / "snippets" / "shape"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "main.py").write_bytes(program.encode())
    return program_digest(folder)


@pytest.mark.parametrize("edit", HARMLESS)
def test_the_digest_ignores(edit: str, tmp_path: Path) -> None:
    """Rewording and layout cost no measurement."""
    before, after = HARMLESS[edit]
    assert before in PROGRAM
    assert digest_of(tmp_path, PROGRAM.replace(before, after)) == digest_of(tmp_path, PROGRAM)


@pytest.mark.parametrize("edit", HARMFUL)
def test_the_digest_notices(edit: str, tmp_path: Path) -> None:
    """Whatever changes what the program does makes its results stale."""
    before, after = HARMFUL[edit]
    assert before in PROGRAM
    assert digest_of(tmp_path, PROGRAM.replace(before, after)) != digest_of(tmp_path, PROGRAM)


def test_files_that_count(tmp_path: Path) -> None:
    """A snippet's own files and snippets/shared count; records, snippet.toml and other snippets do not."""
    digest = digest_of(tmp_path, PROGRAM)
    for name, counts in {
        "shape/records/quick/x/case.json": False,
        "shape/snippet.toml": False,
        "other/main.py": False,
        "shape/data.csv": True,
        "shape/helper.py": True,
        "shared/data.py": True,
    }.items():
        path = tmp_path / "snippets" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1")
        assert (program_digest(tmp_path / "snippets" / "shape") != digest) is counts, name
        path.unlink()


def other_pythons() -> list[str]:
    """Newer interpreters on this system."""
    names = ("python3.12", "python3.13")
    installed = [*(Path.home() / ".pyenv" / "versions").glob("3.1[23]*/bin/python"), *map(shutil.which, names)]
    return [str(python) for python in installed if python and runs(str(python))]


def runs(python: str) -> bool:
    return subprocess.run([python, "-c", ""], capture_output=True).returncode == 0


def test_the_digest_is_the_same_on_every_python(tmp_path: Path) -> None:
    """Records of one Python are not stale on another, although `ast.dump` differs between them."""
    if not (pythons := other_pythons()):
        pytest.skip("no python3.12 or python3.13 here")
    tricky = tmp_path / "tricky.py"
    tricky.write_text(TRICKY)
    programs = [tricky, *(REPOSITORY / "snippets").glob("*/main.py"), *(REPOSITORY / "build_tools").rglob("*.py")]
    ours = [digest_alone(program) for program in programs]
    script = tmp_path / "digest.py"
    script.write_text(STANDALONE)
    for python in pythons:
        command = [python, str(script), str(REPOSITORY), *map(str, programs)]
        theirs = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        assert theirs == ours, python


# Where the parsers of 3.11, 3.12 and 3.13 are known to differ, or might.
TRICKY = '''\
"""A docstring
  indented."""
from typing import TypeVar
T = TypeVar("T")
def f(x: "int", /, y=None, *z, width=3, **rest) -> None:
    """Another
        one."""
    print(f"{x:<{width}}", f"{x!r:>{width}.{y}}", f"{x=}", f"{'a' 'b'}{x}" "c", f"", "a" f"{x}" "b", f"{{}}")
    match x:
        case {"a": 1, **others} | [1, *_] if others: return (yield)
        case _: pass
    async def g(): return [i async for i in x if (n := i)]
    try: pass
    except* ValueError: pass
    with (open("a") as a, open("b") as b): lambda: 0
    return -1 ** 2, 1e400, 1j, b"\\x00", ..., not x is None
class C(Base, metaclass=M):
    x: int
    y: int = 1
    type = None
'''
# The other interpreter has no pydantic: only the functions of key.py that need none are loaded there.
STANDALONE = """\
import ast, hashlib, sys
from pathlib import Path
source = (Path(sys.argv[1]) / "build_tools" / "key.py").read_text()
wanted = {"source_digest", "_walk", "_fields", "_is_empty_text", "DOCUMENTED"}
names = lambda node: {getattr(node, "name", None), *(t.id for t in getattr(node, "targets", []) if hasattr(t, "id"))}
kept = [node for node in ast.parse(source).body if names(node) & wanted]
for node in kept:
    node.returns = None
    for argument in getattr(getattr(node, "args", None), "args", []):
        argument.annotation = None
exec(compile(ast.Module(kept, []), "key.py", "exec"))
print(*(source_digest(Path(name).read_bytes()) for name in sys.argv[2:]))
"""


def digest_alone(program: Path) -> str:
    from build_tools.key import source_digest

    return source_digest(program.read_bytes())


def test_broken_python_is_named_with_its_line(tmp_path: Path) -> None:
    """A syntax error is a person's to mend: file and line, no traceback."""
    with pytest.raises(LedgerError, match=r"main\.py:2: not valid Python"):
        digest_of(tmp_path, "x = 1\ny = (\n")


def test_a_key_says_what_moved(write_snippet: Write) -> None:
    """The reason names the parameter with both values."""
    folder = write_snippet()
    was = key_of(load_snippet(folder), "short", "quick", "m", "cpu")
    (folder / "snippet.toml").write_text((folder / "snippet.toml").read_text().replace("0.01", "0.02"))
    (folder / "main.py").write_text("def run(p, meter): pass")

    reasons = differences(was, key_of(load_snippet(folder), "short", "quick", "m", "cpu"))

    assert [reason.code for reason in reasons] == ["program_changed", "parameter_changed"]
    assert reasons[1].detail == {"name": "seconds", "was": "0.01", "now": "0.02"}


def test_titles_repeats_and_other_cases_are_not_in_the_key(write_snippet: Write) -> None:
    """Prose and display options cost no measurement."""
    folder = write_snippet()
    was = key_of(load_snippet(folder), "short", "quick", "m", "cpu")
    text = (folder / "snippet.toml").read_text().replace("打盹", "小睡").replace("quick = 2", "quick = 7")
    (folder / "snippet.toml").write_text(text + "[cases.long]\nseconds = 9.0\n")

    assert differences(was, key_of(load_snippet(folder), "short", "quick", "m", "cpu")) == ()
