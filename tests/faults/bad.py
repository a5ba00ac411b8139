"""What every error about bad input looks like, and how bad input is made."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

# `file:line: what is wrong; for example: what is right; next: the command`
SHAPE = re.compile(r"(?P<file>[^:]+)(:(?P<line>[1-9]\d*))?: (?P<problem>.+); for example: .+; next: .+")
LONGEST = 2500
# The same examples every time: a pull request must not fail by chance.
FEW = settings(
    max_examples=100, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
SCRIPT = '<script>window.hacked = "{}"</script>'
IMAGE = '"><img src=x onerror="window.hacked = 1">'
JUNK: list[Any] = [
    None, True, False, 0, -1, 1, 10**15, 10**30, 0.5, -0.5, 1e-300, 1e308, math.inf, -math.inf, math.nan, "", " ", "x", "显存",
    "../../etc/passwd", "a b", "a\nb", "\x00", "\x1b[31m", "\u202e", IMAGE, "x" * 5000, [], [1], ["x"], [[]], {}, {"x": 1},
]  # fmt: skip


def shaped(error: object) -> re.Match[str]:
    """The parts of an error; fails where it is not one printable line of our shape."""
    line = str(error)
    assert line.isprintable(), line
    assert len(line) < LONGEST
    found = SHAPE.fullmatch(line)
    assert found, line
    return found


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths to everything in a tree of dicts and lists."""
    for key in tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ():
        yield (*path, key)
        yield from places(tree[key], (*path, key))


def changed(tree: Any, path: Sequence[Any], how: str, value: Any) -> Any:
    """A copy of a tree with one thing removed, replaced, or added beside it."""
    copy = dict(tree) if isinstance(tree, dict) else list(tree)
    key, *deeper = path
    if deeper:
        copy[key] = changed(tree[key], deeper, how, value)
    elif how == "remove":
        del copy[key]
    elif how == "add" and isinstance(copy, dict):
        copy[value if isinstance(value, str) else "unheard_of"] = value
    else:
        copy[key] = value
    return copy


def spoiled(tree: Any) -> st.SearchStrategy[Any]:
    """The tree with one to three such changes."""

    @st.composite
    def draw_one(draw: st.DrawFn) -> Any:
        result = tree
        for _ in range(draw(st.integers(1, 3))):
            path = draw(st.sampled_from(list(places(result)) or [("x",)]))
            result = changed(
                result, path, draw(st.sampled_from(["remove", "replace", "add"])), draw(st.sampled_from(JUNK))
            )
        return result

    return draw_one()


def as_toml(tree: Any) -> str:
    """A table as TOML: one line a key, tables within as inline tables. TOML has no null: it is left out."""
    return "".join(f"{_toml(key)} = {_toml(value)}\n" for key, value in tree.items() if value is not None)


def _toml(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml(key)} = {_toml(item)}" for key, item in value.items() if item is not None) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value if item is not None) + "]"
    return repr(value)
