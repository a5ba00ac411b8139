"""When a number is old, and when nobody may pass over it any longer."""

from __future__ import annotations

import json
import subprocess
from datetime import date, timedelta

import pytest
from figures.bench import GPU, NOON, OTHER_CPU, SETTINGS, Bench
from records import make_record

from build_tools import cli
from build_tools.comparing.age import ages
from build_tools.errors import LedgerError
from build_tools.figures.age import days_since, is_old, is_overdue
from build_tools.memory_model import MODEL
from build_tools.store import Age, load_settings

TODAY = NOON.date()
POLICY = Age(old_days=90, fail_days=180)


@pytest.mark.parametrize(
    ("days", "old", "overdue"),
    [(0, False, False), (89, False, False), (90, True, False), (179, True, False), (180, True, True)],
)
def test_age_of_a_record(days: int, old: bool, overdue: bool) -> None:
    """Whole days by the calendar; the day itself counts."""
    record = make_record(started=NOON - timedelta(days=days))

    assert is_old(record, TODAY, POLICY) is old
    assert is_overdue(record, TODAY, POLICY) is overdue


def test_age_of_a_clock_that_was_ahead() -> None:
    """Not negative."""
    assert days_since(NOON, date(2020, 1, 1)) == 0


def test_age_of_a_machine_that_is_promised(bench: Bench) -> None:
    """Cases of one run together; too old on a machine that pyproject.toml names, only old on anybody's else."""
    somebody = OTHER_CPU.model_copy(update={"slug": "nobody-4c"})
    bench.record("plain", started=NOON - timedelta(days=200))
    bench.record("accumulate", started=NOON - timedelta(days=200))
    bench.record(profile="full", machine=MODEL, started=NOON - timedelta(days=400))
    bench.record(machine=somebody, started=NOON - timedelta(days=300))
    bench.record(machine=OTHER_CPU, started=NOON - timedelta(days=100))
    found = ages(bench.root, TODAY)

    assert [(item.machine, item.days, item.cases) for item in found.overdue] == [
        ("cpu-2c", 200, ("plain", "accumulate"))
    ]
    assert [(item.machine, item.days) for item in found.old] == [("nobody-4c", 300), ("cpu-8c", 100)]
    assert "1 overdue, 2 old; next: python -m build_tools measure --force --save" in found.lines()[-1]


def test_age_of_what_nobody_has_measured(bench: Bench) -> None:
    """Counts from the day on which git first saw the snippet: a GPU that is never there becomes a failure, too."""
    then = (NOON - timedelta(days=200)).isoformat()
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x", f"--date={then}"]):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *command], cwd=bench.root, check=True,
            env={"GIT_COMMITTER_DATE": then, "PATH": "/usr/bin:/bin"},
        )  # fmt: skip
    (waiting,) = ages(bench.root, TODAY).overdue

    assert (waiting.machine, waiting.profile, waiting.measured) == ("h200", "full", False)
    assert waiting.cases == ("plain", "accumulate", "sdpa")
    assert "not measured, and in the project since 200 days ago" in waiting.words
    for case in waiting.cases:
        bench.record(case, "full", GPU, samples={"peak_mib": (1.0,)})
    assert ages(bench.root, TODAY).overdue == ()


def test_age_without_git(bench: Bench) -> None:
    """Nobody knows since when; then nothing is said."""
    assert ages(bench.root, TODAY).overdue == ()


def test_age_command_fails(bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The daily job is red, with what to do; JSON for programs."""
    monkeypatch.chdir(bench.root)
    bench.record(started=NOON.replace(year=2020))

    assert cli.main(["age"]) == 1
    assert "overdue (more than 180 days): toy@quick:cpu-2c: measured" in capsys.readouterr().out
    assert cli.main(["age", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["policy"] == {"old_days": 90, "fail_days": 180}


def test_age_policy_names_its_line(bench: Bench) -> None:
    """Failing before anybody is told makes no sense."""
    (bench.root / "pyproject.toml").write_text(SETTINGS + "[tool.ledger.age]\nold_days = 90\nfail_days = 90\n")

    with pytest.raises(LedgerError, match=r"pyproject\.toml:6: a number is old before the job fails"):
        load_settings(bench.root)
