"""A case's number from run to run, on the page of all records."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from figures.bench import NOON, Bench

from build_tools.render.nodes import Renderer
from build_tools.render.page import Page
from build_tools.syntax import parse


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def measured(bench: Bench, *seconds: float) -> None:
    """One run a day."""
    for day, value in enumerate(seconds):
        bench.record(samples={"seconds": (value, value + 0.5)}, run_id=f"r{day}", started=NOON + timedelta(days=day))


def rendered(bench: Bench) -> str:
    (node,) = parse("```records all\n```\n")
    return Renderer(bench.ledger(), Page("en")).render(node)


def test_three_runs_are_a_line(bench: Bench) -> None:
    """With its metric, its unit and the day it begins."""
    measured(bench, 2.0, 2.2, 1.9)
    html = rendered(bench)

    assert 'id="history-toy-quick-cpu-2c"' in html
    assert "Run by run: time (s)" in html
    assert "days since 2026-11-30" in html
    assert html.count('class="marker"') == 3 + 1  # the legend has one, too


def test_two_runs_are_not(bench: Bench) -> None:
    """Any noise would look like a trend."""
    measured(bench, 2.0, 2.2)

    assert "Run by run" not in rendered(bench)


def test_runs_of_another_program_do_not_count(bench: Bench) -> None:
    """A line shows one thing through time."""
    measured(bench, 2.0, 2.2)
    bench.snippet("toy", program="x = 2\n")
    bench.record(samples={"seconds": (9.0,)}, run_id="r9", started=NOON + timedelta(days=9))

    assert "Run by run" not in rendered(bench)
