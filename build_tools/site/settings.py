"""Before a builder starts: that both configurations set what our pages rely on. A builder would pass over most of it.

Without `lang` the English site speaks Chinese, and without its entry in `custom_fences` a table stays a code block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from build_tools.errors import LedgerError, Place, quoted
from build_tools.model import Language
from build_tools.names import unknown
from build_tools.reading import MIB, read_text
from build_tools.syntax import FENCES

CONFIGS: dict[Language, str] = {"zh": "mkdocs.yml", "en": "mkdocs.en.yml"}
EXTENSION = ("markdown_extensions", "build_tools.markdown_ext")
CUSTOM_FENCES = ("markdown_extensions", "pymdownx.superfences", "custom_fences")
OURS = "tag:yaml.org,2002:python/name:build_tools.markdown_ext."
FUNCTIONS = {"validator": "validate", "format": "fence"}
BUILD = "python -m build_tools build --no-measure"


@dataclass(frozen=True)
class _Source:
    """One configuration file, as YAML nodes: these know their lines."""

    path: Path
    root: yaml.MappingNode


@dataclass(frozen=True)
class _Found:
    """Where a setting stands, or the last of its keys that does."""

    place: Place
    node: yaml.Node | None


def check_settings(root: Path, language: Language) -> None:
    """Raises LedgerError for the first setting of ours that is missing or wrong, with its line."""
    sources = list(_sources(root / CONFIGS[language]))
    _expect(sources, ("docs_dir",), f"docs/{language}")
    _expect(sources, ("site_dir",), f".build/{language}")
    _check_options(sources)
    _expect(sources, (*EXTENSION, "lang"), language)
    for kind in FENCES:
        _check_fence(sources, kind)


def _sources(path: Path) -> Iterator[_Source]:
    """The file, then what it inherits from: the first to set something decides."""
    seen: set[Path] = set()
    while path.resolve() not in seen:
        seen.add(path.resolve())
        source = _read(path)
        yield source
        inherited = _values(source.root).get("INHERIT")
        if not isinstance(inherited, yaml.ScalarNode):
            return
        path = path.parent / inherited.value
        if not path.is_file():
            place = Place(source.path, inherited.start_mark.line + 1)
            raise _wrong(f"INHERIT: there is no file {quoted(inherited.value)}", place, "INHERIT: mkdocs.yml")
    raise LedgerError("inherits from itself", place=Place(path), example="INHERIT: mkdocs.yml", next_command=BUILD)


def _read(path: Path) -> _Source:
    example = "site_name: 显存账本"
    text = read_text(path, at_most=MIB, example=example, next_command=BUILD)
    line = None
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line, problem = error.problem_mark.line + 1 if error.problem_mark else None, str(error.problem)
    except yaml.YAMLError as error:
        problem = str(error)
    except RecursionError:
        problem = "nested too deeply"
    else:
        if isinstance(root, yaml.MappingNode):
            return _Source(path, root)
        problem = "settings are lines of the form `name: value`"
    raise LedgerError(f"not valid YAML: {problem}", place=Place(path, line), example=example, next_command=BUILD)


def _values(node: yaml.Node) -> dict[str, yaml.Node]:
    """A mapping by its keys; anything else has none."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return {str(key.value): value for key, value in pairs}


def _find(sources: list[_Source], keys: tuple[str, ...]) -> _Found:
    """The setting in the first file that has it."""
    nearest: tuple[int, Place] = (0, Place(sources[0].path))
    for source in sources:
        node: yaml.Node = source.root
        for depth, key in enumerate(keys):
            values = _values(node)
            if key not in values:
                if depth > nearest[0]:
                    nearest = depth, Place(source.path, node.start_mark.line + 1)
                break
            node = values[key]
        else:
            return _Found(Place(source.path, node.start_mark.line + 1), node)
    return _Found(nearest[1], None)


def _expect(sources: list[_Source], keys: tuple[str, ...], right: str) -> None:
    found = _find(sources, keys)
    value = found.node.value if isinstance(found.node, yaml.ScalarNode) else None
    if value != right:
        written = f"{'no single text' if value is None else quoted(value)}, not {right}"
        state = written if found.node else "missing"
        raise _wrong(f"{' > '.join(keys)} is {state}", found.place, f"{keys[-1]}: {right}")


def _check_options(sources: list[_Source]) -> None:
    """Our extension has one option; another name is a slip."""
    for source in sources:
        found = _find([source], EXTENSION)
        for name, value in _values(found.node).items() if found.node else ():
            if name != "lang":
                problem = unknown("option", name, ["lang"]).problem
                raise _wrong(problem, Place(source.path, value.start_mark.line + 1), "lang: zh")


def _check_fence(sources: list[_Source], kind: str) -> None:
    """SuperFences is told of this kind of fence, and which functions are ours."""
    found = _find(sources, CUSTOM_FENCES)
    example = f"- name: {kind}, class: {kind}, " + ", ".join(
        f"{key}: !!python/name:build_tools.markdown_ext.{name}" for key, name in FUNCTIONS.items()
    )
    entries = found.node.value if isinstance(found.node, yaml.SequenceNode) else []
    named = [entry for entry in entries if _name(entry) == kind]
    if not named:
        raise _wrong(f"{' > '.join(CUSTOM_FENCES)} has no fence {kind!r}", found.place, example)
    values = _values(named[0])
    for key, name in FUNCTIONS.items():
        if key not in values or values[key].tag != OURS + name:
            line = values.get(key, named[0]).start_mark.line + 1
            raise _wrong(
                f"the {key} of the fence {kind!r} is missing or not ours", Place(found.place.file, line), example
            )


def _name(entry: yaml.Node) -> str | None:
    name = _values(entry).get("name")
    return str(name.value) if isinstance(name, yaml.ScalarNode) else None


def _wrong(problem: str, place: Place, example: str) -> LedgerError:
    return LedgerError(problem, place=place, example=example, next_command=BUILD)
