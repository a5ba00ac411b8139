"""`diff`: like with like only, what else there is by name, and exit codes."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from figures.bench import CPU, GPU, NOON, NOTEBOOK, TOML, Bench, claim

from build_tools import cli
from build_tools.comparing.compare import diff
from build_tools.comparing.difference import BAD, DRIFT, NOTHING, Diff
from build_tools.comparing.markdown import LONGEST, markdown
from build_tools.measuring.shelf import ArchiveShelf
from build_tools.model import Machine
from build_tools.store import read_record

BEFORE: dict[str, Any] = {"samples": {"seconds": (1.0, 1.01, 0.99), "samples_per_second": (4.0, 3.96, 4.04)}}
SLOWER: dict[str, Any] = {
    "samples": {"seconds": (2.0, 2.01, 1.99), "samples_per_second": (2.0, 1.99, 2.01)}, "run_id": "r2",
}  # fmt: skip
BARE = TOML.partition("[metrics")[0]
LATER = NOON + timedelta(days=1)


@pytest.fixture
def before(bench: Bench, tmp_path: Path) -> Path:
    """A copy of the project as it was, with a record of `toy/plain`."""
    bench.record(**BEFORE)
    shutil.copytree(bench.root, tmp_path / "before")
    return tmp_path / "before"


def compared(bench: Bench, before: Path) -> Diff:
    return diff(bench.root, str(before), str(bench.root))


def judgements(found: Diff) -> dict[str, str]:
    return {row.metric: row.judgement for case in found.cases for row in case.rows}


def test_nothing_new(bench: Bench, before: Path) -> None:
    """The same records: no case, no drift."""
    found = compared(bench, before)

    assert found.cases == ()
    assert found.exit_code == NOTHING
    assert "No number changes" in markdown(found)


def test_a_new_run_within_noise(bench: Bench, before: Path) -> None:
    """Compared and unchanged: with n on both sides, and no drift."""
    bench.record(samples={"seconds": (1.0, 1.02, 0.98), "samples_per_second": (4.0, 3.92, 4.08)}, run_id="r2")
    found = compared(bench, before)

    assert judgements(found) == {"seconds": "unchanged", "samples_per_second": "unchanged"}
    assert {(row.n_old, row.n_new) for row in found.cases[0].rows} == {(3, 3)}
    assert found.exit_code == NOTHING


def test_slower_beyond_noise(bench: Bench, before: Path) -> None:
    """More seconds and fewer samples per second are one direction; size, p and versions are told."""
    bench.record(**SLOWER, packages={"torch": "2.14.0"})
    found = compared(bench, before)

    assert judgements(found) == {"seconds": "slower", "samples_per_second": "slower"}
    assert found.cases[0].rows[0].change == pytest.approx(1.0)
    assert [(v.name, v.was, v.now) for v in found.cases[0].versions] == [("torch", "2.13.0", "2.14.0")]
    assert found.exit_code == DRIFT
    assert "torch `2.13.0` → `2.14.0`" in markdown(found)


def test_memory_is_more_or_less(bench: Bench, before: Path) -> None:
    """An exact meter that is no longer equal has grown, however little."""
    bench.record(samples={**BEFORE["samples"], "tensor_mib": (31.5,)}, run_id="r1")
    shutil.rmtree(before)
    shutil.copytree(bench.root, before)
    bench.record(samples={**BEFORE["samples"], "tensor_mib": (31.6,)}, run_id="r2")

    assert judgements(compared(bench, before))["tensor_mib"] == "more"


def test_another_program_is_not_compared(bench: Bench, before: Path) -> None:
    """No percentage between what two programs did."""
    bench.snippet("toy", BARE, program="y = 2\n")
    bench.record(**SLOWER)
    (case,) = compared(bench, before).cases

    assert (case.outcome, case.rows) == ("not comparable", ())
    assert case.why


def test_another_number_of_devices_is_not_compared(bench: Bench, before: Path) -> None:
    """What two devices take, one does not."""
    bench.record(**SLOWER, devices=2)
    (case,) = compared(bench, before).cases

    assert case.outcome == "not comparable"
    assert "1 and 2 devices" in case.why


def test_other_hardware_under_one_name_is_not_compared(bench: Bench, before: Path) -> None:
    """A slug is a name and no proof; both values stand side by side, without a percentage."""
    bench.record(**SLOWER, machine=CPU.model_copy(update={"model": "Another CPU"}))
    found = compared(bench, before)

    assert found.cases[0].outcome == "not comparable"
    assert "other hardware: Some CPU and Another CPU" in found.cases[0].why
    assert {reading.model for item in found.beside for reading in item.readings} == {"Some CPU", "Another CPU"}


def test_other_hardware_stands_side_by_side(bench: Bench, before: Path) -> None:
    """A machine that measured for the first time: its values beside the others', and nowhere a percentage."""
    bench.record(machine=Machine(slug="cpu-8c", device="cpu", model="Big CPU", memory_gib=64.0, cores=8), **SLOWER)
    found = compared(bench, before)
    text = markdown(found)

    assert [case.outcome for case in found.cases] == ["new"]
    assert {reading.machine for item in found.beside for reading in item.readings} == {"cpu-2c", "cpu-8c"}
    assert "side by side" in text
    assert "%" not in text
    assert found.exit_code == NOTHING


