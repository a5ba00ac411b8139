"""TOML that knows its lines: a wrong key or value is reported where it stands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from build_tools.errors import LedgerError, MisfitError, Place

Model = TypeVar("Model", bound=BaseModel)
HEADER = re.compile(r"^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(#.*)?$")
ASSIGNMENT = re.compile(r"""^\s*("[^"]*"|'[^']*'|[A-Za-z0-9_.-]+)\s*=""")


def read_toml(path: Path) -> dict[str, Any]:
    """The file's tables. Raises LedgerError where it cannot be read or is not TOML."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise LedgerError("the file is missing", place=Place(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise LedgerError(f"cannot be read: {error}", place=Place(path)) from None
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise LedgerError(f"not valid TOML: {error}", place=Place(path, int(line[1]) if line else None)) from None


def validated(
    model: type[Model], table: dict[str, Any], path: Path, *, example: str, prefix: tuple[str, ...] = ()
) -> Model:
    """`table`, found in `path` under the keys `prefix`. Raises LedgerError for the first misfit, with its line."""
    try:
        return model.model_validate(table)
    except ValidationError as error:
        first = error.errors()[0]
        misfit = first.get("ctx", {}).get("error")
        keys = misfit.path if isinstance(misfit, MisfitError) else _keys(first["loc"])
        place = Place(path, line_of(path.read_text(encoding="utf-8-sig"), (*prefix, *keys)))
        right = misfit.example if isinstance(misfit, MisfitError) and misfit.example else example
        raise LedgerError(_problem(first, keys, misfit), place=place, example=right) from None


def _keys(location: Sequence[int | str]) -> tuple[str, ...]:
    """The part of pydantic's location that the file knows: keys, without positions, union members and our own table."""
    keys = [str(part) for part in location if isinstance(part, str)]
    while keys and keys[-1] in {"bool", "int", "float", "str", "[key]"}:
        keys.pop()
    return tuple(key for key in keys if key != "parameters" or keys[0] == "parameters")


def _problem(error: Any, keys: tuple[str, ...], misfit: object) -> str:
    if isinstance(misfit, MisfitError):
        return misfit.problem
    where = ".".join(keys)
    if error["type"] == "missing":
        return f"{where} is missing"
    if error["type"] == "extra_forbidden":
        return f"unknown key {where}"
    return f"{where} = {error['input']!r}: {error['msg'][0].lower()}{error['msg'][1:]}"


def line_of(text: str, keys: Sequence[str]) -> int | None:
    """The line (from 1) where the longest known beginning of `keys` is set, or the first line of its table."""
    best: tuple[int, int] | None = None
    for number, path in _paths(text):
        depth = _shared(path, keys)
        if depth and depth == len(path) and (best is None or depth > best[0]):
            best = (depth, number)
    return best[1] if best else None


def _paths(text: str) -> list[tuple[int, tuple[str, ...]]]:
    """Every table header and assignment with the path of keys it stands for."""
    table: tuple[str, ...] = ()
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if header := HEADER.match(line):
            table = _split(header[1])
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
