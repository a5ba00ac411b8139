"""A thousand cases in one call: nothing grows, nothing is left open, every record is there."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest
from projects import Write

from build_tools.machine import cpu_machine
from build_tools.measuring.session import Wishes, measure
from build_tools.store import local_folder, read_record

COUNT = 1000
PROGRAM = "def run(p, meter):\n    meter.report(square=float(p.number) ** 2)\n"
HEAD = """\
title = { zh = "一千个", en = "a thousand" }
[parameters]
number = 0
[profiles.quick]
passes = ["report"]
[metrics.square]
unit = "1"
decimals = 0
exact = true
label = { zh = "平方", en = "square" }
"""


@pytest.mark.slow
def test_a_thousand_cases_leave_no_trace(project: Path, write_snippet: Write) -> None:
    """Memory of the parent, its descriptors and its children are as before; the last case is as right as the first."""
    cases = "".join(f"[cases.n{number}]\nnumber = {number}\n" for number in range(COUNT))
    write_snippet("many", program=PROGRAM, toml=HEAD + cases)
    me, memory = psutil.Process(), []
    descriptors, others = me.num_fds(), set(me.children(recursive=True))

    def watch(line: str) -> None:
        if line.endswith("report 2/2"):
            memory.append(me.memory_info().rss)

    summary = measure(project, Wishes(device="cpu"), tell=watch)

    assert len(summary.measured) == COUNT
    folder = local_folder(project, "many") / "quick" / cpu_machine().slug
    for number in range(COUNT):
        assert read_record(folder / f"n{number}.json").samples == {"square": (float(number**2),)}
    assert me.num_fds() == descriptors
    assert set(me.children(recursive=True)) <= others
    assert memory[-1] - memory[COUNT // 10] < 2**24
