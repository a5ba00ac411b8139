"""Starts measuring processes and says how each ended. The runner's only way to run a snippet's code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import build_tools
from build_tools.machine import usable_cores
from build_tools.measuring.report import Job, Report
from build_tools.model import Failure, FailureKind

PACKAGE = Path(build_tools.__file__).parent


class Launcher:
    """A fork server with `preload` imported; use as a context. A server that died is started anew for the next job."""

    def __init__(self, preload: tuple[str, ...]) -> None:
        self.preload = preload
        self.broken = ""
        self._server: subprocess.Popen[str] | None = None
        self._temporary = tempfile.TemporaryDirectory(prefix="ledger-")
        self.folder = Path(self._temporary.name)
        # Where cases run: what a program leaves in its working directory goes with it.
        self._work = self.folder / "work"
        self._work.mkdir()

    def __enter__(self) -> Launcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        self._temporary.cleanup()

    def paths(self) -> tuple[str, str]:
        """Where a job's report and its output go."""
        return str(self.folder / "report.json"), str(self.folder / "output")

    def run(self, job: Job) -> tuple[Report | None, Failure | None, bytes]:
        """One pass: its report (None where there is none), why it failed (None where it did not), what it printed."""
        for path in (job.report, job.output):
            Path(path).unlink(missing_ok=True)
        outcome = self._ask(job)
        report = Report.read(Path(job.report))
        output = Path(job.output).read_bytes() if Path(job.output).exists() else b""
        return report, _failure(job, outcome, report, self.broken), output

    def _ask(self, job: Job) -> dict[str, int | bool] | None:
        server = self._running()
        if server is None or server.stdin is None or server.stdout is None:
            return None
        try:
            server.stdin.write(job.model_dump_json() + "\n")
            server.stdin.flush()
            answer = server.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self._stop()
            return None
        outcome: dict[str, int | bool] = json.loads(answer)
        return outcome

    def _running(self) -> subprocess.Popen[str] | None:
        if self._server is None:
            command = [sys.executable, "-m", "build_tools.measuring.fork_server", *self.preload]
            self._server = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=self._work,
                env=environment(),
                start_new_session=True,
            )
            hello = self._server.stdout.readline() if self._server.stdout else ""
            self.broken = json.loads(hello)["preload"] if hello else "the fork server did not start"
        return None if self.broken else self._server

    def _stop(self) -> None:
        if self._server is None:
            return
        for stream in (self._server.stdin, self._server.stdout):
            if stream is not None:
                stream.close()
        try:
            self._server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(self._server.pid, signal.SIGKILL)
            self._server.wait()
        self._server = None


def environment() -> dict[str, str]:
    """What every measuring process finds: pinned threads, no network, no CUDA before it is wanted."""
    threads = str(usable_cores())
    proxies = {name for name in os.environ if name.lower().endswith("_proxy")}
    inherited = {name: value for name, value in os.environ.items() if name not in proxies}
    return {
        **inherited,
        "OMP_NUM_THREADS": threads,
        "MKL_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": "1",  # numpy's own pool; it would be a thread alive at the fork
        "ARROW_DEFAULT_MEMORY_POOL": "system",  # likewise
        "PYTORCH_NVML_BASED_CUDA_CHECK": "1",  # is_available() at import must not initialise CUDA
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH")])),
        "PYTHONUTF8": "1",
    }


def _failure(job: Job, outcome: dict[str, int | bool] | None, report: Report | None, broken: str) -> Failure | None:
    def failed(kind: FailureKind, message: str) -> Failure:
        return Failure(kind=kind, during=job.run_pass, message=message)

    if outcome is None:
        return failed("exception", f"nothing could be started: {broken or 'the fork server died'}")
    if outcome["timed_out"]:
        return failed("time_limit", f"not done after {job.timeout_s:g} s; ended with all it had started")
    if report is not None:
        return report.failure
    if outcome["code"] < 0:
        return failed("killed", f"ended by {signal.Signals(-outcome['code']).name}")
    return failed("no_report", f"ended with code {outcome['code']} before it reported anything")
