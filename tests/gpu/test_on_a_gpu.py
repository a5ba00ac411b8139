"""What only a CUDA device can show: its counters, NVML against the allocator, predictions, and a clean fork."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from projects import NAP, NAP_TOML, Write

from build_tools.machine import cuda_machine, gpu_handle, nvml, visible_gpus
from build_tools.measuring.predict import predict
from build_tools.measuring.server import Server
from build_tools.measuring.session import Wishes, measure
from build_tools.model import Record
from build_tools.store import local_folder, read_record

pytestmark = pytest.mark.gpu

TOML = 'preload = ["torch"]\n' + NAP_TOML
CLOSE = 0.03  # relative; what the memory model promises of a peak on a device
BLOCK_MIB = 64
BODY = """\
        a = torch.ones(64, 1024, 256, device=meter.device)
        del a
        b = torch.ones(32, 1024, 256, device=meter.device)
        torch.cuda.synchronize()
"""


def measured(root: Path, *targets: str, snippet: str, case: str, profile: str) -> Record:
    """The record of a case that was measured here and now."""
    machine = cuda_machine()
    assert machine is not None
    wishes = Wishes(targets=targets, device="cuda", profile=profile, force=True, repeats=2)
    assert measure(root, wishes, tell=print).failed == []
    return read_record(local_folder(root, snippet) / profile / machine.slug / f"{case}.json")


@pytest.fixture
def allocation(project: Path, write_snippet: Write) -> Record:
    """A program that holds 64 MiB, then 32 MiB, and never both."""
    body = "        time.sleep(p.seconds)\n"
    write_snippet(program="import torch\n" + NAP.replace(body, BODY), toml=TOML)
    return measured(project, snippet="nap", case="short", profile="quick")


def test_peak_counters_tell_the_peak(allocation: Record) -> None:
    """The allocator counts 64 MiB, as does the exact count of live tensors; less was held when the window closed."""
    assert allocation.samples["tensor_mib"] == (BLOCK_MIB,)
    assert allocation.samples["peak_mib"][0] == pytest.approx(BLOCK_MIB, rel=CLOSE)


def test_nvml_sees_more_than_the_allocator(allocation: Record) -> None:
    """Allocated, reserved and used lie in this order, and all of them on the card."""
    peak, reserved, used = (allocation.samples[name][0] for name in ("peak_mib", "reserved_mib", "device_mib"))

    assert peak <= reserved < used <= allocation.machine.memory_gib * 1024


def test_clock_waits_for_the_device(project: Path, write_snippet: Write) -> None:
    """A kernel that was only launched is not done: the window lasts as long as the work, on both clocks."""
    work = "        x = torch.ones(8192, 8192, device=meter.device)\n        for _ in range(40):\n            x = x @ x * 0\n"
    write_snippet(program="import torch\n" + NAP.replace("        time.sleep(p.seconds)\n", work), toml=TOML)
    record = measured(project, snippet="nap", case="short", profile="quick")

    # 40 products of 2 * 8192³ operations; no device does 10^16 a second in fp32.
    assert min(record.samples["seconds"]) > 40 * 2 * 8192**3 / 1e16


def test_no_cuda_before_the_fork(tmp_path: Path) -> None:
    """A server that has imported everything holds no context: NVML lists no process of its session on the device."""
    server = Server(("torch", "transformers.trainer"), tmp_path)
    try:
        assert session_of(server) & set(processes_on_the_device()) == set()
    finally:
        server.stop()


def session_of(server: Server) -> set[int]:
    """The server and what it has started: it leads a session of its own."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return {pid for pid in pids if _session(pid) == server._process.pid}


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


def processes_on_the_device() -> list[int]:
    with nvml() as library:
        handle = gpu_handle(library, visible_gpus()[0])
        return [process.pid for process in library.nvmlDeviceGetComputeRunningProcesses(handle)]


def test_processes_on_a_gpu_are_forked(allocation: Record) -> None:
    """Not started anew, which would hide that something had touched CUDA before."""
    assert allocation.environment.start_method == "fork"
    assert allocation.environment.cuda is not None
    assert allocation.environment.driver is not None


@pytest.mark.slow
@pytest.mark.parametrize("case", ["plain_sdpa", "accumulate_sdpa"])
def test_prediction_is_close_to_the_peak(case: str, copy_project: Callable[[], Path]) -> None:
    """The memory model's peak of the lecture's experiment, against the allocator's."""
    root = copy_project()
    record = measured(root, f"trainer/{case}", snippet="trainer", case=case, profile="full")

    assert record.samples["peak_mib"][0] == pytest.approx(
        predict(root / "snippets/trainer", case, "full").peak_mib, rel=CLOSE
    )
