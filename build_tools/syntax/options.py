"""The options in a fence: lines of YAML, each checked, each with the line it stands on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import yaml

from build_tools.errors import LedgerError
from build_tools.names import closest, unknown

OptionKind = Literal["name", "names", "name or names"]
Option = str | tuple[str, ...]
EXAMPLE: dict[OptionKind, str] = {
    "name": "{}: plain", "names": "{}: [plain, accumulate]", "name or names": "{}: seconds, or {}: [weights_mib, …]",
}  # fmt: skip
# Where another name is right than that of a case.
EXAMPLES = {"x": "x: micro_batch", "series": "series: attention", "kind": "kind: lines"}


class OptionError(Exception):
    """What is wrong with an option; `line` counts from 0 within the fence."""

    def __init__(self, line: int, problem: str, example: str) -> None:
        self.line, self.problem = line, LedgerError(problem, example=example)


def read_options(body: str, known: Mapping[str, OptionKind]) -> Iterator[tuple[str, int, Option]]:
    """Name, line and value of each option in a fence. Raises OptionError for the first that is wrong."""
    seen: set[str] = set()
    for key, value in _yaml_pairs(body, _example(known, next(iter(known)))):
        name, line = str(key.value), key.start_mark.line
        if name not in known:
            meant = closest(name, known) or next(iter(known))
            raise OptionError(line, unknown("option", name, known).problem, _example(known, meant))
        if name in seen:
            raise OptionError(line, f"{name} is set twice", _example(known, name))
        seen.add(name)
        yield name, line, _option(name, line, value, known)


def _yaml_pairs(body: str, example: str) -> list[tuple[yaml.Node, yaml.Node]]:
    """Keys and values with their places. Nodes instead of values: in YAML, `no` and `8` are no names."""
    try:
        root = yaml.compose(body, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line if error.problem_mark else 0
        raise OptionError(line, f"not valid YAML: {error.problem}", example) from None
    except yaml.YAMLError as error:
        raise OptionError(0, f"not valid YAML: {error}", example) from None
    if root is None:
        return []
    if not isinstance(root, yaml.MappingNode):
        raise OptionError(root.start_mark.line, "options are lines of the form `name: value`", example)
    return list(root.value)


def _option(name: str, line: int, value: yaml.Node, known: Mapping[str, OptionKind]) -> Option:
    kind = known[name]
    if kind != "names" and isinstance(value, yaml.ScalarNode) and value.value:
        return str(value.value)
    items = value.value if kind != "name" and isinstance(value, yaml.SequenceNode) else []
    if items and all(isinstance(item, yaml.ScalarNode) for item in items):
        return tuple(str(item.value) for item in items)
    what = {"name": "one name", "names": "a list of names", "name or names": "a name or a list of names"}[kind]
    raise OptionError(line, f"{name} takes {what}", _example(known, name))


def _example(known: Mapping[str, OptionKind], name: str) -> str:
    return EXAMPLES.get(name) or EXAMPLE[known[name]].replace("{}", name)
