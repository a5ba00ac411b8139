"""Whatever stands where a record should: the page is built, the figure is shown as damaged, its neighbour is not."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faults.bad import FEW, changed, shaped, spoiled
from figures.bench import NOON, Bench
from hypothesis import given
from hypothesis import strategies as st

from build_tools.errors import LedgerError
from build_tools.figures.resolve import Ledger
from build_tools.model import Record
from build_tools.render.nodes import Renderer
from build_tools.render.page import Page
from build_tools.syntax import parse

PAGE = "{value}`toy/plain/seconds@quick` {value}`toy/accumulate/seconds@quick`\n\n```results toy@quick\n```\n"
NO_RECORD, NEWER, OLDER = "record-not-a-record", "record-newer", "record-older"
TWICE, NOT_FINITE, MISPLACED = "record-key-twice", "record-not-finite", "record-misplaced"


@pytest.fixture
def record(bench: Bench) -> Path:
    """The record to be spoiled; that of `accumulate` beside it stays good."""
    bench.record("accumulate", samples={"seconds": (3.25,)})
    return bench.record()


def shown(bench: Bench) -> tuple[str, list[LedgerError]]:
    """The page in which both records are used, and what is told of them."""
    ledger = Ledger(bench.root)
    renderer = Renderer(ledger, Page("en"))
    html = "".join(renderer.render(node) for node in parse(PAGE))
    ledger.shown_records()
    assert "3.25" in html
    return html, ledger.problems


def text(path: Path, find: str, replacement: str) -> str:
    content = path.read_text(encoding="utf-8")
    assert find in content
    return content.replace(find, replacement, 1)


def edited(*path: Any, to: Any) -> Callable[[Path], str]:
    """The record with another value, unsealed: only its form is in question."""
    return lambda file: json.dumps(changed(json.loads(file.read_text()), path, "replace", to), indent=1)


Spoil = Callable[[Path], str | bytes]
# name: (fault, how, line told or None for any, what is said)
WRONG: dict[str, tuple[str, Spoil, int | None, str]] = {
    "truncated": (NO_RECORD, lambda file: file.read_text()[:400], None, "not valid JSON"),
    "empty": (NO_RECORD, lambda file: "", 1, "not valid JSON"),
    "binary": (NO_RECORD, lambda file: bytes(range(256)), 2, "byte 0x80 is not UTF-8"),
    "a list": (NO_RECORD, lambda file: "[]", 1, "not a table"),
    "null": (NO_RECORD, lambda file: "null", 1, "not a table"),
    "nested without end": (NO_RECORD, lambda file: "[" * 100_000, 1, "nested too deeply"),
    "a number of 5,000 digits": (NO_RECORD, lambda file: text(file, "1.75", "1" * 5000), 1, "thousands of digits"),
    "of 65 MB": (NO_RECORD, lambda file: file.read_text() + " " * 65 * 2**20, None, "larger than 64 MiB"),
    "unknown key": (NO_RECORD, lambda file: text(file, '"case"', '"more": 1, "case"'), 4, "more: extra inputs"),
    "number for text": (NO_RECORD, edited("run_id", to=1), None, "run_id"),
    "no samples": (NO_RECORD, edited("samples", "seconds", to=[]), None, "seconds has no samples"),
    "one number for a list": (NO_RECORD, edited("samples", "seconds", to=1), None, "samples.seconds"),
    "series of unequal length": (NO_RECORD, edited("series", to={"curve": {"x": [1, 2], "y": [1]}}), None, "curve is no series"),
    "a date in words": (NO_RECORD, edited("started", to="yesterday"), None, "started"),
    "a time of no zone": (NO_RECORD, edited("started", to="0001-01-01T00:00:00"), None, "started"),
    "failed for no reason": (NO_RECORD, edited("status", to="failed"), None, "a failed record has a reason"),
    "case with ..": (NO_RECORD, edited("case", to=".."), None, "is no name"),
    "no memory": (NO_RECORD, edited("machine", "memory_gib", to=0), None, "memory_gib"),
    "schema of a newer version": (NEWER, edited("schema", to=2), 2, "written by a newer version: schema 2, and this one reads 1; for example: \"schema\": 1; next: git pull"),
    "schema of an older version": (OLDER, edited("schema", to=0), 2, "written by an older version: schema 0"),
    "no schema": (NO_RECORD, lambda file: text(file, '"schema": 1,', ""), 1, "schema is missing"),
    "schema in words": (NO_RECORD, edited("schema", to="1"), 2, "schema is missing or no whole number"),
    "schema true": (NO_RECORD, edited("schema", to=True), 2, "schema is missing or no whole number"),
    "a key twice": (TWICE, lambda file: text(file, '"case"', '"case": "x",\n "case"'), 4, "'case' is set twice"),
    "NaN": (NOT_FINITE, lambda file: text(file, "1.75", "NaN"), None, "finite number"),
    "infinite": (NOT_FINITE, lambda file: text(file, "1.75", "-Infinity"), None, "finite number"),
    "beyond floating point": (NOT_FINITE, lambda file: text(file, "1.75", "1e999"), None, "finite number"),
    "beyond computing": (NOT_FINITE, lambda file: text(file, "1.75", "1.7e308"), None, "impossible"),
    "series with NaN": (NOT_FINITE, lambda file: text(file, '"series": {}', '"series": {"curve": {"x": [1], "y": [NaN]}}'), None, "impossible"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("spoil", "line", "says"),
    [pytest.param(*rest, marks=pytest.mark.fault(fault), id=name) for name, (fault, *rest) in WRONG.items()],
)
def test_a_record_that_is_none_is_damaged(
    spoil: Spoil, line: int | None, says: str, bench: Bench, record: Path
) -> None:
    """The page says so where the number would be, and one line says why."""
    content = spoil(record)
    record.write_bytes(content if isinstance(content, bytes) else content.encode())
    html, (error,) = shown(bench)

    assert 'data-freshness="damaged"' in html
    assert shaped(error)["file"] == str(record)
    assert line is None or shaped(error)["line"] == str(line)
    assert says in str(error)


@pytest.mark.fault("record-edited")
@pytest.mark.parametrize("find", ["1.75", "Some CPU", '"output": "'])
def test_an_edited_record_shows_no_number(find: str, bench: Bench, record: Path) -> None:
    """Whatever was edited; a machine's name too, which then clashes with no other record."""
    record.write_text(text(record, find, find + "9"))
    html, (error,) = shown(bench)

    assert 'data-freshness="damaged"' in html
    assert "does not match its digest" in shaped(error)["problem"]


