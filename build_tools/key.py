"""When is a result still the result of this program? A digest of what a program does, and the key of a case."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from build_tools.errors import LedgerError, Place, clipped
from build_tools.metrics import meters_of
from build_tools.model import Device, Key, Reason, Scalar
from build_tools.reading import MIB, read_bytes
from build_tools.snippet import Snippet
from build_tools.toml_source import NEXT

NOT_PROGRAM = {"records", "__pycache__"}
PROGRAM = "def run(p, meter): …, as in snippets/loop/main.py"
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def program_digest(snippet_folder: Path) -> str:
    """Digest of a snippet's own files and of `snippets/shared/*.py`: SHA-256, 16 hex digits.

    Comments, docstrings, blank lines and layout of Python code do not count; other files count byte by byte.
    `snippet.toml` does not count here: what matters of it is in the key. Raises LedgerError for broken syntax.
    """
    digest = hashlib.sha256()
    for path in _program_files(snippet_folder):
        name = path.relative_to(snippet_folder.parent).as_posix()
        content = python_digest(path) if path.suffix == ".py" else _file_digest(path)
        digest.update(f"{name}\0{content}\0".encode())
    return digest.hexdigest()[:16]


def _program_files(folder: Path) -> list[Path]:
    own = [p for p in folder.rglob("*") if p.is_file() and not NOT_PROGRAM & set(p.relative_to(folder).parts)]
    shared = (folder.parent / "shared").glob("*.py")
    return sorted({p for p in own if p.name != "snippet.toml" and p.suffix != ".pyc"} | set(shared))


def python_digest(path: Path) -> str:
    """Digest of what a Python file does. Raises LedgerError where it is none."""
    source = read_bytes(path, at_most=MIB, example=PROGRAM, next_command=NEXT)
    try:
        return source_digest(source)
    except (SyntaxError, ValueError) as error:
        line, problem = getattr(error, "lineno", None), getattr(error, "msg", str(error))
    except (RecursionError, MemoryError):
        line, problem = None, "nested too deeply"
    raise LedgerError(
        f"not valid Python: {problem}", place=Place(path, line), example=PROGRAM,
        next_command=f"python -m py_compile {Place(path)}",
    )  # fmt: skip


def source_digest(source: bytes) -> str:
    """Equal on Python 3.11 to 3.13 (where `ast.dump` differs)."""
    return hashlib.sha256("\n".join(_walk(ast.parse(source))).encode()).hexdigest()


def _file_digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise LedgerError(
            f"cannot be read: {error.strerror}", place=Place(path), example=PROGRAM, next_command=NEXT
        ) from None


def _walk(node: Any) -> Iterator[str]:
    """The tree as lines: node names and the fields that hold something, so that a newer Python's new fields vanish."""
    if isinstance(node, ast.AST):
        yield f"({type(node).__name__}"
        for name, value in _fields(node):
            yield f".{name}"
            yield from _walk(value)
        yield ")"
    elif isinstance(node, list):
        yield f"[{len(node)}"
        for item in node:
            yield from _walk(item)
    else:
        yield f"{type(node).__name__} {node!r}"


def _fields(node: ast.AST) -> Iterator[tuple[str, Any]]:
    for name, value in ast.iter_fields(node):
        if name == "values" and isinstance(node, ast.JoinedStr):
            value = [part for part in value if not _is_empty_text(part)]
        if name == "body" and isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            value = value[1:]
        # A constant None is a value; an absent field is not.
        if value != [] and (value is not None or (isinstance(node, ast.Constant) and name == "value")):
            yield name, value


def _is_empty_text(part: ast.expr) -> bool:
    """Python 3.12 puts one behind the field of a nested format specification, as in f"{x:<{width}}"."""
    return isinstance(part, ast.Constant) and part.value == ""


def key_of(
    snippet: Snippet, case: str, profile: str, machine: str, device: Device, *, program: str | None = None
) -> Key:
    """What a fresh result of this case would be filed under. `program`: the digest of its folder, where it is known."""
    return Key(
        program=program or program_digest(snippet.folder),
        parameters=snippet.parameters_of(case, profile),
        short=snippet.short_of(case, profile),
        profile=profile,
        machine=machine,
        meters={name: meter.version for name, meter in meters_of(device).items()},
    )


def differences(was: Key, now: Key) -> tuple[Reason, ...]:
    """Why a result filed under `was` is not one of `now`; empty where it is."""
    reasons = [] if was.program == now.program else [Reason(code="program_changed")]
    for changed, code in _changes(was, now):
        reasons += [Reason(code=code, detail=detail) for detail in changed]
    return tuple(reasons)


Change = Literal["parameter_changed", "meter_changed"]


def _changes(was: Key, now: Key) -> Iterator[tuple[list[dict[str, Scalar]], Change]]:
    yield _changed(was.parameters, now.parameters), "parameter_changed"
    yield _changed(was.short, now.short), "parameter_changed"
    yield _changed(was.meters, now.meters), "meter_changed"


def _changed(was: Mapping[str, Scalar], now: Mapping[str, Scalar]) -> list[dict[str, Scalar]]:
    """Every name whose value differs, with both; a dash where there is none."""
    return [
        {"name": name, "was": clipped(str(was.get(name, "—"))), "now": clipped(str(now.get(name, "—")))}
        for name in sorted(was.keys() | now.keys())
        if was.get(name) != now.get(name)
    ]