def test_a_failed_run(bench: Bench, before: Path) -> None:
    """The last good record stays; the failure is told, once."""
    bench.record(status="failed", started=LATER, run_id="r2")
    found = compared(bench, before)

    assert [case.outcome for case in found.cases] == ["failed"]
    assert found.exit_code == BAD
    shutil.rmtree(before)
    shutil.copytree(bench.root, before)
    assert compared(bench, before).exit_code == NOTHING


def test_a_damaged_record(bench: Bench, before: Path) -> None:
    """Edited by hand, though only in a digit."""
    path = bench.root / "snippets/toy/records/quick/cpu-2c/plain.json"
    path.write_text(path.read_text().replace("1.01", "1.02"))
    found = compared(bench, before)

    assert [case.outcome for case in found.cases] == ["damaged"]
    assert found.exit_code == BAD


IMPLAUSIBLE: dict[str, tuple[dict[str, tuple[float, ...]], str]] = {
    "negative time": ({"seconds": (-1.0,), "samples_per_second": (-4.0,)}, "ran backwards"),
    "more memory than there is": ({"seconds": (1.0,), "rss_mib": (9000.0,)}, "rss_mib = 9000 MiB on 1 device"),
    "negative memory": ({"seconds": (1.0,), "tensor_mib": (-1.0,)}, "tensor_mib = -1 MiB"),
    "a meter of another device": ({"seconds": (1.0,), "peak_mib": (1.0,)}, "cannot be read on a cpu"),
    "a metric that nobody declared": ({"seconds": (1.0,), "joules": (1.0,)}, "'joules' is no metric"),
    "repeats of an exact metric that differ": ({"seconds": (1.0,), "tensor_mib": (1.0, 2.0)}, "repeats differ"),
    "a speed without a time for each": ({"seconds": (1.0, 1.0), "samples_per_second": (4.0,)}, "2 times and 1 speeds"),
    "speed and time that contradict": ({"seconds": (1.0,), "samples_per_second": (9.0,)}, "are not 4 samples"),
}


@pytest.mark.parametrize("name", IMPLAUSIBLE)
def test_an_implausible_record(name: str, bench: Bench, before: Path) -> None:
    """Whole and sealed, and still not to be believed."""
    from build_tools.model import Counted

    samples, says = IMPLAUSIBLE[name]
    bench.record(samples=samples, run_id="r2", counted=Counted(samples=4, optimizer_steps=1))
    (case,) = compared(bench, before).cases

    assert case.outcome == "implausible"
    assert says in "; ".join(case.why)


def test_what_a_change_makes_stale(bench: Bench, before: Path) -> None:
    """The record is the one of before; the program is not. No drift: nothing was measured."""
    bench.snippet("toy", BARE, program="x = 2\n")
    found = compared(bench, before)

    assert found.cases == ()
    assert [(item.snippet, item.machine, item.cases, item.figures) for item in found.stale] == [
        ("toy", "cpu-2c", ("plain",), 2)
    ]
    assert found.exit_code == NOTHING
    assert "Made stale by this change" in markdown(found)


def test_prose_makes_nothing_stale(bench: Bench, before: Path) -> None:
    """A comment in a program is no change of it."""
    bench.snippet("toy", BARE, program="# a word\nx = 1\n")

    assert compared(bench, before).stale == ()


def test_a_verdict_that_flips_comes_first(bench: Bench, before: Path) -> None:
    """Before any table."""
    text = claim("slow", 'expect = "toy/plain/seconds@quick < 1.5 s"', source=NOTEBOOK)
    for root in (before, bench.root):
        (root / "docs").mkdir(exist_ok=True)
        (root / "docs/evidence.toml").write_text(text)
    bench.record(**SLOWER)
    found = compared(bench, before)
    shown = markdown(found)

    assert [(flip.claim, flip.was, flip.now) for flip in found.flips] == [("slow", "consistent", "contradicted")]
    assert shown.index("Verdicts that flip") < shown.index("Beyond noise")
    assert found.exit_code == DRIFT


def test_a_chart_needs_three_points(bench: Bench, before: Path) -> None:
    """Two runs are a table; the third draws a line, of this program's runs only."""
    bench.record(**SLOWER, started=LATER)
    assert compared(bench, before).charts == ()

    bench.record(**{**SLOWER, "run_id": "r3"}, started=LATER + timedelta(days=1))
    (chart, *_) = compared(bench, before).charts

    assert [point.value for point in chart.points] == [1.0, 2.0, 2.0]
    assert "xychart-beta" in markdown(compared(bench, before))


