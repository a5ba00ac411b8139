"""Tables of measurements: one file below `tables/` for each behaviour, named for it.

`records` are put on the shelf, then the program may change; `fence` is rendered as on a page two folders deep.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from figures.bench import Bench

from build_tools.render.nodes import Renderer
from build_tools.render.page import Page
from build_tools.syntax import parse

HERE = Path(__file__).parent
FILES = sorted((HERE / "tables").glob("*.yml"))


def rendered(bench: Bench, fence: str, language: Any) -> str:
    (node,) = parse(f"```{fence.strip()}\n```")
    return Renderer(bench.ledger(), Page(language, "../../")).render(node)


def as_tuples(value: Any) -> Any:
    """YAML knows lists alone, a record tuples alone."""
    if isinstance(value, list):
        return tuple(as_tuples(item) for item in value)
    return {name: as_tuples(item) for name, item in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_table(bench: Bench, file: Path) -> None:
    """The table shows what the file says, in that order, and lacks what it says."""
    wanted = yaml.safe_load(file.read_text(encoding="utf-8"))
    for record in wanted.get("records", []):
        bench.record(**{name: as_tuples(value) for name, value in record.items()})
    if "program" in wanted:
        bench.snippet("toy", program=wanted["program"])
    html = rendered(bench, wanted["fence"], wanted.get("language", "en"))

    for text in [*wanted.get("shows", []), *wanted.get("shows_in_order", [])]:
        assert text in html
    assert [text for text in wanted.get("lacks", []) if text in html] == []
    places = [html.index(text) for text in wanted.get("shows_in_order", [])]
    assert sorted(places) == places


@pytest.mark.parametrize("language", ["zh", "en"])
def test_whole_table(bench: Bench, language: str) -> None:
    """The structure that the theme styles and the script uses, whole. To renew: delete the file, run, look, commit."""
    bench.record(samples={"seconds": (1.5, 2.0, 1.75), "tensor_mib": (74.9,)})
    bench.record("accumulate", samples={"seconds": (2.0, 2.5, 2.25), "tensor_mib": (31.4,)})
    html = rendered(bench, "results toy\ncolumns: [seconds, tensor_mib, peak_mib]\nbaseline: plain", language)
    golden = HERE / "golden" / f"table.{language}.html"
    readable = html.replace("><", ">\n<") + "\n"
    if not golden.exists():
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(readable, encoding="utf-8")
        pytest.fail(f"{golden.name} was missing and has been written: look at it")

    assert golden.read_text(encoding="utf-8") == readable
