"""What is interrupted, contested or cut off: finished results stay, records are whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest
from projects import NAP_TOML, Write
from records import make_record

from build_tools.errors import LedgerError
from build_tools.machine import cpu_machine
from build_tools.measuring.session import Wishes, measure
from build_tools.store import local_folder, read_record, write_record

SLEEPER = "import time\ndef run(p, meter):\n    time.sleep(p.seconds)\n    meter.report(loss=1.0)\n"
SLOW = NAP_TOML.replace("quick = 2", "quick = 1") + "[cases.slow]\nseconds = 60.0\n"
MEASURE = [sys.executable, "-m", "build_tools", "measure", "--device", "cpu"]


Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(project: Path) -> Iterator[Start]:
    """Start `measure` in a process of its own, as a person would."""
    with ExitStack() as stack:

        def begin(*options: str) -> subprocess.Popen[str]:
            pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
            return stack.enter_context(subprocess.Popen([*MEASURE, *options], cwd=project, text=True, **pipes))

        yield begin


def wait_for(process: subprocess.Popen[str], words: str) -> None:
    """Read what it says until it says this."""
    assert process.stdout
    for line in process.stdout:
        if words in line:
            return
    raise AssertionError(f"it ended without saying {words!r}")


def descendants(process: subprocess.Popen[str]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def all_gone(processes: list[psutil.Process]) -> bool:
    _, alive = psutil.wait_procs(processes, timeout=20)
    return not alive


def local(project: Path, name: str) -> Path:
    return local_folder(project, "nap") / "quick" / cpu_machine().slug / name


@pytest.mark.parametrize(
    ("number", "code"),
    [
        pytest.param(signal.SIGINT, 130, marks=pytest.mark.fault("ctrl-c")),
        pytest.param(signal.SIGKILL, -signal.SIGKILL, marks=pytest.mark.fault("parent-killed")),
    ],
)
def test_an_interrupted_call_keeps_what_is_finished(
    number: int, code: int, project: Path, write_snippet: Write, start: Start
) -> None:
    """The first case is stored, its record whole; nothing runs on."""
    fast = NAP_TOML.replace("quick = 2", "quick = 1")
    write_snippet("fast", toml=fast)
    write_snippet(toml=SLOW)
    process = start("fast", "nap/slow")
    wait_for(process, "nap/slow at quick: memory")
    time.sleep(0.5)
    running = descendants(process)
    os.kill(process.pid, number)

    assert process.wait(timeout=30) == code
    assert len(running) >= 2
    assert all_gone(running)
    record = read_record(local_folder(project, "fast") / "quick" / cpu_machine().slug / "short.json")
    assert (record.status, record.damaged) == ("ok", False)


def test_an_interrupt_while_cases_run_side_by_side_stores_no_failure(
    project: Path, write_snippet: Write, start: Start
) -> None:
    """Ctrl-C ends both processes; that they ended is not a result of theirs."""
    counts = """[metrics.loss]\nunit = "1"\ndecimals = 2\nexact = true\nlabel = { zh = "损失", en = "loss" }\n"""
    toml = SLOW.replace("[profiles.quick]", '[profiles.quick]\npasses = ["report"]').replace("0.01", "60.0")
    write_snippet(toml=toml + counts, program=SLEEPER)
    process = start("nap")
    wait_for(process, "nap/slow at quick: report")
    time.sleep(0.5)
    running = descendants(process)
    os.kill(process.pid, signal.SIGINT)

    assert process.wait(timeout=30) == 130
    assert len(running) >= 4  # a server and a case in either lane
    assert all_gone(running)
    assert not list(local_folder(project, "nap").rglob("*.json"))


@pytest.mark.fault("two-calls")
def test_a_second_call_on_a_device_waits_and_says_for_whom(project: Path, write_snippet: Write, start: Start) -> None:
    """Process, time and command of the first; then it has its turn."""
    write_snippet(toml=NAP_TOML.replace("0.01", "1.5").replace("quick = 2", "quick = 1"))
    first = start("--force")
    wait_for(first, "nap/short at quick: memory")

    said: list[str] = []
    summary = measure(project, Wishes(device="cpu", force=True), tell=said.append)

    waiting = [line for line in said if line.startswith("waiting for")]
    assert len(waiting) == 1
    assert f"process {first.pid} measures on it since" in waiting[0]
    assert "measure --device cpu --force" in waiting[0]
    assert summary.measured == ["nap/short"]
    assert first.wait(timeout=30) == 0


@pytest.mark.fault("build-during-measure")
def test_references_can_be_resolved_while_measuring(project: Path, write_snippet: Write, start: Start) -> None:
    """A reader in the middle of a run sees whole records only."""
    from build_tools.figures.resolve import Ledger

    write_snippet(toml=NAP_TOML.replace("quick = 2", "quick = 20"))
    process = start("--force")
    seen = set()
    while process.poll() is None:
        ledger = Ledger(project)
        assert ledger.problems == []
        seen.add(ledger.figure("nap/short/seconds@quick").n)

    assert process.returncode == 0
    assert {0, 20} <= seen | {Ledger(project).figure("nap/short/seconds@quick").n}
    assert len(seen) > 3


FULL_DISK = """
import resource, signal
from build_tools.cli import main
from build_tools.measuring import shelf
put = shelf.FolderShelf.put
def put_on_a_full_disk(self, record):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
    put(self, record)
