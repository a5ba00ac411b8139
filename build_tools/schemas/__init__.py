"""JSON schemas for editors, of snippet.toml, evidence.toml, glossary.toml and records: made from the models.

An editor sees in them what a key means and which there are; what keys must agree on among each other, only loading a
file can tell.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from build_tools.ledger.glossary import GlossaryFile
from build_tools.model import Evidence, Record
from build_tools.snippet import Case, Profile, Snippet
from build_tools.store import write_atomically

FOLDER = Path("build_tools/schemas")
DIALECT = "https://json-schema.org/draft/2020-12/schema"
# In the file, a profile's or a case's parameters stand beside the reserved keys.
LAYERS = (Profile, Case)

Schema = dict[str, Any]


def schemas() -> dict[str, str]:
    """The schemas as JSON, by file name."""
    found = {
        "snippet": _snippet(),
        "evidence": _without_null(_schema(Evidence)),
        "glossary": _schema(GlossaryFile),
        "record": _schema(Record),
    }
    return {f"{name}.schema.json": json.dumps(one, indent=1, ensure_ascii=False) + "\n" for name, one in found.items()}


def outdated(root: Path) -> Iterator[Path]:
    """Schema files that do not say what the models say."""
    for name, text in schemas().items():
        path = root / FOLDER / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            yield path


def write(root: Path) -> list[Path]:
    """Bring the files up to date; returns those that were not. Raises LedgerError where a file cannot be written."""
    due = list(outdated(root))
    for path in due:
        write_atomically(path, schemas()[path.name])
    return due


def _schema(model: type[BaseModel]) -> Schema:
    made: Schema = _tidied(model.model_json_schema())
    return {"$schema": DIALECT, **made}


def _snippet() -> Schema:
    """TOML has no null, and parameters stand beside the reserved keys."""
    schema: Schema = _without_null(_schema(Snippet))
    for layer in LAYERS:
        definition = schema["$defs"][layer.__name__]
        definition["additionalProperties"] = definition["properties"].pop("parameters")["additionalProperties"]
    return schema


def _tidied(value: Any, *, names: bool = False) -> Any:
    """Without pydantic's titles, which repeat the keys; names that do not match their pattern are refused.

    `names`: the keys of `value` are names of properties, and one of them may be `title`.
    """
    if isinstance(value, list):
        return [_tidied(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {
        key: _tidied(item, names=key in {"properties", "$defs"} and not names)
        for key, item in value.items()
        if names or key not in {"title", "default"} or (key == "default" and item is not None)
    }
    return {**kept, "additionalProperties": False} if "patternProperties" in kept and not names else kept


def _without_null(value: Any) -> Any:
    """The same without the alternative that a key holds nothing."""
    if isinstance(value, list):
        return [_without_null(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: _without_null(item) for key, item in value.items()}
    choices = [choice for choice in kept.get("anyOf", []) if choice != {"type": "null"}]
    if len(choices) == 1:
        del kept["anyOf"]
        return {**choices[0], **kept}
    return kept
