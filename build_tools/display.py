"""What a person watches while a machine measures: a progress line on a terminal, plain lines everywhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from build_tools.measuring.case_run import CaseRun
from build_tools.measuring.runner import Progress, Turn
from build_tools.measuring.session import finished_line


@contextmanager
def watched() -> Iterator[Progress | None]:
    """Progress for a terminal; None where lines will do (no terminal, or no rich, as on a bare GPU machine)."""
    if not sys.stdout.isatty():
        yield None
        return
    try:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as Bar
    except ImportError:
        yield None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
               TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())  # fmt: skip
    with Bar(*columns, transient=True) as bar:
        task = bar.add_task("", total=0)

        def planned(turns: list[Turn]) -> None:
            bar.update(task, total=(bar.tasks[0].total or 0) + len(turns))

        def started(turn: Turn) -> None:
            # The turn that begins ends the one before it.
            bar.update(task, description=str(turn), advance=1 if bar.tasks[0].description else 0)

        def finished(run: CaseRun) -> None:
            bar.console.print(finished_line(run), markup=False, highlight=False)

        yield Progress(planned=planned, started=started, finished=finished)
