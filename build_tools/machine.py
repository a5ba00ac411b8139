"""Which device is this, and what surrounds it? Asked of the system and of NVML, never of torch."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

from build_tools.model import Device, Machine

PACKAGES = ("torch", "transformers", "accelerate", "datasets", "numpy")
GIB = 1024**3
# Words in a device's name that tell nobody which device it is.
NOISE = re.compile(r"\((r|tm|c)\)|\b(nvidia|intel|amd|tesla|geforce|cpu|processor|graphics)\b|@.*$|\b\d+-core\b", re.I)


def slug_of(model: str, *, cores: int | None = None, mig: str | None = None) -> str:
    """A readable name: `NVIDIA H200` is `h200`, `Intel(R) Xeon(R) Processor @ 2.60GHz` with two cores `xeon-2c`."""
    words = re.findall(r"[a-z0-9]+", NOISE.sub(" ", model).lower()) or ["cpu"]
    words += re.findall(r"[a-z0-9]+", (mig or "").lower())
    return "-".join(words) + (f"-{cores}c" if cores else "")


def usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_model() -> str:
    """What the processor calls itself; the architecture where the system does not say."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.M)
    return found[1].strip() if found else platform.machine()


def memory_gib() -> float:
    """Main memory in GiB, to one decimal."""
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB, 1)


def cpu_machine() -> Machine:
    model, cores = cpu_model(), usable_cores()
    return Machine(slug=slug_of(model, cores=cores), device="cpu", model=model, memory_gib=memory_gib(), cores=cores)


@contextmanager
def nvml() -> Iterator[Any]:
    """NVIDIA's management library (the module comes from nvidia-ml-py), or None where there is no driver."""
    try:
        import pynvml

        pynvml.nvmlInit()
    except Exception:  # missing package, missing driver, driver of another version: all mean "no such device here"
        yield None
        return
    try:
        yield pynvml
    finally:
        pynvml.nvmlShutdown()


def visible_gpus() -> list[str]:
    """What NVML finds a device by: positions, or what CUDA_VISIBLE_DEVICES names, in its order."""
    with nvml() as library:
        count = library.nvmlDeviceGetCount() if library else 0
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    everything = [str(i) for i in range(count)]
    return everything if named is None else [part.strip() for part in named.split(",") if part.strip()][:count]


def gpu_handle(library: Any, name: str) -> Any:
    """NVML's handle of a device named by position or by UUID."""
    if name.isdigit():
        return library.nvmlDeviceGetHandleByIndex(int(name))
    return library.nvmlDeviceGetHandleByUUID(name)


def cuda_machine() -> Machine | None:
    """The first visible GPU, or None. Memory as NVML tells it: all of the card's."""
    names = visible_gpus()
    if not names:
        return None
    with nvml() as library:
        handle = gpu_handle(library, names[0])
        model = _text(library.nvmlDeviceGetName(handle))
        memory = round(library.nvmlDeviceGetMemoryInfo(handle).total / GIB, 1)
    mig = model.partition(" MIG ")[2] or None
    model = model.partition(" MIG ")[0]
    return Machine(slug=slug_of(model, mig=mig), device="cuda", model=model, memory_gib=memory, mig=mig)


def this_machine(device: Device) -> Machine | None:
    return cuda_machine() if device == "cuda" else cpu_machine()


def driver_version() -> str | None:
    with nvml() as library:
        return _text(library.nvmlSystemGetDriverVersion()) if library else None


def package_versions() -> dict[str, str]:
    """Versions of the packages that a result may depend on; those not installed are left out."""
    return {name: version for name in PACKAGES if (version := _version(name))}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value
