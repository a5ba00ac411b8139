"""Runs jobs in processes of their own and says how each ended. The runner's only way to run a snippet's code."""

from __future__ import annotations

import signal
import tempfile
from dataclasses import dataclass
from pathlib import Path

from build_tools.measuring.report import Job, Outcome, Report
from build_tools.measuring.server import Server, ServerLostError
from build_tools.model import Failure, FailureKind, StartMethod

READ_BYTES = 256 * 1024  # of a program's output; the rest is nobody's reading
CUDA_AFTER_FORK = ("re-initialize CUDA in forked", "CUDA driver initialization failed", "initialization error")


@dataclass(frozen=True)
class Result:
    """What one process left behind: a report or none, why it failed or None, the beginning of what it printed."""

    report: Report | None
    failure: Failure | None
    output: bytes
    start_method: StartMethod = "fork"


class ClosedError(Exception):
    """The launcher was closed under a job: what became of it says nothing about the case."""


class Launcher:
    """Jobs of snippets that preload the same. Use as a context: processes and files end with it.

    Processes are forked from a server with `preload` imported. Where CUDA refuses to work in a forked process they are
    started afresh instead, from then on. A server that died is replaced for the next job.
    """

    def __init__(self, preload: tuple[str, ...]) -> None:
        self.preload = preload
        self.start_method: StartMethod = "fork"
        self._server: Server | None = None
        self._closed = False
        self._temporary = tempfile.TemporaryDirectory(prefix="ledger-", ignore_cleanup_errors=True)

    @property
    def work(self) -> Path:
        """The working directory of programs: what they leave there goes with us."""
        return Path(self._temporary.name) / "work"

    def __enter__(self) -> Launcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._temporary.cleanup()

    def close(self) -> None:
        """End what runs, also for another thread."""
        self._closed = True
        self._stop()

    def run(self, job: Job) -> Result:
        """One pass in a process of its own. Raises ClosedError if the launcher is closed meanwhile."""
        result = self._run(job)
        if self.start_method == "fork" and job.device == "cuda" and _cuda_after_fork(result.failure):
            self.start_method = "spawn"
            self._stop()
            result = self._run(job)
        return result

    def _run(self, job: Job) -> Result:
        # Anew for every job: the last one may have removed it.
        self.work.mkdir(parents=True, exist_ok=True)
        report, output = self.work.with_name("report.json"), self.work.with_name("output")
        for path in (report, output):
            path.unlink(missing_ok=True)
        placed = job.model_copy(update={"work": str(self.work), "report": str(report), "output": str(output)})
        found, failure = self._ended(placed)
        if self._closed:
            raise ClosedError
        return Result(found, failure, _beginning(output), self.start_method)

    def _ended(self, job: Job) -> tuple[Report | None, Failure | None]:
        try:
            server = self._running()
        except ServerLostError as error:
            return None, failed(job, "not_started", f"nothing could be started: {error}")
        try:
            outcome = server.ask(job)
        except ServerLostError as error:
            self._server = None
            return None, failed(job, "killed", f"{error}, and the case with it")
        if self.start_method == "spawn":
            self._stop()
        report = Report.read(Path(job.report))
        return report, _failure(job, outcome, report)

    def _running(self) -> Server:
        """A server without anything imported forks processes as bare as if they were started afresh."""
        if self._closed:
            raise ClosedError
        if self._server is None:
            self._server = Server(self.preload if self.start_method == "fork" else (), self.work)
        return self._server

    def _stop(self) -> None:
        if self._server is not None:
            self._server.stop()
            self._server = None


def failed(job: Job, kind: FailureKind, message: str) -> Failure:
    return Failure(kind=kind, during=job.run_pass, message=message)


def _failure(job: Job, outcome: Outcome, report: Report | None) -> Failure | None:
    if outcome.timed_out:
        return failed(job, "time_limit", f"not done after {job.timeout_s:g} s; ended with all it had started")
    if report is not None:
        return report.failure
    if outcome.code < 0:
        name = signal.Signals(-outcome.code).name
        hint = ", as the kernel does when memory runs out" if name == "SIGKILL" else ""
        return failed(job, "killed", f"ended by {name}{hint}")
    return failed(job, "no_report", f"ended with code {outcome.code} before it reported anything")


def _cuda_after_fork(failure: Failure | None) -> bool:
    return failure is not None and any(sign in failure.message for sign in CUDA_AFTER_FORK)


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(READ_BYTES)
    except OSError:
        return b""
