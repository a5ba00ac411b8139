"""Measures a plan: decides passes, repeats and their order, and keeps a record after every one of them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from threading import Lock

from build_tools.measuring.case_run import CaseRun
from build_tools.measuring.lanes import THREADS, load_matters, share
from build_tools.measuring.launcher import Launcher, Result
from build_tools.measuring.plan import Group, Plan
from build_tools.measuring.report import Job
from build_tools.measuring.shelf import Shelf
from build_tools.measuring.surroundings import Provenance
from build_tools.model import Device, Machine, Pass

# Steps before the clock starts. On a CPU a second one changed no median beyond noise (trainer and sweep, in turn);
# a GPU chooses kernels and fills caches over several.
WARM_UP: dict[Device, int] = {"cpu": 1, "cuda": 8}
SINGLE_PASSES: tuple[Pass, ...] = ("check", "memory", "tensors", "report")
SHORT_PASSES: tuple[Pass, ...] = ("memory", "tensors")
SHORTEST_S = 1.0  # no pass is begun with less of the budget left


@dataclass(frozen=True)
class Options:
    """How to measure. `repeats` and `timeout_s` replace what the snippet says; `budget_s` bounds the whole call."""

    repeats: int | None = None
    timeout_s: float | None = None
    budget_s: float | None = None


@dataclass(frozen=True)
class Turn:
    """One pass of one case: the `number`-th of `of` of its sort."""

    run: CaseRun
    run_pass: Pass
    number: int
    of: int

    def __str__(self) -> str:
        run = self.run
        return f"{run.group.snippet.name}/{run.case} at {run.group.profile}: {self.run_pass} {self.number}/{self.of}"


@dataclass
class Progress:
    """What the runner tells while it works; the command line prints it. `planned` gets the turns of a group."""

    planned: Callable[[list[Turn]], None] = lambda turns: None
    started: Callable[[Turn], None] = lambda turn: None
    finished: Callable[[CaseRun], None] = lambda run: None


@dataclass
class Runner:
    """Runs groups one after another; within a group one process at a time, or `lanes` where load changes nothing."""

    root: Path
    machine: Machine
    provenance: Provenance
    shelf: Shelf
    options: Options = Options()
    progress: Progress = field(default_factory=Progress)
    lanes: int = 1
    launch: Callable[[tuple[str, ...]], Launcher] = Launcher
    clock: Callable[[], float] = time.monotonic
    cut_short: list[Turn] = field(default_factory=list)

    def __post_init__(self) -> None:
        budget = self.options.budget_s
        self._deadline = self.clock() + budget if budget else math.inf
        self._lasted: dict[tuple[str, str, Pass], float] = {}
        self._lock = Lock()  # one lane at a time reads the budget, tells and stores

    def run(self, plan: Plan) -> list[CaseRun]:
        """Measure all; returns how each case went, in the plan's order."""
        found = []
        for preload, groups in groupby(plan.groups, key=lambda group: group.snippet.preload):
            with ExitStack() as stack:
                launchers = [stack.enter_context(self.launch(preload)) for _ in range(self.lanes)]
                found += [run for group in groups for run in self._run_group(launchers, group)]
        return found

    def _run_group(self, launchers: list[Launcher], group: Group) -> list[CaseRun]:
        runs = [CaseRun(group, case, self.machine, self.provenance) for case in group.cases]
        turns = list(self._turns(group, runs))
        self.progress.planned(turns)
        if load_matters(group):
            self._take_all(launchers[0], turns)
        else:
            share(launchers, [[turn for turn in turns if turn.run is run] for run in runs], self._take_all)
        for run in runs:
            self.progress.finished(run)
        return runs

    def _take_all(self, launcher: Launcher, turns: list[Turn]) -> None:
        """One process for each turn, unless its case has failed or the budget is used up."""
        for turn in turns:
            with self._lock:
                job = self._begin(turn)
            if job is None:
                continue
            started = self.clock()
            result = launcher.run(job)
            with self._lock:
                self._lasted[turn.run.group.snippet.name, turn.run.case, turn.run_pass] = self.clock() - started
                self._end(turn, job, result, launcher.work)

    def _turns(self, group: Group, runs: list[CaseRun]) -> Iterator[Turn]:
        """First check, memory and tensors of each case; then rounds of timed runs, cases in turn (A B A B)."""
        for run in runs:
            single = [p for p in SINGLE_PASSES if p == "check" or p in run.passes]
            yield from (Turn(run, run_pass, number, len(single)) for number, run_pass in enumerate(single, 1))
        repeats = self.options.repeats or group.snippet.repeats_of(group.profile)
        timed = [run for run in runs if "time" in run.passes]
        yield from (Turn(run, "time", number, repeats) for number in range(1, repeats + 1) for run in timed)

    def _begin(self, turn: Turn) -> Job | None:
        run, left = turn.run, self._deadline - self.clock()
        if run.failure is not None:
            return None
        if left < self._lasted.get((run.group.snippet.name, run.case, turn.run_pass), SHORTEST_S):
            self.cut_short.append(turn)
            return None
        self.progress.started(turn)
        return self._job(turn, left)

    def _end(self, turn: Turn, job: Job, result: Result, work: Path) -> None:
        run, cut = turn.run, job.timeout_s < self._limit(turn)
        if cut and result.failure and result.failure.kind == "time_limit":
            # Not the case's own limit but the end of the budget: that is no failure of the case.
            self.cut_short.append(turn)
            return
        run.take(turn.run_pass, result, self.root, work)
        if run.worth_storing or (self.shelf.keeps_partial and run.samples):
            self.shelf.put(run.record())

    def _limit(self, turn: Turn) -> float:
        return self.options.timeout_s or turn.run.group.snippet.timeout_s

    def _job(self, turn: Turn, left: float) -> Job:
        run, group, snippet = turn.run, turn.run.group, turn.run.group.snippet
        return Job(
            folder=str(snippet.folder),
            case=run.case,
            run_pass=turn.run_pass,
            parameters=snippet.parameters_of(run.case, group.profile, short=turn.run_pass in SHORT_PASSES),
            series=tuple(name for name, metric in snippet.metrics.items() if metric.series),
            scalars=tuple(name for name, metric in snippet.metrics.items() if not metric.series),
            device=self.machine.device,
            devices=snippet.needs_of(run.case, group.profile).devices,
            warm_up=WARM_UP[self.machine.device] if turn.run_pass == "time" else 0,
            timeout_s=min(self._limit(turn), left),
            threads=None if load_matters(group) else THREADS,
        )
