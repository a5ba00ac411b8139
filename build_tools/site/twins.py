"""The JSON twin of each page: `figures.json` in its folder, with every figure that the page shows and its origin."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from build_tools.errors import LedgerError
from build_tools.figures.resolve import Ledger
from build_tools.model import Language
from build_tools.render.nodes import FIGURES, read_page
from build_tools.render.page import page_address
from build_tools.render.twin import SCHEMA, figure_data
from build_tools.render.untranslated import original
from build_tools.syntax import Node, parse

TWIN = "figures.json"


def write_twins(root: Path, ledger: Ledger, site: Path, places: Mapping[Language, str]) -> None:
    """Beside every page that was built, in each language; `places` says where in `site` a language lives."""
    for language, place in places.items():
        docs = root / "docs" / language
        for source in sorted(docs.rglob("*.md")):
            address = page_address(source.relative_to(docs))
            folder = site / place / address
            if (folder / "index.html").is_file():
                data = twin(ledger, original(root, source), address, language)
                (folder / TWIN).write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def twin(ledger: Ledger, source: Path, address: str, language: Language) -> dict[str, Any]:
    """The page's figures in its order. What is wrong is left out: the page itself says so."""
    try:
        nodes = parse(read_page(source))
    except LedgerError:
        nodes = []
    figures = [figure for node in nodes for figure in _figures(ledger, node)]
    return {"schema": SCHEMA, "page": address, "language": language, "figures": figures}


def _figures(ledger: Ledger, node: Node) -> Iterator[dict[str, Any]]:
    """The figures of a node, each with where the page shows it."""
    if node.problem:
        return
    try:
        found = [figure_data(ledger, figure) for figure in FIGURES[node.kind](ledger, node)]
    except LedgerError:
        return
    yield from ({"line": node.line, "shown_by": node.kind, "written": node.text, **data} for data in found)
