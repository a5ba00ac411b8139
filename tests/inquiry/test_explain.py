"""Where one number comes from, or why there is none."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from figures.bench import GPU, NOON, Bench

from build_tools.errors import LedgerError
from build_tools.inquiry.explain import explain
from build_tools.model import Caution, Counted

NOW = NOON + timedelta(days=1)


def told(bench: Bench, reference: str = "toy/plain/seconds@quick", width: int = 100) -> list[str]:
    return explain(bench.ledger(), reference).lines(NOW, width)


def test_whole_text(bench: Bench) -> None:
    """Everything there is to know of a number, a fact a line."""
    bench.record(
        commit="61fe5c0aa11bb22", clean=False, counted=Counted(samples=1018, optimizer_steps=32),
        warnings=(
            Caution(kind="wide_spread", detail={"metric": "seconds", "low": 1.5, "high": 2.0}),
            Caution(kind="wide_spread", detail={"metric": "rss_mib", "low": 1.0, "high": 9.0}),
        ),
    )  # fmt: skip
    program = bench.ledger().figure("toy/plain/seconds@quick").record.key.program  # type: ignore[union-attr]

    assert told(bench) == [
        "toy/plain/seconds@quick:cpu-2c",
        "  what        time",
        "  value       1.75 s, median of 3 runs, 1.50–2.00",
        "  known as    measured, fresh",
        "  samples     2.0  1.5  1.75",
        "  machine     cpu-2c: Some CPU (2 cores, 8 GiB of memory)",
        "  packages    torch 2.13.0",
        "  system      Linux 6, Python 3.11.7",
        "  settings    1 thread, default allocator, start by fork",
        f"  program     {program}",
        '  parameters  micro_batch = 4, attention = "eager"',
        "  counted     1,018 samples, 32 optimizer steps",
        "  warnings    repeats lie far apart (time 1.50–2.00)",
        "  run         r1, started 2026-11-30 12:00:00 UTC, 1 day ago",
        "  command     python -m build_tools measure",
        "  commit      61fe5c0aa11bb22 (with uncommitted changes)",
        "  origin      measured by a maintainer",
        "  record      snippets/toy/records/quick/cpu-2c/plain.json",
    ]


def test_pending(bench: Bench) -> None:
    """Why there is none, and the command that would measure it, with where."""
    assert told(bench, "toy/plain/peak_mib") == [
        "toy/plain/peak_mib@full:h200",
        "  what        peak allocated",
        "  known as    not measured yet: needs a CUDA device with 16 GiB",
        "  to measure  python -m build_tools measure toy --profile full",
        "              on h200, a CUDA device with 16 GiB",
    ]


REMEDIES = {
    "fresh": ({}, "x = 1\n", None),
    "stale": ({}, "x = 2\n", "python -m build_tools measure toy --profile quick"),
    # `measure` alone finds nothing to do: the key is as it was.
    "older_versions": ({"packages": {"torch": "2.12.0"}}, "x = 1\n", "measure toy --profile quick --force"),
}


@pytest.mark.parametrize(("changes", "program", "command"), REMEDIES.values(), ids=REMEDIES)
def test_remedy(bench: Bench, changes: dict[str, dict[str, str]], program: str, command: str | None) -> None:
    """The command does what is needed to make the number fresh."""
    bench.record(**changes)  # type: ignore[arg-type]
    bench.snippet("toy", program=program)
    found = explain(bench.ledger(), "toy/plain/seconds@quick").measure

    assert found == command or (command is not None and str(found).endswith(command))


def test_remedy_of_a_failed_attempt(bench: Bench) -> None:
    """Beside a good record only `--force` tries again."""
    bench.record()
    bench.record(status="failed", samples={}, started=NOW)
    said = told(bench)

    assert "  known as    measured, re-run failed" in said
    assert any("the latest run failed" in line for line in said)
    assert "  to measure  python -m build_tools measure toy --profile quick --force" in said


@pytest.mark.parametrize("reference", ["toy/plain/peak_mib@quick", "toy/plain/loss@quick", "toy/sdpa/seconds@quick"])
def test_no_run_would_help(bench: Bench, reference: str) -> None:
    """Another device, program or profile is needed; no command is promised to help."""
    bench.record()
    found = explain(bench.ledger(), reference)

    assert found.figure.value is None
    assert found.measure is None


def test_series(bench: Bench) -> None:
    """Its ends are shown, and all of it to programs."""
    points = tuple(float(x) for x in range(10))
    bench.record(series={"curve": {"x": points, "y": points}})
    found = explain(bench.ledger(), "toy/plain/curve@quick")

    assert "  value       9.00, the last of a series" in found.lines(NOW, 100)
    assert "  series      10 points; 0: 0.0  1: 1.0  2: 2.0  …  7: 7.0  8: 8.0  9: 9.0" in found.lines(NOW, 100)
    assert found.as_data()["series"]["y"] == list(points)


def test_on_a_gpu(bench: Bench) -> None:
    """Of how many devices the case saw."""
    bench.record(profile="full", machine=GPU, samples={"peak_mib": (13166.0,)})
    said = told(bench, "toy/plain/peak_mib")

    assert "  value       13,166 MiB, a single run" in said
    assert "              1 of 1 devices; host Some CPU" in said


def test_damaged(bench: Bench) -> None:
    """No value, but all that the record says of where it came from."""
    path = bench.record()
    path.write_text(path.read_text().replace("1.75", "9.75"))
    said = told(bench)

    assert "  known as    damaged" in said
    assert not any("value" in line for line in said)
    assert any("plain.json" in line for line in said)


def test_data(bench: Bench) -> None:
    """For programs: the record, less what it says of other numbers and what the program printed."""
    bench.record(output="secret" * 1000)
    data = json.loads(json.dumps(explain(bench.ledger(), "toy/plain/seconds@quick").as_data()))

    assert data["samples"] == [2.0, 1.5, 1.75]
    assert (data["value"], data["unit"], data["freshness"], data["why"]) == (1.75, "s", "fresh", [])
    assert data["record_file"] == "snippets/toy/records/quick/cpu-2c/plain.json"
    assert data["record"]["key"]["parameters"] == {"micro_batch": 4, "attention": "eager"}
    assert not {"samples", "output"} & set(data["record"])


def test_unknown(bench: Bench) -> None:
    """One line with the names there are."""
    with pytest.raises(LedgerError, match="no case 'plian' in toy; did you mean plain"):
        explain(bench.ledger(), "toy/plian/seconds")
