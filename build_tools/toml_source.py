"""TOML that knows its lines: a wrong key or value is reported where it stands."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from build_tools.errors import LedgerError, MisfitError, Place, clipped, quoted
from build_tools.model import NAME
from build_tools.reading import MIB, read_text

Model = TypeVar("Model", bound=BaseModel)
LARGEST = MIB  # the largest file by hand has some kilobytes
SYNTAX = 'name = "text" on one line, [table] on another'
NEXT = "python -m build_tools check"
HEADER = re.compile(r"^\s*(?P<array>\[)?\[\s*(?P<keys>[^\]]+?)\s*\]\]?\s*(#.*)?$")
ASSIGNMENT = re.compile(r"""^\s*("[^"]*"|'[^']*'|[A-Za-z0-9_.-]+)\s*=""")


def read_toml(path: Path) -> dict[str, Any]:
    """The file's tables. Raises LedgerError where it cannot be read or is not TOML."""
    text = _text(path)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        at, problem = int(line[1]) if line else text.count("\n") + 1, re.sub(r" \(at [^()]*\)$", "", str(error))
    except RecursionError:
        at, problem = None, "nested too deeply"
    except ValueError:  # Python's limit, which keeps a file from costing minutes
        at, problem = None, "a number has thousands of digits"
    raise LedgerError(f"not valid TOML: {problem}", place=Place(path, at), example=SYNTAX, next_command=NEXT)


def validated(
    model: type[Model], table: Any, path: Path, *, examples: Mapping[str, str], prefix: tuple[str, ...] = ()
) -> Model:
    """`table`, found in `path` under the keys `prefix`. Raises LedgerError for the first misfit, with its line.

    `examples` holds what is right, by dotted keys below the prefix; `*` stands for any key, `""` for all others.
    """
    try:
        return model.model_validate(table)
    except ValidationError as error:
        first = error.errors()[0]
        misfit = first.get("ctx", {}).get("error")
        keys = misfit.path if isinstance(misfit, MisfitError) else _keys(first["loc"])
        place = Place(path, line_of(_text(path), (*prefix, *keys)))
        right = misfit.example if isinstance(misfit, MisfitError) and misfit.example else _example(examples, keys)
        problem = _problem(first, keys or prefix, misfit)
        raise LedgerError(problem, place=place, example=right, next_command=NEXT) from None


def _text(path: Path) -> str:
    return read_text(path, at_most=LARGEST, example=SYNTAX, next_command=NEXT)


UNION = {"bool", "int", "float", "str"}  # how pydantic names the members of Scalar


def _keys(location: Sequence[int | str]) -> tuple[str, ...]:
    """The part of pydantic's location that the file knows: keys, without positions, union members and our own table."""
    keys = [str(part) for part in location if isinstance(part, str)]
    while keys and keys[-1] in {*UNION, "[key]"}:
        keys.pop()
    # A profile or a case keeps its parameters beside its other keys; only our model has a table for them.
    ours = 2 if len(keys) > 2 and keys[2] == "parameters" else len(keys)
    return (*keys[:ours], *keys[ours + 1 :])


def _example(examples: Mapping[str, str], keys: tuple[str, ...]) -> str:
    """The example for the longest known beginning of these keys."""
    fitting = [pattern for pattern in examples if pattern and _fits(pattern.split("."), keys)]
    return examples[max(fitting, key=lambda pattern: pattern.count("."), default="")]


def _fits(pattern: Sequence[str], keys: Sequence[str]) -> bool:
    return len(pattern) <= len(keys) and all(part in ("*", key) for part, key in zip(pattern, keys, strict=False))


# What TOML's own words are for what pydantic calls it.
SHOULD_BE = {
    "string_type": "a string", "int_type": "a whole number", "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false", "dict_type": "a table", "model_type": "a table", "tuple_type": "a list",
    "finite_number": "a finite number",
}  # fmt: skip
NO_NAME = "is no name; names are lower-case letters, digits, - and _, beginning with a letter or digit"


def _problem(error: Any, keys: tuple[str, ...], misfit: object) -> str:
    if isinstance(misfit, MisfitError):
        return misfit.problem
    where = clipped(".".join(keys))
    if error["type"] == "missing":
        return f"{where} is missing"
    if error["type"] == "extra_forbidden":
        return f"unknown key {where}"
    if error["type"] == "string_pattern_mismatch" and error["ctx"]["pattern"] == f"^{NAME}$":
        return f"{where}: {quoted(error['input'])} {NO_NAME}"
    return f"{where} = {quoted(error['input'])}: {_should_be(error)}"


def _should_be(error: Any) -> str:
    if error["loc"] and error["loc"][-1] in UNION and error["type"] in SHOULD_BE and error["type"] != "finite_number":
        return "input should be true or false, a number or a string"
    if error["type"] in SHOULD_BE:
        return f"input should be {SHOULD_BE[error['type']]}"
    message: str = error["msg"].removeprefix("Value error, ")
    return message[0].lower() + message[1:]


def line_of(text: str, keys: Sequence[str]) -> int | None:
    """The line (from 1) where the longest known beginning of `keys` is set, or the first line of its table."""
    best: tuple[tuple[bool, int], int] | None = None
    for number, path in _paths(text):
        depth = _shared(path, keys)
        # A key with an escape sequence in it is not recognised: then its table will do.
        if depth and (depth == len(path) or depth >= len(keys) - 1):
            rank = (depth == len(path), depth)
            if best is None or rank > best[0]:
                best = (rank, number)
    return best[1] if best else None


def _paths(text: str) -> list[tuple[int, tuple[str, ...]]]:
    """Every table header and assignment with the path of keys it stands for; `[[claim]]` is claim.0, claim.1 …"""
    table: tuple[str, ...] = ()
    seen: Counter[tuple[str, ...]] = Counter()
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if header := HEADER.match(line):
            table = _split(header["keys"])
            if header["array"]:
                seen[table] += 1
                table = (*table, str(seen[table] - 1))
            found.append((number, table))
        elif assignment := ASSIGNMENT.match(line):
            found.append((number, table + _split(assignment[1])))
    return found


def _split(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in re.findall(r'"[^"]*"|\'[^\']*\'|[^.]+', dotted))


def _shared(path: Sequence[str], keys: Sequence[str]) -> int:
    """How many keys both paths begin with."""
    count = 0
    for ours, theirs in zip(path, keys, strict=False):
        if ours != theirs:
            break
        count += 1
    return count
