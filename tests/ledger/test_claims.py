"""docs/evidence.toml: what is wrong with it is told with its line, and leaves the other claims as they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from figures.bench import DOCUMENT, NOTE, NOTEBOOK, Bench, claim, run

from build_tools.figures.soundness import claim_problems
from build_tools.ledger.claims import load_claims

GOOD = NOTE + run("acc", "devices = 2") + claim("good", 'value = 1.5\nmetric = "seconds"\nrun = "acc"')
SPOKEN = 'source = { document = "note", at = "07:45" }'

# What is wrong, by itself: a claim that is added below GOOD, the line within it, and words of the message.
WRONG = {
    "unknown kind": (claim("bad", kind="rumoured"), 3, "kind = 'rumoured'"),
    "a kind that nobody types": (claim("bad", kind="measured"), 3, "kind = 'measured'"),
    "missing language": ('[[claim]]\nid = "bad"\nkind = "stated"\nstatement = { zh = "只有中文" }\n' + DOCUMENT, 4, "statement.en is missing"),
    "duplicate id": (claim("good"), 2, "there are two claims 'good'"),
    "id of a run": (claim("acc"), 2, "is the name of a run, too"),
    "unknown key": (claim("bad", 'valeu = 3'), 6, "unknown key"),
    "unknown run": (claim("bad", 'value = 3\nrun = "ac"'), 7, "there is no run 'ac'; did you mean acc?"),
    "unknown document": (claim("bad", kind="stated", source='source = { document = "memo", item = "1" }'), 5, "there is no document 'memo'"),
    "unknown metric": (claim("bad", 'value = 3\nmetric = "secnods"'), 7, "there is no metric 'secnods'; did you mean seconds?"),
    "metric without a value": (claim("bad", 'metric = "seconds"'), 6, "metric says nothing without a value"),
    "a test without a meter": (claim("bad", 'value = 3\ntests = "toy/plain/seconds"'), 7, "says what was read"),
    "a value that the statement leaves out": (claim("bad").replace("…", "nothing") + "value = 3", 4, "{value} stands in the statement"),
    "a statement without its value": (claim("bad", "value = 3").replace("value = 3", ""), 4, "{value} stands in the statement"),
    "cited without a place": (claim("bad", kind="cited", source='source = { url = "https://x.org", read = 2026-12-01 }'), 5, "names url and place and read"),
    "spoken without a time": (claim("bad", kind="spoken", source=DOCUMENT), 5, "names video and at, or document and at"),
    "no time of a clock": (claim("bad", kind="spoken", source=SPOKEN.replace("07:45", "7.45")), 5, "source.at = '7.45'"),
    "no date": (claim("bad", kind="cited", source='source = { url = "https://x.org", place = "1", read = "today" }'), 5, "source.read"),
    "tolerance beyond all": (claim("bad", 'value = 3\nmetric = "seconds"\ntolerance = 10'), 8, "tolerance"),
    "unknown table": ("[document.x]\n", 1, "there is no table 'document'; did you mean documents?"),
    "no TOML": ("[[claim]\n", 1, "not valid TOML"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_claim_is_told_with_its_line(name: str, bench: Bench) -> None:
    """`file:line: problem; for example: …; next: …`, on one line."""
    text, line, words = WRONG[name]
    path = bench.evidence(GOOD + text)
    found = load_claims(bench.root)

    (problem,) = found.problems
    assert str(problem).startswith(f"{path}:{GOOD.count(chr(10)) + line}: "), problem
    assert words in str(problem)
    assert "for example: " in str(problem)
    assert "next: python -m build_tools check" in str(problem)


def test_a_wrong_claim_leaves_the_others(bench: Bench) -> None:
    """One mistake does not take the ledger away."""
    bench.evidence(GOOD + claim("bad", kind="rumoured") + claim("other"))

    assert list(load_claims(bench.root).by_id) == ["good", "other"]


def test_a_claim_has_hardware_and_devices_of_its_run(bench: Bench) -> None:
    """What holds for a run is said once; a claim's own word comes first."""
    text = run("acc", 'devices = 2\nhardware = "V100"') + claim("one", 'value = 1\nmetric = "seconds"\nrun = "acc"')
    bench.evidence(text + claim("two", 'value = 1\nmetric = "seconds"\nrun = "acc"\ndevices = 1'))
    claims = load_claims(bench.root).by_id

    assert (claims["one"].hardware, claims["one"].devices) == ("V100", 2)
    assert (claims["two"].hardware, claims["two"].devices) == ("V100", 1)


def test_no_file_is_an_empty_ledger(tmp_path: Path) -> None:
    """A project may have no sources."""
    assert not load_claims(tmp_path).by_id


# What only the numbers of the project can tell: further lines of a claim, the line within it, and words.
UNSOUND = {
    "a reference that vanished": ('value = 3\nmetric = "seconds"\ntests = "toy/gone/seconds@quick"', 8, "there is no case 'gone'"),
    "a snippet that vanished": ('value = 3\nmetric = "seconds"\ntests = "gone/plain/seconds@quick"', 8, "there is no snippet 'gone'"),
    "another meter": ('value = 3\nmetric = "device_mib"\ntests = "toy/plain/seconds@quick"', 8, "unlike meters are never compared"),
    "an expectation of a claim that vanished": ('expect = "gone > 3"', 6, "there is no claim 'gone'"),
    "an expectation without a comparison": ('expect = "good"', 6, "ends where one of < <= > >= == ≈ should stand"),
    "seconds against bytes": ('expect = "good > 3 MiB"', 6, "time is compared with memory"),
    "limits by somebody's view": ('limits = ["good"]', 6, "only a cited claim sets limits"),
    "a note about nothing": ('note = { zh = "{gone}", en = "{gone}" }', 6, "there is no claim 'gone'"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNSOUND)
def test_a_claim_about_what_does_not_exist_is_told_with_its_line(name: str, bench: Bench) -> None:
    """A claim whose reference vanished is an error, never a missing verdict."""
    more, line, words = UNSOUND[name]
    path = bench.evidence(GOOD + claim("bad", more))
    (problem,) = claim_problems(bench.ledger())

    assert str(problem).startswith(f"{path}:{GOOD.count(chr(10)) + line}: "), problem
    assert words in str(problem)


def test_a_sound_ledger_has_no_problems(bench: Bench) -> None:
    """The tempting non-finding."""
    bench.evidence(
        GOOD + claim("fine", 'expect = "good > 1 s"\nnote = { zh = "{good}", en = "{good}" }', source=NOTEBOOK)
    )

    assert claim_problems(bench.ledger()) == []
