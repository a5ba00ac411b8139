"""Cases that no load changes run beside each other; all others alone. What one lane meets ends them all."""

from __future__ import annotations

from pathlib import Path
from threading import Barrier, BrokenBarrierError, Lock

import pytest
from projects import NAP_TOML, Write
from records import MACHINE

from build_tools.measuring.lanes import THREADS, lanes_of
from build_tools.measuring.launcher import ClosedError, Launcher, Result
from build_tools.measuring.plan import Request, make_plan
from build_tools.measuring.report import Job, Report, Settings
from build_tools.measuring.runner import Runner
from build_tools.measuring.shelf import FolderShelf
from build_tools.measuring.surroundings import Provenance
from build_tools.model import Machine
from build_tools.store import load_snippets, local_folder

PROVENANCE = Provenance(run_id="r1", command="measure", commit=None, clean=None, origin="contributor")
COUNTS = """
title = { zh = "数", en = "counts" }
[parameters]
seconds = 0.0
[profiles.quick]
passes = ["report"]
[cases.short]
[cases.long]
[metrics.loss]
unit = "1"
decimals = 2
exact = true
label = { zh = "损失", en = "loss" }
"""


class Lane:
    """Stands in for the launcher of one lane. Every report waits until another lane has one, too, or its patience is at an end."""

    work = Path("/nowhere")
    meeting, lock = Barrier(2), Lock()

    def __init__(self, met: list[bool], jobs: list[Job]) -> None:
        self.met, self.jobs = met, jobs

    def __enter__(self) -> Lane:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def run(self, job: Job) -> Result:
        if job.run_pass != "check":
            try:
                self.meeting.wait(0.3)
                self.met.append(True)
            except BrokenBarrierError:
                self.met.append(False)
                self.meeting.reset()
        self.jobs.append(job)
        reported = {"loss": 1.0} if job.scalars else {}
        meters = {"seconds": 1.0} if job.run_pass == "time" else {}
        return Result(
            Report(settings=Settings(threads=1, allocator="default"), meters=meters, reported=reported), None, b""
        )


def run(project: Path, lanes: int = 2) -> tuple[list[bool], list[Job]]:
    met: list[bool] = []
    jobs: list[Job] = []
    Lane.meeting = Barrier(2)
    Runner(
        root=project, machine=MACHINE, provenance=PROVENANCE, shelf=FolderShelf(project, committed=False), lanes=lanes,
        launch=lambda preload: Lane(met, jobs),  # type: ignore[arg-type, return-value]
    ).run(make_plan(project, load_snippets(project), Request(targets=(), machine=MACHINE)))  # fmt: skip
    return met, jobs


def test_cases_that_only_count_run_side_by_side(project: Path, write_snippet: Write) -> None:
    """Each with one thread, whatever the number of cores; both are stored."""
    write_snippet(toml=COUNTS)
    met, jobs = run(project)

    assert met == [True, True]
    assert {job.threads for job in jobs} == {THREADS}
    folder = local_folder(project, "nap") / "quick" / MACHINE.slug
    assert {path.stem for path in folder.glob("*.json")} == {"short", "long"}


@pytest.mark.parametrize(
    ("changed", "to"),
    [
        pytest.param("exact = true", "", id="not exact"),
        pytest.param('passes = ["report"]', 'passes = ["tensors"]', id="another pass"),
        pytest.param("[cases.long]", '[cases.long]\npasses = ["time"]', id="a clock in one case"),
    ],
)
def test_whatever_a_load_may_change_runs_alone(changed: str, to: str, project: Path, write_snippet: Write) -> None:
    """With all threads."""
    write_snippet(toml=COUNTS.replace(changed, to))
    met, jobs = run(project)

    assert not any(met)
    assert {job.threads for job in jobs} == {None}


def test_a_gpu_has_one_lane() -> None:
    """Two processes would share its memory."""
    assert lanes_of(Machine(slug="h200", device="cuda", model="H200", memory_gib=141)) == 1


def test_a_timed_case_runs_alone(project: Path, write_snippet: Write) -> None:
    write_snippet(toml=NAP_TOML + "[cases.long]\nseconds = 0.02\n")
    assert not any(run(project)[0])


def test_a_launcher_closed_under_a_job_says_so_and_starts_no_other(tmp_path: Path) -> None:
    """So that an interrupted case is not taken for a failed one."""
    (tmp_path / "main.py").write_text("def run(p, meter): pass\n")
    job = Job(
        folder=str(tmp_path), case="short", run_pass="report", parameters={}, series=(), scalars=(), device="cpu",
        devices=1, warm_up=0, timeout_s=20,
    )  # fmt: skip
    with Launcher(()) as launcher:
        launcher.close()
        with pytest.raises(ClosedError):
            launcher.run(job)
