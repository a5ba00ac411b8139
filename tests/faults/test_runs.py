"""Real processes that go wrong, one a fault: the reason is stored, the neighbour measured, nothing hangs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from projects import NAP_TOML, Write

from build_tools.machine import cpu_machine
from build_tools.measuring.session import Summary, Wishes, measure
from build_tools.model import FailureKind, Pass, Record
from build_tools.store import local_folder, read_record

Leaves = Callable[[Record], None]
HEAD = "import os, resource, shutil, signal, subprocess, sys, threading, time\nfrom build_tools import measure\n"
RUN = "def run(p, meter):\n"
WINDOW = "    with meter.window(None, samples=1, optimizer_steps=0):\n        "
ONCE = NAP_TOML.replace("quick = 2", "quick = 1")
TORCH = 'preload = ["torch"]\n' + ONCE
LOSS = ONCE + '[metrics.loss]\nunit = "1"\ndecimals = 2\nlabel = { zh = "损失", en = "loss" }\n'

CEILING = """\
    resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30, 2 * 2**30))
"""
STUBBORN = """\
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(99)"
    for new_session in (False, True):
        started = subprocess.Popen([sys.executable, "-c", child], start_new_session=new_session, stdout=subprocess.PIPE)
        started.stdout.readline()
        print("process", started.pid, flush=True)
"""
DAEMON = '    print("process", subprocess.Popen(["sleep", "99"], start_new_session=True).pid, flush=True)\n'
MISCOUNTED = """\
import torch
from build_tools import measure

def run(p, meter):
    model = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters())
    with meter.window(model, samples=12, optimizer_steps=4):
        for _ in range(3):
            model(torch.ones(4, 2)).sum().backward()
            optimizer.step()