@pytest.mark.fault("record-rehearsal")
def test_a_rehearsal_is_no_measurement(bench: Bench, record: Path) -> None:
    """Though it be whole."""
    bench.record(origin="rehearsal")
    html, (error,) = shown(bench)

    assert 'data-freshness="damaged"' in html
    assert "this is a rehearsal" in shaped(error)["problem"]


PLACES = [
    "full/cpu-2c/plain.json", "quick/cpu-8c/plain.json", "quick/plain.json", "quick/a/b/plain.json",
    "quick/cpu-2c/plain.txt", "quick/cpu-2c/plain.JSON", "quick/x y/plain.json", "quick/显存/plain.json",
    "quick/cpu-2c/<img src=x onerror=x>.json", "quick/a\nb/plain.json", "quick/cpu-2c/plain.failed.json",
]  # fmt: skip


@pytest.mark.fault(MISPLACED)
@pytest.mark.parametrize("place", PLACES)
def test_a_misplaced_record_is_not_used(place: str, bench: Bench, record: Path) -> None:
    """Nor overlooked: it is told, and no name of it reaches a page."""
    target = bench.root / "snippets/toy/records" / place
    target.parent.mkdir(parents=True, exist_ok=True)
    record.rename(target)
    html, problems = shown(bench)

    assert "1.75" not in html
    assert "onerror" not in html
    assert all(shaped(problem) for problem in problems)
    assert any("in the wrong place" in str(p) or "no record belongs here" in str(p) for p in problems)


@pytest.mark.fault(MISPLACED)
@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_no_file_in_the_place_of_a_record(kind: str, bench: Bench, record: Path) -> None:
    """A folder, or a pipe that would be waited for."""
    record.unlink()
    {"folder": Path.mkdir, "pipe": os.mkfifo}[kind](record)
    html, (error,) = shown(bench)

    assert 'data-freshness="damaged"' in html
    assert "is not a file" in shaped(error)["problem"]


@pytest.mark.parametrize("value", [1e-300, 10.0**15, -1.0, 0.0, 1e300])
def test_odd_numbers_are_shown(value: float, bench: Bench, record: Path) -> None:
    """A sealed record may hold them; relative to them, too, the table is built."""
    bench.record(samples={"seconds": (value, value)})

    assert shown(bench)[1] == []


def test_any_changed_record_is_shown_or_told(bench: Bench, record: Path) -> None:
    """Property: whatever is changed, sealed anew or not, the page is built and the neighbour's number is on it."""
    good = json.loads(record.read_text())

    @FEW
    @given(spoiled(good), st.booleans())
    def holds(tree: Any, seal: bool) -> None:
        record.write_text(json.dumps(sealed(tree) if seal else tree, indent=1), encoding="utf-8")
        for problem in shown(bench)[1]:
            shaped(problem)

    holds()


def sealed(tree: Any) -> Any:
    """As a forger would: the digest fits, where there is a record at all."""
    try:
        record = Record.model_validate_json(json.dumps(tree))
    except ValueError:
        return tree
    # Two machines under one name are told for the whole project; that is not what is tried here.
    machine = record.machine.model_copy(update={"model": "Some CPU", "cores": 2, "device": "cpu", "mig": None})
    return json.loads(record.model_copy(update={"machine": machine}).sealed().model_dump_json(by_alias=True))


def test_any_bytes_in_a_record_are_told(bench: Bench, record: Path) -> None:
    """Property: cut off anywhere, with any bytes in its place."""
    content = record.read_bytes()

    @FEW
    @given(st.integers(0, len(content)), st.integers(0, 40), st.binary(max_size=6))
    def holds(at: int, removed: int, added: bytes) -> None:
        record.write_bytes(content[:at] + added + content[at + removed :])
        for problem in shown(bench)[1]:
            shaped(problem)

    holds()


def test_a_date_far_away_is_shown(bench: Bench, record: Path) -> None:
    """The first and the last year that there are."""
    for year in (1, 9999):
        bench.record(started=NOON.replace(year=year))

        assert shown(bench)[1] == []
