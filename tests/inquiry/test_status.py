"""How every case stands, for people and for programs."""

from __future__ import annotations

import json
from datetime import timedelta

from figures.bench import CPU, GPU, NOON, OTHER_CPU, Bench

from build_tools.inquiry.status import CaseStatus, Status, lines, status
from build_tools.measuring.plan import Request, make_plan
from build_tools.model import Machine

NOW = NOON + timedelta(days=2)


def found(bench: Bench, machine: Machine = CPU) -> Status:
    ledger = bench.ledger()
    plan = make_plan(bench.root, dict(ledger.snippets), Request(targets=(), machine=machine))
    return status(ledger, machine, plan)


def told(bench: Bench, machine: Machine = CPU, width: int = 100) -> list[str]:
    return lines(found(bench, machine), NOW, width)


def case_of(bench: Bench, case: str, profile: str = "quick") -> CaseStatus:
    (one,) = [one for one in found(bench).cases if (one.case, one.profile) == (case, profile)]
    return one


def test_whole_text(bench: Bench) -> None:
    """A group for each run, a line for each case; then what would be measured, and what needs another device."""
    bench.record()
    bench.record("accumulate", local=True, run_id="r2", started=NOW - timedelta(hours=3))
    bench.record(profile="full", machine=GPU, packages={"torch": "2.12.0"})

    assert told(bench) == [
        "toy",
        "  full on h200 · 2026-11-30, 2 days ago · run r1 · committed",
        "    plain       older versions: torch 2.12.0 → 2.13.0",
        "  full on h200",
        "    accumulate  not measured yet: needs a CUDA device with 16 GiB",
        "    sdpa        not measured yet: needs a CUDA device with 16 GiB",
        "  quick on cpu-2c (here) · 2026-11-30, 2 days ago · run r1 · committed",
        "    plain       fresh",
        "  quick on cpu-2c (here) · 2026-12-02, 3 hours ago · run r2 · local",
        "    accumulate  fresh",
        "",
        "Nothing to measure on cpu-2c: all of its 2 cases are current.",
        "Not to be measured here:",
        "  toy at full: plain, accumulate, sdpa (needs a CUDA device with 16 GiB)",
        "",
        "In all: 2 fresh, 1 older versions, 2 not measured yet.",
    ]


def test_stale(bench: Bench) -> None:
    """What changed is told, and that all cases are measured again because of it."""
    bench.record()
    bench.record("accumulate")
    bench.snippet("toy", program="x = 2\n")
    said = told(bench)

    assert "    plain       stale: the program has changed since" in said
    assert "`measure` would run 2 of 2 cases on cpu-2c:" in said
    assert "  toy at quick: plain, accumulate (the program has changed since)" in said


def test_seen_from_another_machine(bench: Bench) -> None:
    """Other machines' records stand; what is missing here would be measured."""
    bench.record(machine=OTHER_CPU)
    said = told(bench)

    assert "  quick on cpu-8c · 2026-11-30, 2 days ago · run r1 · committed" in said
    assert "`measure` would run 2 of 2 cases on cpu-2c:" in said


def test_on_a_gpu(bench: Bench) -> None:
    """It measures the full profile, and everything else is not for it."""
    said = told(bench, GPU)

    assert "`measure` would run 3 of 3 cases on h200:" in said
    assert "  toy at full: plain, accumulate, sdpa (not measured yet)" in said


def test_failed_run(bench: Bench) -> None:
    """The number that stands, and why there is no newer one."""
    bench.record()
    bench.record(status="failed", samples={}, started=NOW)

    assert case_of(bench, "plain").freshness == "failed"
    assert any("plain       re-run failed: the latest run failed: the program raised" in line for line in told(bench))


def test_damaged_record(bench: Bench) -> None:
    """It is told where it stands, and as a problem with its file."""
    path = bench.record()
    path.write_text(path.read_text().replace("1.75", "9.75"))
    said = told(bench)

    assert any(line.startswith("    plain       damaged: the record does not match its own digest") for line in said)
    assert any(line.startswith("problem: ") and "plain.json" in line for line in said)


def test_case_with_numbers_of_its_own_only(bench: Bench) -> None:
    """It need not have the usual meters to be fresh."""
    bench.record(samples={"loss": (0.5,)})

    assert case_of(bench, "plain").freshness == "fresh"


def test_broken_snippet(bench: Bench) -> None:
    """The others are told all the same."""
    bench.snippet("bad", "nonsense = 1\n")
    bench.record()
    said = told(bench)

    assert "    plain       fresh" in said
    assert any("bad/snippet.toml" in line for line in said)


def test_no_snippet(bench: Bench) -> None:
    """An empty project is no error."""
    for path in (bench.root / "snippets" / "toy").iterdir():
        path.unlink()

    assert told(bench)[-1] == "In all: no case."


def test_every_line_fits(bench: Bench) -> None:
    """Long reasons go on below their beginning."""
    parameters = {"micro_batch": 8, "attention": "flash_attention_2"}
    stale = json.loads(bench.record().read_text())["key"] | {"parameters": parameters, "program": "other"}
    bench.record(key=stale)
    said = told(bench, width=80)
    (at,) = [at for at, line in enumerate(said) if line.startswith("    plain       stale")]

    assert max(map(len, said)) <= 80
    assert said[at + 1].startswith(" " * 16)
    assert "flash_attention_2 and is now eager" in " ".join(" ".join(said).split())


def test_data(bench: Bench) -> None:
    """For programs: everything that the text says, and every number."""
    path = bench.record(packages={"torch": "2.12.0"})
    data = json.loads(found(bench).model_dump_json())
    (case,) = [case for case in data["cases"] if case["freshness"] == "older-versions"]

    assert (case["run_id"], case["started"], case["committed"]) == ("r1", "2026-11-30T12:00:00Z", True)
    assert case["record"] == path.relative_to(bench.root).as_posix()
    assert case["reasons"][0]["detail"] == {"name": "torch", "was": "2.12.0", "now": "2.13.0"}
    assert case["why"] == ["measured with torch 2.12.0; the pinned version is now 2.13.0"]
    assert case["numbers"][0] == {
        "reference": "toy/plain/seconds@quick:cpu-2c", "unit": "s", "value": 1.75, "low": 1.5, "high": 2.0, "n": 3,
    }  # fmt: skip
    assert data["due"][0]["why"] == {"accumulate": ["not measured yet"]}
    assert data["elsewhere"][0]["needs"] == {"device": "cuda", "memory_gib": 16, "devices": 1}
