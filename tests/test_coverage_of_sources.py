"""Every item of the source documents has its place in both languages, with its figures, code words and times."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from projects import REPOSITORY

from build_tools.checks.page import FOLDERS, page_at
from build_tools.figures.number import about, number, pieces
from build_tools.figures.resolve import Ledger, current_ledger
from build_tools.model import Language
from build_tools.render.number import written

PLACES = [Path(__file__).parent / f"coverage_of_{name}.toml" for name in ("sources", "saving_memory")]
ITEMS = {item: entry for path in PLACES for item, entry in tomllib.loads(path.read_text(encoding="utf-8")).items()}
COUNTS = {"S1": 72, "N": 13, "S2": 52}  # of the summary, of what correcting it brings in, of the note on saving memory
KNOWN = [f"{source}-{item:02}" for source, count in COUNTS.items() for item in range(1, count + 1)]
FIELDS = {"at", "words", "zh", "en", "claims"}
ROLE = re.compile(r"\{(?P<kind>value|about|claim|at|hypothetical)\}`(?P<text>[^`]+)`")
TAG = re.compile(r"<[^>]+>")


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    return current_ledger(REPOSITORY)


def section_text(place: str, language: Language) -> str:
    """The Markdown of `page.md#heading`. Fails where there is no such page or heading."""
    page, _, heading = place.partition("#")
    path = REPOSITORY / FOLDERS[language] / page
    assert path.is_file(), f"there is no page {path}"
    found = [section.text for section in page_at(path).sections if section.id == heading]
    assert found, f"{path} has no heading #{heading}"
    return found[0]


def shown(text: str, language: Language, ledger: Ledger) -> str:
    """The text with every role as a reader sees it, on one line."""

    def role(found: re.Match[str]) -> str:
        if found["kind"] == "value":
            return TAG.sub("", str(written(number(ledger, found["text"]), language)))
        if found["kind"] == "about":
            return about(ledger, found["text"]).words
        if found["kind"] == "claim":
            return statement(ledger, found["text"], language)
        return found["text"]

    return " ".join(ROLE.sub(role, text).split())


def statement(ledger: Ledger, claim_id: str, language: Language) -> str:
    """What a claim says, its numbers filled in."""
    claim = ledger.claim(claim_id)
    parts = pieces(ledger, claim.statement, language, claim)
    return "".join(part if isinstance(part, str) else TAG.sub("", str(written(part, language))) for part in parts)


def claims_in(text: str) -> set[str]:
    """The claims that a section shows: by role, and in fences `evidence`."""
    fences = re.findall(r"```evidence\b[^`]*", text)
    listed = {name for fence in fences for name in re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)+", fence)}
    return listed | {found["text"] for found in ROLE.finditer(text) if found["kind"] in {"claim", "value"}}


def test_no_item_is_left_out() -> None:
    """All of both documents and of the corrections, in their order, and nothing else."""
    assert list(ITEMS) == KNOWN


@pytest.mark.parametrize("item", ITEMS)
def test_an_entry_says_where_and_what(item: str) -> None:
    """At least one place, and something to look for in each language."""
    entry = ITEMS[item]

    assert set(entry) <= FIELDS
    assert entry["at"]
    assert all(entry.get("words") or entry.get(language) for language in ("zh", "en"))


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("item", ITEMS)
def test_an_item_stands_where_it_should(item: str, language: Language, ledger: Ledger) -> None:
    """Its sections exist, and hold its words, figures and claims."""
    entry = ITEMS[item]
    sources = [section_text(place, language) for place in entry["at"]]
    text = " ".join(shown(source, language, ledger) for source in sources)
    claims = {name for source in sources for name in claims_in(source)}
    wanted = [*entry.get("words", []), *entry.get(language, [])]

    assert [words for words in wanted if words not in text] == []
    assert set(entry.get("claims", [])) <= claims


def test_a_missing_word_is_found(ledger: Ledger) -> None:
    """A figure comes out of the ledger as a reader sees it, and what is not there is not found."""
    text = shown(section_text("lectures/gradient-accumulation/course-notebook.md#course-evidence", "en"), "en", ledger)

    assert "13,166 MB" in text
    assert "13,167 MB" not in text


def test_drawings_on_the_pages_are_those_of_the_source() -> None:
    """One drawing for both languages: a page whose copy has fallen behind is told by `draw.py --check`."""
    import runpy

    drawing = runpy.run_path(str(REPOSITORY / "docs" / "theme" / "drawings" / "draw.py"))

    assert [str(path) for path, _ in drawing["outdated"]()] == []