shelf.FolderShelf.put = put_on_a_full_disk
raise SystemExit(main(["measure", "--device", "cpu", "--force"]))
"""


@pytest.mark.fault("disk-full")
def test_a_full_disk_is_told_and_the_old_record_stands(project: Path, write_snippet: Write) -> None:
    """A file-size ceiling plays the full disk: the write fails in the middle."""
    write_snippet()
    measure(project, Wishes(device="cpu"), tell=lambda line: None)
    before = local(project, "short.json").read_bytes()
    done = subprocess.run([sys.executable, "-c", FULL_DISK], cwd=project, capture_output=True, text=True, timeout=60)

    assert done.returncode == 1
    assert "error: " in done.stderr
    assert "Traceback" not in done.stderr
    assert local(project, "short.json").read_bytes() == before
    # The old one may already stand in the history, too, but nothing half-written lies about.
    assert {path.name for path in local(project, "").iterdir()} <= {"short.json", "history"}


@pytest.mark.fault("read-only-folder")
def test_a_folder_that_cannot_be_written_is_told(project: Path, write_snippet: Write) -> None:
    """With the file; a folder in whose place a file stands refuses even root."""
    write_snippet()
    (project / ".ledger").mkdir()
    (project / ".ledger" / "records").write_text("not a folder")

    with pytest.raises(LedgerError, match=r"short\.json: cannot be written: "):
        measure(project, Wishes(device="cpu"), tell=lambda line: None)


@pytest.mark.fault("clock-set-back")
def test_a_clock_set_back_changes_no_duration(
    project: Path, write_snippet: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the date in the record is wrong, and the result still counts as current."""
    from build_tools.measuring import case_run

    class Yesterday(case_run.datetime):
        @classmethod
        def now(cls, tz: object = None) -> Yesterday:
            return cls(1999, 1, 1, tzinfo=case_run.UTC)

    write_snippet(toml=NAP_TOML.replace("0.01", "0.2"))
    measure(project, Wishes(device="cpu"), tell=lambda line: None)
    monkeypatch.setattr(case_run, "datetime", Yesterday)
    measure(project, Wishes(device="cpu", force=True), tell=lambda line: None)

    record = read_record(local(project, "short.json"))
    assert record.started.year == 1999
    assert record.samples["seconds"][0] == pytest.approx(0.2, rel=0.1)
    said: list[str] = []
    measure(project, Wishes(device="cpu"), tell=said.append)
    assert said == ["nothing to measure: 0 of 1 cases"]


@pytest.mark.fault("killed-while-writing")
@pytest.mark.parametrize("round_", range(25))
def test_a_kill_at_any_step_of_writing_leaves_a_whole_record(round_: int, tmp_path: Path) -> None:
    """Eight kills a round, at random operations: afterwards the old record or the new one, never a part of one."""
    old, new = (make_record(run_id=name, output=name * 20_000) for name in ("old", "new"))
    path = write_record(tmp_path, old)
    for kill in range(8):
        operation = 1 + (round_ * 8 + kill) % 12
        child = os.fork()
        if child == 0:
            _die_at(operation)
            write_record(tmp_path, new)
            os._exit(0)
        os.waitpid(child, 0)
        assert read_record(path) in (old, new)
        assert not read_record(path).damaged
        write_record(tmp_path, old)


def _die_at(operation: int) -> None:
    """Kill this process before its n-th operation on the file system: the audit hook sees each of them."""
    seen = 0

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        if event.startswith(("os.", "open", "tempfile.")):
            seen += 1
            if seen == operation:
                os.kill(os.getpid(), signal.SIGKILL)

    original: Callable[..., None] = os.fsync

    def fsync(handle: int) -> None:
        count("os.fsync", ())
        original(handle)

    os.fsync = fsync
    sys.addaudithook(count)
