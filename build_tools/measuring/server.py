"""The runner's end of a fork server: start it, hand it a job, hear how the process ended, stop it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import build_tools
from build_tools.machine import usable_cores
from build_tools.measuring.report import Job, Outcome

PACKAGE = Path(build_tools.__file__).parent


class ServerLostError(Exception):
    """The server is gone or never came up; says why."""


class Server:
    """A running fork server. Raises ServerLostError from the constructor if it cannot import what it should."""

    def __init__(self, preload: tuple[str, ...], work: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "build_tools.measuring.fork_server", *preload],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=work,
            env=environment(),
            start_new_session=True,  # Ctrl-C reaches us, and we end it
        )
        problem = json.loads(self._hear() or '{"preload": "it ended at once"}')["preload"]
        if problem:
            self.stop()
            raise ServerLostError(problem)

    def ask(self, job: Job) -> Outcome:
        """Run a job to its end. Raises ServerLostError if the server did not survive it."""
        try:
            self._say(job.model_dump_json() + "\n")
            answer = self._hear()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self.stop()
            raise ServerLostError("the fork server died")
        return Outcome.model_validate_json(answer)

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line)
        self._process.stdin.flush()

    def _hear(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def stop(self) -> None:
        """End of input: it ends what runs, then itself."""
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with suppress(BrokenPipeError):  # it was gone before it heard us
                stream.close()
        try:
            self._process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def environment() -> dict[str, str]:
    """What every measuring process finds: pinned threads, no network, no CUDA before it is wanted."""
    threads = str(usable_cores())
    proxies = {name for name in os.environ if name.lower().endswith("_proxy")}
    inherited = {name: value for name, value in os.environ.items() if name not in proxies}
    return {
        **inherited,
        "OMP_NUM_THREADS": threads,
        "MKL_NUM_THREADS": threads,
        # Idle threads spin a little, then sleep. By default they spin long enough to make a run 30 times as slow where
        # somebody else wants a core; with this much it is as fast as before where nobody does.
        "GOMP_SPINCOUNT": "10000",
        "OPENBLAS_NUM_THREADS": "1",  # numpy's own pool; it would be a thread alive at the fork
        "ARROW_DEFAULT_MEMORY_POOL": "system",  # likewise
        "PYTORCH_NVML_BASED_CUDA_CHECK": "1",  # is_available() at import must not initialise CUDA
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH")])),
        "PYTHONUTF8": "1",
    }
