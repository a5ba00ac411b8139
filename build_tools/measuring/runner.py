"""Measures a plan: decides passes, repeats and their order, and keeps a record after every one of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from build_tools.measuring.capture import cleaned
from build_tools.measuring.case_run import CaseRun
from build_tools.measuring.launcher import Launcher
from build_tools.measuring.plan import Group, Plan
from build_tools.measuring.report import Job
from build_tools.measuring.shelf import Shelf
from build_tools.measuring.surroundings import Provenance
from build_tools.model import Device, Machine, Pass

# Steps before the clock starts: kernels are chosen and caches filled within a few, on a GPU it takes more of them.
WARM_UP: dict[Device, int] = {"cpu": 2, "cuda": 8}


@dataclass(frozen=True)
class Options:
    """How to measure. `repeats` and `timeout_s` replace what the snippet says; `budget_s` bounds the whole call."""

    repeats: int | None = None
    timeout_s: float | None = None
    budget_s: float | None = None


@dataclass
class Progress:
    """What the runner tells while it works; the command line prints it."""

    finished: Callable[[CaseRun], None] = lambda run: None
    started: Callable[[CaseRun, Pass, int, int], None] = lambda run, run_pass, number, of: None


@dataclass
class Runner:
    """Runs groups one after another and, within a group, one process at a time."""

    root: Path
    machine: Machine
    provenance: Provenance
    shelf: Shelf
    options: Options = Options()
    progress: Progress = field(default_factory=Progress)
    cut_short: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        budget = self.options.budget_s
        self._deadline = time.monotonic() + budget if budget else None

    def run(self, plan: Plan) -> list[CaseRun]:
        """Measure all; returns how each case went, in the plan's order."""
        return [run for group in plan.groups for run in self._run_group(group)]

    def _run_group(self, group: Group) -> list[CaseRun]:
        """First check, memory and tensors of each case; then rounds of timed runs, cases in turn (A B A B)."""
        runs = [CaseRun(group, case, self.machine, self.provenance) for case in group.cases]
        durations: dict[tuple[str, Pass], float] = {}
        with Launcher(group.snippet.preload) as launcher:
            for run in runs:
                for number, run_pass in enumerate(single := self._single_passes(run), 1):
                    self._once(launcher, run, run_pass, durations, number, len(single))
            repeats = self.options.repeats or group.snippet.repeats_of(group.profile)
            for number in range(1, repeats + 1):
                for run in runs:
                    if "time" in run.passes:
                        self._once(launcher, run, "time", durations, number, repeats)
        for run in runs:
            self.progress.finished(run)
        return runs

    def _single_passes(self, run: CaseRun) -> list[Pass]:
        return ["check", *(p for p in ("memory", "tensors", "report") if p in run.passes)]  # type: ignore[list-item]

    def _once(
        self, launcher: Launcher, run: CaseRun, run_pass: Pass, durations: dict[tuple[str, Pass], float], number: int, of: int
    ) -> None:
        """One process for one pass of one case, unless the case has failed or the budget is used up."""
        if run.failure is not None:
            return
        left = self._left()
        if left is not None and left < durations.get((run.case, run_pass), 1.0):
            self.cut_short.append(f"{run.group.snippet.name}/{run.case} {run_pass} {number}/{of}")
            return
        self.progress.started(run, run_pass, number, of)
        started = time.monotonic()
        report, failure, output = launcher.run(self._job(launcher, run, run_pass, left))
        durations[run.case, run_pass] = time.monotonic() - started
        run.take(run_pass, report, failure, cleaned(output, self.root))
        if run.worth_storing or (self.shelf.keeps_partial and run.samples):
            self.shelf.put(run.record())

    def _left(self) -> float | None:
        """Seconds left of the budget, or None where there is none."""
        return self._deadline - time.monotonic() if self._deadline is not None else None

    def _job(self, launcher: Launcher, run: CaseRun, run_pass: Pass, left: float | None) -> Job:
        group, snippet = run.group, run.group.snippet
        short = run_pass in ("memory", "tensors")
        timeout = self.options.timeout_s or snippet.timeout_s
        report, output = launcher.paths()
        return Job(
            folder=str(snippet.folder), case=run.case, run_pass=run_pass,
            parameters=snippet.parameters_of(run.case, group.profile, short=short),
            series=tuple(name for name, metric in snippet.metrics.items() if metric.series),
            scalars=tuple(name for name, metric in snippet.metrics.items() if not metric.series),
            device=self.machine.device, devices=snippet.needs_of(run.case, group.profile).devices,
            warm_up=WARM_UP[self.machine.device] if run_pass == "time" else 0,
            timeout_s=timeout if left is None else min(timeout, max(left, 1.0)),
            report=report, output=output,
        )  # fmt: skip