"""


@dataclass(frozen=True)
class Fails:
    """A program that fails, and what is stored about it."""

    program: str
    kind: FailureKind
    during: Pass
    says: str
    toml: str = ONCE


@dataclass(frozen=True)
class Lives:
    """A program that misbehaves and is measured all the same; `output` is what its record holds of what it printed."""

    program: str
    output: str | None = None
    toml: str = ONCE


FAILING = {
    "exception-in-check": Fails(
        "def check(p):\n    assert p.seconds > 1, 'too short'\n" + RUN + WINDOW + "pass", "check", "check", "too short"
    ),
    "exception-in-build": Fails(
        "def build(p):\n    raise ValueError('no model')\n" + RUN + WINDOW + "pass", "exception", "time", "no model"
    ),
    "exception-in-run": Fails(
        RUN + WINDOW + "1 / 0", "exception", "memory", "ZeroDivisionError: division by zero (main.py:5)"
    ),
    "exit-before-measuring": Fails(RUN + "    sys.exit(0)", "exception", "memory", "SystemExit: 0"),
    "no-report": Fails(RUN + WINDOW + "os._exit(0)", "no_report", "memory", "ended with code 0 before it reported"),
    "report-twice": Fails(
        RUN + WINDOW + "pass\n    meter.report(loss=1.0)\n    meter.report(loss=2.0)",
        "protocol", "memory", "meter.report(…) was called twice", LOSS,
    ),
    "two-windows": Fails(
        RUN + WINDOW + "pass\n" + WINDOW + "pass", "protocol", "memory", "a second meter.window(…) was opened"
    ),
    "no-window": Fails(RUN + "    pass", "protocol", "memory", "opened no meter.window"),
    "undeclared-metric": Fails(
        RUN + WINDOW + "pass\n    meter.report(accuracy=1.0)", "protocol", "memory",
        "meter.report(accuracy=…): not declared in [metrics]; declared: loss", LOSS,
    ),
    "metric-not-reported": Fails(RUN + WINDOW + "pass", "protocol", "time", "handed over no loss", LOSS),
    "killed-by-signal": Fails(
        RUN + WINDOW + "os.kill(os.getpid(), signal.SIGSEGV)", "killed", "memory", "ended by SIGSEGV"
    ),
    "out-of-memory": Fails(RUN + CEILING + WINDOW + "bytearray(4 * 2**30)", "out_of_memory", "memory", "MemoryError"),
    "cuda-out-of-memory": Fails(
        "import torch\n" + RUN + WINDOW + "raise torch.OutOfMemoryError('CUDA out of memory. Tried to allocate 9 GiB')",
        "out_of_memory", "memory", "CUDA out of memory", TORCH,
    ),
    "time-limit": Fails(
        RUN + STUBBORN + WINDOW + "time.sleep(99)", "time_limit", "memory", "not done after 3 s",
        ONCE.replace("timeout_s = 20", "timeout_s = 3"),
    ),
    "not-finite": Fails(
        RUN + WINDOW + "pass\n    meter.report(loss=float('nan'))", "implausible", "memory", "loss = nan", LOSS
    ),
    "miscounted": Fails(
        MISCOUNTED, "implausible", "memory", "declared 12 samples and 4 optimiser steps, counted 12 and 3", TORCH
    ),
    "input-asked-for": Fails(RUN + WINDOW + "input('sure? ')", "exception", "memory", "EOFError"),
    "temporary-directory-removed": Fails(
        RUN + "    shutil.rmtree(os.path.dirname(os.getcwd()))\n" + WINDOW + "pass", "no_report", "memory", "before it reported"
    ),
    "missing-package": Fails(
        RUN + WINDOW + "pass", "not_started", "check", "No module named 'nothing_like_it'",
        'preload = ["nothing_like_it"]\n' + ONCE,
    ),
    "fork-server-dies": Fails(
        RUN + WINDOW + "os.kill(os.getppid(), signal.SIGKILL); time.sleep(9)", "killed", "memory", "the fork server died"
    ),
}  # fmt: skip
LIVING = {
    "output-undecodable": Lives(
        RUN + "    os.write(1, '显存 🙂 '.encode() + b'\\xff')\n" + WINDOW + "pass", "显存 🙂 �"
    ),
    "output-huge": Lives(RUN + "    for _ in range(1024):\n        os.write(1, b'x' * 2**20)\n" + WINDOW + "pass"),
    "stdout-closed": Lives(RUN + "    sys.stdout.close(); os.close(1)\n" + WINDOW + "pass", ""),
    "working-directory-removed": Lives(RUN + "    shutil.rmtree(os.getcwd())\n" + WINDOW + "pass", "", TORCH),
    "threads-at-exit": Lives(RUN + "    threading.Thread(target=time.sleep, args=(99,)).start()\n" + WINDOW + "pass"),
    "daemon-left-behind": Lives(RUN + DAEMON + WINDOW + "pass"),
    "module-named-like-ours": Lives(
        "import report, model\nfrom report import OURS\n" + RUN + "    print(OURS)\n" + WINDOW + "pass", "the snippet's"
    ),
}


def run(project: Path) -> Summary:
    return measure(project, Wishes(device="cpu"), tell=lambda line: None)


def stored(project: Path, name: str, snippet: str = "nap") -> Record:
    return read_record(local_folder(project, snippet) / "quick" / cpu_machine().slug / name)


def faults(table: dict[str, object]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("fault", [pytest.param(name, marks=pytest.mark.fault(name)) for name in table])


@faults(FAILING)
def test_a_run_that_fails(fault: str, project: Path, write_snippet: Write, nothing_new_runs: Leaves) -> None:
    """Kind, pass and message are stored, and nothing is left running; the neighbour is measured."""
    case = FAILING[fault]
    write_snippet(program=HEAD + case.program, toml=case.toml)
    write_snippet("neighbour", toml=ONCE)
    summary = run(project)

    record = stored(project, "short.failed.json")
    assert record.reason
    assert (record.reason.kind, record.reason.during) == (case.kind, case.during)
    assert case.says in record.reason.message
    assert (summary.failed, summary.measured) == (["nap/short"], ["neighbour/short"])
    nothing_new_runs(record)


@faults(LIVING)
def test_a_run_that_misbehaves_and_is_measured(
    fault: str, project: Path, write_snippet: Write, nothing_new_runs: Leaves
) -> None:
    """There is a number, a small record, and nothing is left running."""
    case = LIVING[fault]
    folder = write_snippet(program=HEAD + case.program, toml=case.toml)
    for name in ("report", "model", "measure"):
        (folder / f"{name}.py").write_text('OURS = "the snippet\'s"\n')
    before = psutil.Process().memory_info().rss
    assert run(project).measured == ["nap/short"]

    record = stored(project, "short.json")
    assert len(record.samples["seconds"]) == 1
    assert case.output is None or record.output == case.output
    assert len(record.output) < 2**17
    assert psutil.Process().memory_info().rss - before < 2**26
    nothing_new_runs(record)


@pytest.fixture
def nothing_new_runs() -> Leaves:
    """Asserts that what a program started is gone, and that we have no children but those of earlier test files."""
    before = set(psutil.Process().children(recursive=True))

    def assert_it(record: Record) -> None:
        started = [int(line.split()[1]) for line in record.output.splitlines() if line.startswith("process ")]
        assert not [pid for pid in started if psutil.pid_exists(pid)]
        assert not set(psutil.Process().children(recursive=True)) - before

    return assert_it


@pytest.mark.fault("cuda-after-fork")
def test_cuda_that_does_not_start_after_a_fork(project: Path, tmp_path: Path, write_snippet: Write) -> None:
    """The process is started afresh instead, and so are all later ones. (CUDA is played: this needs no GPU.)"""
    from build_tools.measuring.launcher import Launcher
    from build_tools.measuring.report import Job

    refuses = "raise RuntimeError('Cannot re-initialize CUDA in forked subprocess')\n"
    program = HEAD + f"FORKED = 'json.tool' in sys.modules\n{RUN}    if FORKED: {refuses}    meter.report(loss=1.0)\n"
    folder = write_snippet(program=program)
    job = Job(
        folder=str(folder), case="short", run_pass="report", parameters={}, series=(), scalars=("loss",),
        device="cuda", devices=1, warm_up=0, timeout_s=20,
    )  # fmt: skip

    with Launcher(("json.tool",)) as launcher:
        results = [launcher.run(job), launcher.run(job)]

    assert [(result.failure, result.start_method) for result in results] == [(None, "spawn")] * 2
