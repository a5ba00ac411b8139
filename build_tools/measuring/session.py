"""One `measure` call from wishes to summary: which machine, which plan, where to, and what to say about it."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from build_tools.errors import LedgerError
from build_tools.machine import cpu_machine, cuda_machine, slug_of, visible_gpus
from build_tools.measuring.case_run import CaseRun
from build_tools.measuring.device_lock import device_lock
from build_tools.measuring.lanes import lanes_of
from build_tools.measuring.plan import Lacking, Plan, Request, make_plan, parse_target
from build_tools.measuring.runner import Options, Progress, Runner
from build_tools.measuring.shelf import ArchiveShelf, FolderShelf, Shelf
from build_tools.measuring.surroundings import provenance
from build_tools.metrics import METERS, declared
from build_tools.model import Machine
from build_tools.store import load_snippets

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Wishes:
    """The options of `measure`, as given. Seconds for times; `rehearse` is a card's name and its memory in GiB."""

    targets: tuple[str, ...] = ()
    device: str = "auto"
    profile: str = "auto"
    force: bool = False
    repeats: int | None = None
    timeout_s: float | None = None
    budget_s: float | None = None
    save: bool = False
    out: Path | None = None
    commit: str | None = None
    rehearse: tuple[str, float] | None = None
    command: str = "python -m build_tools measure"


@dataclass(frozen=True)
class Summary:
    """How a call went. `failed` and `measured` are `snippet/case` names."""

    measured: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    lacking: list[Lacking] = field(default_factory=list)
    known: int = 0


def measure(root: Path, wishes: Wishes, tell: Tell, progress: Progress | None = None) -> Summary:
    """Measure what is due; `tell` gets a line at a time. Raises LedgerError for wishes that cannot be met."""
    machine = _machine(wishes)
    plan = make_plan(root, load_snippets(root), _request(wishes, machine))
    _tell_lacking(plan, tell)
    if not plan.groups:
        tell(f"nothing to measure: 0 of {plan.known} cases")
        return Summary(lacking=plan.lacking, known=plan.known)
    tell(f"to measure: {plan.to_measure} of {plan.known} cases on {machine.slug}")
    runner = _runner(root, wishes, machine, progress or _plain(tell))
    with device_lock(runner.machine.slug, wishes.command, tell):
        runs = runner.run(_rehearsed(plan) if wishes.rehearse else plan)
    _tell_summary(runs, runner, tell)
    names = {run.group.snippet.name + "/" + run.case: run.failure for run in runs}
    return Summary([n for n, f in names.items() if not f], [n for n, f in names.items() if f], plan.lacking, plan.known)


def _machine(wishes: Wishes) -> Machine:
    """The machine planned for; in a rehearsal one that is not here."""
    if wishes.rehearse:
        if wishes.out is None:
            example = "--rehearse H200:141 --out .build/gpu"
            raise LedgerError("--rehearse needs --out: a rehearsal is not stored", example=example)
        name, memory = wishes.rehearse
        return Machine(slug=slug_of(name), device="cuda", model=name, memory_gib=memory)
    gpu = cuda_machine() if wishes.device != "cpu" else None
    if gpu is None and wishes.device == "cuda":
        raise LedgerError("no CUDA device is visible here", next_command="python -m build_tools measure --device cpu")
    return gpu or cpu_machine()


def _request(wishes: Wishes, machine: Machine) -> Request:
    return Request(
        targets=tuple(parse_target(target) for target in wishes.targets),
        machine=machine,
        gpus=max(1, len(visible_gpus())),
        profile=wishes.profile,
        force=wishes.force or wishes.out is not None,
        saved_only=wishes.save,
    )


def _rehearsed(plan: Plan) -> Plan:
    """The same cases in the same order at `quick`."""
    from dataclasses import replace

    return replace(plan, groups=[replace(group, profile="quick") for group in plan.groups])


def _runner(root: Path, wishes: Wishes, machine: Machine, progress: Progress) -> Runner:
    shelf: Shelf = ArchiveShelf(wishes.out) if wishes.out else FolderShelf(root, committed=wishes.save)
    return Runner(
        root=root,
        machine=cpu_machine() if wishes.rehearse else machine,
        provenance=provenance(root, wishes.command, wishes.commit, rehearsal=wishes.rehearse is not None),
        shelf=shelf,
        options=Options(repeats=wishes.repeats, timeout_s=wishes.timeout_s, budget_s=wishes.budget_s),
        progress=progress,
        lanes=lanes_of(machine),
    )


def _plain(tell: Tell) -> Progress:
    """A line for each turn and each finished case."""
    return Progress(started=lambda turn: tell(f"  {turn}"), finished=lambda run: tell(finished_line(run)))


def finished_line(run: CaseRun) -> str:
    """One line for a finished case."""
    name = f"{run.group.snippet.name}/{run.case} at {run.group.profile}"
    if run.failure:
        return f"FAILED {name}: {run.failure.kind} during {run.failure.during}: {run.failure.message}"
    if not run.samples:
        return f"untold {name}: there was no time for it"
    metrics = declared(run.group.snippet.metrics)
    shown = [
        f"{metric} {statistics.median(values):.{metrics[metric].decimals}f} {metrics[metric].unit}".removesuffix(" 1")
        for metric, values in run.samples.items()
    ]
    return f"ok     {name}: {', '.join(shown)}"


def summary_table(runs: list[CaseRun]) -> list[str]:
    """All cases of a call under each other: outcome, and the median of every meter that any of them has."""
    meters = [name for name in METERS if any(name in run.samples for run in runs)]
    head = ["case", "outcome", *(f"{name} n" if METERS[name].clock else name for name in meters)]
    rows = [head, *([_name(run), run.failure.kind if run.failure else "ok", *_medians(run, meters)] for run in runs)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    # Names to the left, numbers to the right.
    return [
        "  ".join(
            cell.ljust(width) if at < 2 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def _name(run: CaseRun) -> str:
    return f"{run.group.snippet.name}/{run.case}@{run.group.profile}"


def _medians(run: CaseRun, meters: list[str]) -> list[str]:
    cells = []
    for name in meters:
        values = run.samples.get(name, [])
        count = f" {len(values)}" if METERS[name].clock and values else ""
        cells.append(f"{statistics.median(values):.{METERS[name].decimals}f}{count}" if values else "-")
    return cells


def _tell_lacking(plan: Plan, tell: Tell) -> None:
    for item in plan.lacking:
        memory = f" with {item.needs.memory_gib:g} GiB" if item.needs.memory_gib else ""
        device = "CUDA device" if item.needs.device == "cuda" else f"{item.needs.device} device"
        count = f"{item.needs.devices} {device}s" if item.needs.devices > 1 else f"a {device}"
        tell(f"not here: {item.snippet}/{item.case} at {item.profile} needs {count}{memory}")


def _tell_summary(runs: list[CaseRun], runner: Runner, tell: Tell) -> None:
    for turn in runner.cut_short:
        tell(f"no time left for {turn}")
    failed = [run for run in runs if run.failure]
    cautions = [(run, w) for run in runs for w in run.cautions()]
    for run, caution in cautions:
        detail = ", ".join(f"{name} {value}" for name, value in caution.detail.items())
        tell(f"note: {run.group.snippet.name}/{run.case}: {caution.kind} ({detail})")
    for line in summary_table(runs):
        tell(line)
    measured = sum(1 for run in runs if run.samples and not run.failure)
    tell(f"measured {measured}, failed {len(failed)}, run {runner.provenance.run_id}")
