"""Each page's figures as data, with where they come from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from figures.bench import DOCUMENT, NOTE, Bench, claim

from build_tools.site.twins import page_address, write_twins

PLACES = {"zh": ".", "en": "en"}
LEDGER = NOTE + claim(
    "slow",
    'value = 3.5\nmetric = "seconds"\nhardware = "Some CPU"\ntests = "toy/plain/seconds@quick"',
    "stated",
    DOCUMENT,
)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """`toy/plain` measured, and a claim that says something else of it."""
    bench = Bench(tmp_path)
    bench.record(commit="61fe5c0")
    bench.evidence(LEDGER)
    return bench


def twin(bench: Bench, text: str, name: str = "lectures/page.md") -> dict[str, Any]:
    """The twin of an English page with this text, whose HTML is there."""
    source, built = bench.root / "docs/en" / name, bench.root / "site/en" / page_address(Path(name))
    for path, content in ((source, text), (built / "index.html", "")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    write_twins(bench.root, bench.ledger(), bench.root / "site", PLACES)  # type: ignore[arg-type]
    data: dict[str, Any] = json.loads((built / "figures.json").read_text(encoding="utf-8"))
    return data


def test_measured_number(bench: Bench) -> None:
    """Value, range, machine, run and the record's path below the site's root."""
    data = twin(bench, "# A\n\n{value}`toy/plain/seconds@quick`")
    (figure,) = data["figures"]

    assert (data["page"], data["language"], data["schema"]) == ("lectures/page/", "en", 1)
    assert {
        "line": 3, "shown_by": "value", "written": "toy/plain/seconds@quick", "kind": "measured", "freshness": "fresh",
        "reference": "toy/plain/seconds@quick:cpu-2c", "value": 1.75, "unit": "s", "low": 1.5, "high": 2.0, "n": 3,
    }.items() <= figure.items()  # fmt: skip
    assert figure["record"]["path"] == "records/toy/quick/cpu-2c/plain.json"
    assert figure["record"]["machine"]["model"] == "Some CPU"
    assert (figure["record"]["run_id"], figure["record"]["commit"]) == ("r1", "61fe5c0")


def test_claim(bench: Bench) -> None:
    """Statement, source, verdict, and what it was held against."""
    (figure,) = twin(bench, "{claim}`slow`")["figures"]

    assert figure["claim"]["statement"]["en"] == "it is {value}"
    assert figure["claim"]["source"] == {"document": "note", "item": "1"}
    assert figure["claim"]["document"]["title"]["en"] == "a note"
    assert figure["verdict"]["verdict"] == "contradicted"
    assert figure["verdict"]["held_against"][0]["value"] == 1.75


def test_derived_number(bench: Bench) -> None:
    """Its arithmetic and its inputs, each with its own provenance."""
    (figure,) = twin(
        bench, "{value}`toy/plain/seconds@quick / toy/plain/tensor_mib@quick`".replace("tensor_mib", "seconds")
    )["figures"]

    assert figure["arithmetic"] == "1.75 s / 1.75 s"
    assert figure["weakest"] == "measured"
    assert figure["inputs"][0]["record"]["run_id"] == "r1"


def test_number_that_is_missing(bench: Bench) -> None:
    """It is there, without a value and with the reason."""
    (figure,) = twin(bench, "{value}`toy/plain/seconds`")["figures"]

    assert figure["value"] is None
    assert figure["reasons"] == [{"code": "needs_cuda", "detail": {"memory_gib": 16.0, "devices": 1}}]
    assert "record" not in figure


def test_tables_and_lists(bench: Bench) -> None:
    """Whatever shows numbers is in it, in the page's order."""
    text = "```results toy@quick\ncolumns: [seconds]\n```\n\n```evidence all\n```\n\n```records all\n```\n\n```output toy/plain@quick\n```"
    shown = [(one["shown_by"], one["reference"]) for one in twin(bench, text)["figures"]]

    assert shown == [
        ("results", "toy/plain/seconds@quick:cpu-2c"), ("results", "toy/accumulate/seconds@quick:cpu-2c"),
        ("evidence", "slow"), ("records", "toy/plain/seconds@quick:cpu-2c"), ("records", "toy/plain/tensor_mib@quick:cpu-2c"),
    ]  # fmt: skip


def test_wrong_page(bench: Bench) -> None:
    """What is wrong is left out; the page itself says so, and the rest is there."""
    found = twin(bench, "{value}`toy/plian/seconds`, {vaule}`x`, {at}`x`, {value}`slow`")["figures"]

    assert [one["reference"] for one in found] == ["slow"]


def test_page_that_is_no_text(bench: Bench) -> None:
    """It has no figures, and takes no other page away."""
    path = bench.root / "docs/en/page.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xff\xfe")
    (bench.root / "site/en/page").mkdir(parents=True)
    (bench.root / "site/en/page/index.html").write_text("")

    assert len(twin(bench, "{value}`slow`")["figures"]) == 1
    assert json.loads((bench.root / "site/en/page/figures.json").read_text())["figures"] == []


def test_page_that_was_not_built(bench: Bench) -> None:
    """A draft has no folder, and gets none."""
    (bench.root / "docs/zh").mkdir(parents=True)
    (bench.root / "docs/zh/draft.md").write_text("{value}`slow`")
    twin(bench, "")

    assert not (bench.root / "site/draft").exists()


@pytest.mark.parametrize(
    ("source", "address"),
    [("index.md", ""), ("a.md", "a/"), ("a/index.md", "a/"), ("a/b.md", "a/b/"), ("README.md", "")],
)
def test_address(source: str, address: str) -> None:
    """As both builders lay pages out."""
    assert page_address(Path(source)) == address