def test_from_commit_to_archive(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """OLD a commit, NEW a records.tar that was carried home; nothing of it is unpacked here."""
    bench.record(**BEFORE)
    path = bench.record(**SLOWER, local=True)
    git(bench.root, "init", "-q", "-b", "main")
    git(bench.root, "add", "pyproject.toml", "constraints.txt", "snippets")
    git(bench.root, "commit", "-q", "-m", "x")
    ArchiveShelf(tmp_path).put(read_record(path))
    found = diff(bench.root, "main", str(tmp_path / "records.tar"))

    assert judgements(found)["seconds"] == "slower"
    assert judgements(diff(bench.root, "HEAD", str(bench.root / ".ledger")))["seconds"] == "slower"
    assert diff(bench.root, "main", str(bench.root)).cases == ()


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    return subprocess.run(
        ["git", *identity, *arguments], cwd=root, check=True, capture_output=True, text=True
    ).stdout  # fmt: skip


def test_exit_codes(
    bench: Bench, before: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """0 fine, 1 drift, 2 damaged or nothing to compare; JSON says all, a file gets the Markdown at its end."""
    monkeypatch.chdir(bench.root)
    assert cli.main(["diff", str(before), "."]) == NOTHING
    bench.record(**SLOWER)
    assert cli.main(["diff", str(before), ".", "--text", "out/summary.md"]) == DRIFT
    assert "slower" in (bench.root / "out/summary.md").read_text()
    capsys.readouterr()
    assert cli.main(["diff", str(before), ".", "--json"]) == DRIFT
    assert json.loads(capsys.readouterr().out)["cases"][0]["rows"][0]["judgement"] == "slower"
    assert cli.main(["diff", "no-such-thing", "."]) == BAD
    assert "there is no commit, folder or file 'no-such-thing'" in capsys.readouterr().err


HOSTILE = "`|<img src=x onerror=1>|@everyone\n#1 [a](http://x)"


def test_nothing_of_a_record_is_live_in_markdown(bench: Bench, before: Path) -> None:
    """Versions, reasons and file names are code spans of one line."""
    bench.record(**SLOWER, packages={"torch": HOSTILE})
    lines = markdown(compared(bench, before)).splitlines()
    line, *_ = [line for line in lines if "onerror" in line]
    span = line.partition("→ `")[2].partition("→ `")[2].partition("`")[0]

    assert "onerror=1>ʼ@everyone #1 [a](http://x)" in span
    assert not any(line.startswith("#1") for line in lines)


def test_a_text_that_is_too_long_is_cut(bench: Bench, before: Path) -> None:
    """A pull request takes 65,536 characters; what is missing is said."""
    from build_tools.comparing.difference import CaseDiff

    many = CaseDiff(snippet="toy", case="plain", profile="quick", machine="m", outcome="new", why=("x" * 150,))
    text = markdown(Diff(old="a", new="b", cases=(many,) * 1000))

    assert len(text) < LONGEST + 200
    assert "Cut off here" in text


def test_gpu_records_are_compared_alike(bench: Bench, tmp_path: Path) -> None:
    """Memory is read once a run: beyond the tolerance it is less, and n says 1."""
    bench.record("plain", "full", GPU, samples={"peak_mib": (1000.0,)})
    shutil.copytree(bench.root, tmp_path / "before")
    bench.record("plain", "full", GPU, samples={"peak_mib": (800.0,)}, run_id="r2")
    found = diff(bench.root, str(tmp_path / "before"), str(bench.root))

    assert judgements(found) == {"peak_mib": "less"}
    assert (found.cases[0].rows[0].n_new, found.cases[0].rows[0].p) == (1, None)


def test_predictions_are_no_hardware(bench: Bench, tmp_path: Path) -> None:
    """A first measurement has no other machine beside it where there is only a prediction; a changed one is told."""
    from build_tools.memory_model import MODEL, PARTS

    parts = dict.fromkeys(PARTS, (1.0,))
    bench.record("plain", "full", MODEL, samples={"peak_mib": (5.0,), **parts})
    shutil.copytree(bench.root, tmp_path / "before")
    bench.record("plain", "full", MODEL, samples={"peak_mib": (5.6,), **parts}, run_id="r2")
    bench.record("plain", "full", GPU, samples={"peak_mib": (5.5,)}, run_id="r3")
    found = diff(bench.root, str(tmp_path / "before"), str(bench.root))

    assert found.beside == ()
    assert {row.metric: row.judgement for case in found.cases for row in case.rows} == {
        "peak_mib": "more", **dict.fromkeys(PARTS, "unchanged"),
    }  # fmt: skip


def test_real_records_are_plausible() -> None:
    """The records of this repository pass the gate that fresh ones have to."""
    from projects import REPOSITORY

    from build_tools.comparing.plausible import doubts
    from build_tools.figures.collect import collect

    found = collect(REPOSITORY, committed_only=True)
    files = [(slot, stored.record) for slot, files in found.stored.items() for stored in files if stored.record]

    assert files
    for slot, record in files:
        snippet = found.snippets[slot.snippet]
        if slot.case in snippet.cases:
            assert doubts(record, snippet) == [], slot
