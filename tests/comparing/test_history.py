"""What stays of good records: bounded, in order, and never lost to another process."""

from __future__ import annotations

import multiprocessing
from datetime import timedelta
from pathlib import Path

import pytest
from figures.bench import CPU, NOON, OTHER_CPU, Bench
from records import make_record

from build_tools.errors import LedgerError
from build_tools.history import read_history, through_time
from build_tools.store import HISTORY_LIMIT, history_path, write_record


def run(number: int, **changes: object) -> dict[str, object]:
    return {"run_id": f"r{number}", "started": NOON + timedelta(days=number), **changes}


def test_history_of_good_records(bench: Bench) -> None:
    """Each good record that another one replaces, with its raw samples, versions and commit; the last one is no past."""
    for number in range(3):
        path = bench.record(samples={"seconds": (1.0 + number, 3.0 + number)}, **run(number, commit="a" * 40))
    past = read_history(history_path(path))

    assert [(entry.run_id, entry.samples["seconds"], entry.median("seconds")) for entry in past] == [
        ("r0", (1.0, 3.0), 2.0), ("r1", (2.0, 4.0), 3.0),
    ]  # fmt: skip
    assert (past[0].commit, past[0].packages) == ("a" * 40, {"torch": "2.13.0"})
    assert [entry.run_id for entry in through_time(path)] == ["r0", "r1", "r2"]


def test_history_holds_no_round_of_a_run(bench: Bench) -> None:
    """A record is written again after every round of one run: that replaces nothing."""
    for rounds in (1, 2, 3):
        path = bench.record(samples={"seconds": (1.0,) * rounds})

    assert read_history(history_path(path)) == []


def test_history_is_bounded(bench: Bench) -> None:
    """The oldest go first."""
    for number in range(HISTORY_LIMIT + 3):
        path = bench.record(**run(number))
    past = read_history(history_path(path))

    assert len(past) == HISTORY_LIMIT
    assert past[0].run_id == "r2"


def test_history_keeps_no_failure_and_nothing_damaged(bench: Bench) -> None:
    """Only what was good."""
    path = bench.record(**run(0))
    bench.record(status="failed", **run(1))
    path.write_text(path.read_text().replace("1.75", "1.76"))
    bench.record(**run(2))

    assert read_history(history_path(path)) == []


def test_history_of_a_failed_run_is_not_doubled(bench: Bench) -> None:
    """A good round replaced the record, the next one failed, and the old record was put back."""
    from build_tools.measuring.shelf import FolderShelf
    from build_tools.store import read_record

    path = bench.record(**run(0))
    before = read_record(path)
    shelf = FolderShelf(bench.root, committed=True)
    shelf.put(before.model_copy(update=run(1)))
    shelf.put(make_record(snippet="toy", machine=CPU, status="failed", **run(1)))
    assert read_record(path).run_id == "r0"
    bench.record(**run(2))

    assert [entry.run_id for entry in through_time(path)] == ["r0", "r2"]


def test_history_is_each_machines_own(bench: Bench) -> None:
    """Another machine's record stands beside and has its own past."""
    one = bench.record(**run(0))
    other = bench.record(machine=OTHER_CPU, **run(1))
    bench.record(**run(2))

    assert [entry.run_id for entry in read_history(history_path(one))] == ["r0"]
    assert read_history(history_path(other)) == []
    assert bench.ledger().problems == []


def _store(folder: Path, machine: int, numbers: range) -> None:
    for number in numbers:
        write_record(folder, make_record(case=f"case{machine}", **run(number)))


def test_history_of_runners_that_finish_at_once(tmp_path: Path) -> None:
    """Four processes store into one place, and as many into places of their own: every run is there afterwards."""
    fork = multiprocessing.get_context("fork")
    jobs = [fork.Process(target=_store, args=(tmp_path, 0, range(at, 40, 4))) for at in range(4)]
    jobs += [fork.Process(target=_store, args=(tmp_path, at, range(5))) for at in range(1, 5)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()

    assert [job.exitcode for job in jobs] == [0] * len(jobs)
    assert len(through_time(tmp_path / "quick/cpu-1c/case0.json")) == 40
    for machine in range(1, 5):
        assert len(through_time(tmp_path / f"quick/cpu-1c/case{machine}.json")) == 5


BROKEN = {
    "edited": (lambda text: text.replace("1.75", "1.76"), "1: does not match its digest"),
    "no JSON": (lambda text: text + "…\n", "2: not a run"),
    "not finite": (lambda text: text.replace("1.75", "NaN"), "1: not a run"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_history_that_is_broken_is_told(kind: str, bench: Bench) -> None:
    """With its line; the next run is kept nevertheless, and no record beside it is lost."""
    spoil, says = BROKEN[kind]
    for number in range(2):
        path = bench.record(**run(number))
    history = history_path(path)
    history.write_text(spoil(history.read_text()))

    with pytest.raises(LedgerError, match=says):
        read_history(history)
    assert [problem.place.file for problem in bench.ledger().problems if problem.place] == [history]
    bench.record(**run(2))
    assert '"r1"' in history.read_text()


def test_history_is_no_misplaced_record(bench: Bench) -> None:
    """A history stands among the records; what only looks like one is told."""
    for number in range(2):
        path = bench.record(**run(number))
    assert bench.ledger().problems == []
    (path.parent / "history" / "x y.jsonl").write_text("")

    assert ["no record belongs here" in str(problem) for problem in bench.ledger().problems] == [True]
