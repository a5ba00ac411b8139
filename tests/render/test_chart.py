"""Charts: one file below `charts/` for each behaviour, named for it.

`records` are put on the shelf, on the machine that they name; `fence` is rendered as on a page two folders deep.
`toml` replaces text in the snippet's settings, `program` the program once everything is recorded.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml
from figures.bench import CPU, GPU, TOML, Bench
from render.test_table import as_tuples, rendered

from build_tools.errors import LedgerError
from build_tools.memory_model import CPU_MODEL, MODEL, PARTS
from build_tools.model import Series
from build_tools.render.nodes import FIGURES, node_problem
from build_tools.syntax import parse

HERE = Path(__file__).parent
FILES = sorted((HERE / "charts").glob("*.yml"))
MACHINES = {machine.slug: machine for machine in (CPU, GPU, MODEL, CPU_MODEL)}
WHOLE: dict[str, str] = {
    "stack": "chart toy@full:model-cuda\ny: [weights_mib, gradients_mib, optimizer_mib, activations_mib, temporary_mib]",
    "lines": "chart toy@quick\nx: micro_batch\ny: [tensor_mib, rss_mib]\nkind: lines",
}  # fmt: skip


def record(bench: Bench, given: dict[str, Any]) -> None:
    changes = {name: as_tuples(value) for name, value in given.items()}
    if "machine" in changes:
        changes["machine"] = MACHINES[changes["machine"]]
    series = changes.pop("series", {})
    bench.record(**changes, series={name: Series(x=points(s["x"]), y=points(s["y"])) for name, s in series.items()})


def points(given: Any) -> tuple[float, ...]:
    """`range 3` stands for 0, 1, 2."""
    return tuple(map(float, range(int(given.split()[1])) if isinstance(given, str) else given))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_chart(bench: Bench, file: Path) -> None:
    """The chart shows what the file says, in that order, and lacks what it says."""
    wanted = yaml.safe_load(file.read_text(encoding="utf-8"))
    toml = TOML
    for old, new in wanted.get("toml", {}).items():
        assert old in toml
        toml = toml.replace(old, new)
    for name in ["toy", *wanted.get("snippets", [])]:
        bench.snippet(name, toml)
    for given in wanted.get("records", []):
        record(bench, given)
    if "program" in wanted:
        bench.snippet("toy", toml, program=wanted["program"])
    html = rendered(bench, wanted["fence"], wanted.get("language", "en"))

    assert [text for text in [*wanted.get("shows", []), *wanted.get("shows_in_order", [])] if text not in html] == []
    assert [text for text in wanted.get("lacks", []) if text in html] == []
    assert {text: html.count(text) for text in wanted.get("count", {})} == wanted.get("count", {})
    places = [html.index(text) for text in wanted.get("shows_in_order", [])]
    assert sorted(places) == places


def everything(bench: Bench) -> None:
    """Something to draw in each kind of chart."""
    for number, case in enumerate(("plain", "accumulate")):
        parts = {name: (100.0 * (number + 1) + at,) for at, name in enumerate(PARTS)}
        record(
            bench,
            {
                "case": case,
                "profile": "full",
                "machine": "model-cuda",
                "samples": {"peak_mib": (sum(v for (v,) in parts.values()),), **parts},
            },
        )
        record(bench, {"case": case, "samples": {"seconds": (1.0, 2.0), "tensor_mib": (30.0 + number,), "rss_mib": (40.0,)},
                       "series": {"curve": {"x": [1, 2, 3], "y": [3, 2, 1]}}})  # fmt: skip


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("kind", WHOLE)
def test_whole_chart(bench: Bench, kind: str, language: str) -> None:
    """All that the theme styles. To renew: delete the file, run, look, commit."""
    everything(bench)
    cases = "\ncases: [plain, accumulate]" if kind == "stack" else ""
    html = rendered(bench, WHOLE[kind] + cases, language)
    golden = HERE / "golden" / f"chart_{kind}.{language}.html"
    readable = html.replace("><", ">\n<") + "\n"
    if not golden.exists():
        golden.write_text(readable, encoding="utf-8")
        pytest.fail(f"{golden.name} was missing and has been written: look at it")

    assert golden.read_text(encoding="utf-8") == readable


DRAWN = [*WHOLE.values(), "chart toy@quick\ny: seconds", "chart toy@quick\ny: curve"]


@pytest.mark.parametrize("fence", DRAWN, ids=["stack", "lines", "bars", "series"])
def test_drawing_is_read_aloud_and_never_loads_anything(bench: Bench, fence: str) -> None:
    """Well-formed, named by ids that exist once, told in words, and free of scripts, colours and other places."""
    everything(bench)
    html = rendered(bench, fence, "en")
    drawing = ET.fromstring(re.search(r"<ledger-drawing [^>]*>(.*)</ledger-drawing>", html)[1])
    ids = [element.get("id") for element in drawing.iter() if element.get("id")]

    assert drawing.get("role") == "img"
    assert [drawing.find("title").get("id"), drawing.find("desc").get("id")] == drawing.get("aria-labelledby").split()
    assert "2 cases. The highest is" in drawing.find("desc").text
    assert len(set(ids)) == len(ids)
    assert not re.search(r"<script|\bon\w+=|https?:|#[0-9a-f]{3,6}\b(?!-)", html.replace("url(#chart", ""))


def test_charts_of_a_page_have_ids_of_their_own(bench: Bench) -> None:
    """Two of one snippet are told apart; their hatchings too."""
    from build_tools.render.nodes import Renderer
    from build_tools.render.page import Page

    everything(bench)
    renderer = Renderer(bench.ledger(), Page("en", "../../"))
    nodes = parse("```chart toy@quick\ny: seconds\n```\n\n```chart toy@quick\ny: tensor_mib\n```\n")
    first, second = (renderer.render(node) for node in nodes)

    assert 'id="chart-toy-1"' in first
    assert 'id="chart-toy-2"' in second
    assert "url(#chart-toy-2-0)" in second


def test_twin_has_what_is_drawn(bench: Bench) -> None:
    """Each part and what the parts add up to."""
    everything(bench)
    (node,) = parse("```chart toy@full:model-cuda\ny: [weights_mib, gradients_mib]\ncases: [plain]\n```")
    figures = FIGURES["chart"](bench.ledger(), node)

    assert [(figure.kind, figure.value) for figure in figures] == [
        ("derived", 201.0), ("predicted", 100.0), ("predicted", 101.0),
    ]  # fmt: skip


WRONG: dict[str, tuple[str, int, str]] = {
    "nothing_to_show": ("toy@quick", 1, "a chart needs y, what it shows; for example: y: seconds"),
    "no_such_snippet": ("toi@quick\ny: seconds", 1, "there is no snippet 'toi'; did you mean toy?"),
    "no_such_profile": ("toy@quik\ny: seconds", 1, "there is no profile 'quik' in toy; did you mean quick?"),
    "no_such_machine": ("toy@full:h100\ny: seconds", 1, "there is no machine 'h100'; did you mean h200?"),
    "no_such_metric": ("toy@quick\ny: secnds", 2, "there is no metric 'secnds' in toy; did you mean seconds?"),
    "no_such_case": ("toy@quick\ny: seconds\ncases: [plian]", 3, "there is no case 'plian' in toy; did you mean plain?"),
    "no_such_other": ("toy@quick\ny: seconds\ncases: [othr/x]", 3, "there is no snippet 'othr'"),
    "case_elsewhere": ("toy@quick\ny: seconds\ncases: [sdpa]", 3, "sdpa does not run at quick; for example: cases: [plain"),
    "case_twice": ("toy@quick\ny: seconds\ncases: [plain, plain]", 3, "cases names plain twice"),
    "no_such_parameter": ("toy@quick\ny: seconds\nx: batch", 3, "there is no parameter 'batch' in toy"),
    "no_such_series": ("toy@quick\ny: seconds\nx: micro_batch\nseries: batch", 4, "there is no parameter 'batch' in toy"),
    "no_number": ("toy@quick\ny: seconds\nx: attention", 3, "attention is no number and gives no axis"),
    "above_each_other": ("toy\ny: peak_mib\nx: micro_batch", 3, "2 cases have micro_batch = 4"),
    "no_such_kind": ("toy@quick\ny: seconds\nkind: pie", 3, "there is no kind of chart 'pie'; there are: bars, stacked"),
    "line_without_x": ("toy@quick\ny: seconds\nkind: lines", 3, "lines need x, a parameter; for example: x: micro_batch"),
    "bars_of_two": ("toy@quick\ny: [tensor_mib, rss_mib]\nkind: bars", 3, "bars show one metric; for example: kind: stacked"),
    "stack_of_one": ("toy@quick\ny: seconds\nkind: stacked", 3, "one metric is not stacked; for example: kind: bars"),
    "bars_with_x": ("toy@quick\ny: seconds\nkind: bars\nx: micro_batch", 3, "bars have no x and no series"),
    "series_as_bars": ("toy@quick\ny: curve\nkind: bars", 3, "a series gives lines, not bars"),
    "series_with_x": ("toy@quick\ny: curve\nx: micro_batch", 1, "a series has its own x"),
    "two_series": ("toy@quick\ny: [curve, loss]", 2, "a chart along a series shows one metric"),
    "two_units": ("toy@quick\ny: [seconds, tensor_mib]", 2, "one axis has one unit: seconds is in s, tensor_mib in MiB"),
    "metric_twice": ("toy@quick\ny: [seconds, seconds]", 2, "y names seconds twice"),
    "parts_are_never_measured": ("toy\ny: weights_mib", 2, "weights_mib is predicted and never measured; for example: chart toy@full:model-cuda"),
    "clocks_of_two_snippets": ("toy@quick\ny: seconds\ncases: [plain, other/plain]", 3, "seconds of other and toy cannot be compared"),
    "unknown_option": ("toy@quick\ny: seconds\ncolour: red", 3, "there is no option 'colour'"),
    "list_for_a_name": ("toy@quick\ny: seconds\nx: [a, b]", 3, "x takes one name; for example: x: micro_batch"),
    "nothing_for_y": ("toy@quick\ny: {}", 2, "y takes a name or a list of names; for example: y: seconds"),
}  # fmt: skip


@pytest.mark.parametrize(("fence", "line", "said"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_drawn_is_an_error(bench: Bench, fence: str, line: int, said: str) -> None:
    """Before anything is rendered, with the line of the option and an example of right input."""
    bench.snippet("other")
    (node,) = parse(f"```chart {fence}\n```")
    problem = node_problem(bench.ledger(), node)

    assert isinstance(problem, LedgerError)
    assert said in str(problem)
    assert getattr(problem, "line", node.line) == line
    with pytest.raises(LedgerError):
        rendered(bench, f"chart {fence}", "en")


def test_more_lines_than_can_be_told_apart(bench: Bench) -> None:
    """The limit is an error of the option that could choose fewer."""
    cases = "".join(f"[cases.c{number}]\nmicro_batch = {number}\n" for number in range(1, 8))
    bench.snippet("toy", TOML.replace("[cases.plain]\n", f"[cases.plain]\n{cases}"))
    (node,) = parse("```chart toy@quick\ny: curve\ncases: [c1, c2, c3, c4, c5, c6, c7]\n```")
    problem = node_problem(bench.ledger(), node)

    assert "7 of them cannot be told apart in one chart, at most 6 can" in str(problem)
    assert getattr(problem, "line", None) == 3
