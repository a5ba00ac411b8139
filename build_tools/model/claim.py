"""What a source says: an entry of docs/evidence.toml, the documents and runs that entries come from."""

from __future__ import annotations

import datetime
import re
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from build_tools.errors import MisfitError
from build_tools.model.base import Data, Name, Text

ClaimKind = Literal["saved-output", "pasted-output", "cited", "spoken", "stated"]
# What tells a reader where to look, by the kind of claim: one of these groups of keys.
NEEDED: dict[ClaimKind, tuple[tuple[str, ...], ...]] = {
    "saved-output": (("notebook", "cell"),),
    "pasted-output": (("notebook", "cell"),),
    "cited": (("url", "place", "read"),),
    "spoken": (("video", "at"), ("document", "at")),
    "stated": (("document", "item"), ("document", "place"), ("url", "place", "read"), ("notebook", "cell")),
}
TIME = re.compile(r"(?:(?P<hours>\d{1,2}):)?(?P<minutes>[0-5]?\d):(?P<seconds>[0-5]\d)")


def _both(words: object) -> object:
    """Words that are the same in both languages may be written once."""
    return {"zh": words, "en": words} if isinstance(words, str) else words


Words = Annotated[Text, BeforeValidator(_both, json_schema_input_type=str | Text)]


class Source(Data):
    """Where a statement stands. `document` names an entry of [documents]; `at` is a time in a video."""

    document: Name | None = None
    item: str | None = None
    notebook: str | None = None
    cell: Words | None = None
    video: str | None = None
    at: str | None = Field(default=None, pattern=f"^{TIME.pattern}$")
    url: str | None = Field(default=None, pattern=r"^https?://\S+$")
    place: Words | None = None
    read: datetime.date | None = None


class Document(Data):
    """A source that several statements come from. `date` is the document's own, None where it has none."""

    title: Text
    origin: Text
    date: str | None = None
    url: str | None = Field(default=None, pattern=r"^https?://\S+$")


class SourceRun(Data):
    """One run that a source reports: its figures belong together. None where the source does not say."""

    title: Text
    hardware: str | None = None
    devices: int | None = Field(default=None, ge=1)


class Condition(Data):
    """An expectation that should hold under a condition, which the page names."""

    when: Words
    holds: str


Conditions = Annotated[tuple[Condition, ...], Field(strict=False, min_length=1)]


class Claim(Data):
    """A statement with its source and kind, with a value, or with an expectation over numbers.

    `metric` names what was read, so that unlike meters are never compared; `unit` is as the source printed it.
    `tests` is a reference whose number this one is held against, `tolerance` the relative difference that is allowed.
    `expect` is an expression, or several with their conditions. `limits` names cited claims that say when it is right.
    In a text, `{value}` stands for the value, and `{…}` for any other number of the ledger.
    """

    id: Name
    kind: ClaimKind
    statement: Text
    source: Source
    value: float | None = None
    unit: str | None = None
    decimals: int | None = Field(default=None, ge=0, le=9)
    metric: Name | None = None
    devices: int | None = Field(default=None, ge=1)
    hardware: str | None = None
    run: Name | None = None
    tests: str | None = None
    tolerance: float | None = Field(default=None, gt=0, lt=1)
    expect: str | Conditions | None = None
    limits: tuple[Name, ...] = Field(default=(), strict=False)
    note: Text | None = None
    settle: Text | None = None

    @model_validator(mode="after")
    def says_enough(self) -> Claim:
        """What belongs together stands together."""
        given = {name for name in type(self.source).model_fields if getattr(self.source, name) is not None}
        groups = NEEDED[self.kind]
        if not any(given.issuperset(group) for group in groups):
            wanted = ", or ".join(" and ".join(group) for group in groups)
            raise MisfitError(f"a {self.kind} claim names {wanted}", path=("source",), example=EXAMPLES[self.kind])
        for language, text in (("zh", self.statement.zh), ("en", self.statement.en)):
            if (self.value is not None) != ("{value}" in text):
                problem = "{value} stands in the statement where the claim has a value, and nowhere else"
                raise MisfitError(problem, path=("statement", language))
        self._needs_value()
        return self

    def _needs_value(self) -> None:
        for key in ("unit", "decimals", "metric", "tests"):
            if getattr(self, key) is not None and self.value is None:
                raise MisfitError(f"{key} says nothing without a value", path=(key,), example="value = 13166")
        if self.tests is not None and self.metric is None:
            example = 'metric = "device_mib"'
            raise MisfitError("a claim that tests a number says what was read", path=("tests",), example=example)

    @property
    def expectations(self) -> tuple[str, ...]:
        """The expressions that should hold."""
        if isinstance(self.expect, str):
            return (self.expect,)
        return tuple(condition.holds for condition in self.expect or ())


EXAMPLES: dict[ClaimKind, str] = {
    "saved-output": 'source = { notebook = "tutorials/x.ipynb@61fe5c0", cell = "execution 3" }',
    "pasted-output": 'source = { notebook = "tutorials/x.ipynb@61fe5c0", cell = "Markdown, below" }',
    "cited": 'source = { url = "https://…", place = { zh = "第 3 节", en = "section 3" }, read = 2026-12-01 }',
    "spoken": 'source = { document = "course-summary", at = "07:45" }',
    "stated": 'source = { document = "saving-memory-note", item = "S2-28" }',
}  # fmt: skip


class Evidence(Data):
    """docs/evidence.toml as a whole, for editors; what its parts mean together, `ledger.claims` checks."""

    documents: dict[Name, Document] = {}
    runs: dict[Name, SourceRun] = {}
    claim: tuple[Claim, ...] = Field(default=(), strict=False)
