"""The second builder: the same tables, marks and formulas, and never an old number from its cache."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from records import make_record

from build_tools.key import key_of
from build_tools.machine import cpu_machine
from build_tools.store import load_snippet, local_folder, write_record

pytest.importorskip("zensical", reason="zensical is not installed: pip install -e '.[dev]'")
PAGES = (
    "lectures/gradient-accumulation", "en/lectures/gradient-accumulation", "legend", "en/evidence", "measurements",
    "en/contributing/design",
)  # fmt: skip
OURS = re.compile(
    r'<(?:table class="ledger-.*?</table>|span class="ledger-(?:value|about|statement)".*?</a>|math\b.*?</math>'
    r'|ledger-card class.*?</ledger-card>|li class="ledger-entry.*?</li>'
    r'|p class="ledger-(?:note|provenance)".*?</p>)',
    re.S,
)


def store(root: Path, case: str, mib: float) -> None:
    """A current record of `loop`, as if it had been measured here."""
    snippet, machine = load_snippet(root / "snippets" / "loop"), cpu_machine()
    key = key_of(snippet, case, "quick", machine.slug, "cpu")
    samples = {"seconds": (0.5,), "samples_per_second": (2036.0,), "tensor_mib": (mib,)}
    # Newer than the committed one, which may be of the same machine.
    record = make_record(
        snippet="loop", case=case, machine=machine, key=key, samples=samples, started=datetime.now(UTC)
    )
    write_record(local_folder(root, "loop"), record)


def build(root: Path, builder: str) -> None:
    command = [sys.executable, "-m", "build_tools", "build", "--no-measure", "--builder", builder]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True, timeout=120)


def ours(root: Path, page: str) -> list[str]:
    """What we rendered on a page: tables, inline numbers, notes, provenance, formulas."""
    return OURS.findall((root / "site" / page / "index.html").read_text(encoding="utf-8"))


def twin(root: Path, page: str) -> str:
    return (root / "site" / page / "figures.json").read_text(encoding="utf-8")


def test_both_builders_show_the_same_and_nothing_old(copy_project: Callable[[], Path]) -> None:
    """Compared page by page; then a record changes, then the renderer, and both are on the page."""
    root = copy_project()
    store(root, "plain", 9.0)
    store(root, "accumulate", 3.0)
    build(root, "mkdocs")
    with_mkdocs, twins = {page: ours(root, page) for page in PAGES}, {page: twin(root, page) for page in PAGES}
    build(root, "zensical")

    assert {page: ours(root, page) for page in PAGES} == with_mkdocs
    assert {page: twin(root, page) for page in PAGES} == twins
    assert "引用名" not in (root / "site" / "search.json").read_text(encoding="utf-8")  # it stands in every card
    assert all(found for page, found in with_mkdocs.items() if "lectures" in page)

    store(root, "accumulate", 123.4)
    build(root, "zensical")
    assert any('<span class="median">123.4</span>' in part for part in ours(root, "lectures/gradient-accumulation"))

    words = root / "build_tools" / "render" / "words.py"
    words.write_text(words.read_text(encoding="utf-8").replace("not the experiment", "NOT the experiment"))
    build(root, "zensical")
    assert any("NOT the experiment" in part for part in ours(root, "en/lectures/gradient-accumulation"))
