"""Roles and fences of the ledger: one file below `pieces/` for each behaviour, named for it.

`source` is rendered as on a page two folders deep, from the ledger in `pieces/evidence.toml` and `records` (by default
one of `toy/plain` at `quick`); it shows, in this order, and lacks what the file says, or is the `error` it names.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from figures.bench import Bench
from render.test_table import as_tuples

from build_tools.errors import LedgerError
from build_tools.render.nodes import Renderer, node_problem
from build_tools.render.page import Page
from build_tools.syntax import page_video, parse

HERE = Path(__file__).parent / "pieces"
FILES = sorted(HERE.glob("*.yml"))


def rendered(bench: Bench, wanted: dict[str, Any]) -> str:
    (node,) = parse(wanted["source"])
    page = Page(wanted.get("language", "en"), "../../", page_video(wanted["source"]))
    return Renderer(bench.ledger(), page).render(node)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_piece(bench: Bench, file: Path) -> None:
    """It shows what the file says, or is an error before anything is rendered."""
    wanted = yaml.safe_load(file.read_text(encoding="utf-8"))
    bench.evidence((HERE / "evidence.toml").read_text(encoding="utf-8"))
    for record in wanted.get("records", [{"case": "plain"}]):
        bench.record(**{name: as_tuples(value) for name, value in record.items()})
    if "program" in wanted:
        bench.snippet("toy", program=wanted["program"])
    (node,) = parse(wanted["source"])
    if "error" in wanted:
        problem = node_problem(bench.ledger(), node)
        assert wanted["error"] in str(problem)
        with pytest.raises(LedgerError):
            rendered(bench, wanted)
        return
    assert node_problem(bench.ledger(), node) is None
    html = rendered(bench, wanted)

    assert [text for text in wanted.get("lacks", []) if text in html] == []
    for text in wanted["shows"]:
        before, found, html = html.partition(text)
        assert found, f"{text!r} is not in {before}"
