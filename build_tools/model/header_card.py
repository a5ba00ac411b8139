"""What a source says of itself, as the front matter of a lecture repeats it: kind, date, ratings, tags, materials."""

from __future__ import annotations

import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from build_tools.model.base import Data, Name, Text

CardKind = Literal["video-summary"]
Level = Literal["high", "medium", "low"]
Reading = Literal["to-read", "reading", "read"]
Learning = Literal["to-do", "in-progress", "done"]
RunLabel = Literal["conditional"]
Rater = Literal["course-summary"]
Marker = Literal["course-summary", "to-do-list"]
Material = Literal["course-summary", "transcript", "video", "notebook"]
Access = Literal["public", "private", "unknown"]

Words = Annotated[str, StringConstraints(min_length=1)]


def _is_a_day(date: str) -> str:
    """Of the calendar, written as `2026-08-02` and in no other way that Python reads."""
    if datetime.date.fromisoformat(date).isoformat() != date:
        raise ValueError
    return date


Day = Annotated[str, AfterValidator(_is_a_day)]


class Tag(Text):
    """A tag in both languages."""

    zh: Words
    en: Words


class Confidence(Data):
    """How sure a source is of itself. `by`: who says so."""

    value: Level
    by: Rater


class ReadingStatus(Data):
    """How far somebody has read the source. `by`: where that is marked."""

    value: Reading
    by: Marker


class LearningStatus(Data):
    """How far somebody has learnt the matter, which is another thing than having read."""

    value: Learning
    by: Marker


class CardSource(Data):
    """A material and whether the public can see it. `document` names an entry of [documents] in docs/evidence.toml."""

    what: Material
    access: Access
    document: Name | None = None


class HeaderCard(Data):
    """`updated` is the source's own date. What a source does not say is None."""

    kind: CardKind
    updated: Day
    confidence: Confidence | None = None
    reading_status: ReadingStatus | None = None
    learning_status: LearningStatus | None = None
    run_label: RunLabel | None = None
    tags: Annotated[tuple[Tag, ...], Field(strict=False, min_length=1)]
    sources: Annotated[tuple[CardSource, ...], Field(strict=False, min_length=1)]
