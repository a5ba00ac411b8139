"""Cases beside each other, where nothing is measured that a busy machine changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TypeVar

from build_tools.machine import usable_cores
from build_tools.measuring.launcher import Launcher
from build_tools.measuring.plan import Group
from build_tools.model import Machine

Work = TypeVar("Work")
AT_MOST = 4  # each has its own fork server with all modules in memory
THREADS = 1  # of a process whose neighbours may work: more, and each would wait for a core that the other has


def lanes_of(machine: Machine) -> int:
    """How many processes may work at a time: on a GPU one, since they would share its memory."""
    return min(AT_MOST, usable_cores()) if machine.device == "cpu" else 1


def load_matters(group: Group) -> bool:
    """Whether some number depends on what else runs: a clock's or the process memory's, or any that is not exact."""
    snippet = group.snippet
    counts_only = all(snippet.passes_of(case.case, group.profile) == ("report",) for case in group.cases)
    return not (counts_only and all(metric.exact for metric in snippet.metrics.values()))


def share(launchers: list[Launcher], works: Iterable[Work], do: Callable[[Launcher, Work], None]) -> None:
    """Each launcher takes the next piece of work as soon as it is free. What one raises ends all."""
    waiting: SimpleQueue[Work] = SimpleQueue()
    for work in works:
        waiting.put(work)

    def lane(launcher: Launcher) -> None:
        with suppress(Empty):
            while True:
                do(launcher, waiting.get_nowait())

    with ThreadPoolExecutor(len(launchers)) as pool:
        futures = [pool.submit(lane, launcher) for launcher in launchers]
        try:
            for future in wait(futures, return_when=FIRST_EXCEPTION).done:
                future.result()
        except BaseException:
            for launcher in launchers:
                launcher.close()  # so that no lane begins or finishes another job
            raise
