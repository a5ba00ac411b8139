"""What all plain data share: names, languages, the strict base class, and numbers that a file may hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

NAME = r"[a-z0-9][a-z0-9_-]*"
Name = Annotated[str, StringConstraints(pattern=f"^{NAME}$")]
Scalar = bool | int | float | str
Parameters = dict[str, Scalar]
LARGEST = 1e300  # beyond it the sum of two numbers may be infinite

Device = Literal["cpu", "cuda"]
Language = Literal["zh", "en"]


class Data(BaseModel):
    """Immutable, and strict: an unknown key or another type is an error, never a conversion. Numbers are finite."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Text(Data):
    """The same words in both languages."""

    zh: str
    en: str

    def in_(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en


def canonical_json(value: Any) -> str:
    """JSON that does not depend on key order or spacing. Infinite and undefined values are refused."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def possible(value: float) -> bool:
    """Whether this can be a measured number at all. False for NaN, too."""
    return abs(value) <= LARGEST


def merged(*layers: Mapping[str, Scalar]) -> Parameters:
    """Later layers win."""
    result: Parameters = {}
    for layer in layers:
        result.update(layer)
    return result
