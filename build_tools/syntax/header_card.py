"""The header card in a page's front matter, each mistake with its line.

card:
  kind: video-summary
  updated: "2026-08-02"
  confidence: {value: high, by: course-summary}
  tags: [{zh: 课程, en: course}]
  sources: [{what: notebook, access: public, document: course-notebook}]
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import yaml
from pydantic import ValidationError

from build_tools.errors import LedgerError, clipped, quoted
from build_tools.model import NAME, Data
from build_tools.model.header_card import CardSource, Confidence, HeaderCard, LearningStatus, ReadingStatus, Tag
from build_tools.names import unknown
from build_tools.syntax.front_matter import Found, composed

KEY = "card"
DEEPEST = 4  # levels of a right card: the card, its tags, one of them, a language
PARTS: Mapping[str, type[Data]] = {
    "": HeaderCard, "confidence": Confidence, "reading_status": ReadingStatus, "learning_status": LearningStatus,
    "tags": Tag, "sources": CardSource,
}  # fmt: skip
RIGHT: Mapping[str, str] = {
    "": "card: with kind, updated, tags and sources below it",
    "kind": "kind: video-summary",
    "updated": 'updated: "2026-08-02"',
    "confidence": "confidence: {value: high, by: course-summary}",
    "reading_status": "reading_status: {value: to-read, by: course-summary}",
    "learning_status": "learning_status: {value: done, by: to-do-list}",
    "run_label": "run_label: conditional",
    "tags": "tags: [{zh: 课程, en: course}]",
    "sources": "sources: [{what: notebook, access: public, document: course-notebook}]",
}
# What YAML's own words are for what pydantic calls it.
SHOULD_BE = {
    "string_type": "one text",
    "literal_error": "one text",
    "model_type": "settings of the form `name: value`",
    "tuple_type": "a list",
}

Path = tuple[str | int, ...]


def read_card(lines: list[str], end: int, documents: Collection[str]) -> tuple[HeaderCard | None, list[Found]]:
    """The card of a page whose front matter ends on line `end`, and what is wrong with it; None where it has none.

    `documents`: those that evidence.toml declares. A line counts from 0 within the front matter, as in `front_matter`.
    """
    root = composed(lines, end)
    if root is None or isinstance(root, tuple):  # broken YAML is told by `front_matter_problem`
        return None, []
    head = next(((key, value) for key, value in root.value if key.value == KEY), None)
    if head is None:
        return None, []
    problems = list(_twice(head[1]))
    try:
        card = HeaderCard.model_validate(_plain(head[1]))
    except ValidationError as error:
        problems += [(_line(*head, each["loc"]), _problem(each)) for each in error.errors()]
        return None, sorted(problems, key=_by_line)
    problems += [(_line(*head, at), problem) for at, problem in _undeclared(card, documents)]
    return (None if problems else card), sorted(problems, key=_by_line)


def _by_line(found: Found) -> int:
    return found[0]


def _plain(node: yaml.Node, depth: int = 0) -> Any:
    """Texts, lists and mappings: a date without quotes stays what was written, and an alias to itself ends."""
    if depth > DEEPEST:
        return None
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): _plain(value, depth + 1) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, depth + 1) for item in node.value]
    return str(node.value)


def _line(key: yaml.Node, node: yaml.Node, at: Sequence[str | int]) -> int:
    """Where the longest part of this path that is written begins."""
    line = key.start_mark.line
    for part in at:
        if isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            node = node.value[part]
            line = node.start_mark.line
        elif isinstance(node, yaml.MappingNode):
            found = next(((name, value) for name, value in node.value if name.value == part), None)
            if found is None:
                break
            line, node = found[0].start_mark.line, found[1]
    return int(line)


def _twice(node: yaml.Node, depth: int = 0) -> Iterator[Found]:
    """Keys that stand twice in one place, of which YAML would silently take the last."""
    if depth > DEEPEST or not isinstance(node, yaml.CollectionNode):
        return
    if isinstance(node, yaml.MappingNode):
        names = [str(key.value) for key, _ in node.value]
        for position, (key, _) in enumerate(node.value):
            if names[position] in names[:position]:
                problem = f"front matter: {quoted(names[position])} stands twice in the same place of {KEY}"
                yield key.start_mark.line, LedgerError(problem, example=RIGHT[""])
    for item in node.value:
        yield from _twice(item[1] if isinstance(item, tuple) else item, depth + 1)


def _undeclared(card: HeaderCard, documents: Collection[str]) -> Iterator[tuple[Path, LedgerError]]:
    for position, source in enumerate(card.sources):
        if source.document is not None and source.document not in documents:
            where = " in docs/evidence.toml"
            problem = unknown("document", source.document, documents, where=where, example=RIGHT["sources"])
            yield ("sources", position, "document"), problem


# --------------------------------------------------------------------------------------------- in words


def _problem(error: Any) -> LedgerError:
    """Of what pydantic found: one line with the values that are known."""
    keys = [part for part in error["loc"] if isinstance(part, str)]
    top = keys[0] if keys and keys[0] in RIGHT else ""
    name, example = ".".join([KEY, *keys]), RIGHT[top]
    if error["type"] == "extra_forbidden":
        known = PARTS[".".join(keys[:-1])].model_fields
        return unknown("key", clipped(keys[-1]), known, where=f" in {'.'.join([KEY, *keys[:-1]])}", example=example)
    if error["type"] == "literal_error" and isinstance(error["input"], str):
        known_values = re.findall(r"'([^']*)'", error["ctx"]["expected"])
        return unknown("value", str(error["input"]), known_values, where=f" for {name}", example=example)
    return LedgerError(f"front matter: {name} {_what(error)}", example=example)


def _what(error: Any) -> str:
    if error["type"] == "missing":
        return "is missing"
    if error["type"] in {"string_too_short", "too_short"}:
        return "is empty"
    if error["type"] in SHOULD_BE:
        return f"is {SHOULD_BE[error['type']]}, not {quoted(error['input'])}"
    is_name = error["type"] == "string_pattern_mismatch" and error["ctx"]["pattern"] == f"^{NAME}$"
    return f"is {'a name of a document' if is_name else 'a day'}, not {quoted(error['input'])}"
