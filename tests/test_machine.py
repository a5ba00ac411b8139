"""Machines get names that people can read, and different machines different ones."""

from __future__ import annotations

import pytest

from build_tools.machine import cpu_machine, slug_of

SLUGS = {
    "NVIDIA H200": "h200",
    "NVIDIA GeForce RTX 4090": "rtx-4090",
    "Tesla V100-SXM2-16GB": "v100-sxm2-16gb",
    "Tesla V100-SXM2-32GB": "v100-sxm2-32gb",
    "NVIDIA A100-SXM4-80GB": "a100-sxm4-80gb",
    "Intel(R) Xeon(R) Processor @ 2.60GHz": "xeon",
    "Intel(R) Core(TM) i7-9750H CPU @ 2.60GHz": "core-i7-9750h",
    "AMD EPYC 7B13 64-Core Processor": "epyc-7b13",
    "": "cpu",
}


@pytest.mark.parametrize("model", SLUGS)
def test_a_slug_is_readable(model: str) -> None:
    """Vendor, clock and filler words go; what tells models apart stays."""
    assert slug_of(model) == SLUGS[model]


def test_a_slug_names_cores_and_slices() -> None:
    """Two cores of a processor are another machine than four of it."""
    assert slug_of("AMD EPYC", cores=2) == "epyc-2c"
    assert slug_of("NVIDIA H200", mig="1g.18gb") == "h200-1g-18gb"


def test_this_processor_has_memory_and_cores() -> None:
    """What the plausibility gate and the page need of a CPU is known."""
    machine = cpu_machine()

    assert machine.device == "cpu"
    assert machine.memory_gib > 0.5
    assert machine.cores
    assert machine.slug.endswith(f"-{machine.cores}c")
