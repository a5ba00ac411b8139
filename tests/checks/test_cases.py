"""What the checks of pages find: one file below `cases/` for each behaviour, named for it.

`zh` and `en` are the page in each language, `files` lie beside them; nothing but what `finds` and `notes` say may be
found. A file without `finds` is a tempting thing that is none.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from figures.bench import Bench, claim

from build_tools.checks.finding import Findings
from build_tools.checks.numbers import number_findings
from build_tools.checks.parity import parity_findings
from build_tools.checks.prose import prose_findings
from build_tools.translations import accept, read_recorded, translated_pages

CASES = sorted((Path(__file__).parent / "cases").glob("*/*.yml"))
CHECKS: dict[str, Callable[[Path], Findings]] = {
    "numbers": number_findings,
    "parity": parity_findings,
    "prose": prose_findings,
}
THEIRS = 'value = 13166\nunit = "MB"\nmetric = "device_mib"'


@pytest.fixture
def written(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, Any]], Bench]:
    """Puts a case into a project with two measured cases and one claim; translators have looked at every page."""
    monkeypatch.chdir(bench.root)
    bench.record(samples={"seconds": (1.75,), "tensor_mib": (31.4,)})
    bench.record("accumulate", samples={"seconds": (3.5,), "tensor_mib": (12.0,)})
    bench.evidence(claim("their-memory", THEIRS))

    def write(case: dict[str, Any]) -> Bench:
        pages = {f"docs/{language}/page.md": case[language] for language in ("zh", "en") if language in case}
        files = case.get("files", {})
        for name, text in {**pages, **files}.items():
            path = bench.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        recorded = bench.root / "docs/translations.toml"
        if not recorded.exists() and translated_pages(bench.root):
            accept(bench.root, "all")
        elif "DIGEST" in files.get("docs/translations.toml", ""):
            accept_only(bench.root, "page", files["docs/translations.toml"])
        return bench

    return write


def accept_only(root: Path, section: str, text: str) -> None:
    """The digest of one section as it is, the others as the case has them."""
    path = root / "docs/translations.toml"
    path.unlink()
    accept(root, "page.md")
    path.write_text(text.replace("DIGEST", read_recorded(root)["page.md"][section]))


@pytest.mark.parametrize("file", CASES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_case(written: Callable[[dict[str, Any]], Bench], file: Path) -> None:
    """Exactly what the file says is found, each at its place."""
    case = yaml.safe_load(file.read_text(encoding="utf-8"))
    found = CHECKS[file.parent.name](written(case).root)

    for lines, wanted in ((found.problems, case["finds"]), (found.notes, case.get("notes", []))):
        told = [str(line) for line in lines]
        assert [words for words in wanted if not any(words in line for line in told)] == [], told
        assert len(told) == len(wanted), told


def test_there_are_enough() -> None:
    """Findings and tempting non-findings alike."""
    finds = [yaml.safe_load(file.read_text(encoding="utf-8"))["finds"] for file in CASES]

    assert sum(map(bool, finds)) >= 60
    assert sum(not found for found in finds) >= 30
