"""What a window reads in each pass: two clocks, memory, or live tensors; and in every pass what really happened."""

from __future__ import annotations

import ctypes
import gc
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from build_tools.machine import gpu_handle, nvml, visible_gpus
from build_tools.model import Counted, Device

if TYPE_CHECKING:
    import torch

MIB = 1024**2
# NVML's bits for hardware slowdown, software and hardware thermal slowdown, and power brake. Not the power cap (4),
# at which a card under full load is meant to run.
SLOWED_DOWN = 0x08 | 0x20 | 0x40 | 0x80


class Readings:
    """What the window of a pass leaves behind; the fields of `Report` with these names."""

    def __init__(self) -> None:
        self.meters: dict[str, float] = {}
        self.other_clock_s: float | None = None
        self.others_cores: float | None = None
        self.gpu_processes: int | None = None
        self.throttled: bool | None = None


@contextmanager
def timed(device: Device, readings: Readings) -> Iterator[None]:
    """`seconds`, and a second clock that must agree: CUDA events on a GPU, CLOCK_MONOTONIC_RAW on a CPU."""
    other = _CudaEvents() if device == "cuda" else _RawClock()
    others_before = _others_busy_s()
    synchronize(device)
    other.start()
    started = time.perf_counter()
    yield
    synchronize(device)
    seconds = time.perf_counter() - started
    readings.other_clock_s = other.seconds()
    readings.meters["seconds"] = seconds
    readings.others_cores = max(0.0, _others_busy_s() - others_before) / seconds
    if device == "cuda":
        _look_at_gpu(readings)


def _others_busy_s() -> float:
    """Processor seconds that everybody but this process has used since the system started."""
    ticks = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    busy = sum(int(ticks[i]) for i in (0, 1, 2, 5, 6)) / os.sysconf("SC_CLK_TCK")  # all but idle, waiting and stolen
    own = os.times()
    return busy - own.user - own.system - own.children_user - own.children_system


def _look_at_gpu(readings: Readings) -> None:
    """Who else is on the first visible GPU, and whether it is being slowed down, as NVML knows it."""
    names = visible_gpus()
    with nvml() as library:
        if not library or not names:
            return
        handle = gpu_handle(library, names[0])
        with suppress(library.NVMLError):
            readings.gpu_processes = len(library.nvmlDeviceGetComputeRunningProcesses(handle))
        with suppress(library.NVMLError):
            reasons = int(library.nvmlDeviceGetCurrentClocksThrottleReasons(handle))
            readings.throttled = bool(reasons & SLOWED_DOWN)


class _RawClock:
    def start(self) -> None:
        self.started = time.clock_gettime(time.CLOCK_MONOTONIC_RAW)

    def seconds(self) -> float:
        return time.clock_gettime(time.CLOCK_MONOTONIC_RAW) - self.started


class _CudaEvents:
    def __init__(self) -> None:
        import torch

        self.first, self.last = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def start(self) -> None:
        self.first.record()

    def seconds(self) -> float:
        self.last.record()
        self.last.synchronize()
        return float(self.first.elapsed_time(self.last)) / 1000


def synchronize(device: Device) -> None:
    """Work that was handed to a GPU is not done yet; a clock read before it is would lie."""
    if device == "cuda":
        import torch

        torch.cuda.synchronize()


@contextmanager
def memory(device: Device, readings: Readings) -> Iterator[None]:
    """`rss_mib` on a CPU; `peak_mib`, `reserved_mib` and `device_mib` on a GPU. What a system lacks is left out."""
    with _cuda_memory(readings) if device == "cuda" else _resident_memory(readings):
        yield


@contextmanager
def _resident_memory(readings: Readings) -> Iterator[None]:
    """The kernel's own high-water mark, reset at the start. (`ru_maxrss` would inherit the parent's.)"""
    release_free_memory()
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        yield
        return
    before, code_before = _status_kib("VmRSS"), _status_kib("RssFile")
    yield
    # Library code that is mapped at its first use is no memory of the training: 4 MiB for torch's first operation.
    code = _status_kib("RssFile") - code_before
    readings.meters["rss_mib"] = max(0, _status_kib("VmHWM") - before - code) / 1024


def release_free_memory() -> None:
    """Give back what the heap only keeps for later, or the window would fill holes that nobody sees."""
    gc.collect()
    with suppress(AttributeError):  # not glibc: nothing to trim
        ctypes.CDLL(None).malloc_trim(0)


def _status_kib(field: str) -> int:
    found = re.search(rf"^{field}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.M)
    return int(found[1]) if found else 0


@contextmanager
def _cuda_memory(readings: Readings) -> Iterator[None]:
    import torch

    devices = range(torch.cuda.device_count())
    synchronize("cuda")
    for device in devices:
        torch.cuda.reset_peak_memory_stats(device)
    yield
    synchronize("cuda")
    readings.meters["peak_mib"] = sum(torch.cuda.max_memory_allocated(d) for d in devices) / MIB
    readings.meters["reserved_mib"] = sum(torch.cuda.max_memory_reserved(d) for d in devices) / MIB
    if (used := _nvml_used_mib()) is not None:
        readings.meters["device_mib"] = used


def _nvml_used_mib() -> float | None:
    """What NVML calls used, summed over the visible devices: every process and every context on them."""
    names = visible_gpus()
    with nvml() as library:
        if not library or not names:
            return None
        return sum(float(library.nvmlDeviceGetMemoryInfo(gpu_handle(library, n)).used) for n in names) / MIB


@contextmanager
def live_tensors(device: Device, model: torch.nn.Module | None, readings: Readings) -> Iterator[None]:
    """`tensor_mib`: peak bytes of live tensors, the model's own included."""
    from build_tools.measuring.live_tensors import LiveTensors

    tensors = LiveTensors(device)
    if model is not None:
        tensors.watch([*model.parameters(), *model.buffers(), *(p.grad for p in model.parameters())])
    with tensors:
        yield
    readings.meters["tensor_mib"] = tensors.peak / MIB


class Counting:
    """Counts samples that enter the model and steps that optimisers take, by hooks."""

    def __init__(self, model: torch.nn.Module | None) -> None:
        self.model, self.samples, self.steps = model, 0, 0

    @contextmanager
    def __call__(self) -> Iterator[None]:
        handles = list(self._hooks())
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    def _hooks(self) -> Iterator[Any]:
        if self.model is None:
            return
        from torch.optim.optimizer import register_optimizer_step_post_hook

        # On the model itself: a global forward hook would count the loss module too.
        yield self.model.register_forward_pre_hook(self._forward, with_kwargs=True)
        yield register_optimizer_step_post_hook(self._step)

    def _forward(self, module: Any, args: Any, kwargs: Any) -> None:
        batches = (v for v in (*args, *kwargs.values()) if getattr(v, "ndim", 0) > 0)
        self.samples += int(next(batches).shape[0])

    def _step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self.steps += 1

    @property
    def counted(self) -> Counted:
        return Counted(samples=self.samples, optimizer_steps=self.steps)
