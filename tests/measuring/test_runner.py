"""The order of passes, what is stored when, and what a budget does: with a fake clock and no processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from projects import NAP_TOML, Write
from records import MACHINE

from build_tools.measuring.launcher import Result
from build_tools.measuring.plan import Request, make_plan
from build_tools.measuring.report import Job, Report, Settings
from build_tools.measuring.runner import Options, Runner
from build_tools.measuring.session import summary_table
from build_tools.measuring.shelf import ArchiveShelf, FolderShelf, Shelf
from build_tools.measuring.surroundings import Provenance
from build_tools.model import Counted, Failure
from build_tools.store import load_snippets, local_folder, read_record

TWO_CASES = NAP_TOML + "[cases.long]\nseconds = 0.02\n"
PROVENANCE = Provenance(run_id="r1", command="measure", commit=None, clean=None, origin="contributor")
SETTINGS = Settings(threads=1, allocator="default")


class FakeLauncher:
    """Every pass takes a second of the fake clock; `fail` says which jobs fail."""

    def __init__(self, fail: Callable[[Job], bool] = lambda job: False, lasts: float = 1.0) -> None:
        self.jobs: list[Job] = []
        self.now, self.fail, self.lasts = 0.0, fail, lasts

    def __call__(self, preload: tuple[str, ...]) -> FakeLauncher:
        return self

    def __enter__(self) -> FakeLauncher:
        return self

    def __exit__(self, *_: object) -> None:
        return

    work = Path("/nowhere")

    def run(self, job: Job) -> Result:
        self.jobs.append(job)
        self.now += self.lasts
        if self.fail(job):
            return Result(None, Failure(kind="exception", during=job.run_pass, message="boom"), b"Traceback")
        meters = {"time": {"seconds": 1.0 + len(self.jobs) / 100}, "tensors": {"tensor_mib": 5.0}}
        counted = Counted(samples=1, optimizer_steps=0)
        report = Report(settings=SETTINGS, meters=meters.get(job.run_pass, {}), declared=counted, counted=counted)
        return Result(report, None, b"")


def measure(project: Path, fake: FakeLauncher, *, shelf: Shelf | None = None, **options: Any) -> Runner:
    plan = make_plan(project, load_snippets(project), Request(targets=(), machine=MACHINE))
    runner = Runner(
        root=project, machine=MACHINE, provenance=PROVENANCE, shelf=shelf or FolderShelf(project, committed=False),
        options=Options(**options), launch=fake, clock=lambda: fake.now,  # type: ignore[arg-type]
    )  # fmt: skip
    runner.run(plan)
    return runner


def passes(fake: FakeLauncher) -> list[str]:
    return [f"{job.case} {job.run_pass}" for job in fake.jobs]


def stored(project: Path, name: str) -> Path:
    return local_folder(project, "nap") / "quick" / MACHINE.slug / name


def test_cases_take_turns_in_the_timed_rounds(project: Path, write_snippet: Write) -> None:
    """Check, memory and tensors of each case first; then A B A B, so that a drift of the machine hits both."""
    write_snippet(toml=TWO_CASES)
    measure(project, fake := FakeLauncher())

    single = [f"{case} {run_pass}" for case in ("short", "long") for run_pass in ("check", "memory", "tensors")]
    assert passes(fake) == [*single, "short time", "long time", "short time", "long time"]


def test_only_timed_passes_are_warmed_up(project: Path, write_snippet: Write) -> None:
    """A peak would be that of the warm-up."""
    write_snippet()
    measure(project, fake := FakeLauncher())

    assert {job.run_pass: job.warm_up for job in fake.jobs} == {"check": 0, "memory": 0, "tensors": 0, "time": 1}


def test_short_parameters_serve_memory_and_tensors_only(project: Path, write_snippet: Write) -> None:
    """The timed run is the real one."""
    toml = NAP_TOML.replace("[profiles.quick]", "[profiles.quick]\nshort = { seconds = 0.5 }")
    write_snippet(toml=toml)
    measure(project, fake := FakeLauncher())

    seen = {job.run_pass: job.parameters["seconds"] for job in fake.jobs}
    assert seen == {"check": 0.01, "memory": 0.5, "tensors": 0.5, "time": 0.01}


def test_every_raw_sample_is_kept(project: Path, write_snippet: Write) -> None:
    """Not a mean: the list."""
    write_snippet()
    measure(project, FakeLauncher(), repeats=3)

    assert read_record(stored(project, "short.json")).samples == {"seconds": (1.04, 1.05, 1.06), "tensor_mib": (5.0,)}


def test_a_failed_check_stores_no_number(project: Path, write_snippet: Write) -> None:
    """Right before timed: nothing else of the case runs, its neighbour does."""
    write_snippet(toml=TWO_CASES)
    measure(project, fake := FakeLauncher(fail=lambda job: (job.case, job.run_pass) == ("short", "check")))

    assert [entry for entry in passes(fake) if entry.startswith("short")] == ["short check"]
    failed = read_record(stored(project, "short.failed.json"))
    assert (failed.samples, failed.reason and failed.reason.message, failed.output) == ({}, "boom", "Traceback")
    assert not stored(project, "short.json").exists()
    assert stored(project, "long.json").exists()


def test_a_late_failure_puts_the_last_good_record_back(project: Path, write_snippet: Write) -> None:
    """A run that failed half-way has replaced nothing, although it was stored after its first round."""
    write_snippet()
    measure(project, FakeLauncher())
    before = stored(project, "short.json").read_bytes()
    write_snippet(toml=NAP_TOML.replace("0.01", "0.02"))

    seconds_round = iter([False, True])
    measure(project, FakeLauncher(fail=lambda job: job.run_pass == "time" and next(seconds_round)))

    assert stored(project, "short.json").read_bytes() == before
    assert len(read_record(stored(project, "short.failed.json")).samples["seconds"]) == 1


def test_a_record_is_there_after_the_first_round(project: Path, write_snippet: Write) -> None:
    """What is finished survives a runner that is lost; only a later round would have added to it."""
    write_snippet()

    def lost(job: Job) -> bool:
        if job.run_pass == "time" and stored(project, "short.json").exists():
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        measure(project, FakeLauncher(fail=lost))

    assert read_record(stored(project, "short.json")).samples["seconds"] == (1.04,)


def test_a_budget_ends_before_it_is_overdrawn(project: Path, write_snippet: Write) -> None:
    """Rounds that would not fit are left out and listed; every case has had its first."""
    write_snippet(toml=TWO_CASES)
    runner = measure(project, fake := FakeLauncher(), budget_s=9.5)

    assert passes(fake)[-3:] == ["short time", "long time", "short time"]
    assert [str(turn) for turn in runner.cut_short] == ["nap/long at quick: time 2/2"]
    assert fake.now <= 9.5


def test_the_end_of_the_budget_is_no_failure(project: Path, write_snippet: Write) -> None:
    """A pass that is still running then is cut short, not failed; one at its own limit is failed."""
    late = Failure(kind="time_limit", during="time", message="not done")

    class Late(FakeLauncher):
        def run(self, job: Job) -> Result:
            result = super().run(job)
            return Result(None, late, b"") if job.run_pass == "time" else result

    write_snippet()
    runner = measure(project, Late(), budget_s=6.0)
    assert [str(turn) for turn in runner.cut_short] == ["nap/short at quick: time 1/2", "nap/short at quick: time 2/2"]
    assert not stored(project, "short.failed.json").exists()

    measure(project, Late(), budget_s=100.0)
    assert stored(project, "short.failed.json").exists()


def test_an_archive_is_complete_after_every_result(project: Path, write_snippet: Write, tmp_path: Path) -> None:
    """Even memory alone comes home; unpacked in snippets/, the members are committed records."""
    import tarfile

    write_snippet()
    measure(project, FakeLauncher(), shelf=ArchiveShelf(tmp_path / "out"), budget_s=3.5)

    with tarfile.open(tmp_path / "out" / "records.tar") as archive:
        assert archive.getnames() == [f"nap/records/quick/{MACHINE.slug}/short.json"]
        archive.extractall(project / "snippets", filter="data")
    record = read_record(project / f"snippets/nap/records/quick/{MACHINE.slug}/short.json")
    assert record.samples == {"tensor_mib": (5.0,)}
    assert not (project / ".ledger").exists()


def test_a_metric_that_was_not_handed_over_is_a_failure(project: Path, write_snippet: Write) -> None:
    """Declared and not reported: the table would have a hole that nobody explains."""
    toml = NAP_TOML + '[metrics.loss]\nunit = "1"\ndecimals = 2\nlabel = { zh = "损失", en = "loss" }\n'
    write_snippet(toml=toml)
    measure(project, FakeLauncher())

    reason = read_record(stored(project, "short.failed.json")).reason
    assert reason
    assert (reason.kind, reason.message) == ("protocol", "meter.report(…) handed over no loss, declared in [metrics]")


def test_the_summary_lists_every_case_with_its_medians(project: Path, write_snippet: Write) -> None:
    """Numbers to the right, a dash where there is none, the number of timed runs beside the clock."""
    write_snippet(toml=TWO_CASES)
    plan = make_plan(project, load_snippets(project), Request(targets=(), machine=MACHINE))
    fake = FakeLauncher(fail=lambda job: job.case == "long")
    runner = Runner(
        root=project, machine=MACHINE, provenance=PROVENANCE, shelf=FolderShelf(project, committed=False), launch=fake  # type: ignore[arg-type]
    )  # fmt: skip

    assert summary_table(runner.run(plan)) == [
        "case             outcome    seconds n  tensor_mib",
        "nap/short@quick  ok            1.06 2         5.0",
        "nap/long@quick   exception          -           -",
    ]


def test_a_case_that_is_only_counted_is_stored_when_all_its_passes_are_done(
    project: Path, write_snippet: Write
) -> None:
    """Not after its check: a record without a number would replace a good one if the run were lost then."""
    write_snippet(toml=NAP_TOML.replace("[profiles.quick]", '[profiles.quick]\npasses = ["memory", "tensors"]'))

    def lost(job: Job) -> bool:
        if job.run_pass == "tensors":
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        measure(project, FakeLauncher(fail=lost))
    assert not stored(project, "short.json").exists()

    measure(project, FakeLauncher())
    assert stored(project, "short.json").exists()
