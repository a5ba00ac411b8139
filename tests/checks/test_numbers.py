"""Numbers in running text: what is blanked, how they are read, and which figure is the nearest."""

from __future__ import annotations

from pathlib import Path

import pytest
from figures.bench import Bench, claim
from hypothesis import given
from hypothesis import strategies as st

from build_tools.checks.nearest import Nearest
from build_tools.checks.numbers import number_findings
from build_tools.checks.quantities import quantities
from build_tools.checks.running_text import blanked, said
from build_tools.figures.number import number

MARKUP = st.text(alphabet="ab 一二。|`{}[]()!$<>-*_#\\\n1%s秒倍:\"'=&;/", max_size=60)


@given(MARKUP)
def test_blanking_keeps_every_offset(text: str) -> None:
    """Whatever somebody writes: as long as before, with the same line ends."""
    for blank in (blanked, said):
        result = blank(text)

        assert len(result) == len(text)
        assert [at for at, sign in enumerate(result) if sign == "\n"] == [
            at for at, sign in enumerate(text) if sign == "\n"
        ]


@given(st.text(alphabet="0123456789,. 一二两十百半几倍秒个分之成翻%xXsMGiBhalftwice\n", max_size=40))
def test_quantities_of_any_text(text: str) -> None:
    """They come in order, do not overlap, and are what stands there."""
    end = 0
    for found in quantities(text):
        assert end <= found.span[0] < found.span[1]
        assert text[slice(*found.span)] == found.text
        end = found.span[1]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1,024.5 MiB", 1024.5, "MiB"), ("二十五秒", 25, "s"), ("一百二十毫秒", 120, "ms"), ("十倍", 10, "1"),
        ("半小时", 0.5, "h"), ("twenty seconds", 20, "s"), ("two hundred seconds", 200, "s"), ("翻两番", 4, "1"),
        ("慢一倍", 2, "1"), ("30%", 0.3, "1"), ("百分之五", 0.05, "1"), ("2 TB", 2048, "GiB"), ("5 µs", 0.005, "ms"),
        ("一半", 0.5, "1"), ("2.7 times as long", 2.7, "1"), ("5 TFLOPS", 5, None), ("几倍", None, "1"),
    ],
)  # fmt: skip
def test_value(text: str, value: float | None, unit: str | None) -> None:
    """In a unit that the ledger knows."""
    (found,) = quantities(text)

    assert found.value == (None if value is None else pytest.approx(value))
    assert found.unit == unit


@pytest.fixture
def nearest(bench: Bench) -> Nearest:
    """Two cases that were measured, and two figures of one source."""
    bench.record(samples={"seconds": (1.75,), "tensor_mib": (31.4,)})
    bench.record("accumulate", samples={"seconds": (3.5,), "tensor_mib": (12.0,)})
    memory = 'unit = "MB"\nmetric = "device_mib"'
    bench.evidence(claim("their-plain", f"value = 21296\n{memory}") + claim("their-other", f"value = 13166\n{memory}"))
    return Nearest(bench.ledger())


@pytest.mark.parametrize(
    ("typed", "reference"),
    [
        ("1.8 s", "toy/plain/seconds@quick"),
        ("3 s", "toy/accumulate/seconds@quick"),
        ("30 MiB", "toy/plain/tensor_mib@quick"),
        ("20 GB", "their-plain"),
        ("13G", "their-other"),
        ("两倍", "toy/accumulate/seconds@quick / toy/plain/seconds@quick"),
        ("一半", "toy/plain/seconds@quick / toy/accumulate/seconds@quick"),
        ("少 38%", "(their-plain - their-other) / their-plain in %"),
    ],
)
def test_nearest(nearest: Nearest, typed: str, reference: str) -> None:
    """Of the same measure, and nearest in proportion; the ledger knows it."""
    (quantity,) = quantities(typed)
    found = nearest.to(quantity)

    assert found is not None
    assert found[0] == reference
    assert number(nearest.ledger, found[0]) == found[1]


def test_nothing_is_near_a_speed(nearest: Nearest) -> None:
    """No figure has such a unit."""
    (quantity,) = quantities("5 TFLOPS")

    assert nearest.to(quantity) is None


def test_page_that_is_no_text(bench: Bench) -> None:
    """It is told, and the others are looked at."""
    (bench.root / "docs/zh").mkdir(parents=True)
    (bench.root / "docs/zh/a.md").write_bytes(b"\xff")
    (bench.root / "docs/zh/b.md").write_text("用了 3 秒。")
    first, second = number_findings(bench.root).problems

    assert "is not UTF-8" in str(first)
    assert "'3 秒' is typed" in str(second)


def test_project_without_pages(bench: Bench) -> None:
    """Nothing is typed where nothing is written."""
    assert number_findings(bench.root).problems == []
    assert not Path(bench.root / "docs/zh").exists()
