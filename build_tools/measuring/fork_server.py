"""A process that has everything imported and forks one measuring process at a time: ready in milliseconds, not seconds.

`python -m build_tools.measuring.fork_server MODULE …` reads a Job per line on standard input and answers each with an
Outcome per line. Before the fork no CUDA is initialised and no tensor operation run. It owns every process that a case
starts, daemons too (it is their subreaper), so that nothing outlives its pass; when its standard input ends, it ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import select
import signal
import sys
import time
import traceback
import warnings
from typing import IO

import psutil

from build_tools.measuring import child
from build_tools.measuring.report import Job, Outcome

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
GRACE_S = 2.0  # between the polite signal and the other one


def main() -> None:
    answers = _private_answers()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _say(answers, preload=preload(sys.argv[1:]))
    for line in sys.stdin.buffer:
        _say(answers, **run(Job.model_validate_json(line)).model_dump())


def preload(modules: list[str]) -> str:
    """Import what cases need. Returns what went wrong, or an empty string."""
    # torch's first optimiser would import this in every child.
    wanted = [*modules, "torch._dynamo"] if "torch" in modules else modules
    try:
        for module in wanted:
            importlib.import_module(module)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    # Without this a collection in a child would touch, and so copy, every page of the parent's heap.
    gc.collect()
    gc.freeze()
    return ""


def run(job: Job) -> Outcome:
    """Fork, wait until the process ends or its time is up, then end all that it left behind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # 3.12 warns of threads: pools that only wait for work
        pid = os.fork()
    if pid == 0:
        _become(job)
    timed_out = not _ends_in_time(pid, job.timeout_s)
    if timed_out:
        _end_descendants()
    _, status = os.waitpid(pid, 0)
    leftover = _end_descendants()
    _reap()
    return Outcome(code=os.waitstatus_to_exitcode(status), timed_out=timed_out, leftover=leftover)


def _become(job: Job) -> None:
    """In the child: a session of its own, output to a file, run, and leave without the server's own clean-up."""
    code = 1
    try:
        os.setsid()
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        output = os.open(job.output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for target, source in ((0, nothing), (1, output), (2, output)):
            os.dup2(source, target)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - it lives as long as the process
        child.main(job)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # the program may have closed it, or the disk may be full
                stream.flush()
        os._exit(code)


def _ends_in_time(pid: int, timeout_s: float) -> bool:
    """Whether the process ends before its time is up. If whoever asked is gone, all ends at once."""
    process = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(process, select.POLLIN)
    poll.register(0, select.POLLHUP)
    try:
        ready = [fd for fd, _ in poll.poll(timeout_s * 1000)]
    finally:
        os.close(process)
    if 0 in ready and process not in ready:
        _end_descendants()
        os._exit(1)
    return process in ready


def _end_descendants() -> int:
    """End all that runs below us: politely, then not, then what was born meanwhile. Returns how many there were."""
    found = len(_alive())
    for signal_number in (signal.SIGTERM, signal.SIGKILL, signal.SIGKILL):
        for process in _alive():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(signal_number)
        deadline = time.monotonic() + GRACE_S
        while _alive() and time.monotonic() < deadline:
            time.sleep(0.01)
    return found


def _alive() -> list[psutil.Process]:
    """Descendants that still run; orphans are ours because we are their subreaper."""
    alive = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            alive += [process] if process.status() != psutil.STATUS_ZOMBIE else []
    return alive


def _reap() -> None:
    """Collect the orphans that ended as our children, so that no zombie is left."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _private_answers() -> IO[str]:
    """Keep standard output for answers, out of reach of whatever an imported module prints."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    return answers


def _say(answers: IO[str], **values: object) -> None:
    answers.write(json.dumps(values) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
