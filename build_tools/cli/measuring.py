"""`measure`: run what is stale or missing for this machine."""

from __future__ import annotations

import argparse
from pathlib import Path

from build_tools.cli.arguments import FAILED, Commands, card, positive, repeats, seconds
from build_tools.cli.speaking import tell


def add_to(commands: Commands) -> None:
    _measure_options(commands.add_parser("measure", help="measure what is stale or missing for this machine"))


def _measure_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("targets", nargs="*", metavar="SNIPPET[/CASE]", help="in order of importance; default: all")
    add("--device", choices=("auto", "cpu", "cuda"), default="auto")
    add("--profile", default="auto", help="auto: full on CUDA, quick on a CPU")
    add("--force", action="store_true", help="measure even what is current")
    add("--repeats", type=repeats, metavar="N")
    add("--timeout", type=seconds, metavar="S", help="seconds a process may take")
    add("--budget", type=positive, metavar="S", help="seconds the whole call may take; the most important comes first")
    add("--save", action="store_true", help="into snippets/*/records/ (to be committed), not .ledger/")
    add("--out", type=Path, metavar="DIR", help="into DIR/records.tar, complete after every result")
    add("--commit", metavar="SHA", help="the commit measured, where there is no git")
    add("--rehearse", type=card, metavar="NAME:GIB", help="plan as for that card, run quick on the CPU; needs --out")
    command.set_defaults(run=measure_command)


def measure_command(options: argparse.Namespace) -> int:
    from build_tools.display import watched
    from build_tools.measuring.capture import masked
    from build_tools.measuring.session import Wishes, measure
    from build_tools.store import project_root

    wishes = Wishes(
        targets=tuple(options.targets), device=options.device, profile=options.profile, force=options.force,
        repeats=options.repeats, timeout_s=options.timeout, budget_s=options.budget, save=options.save,
        out=options.out, commit=options.commit, rehearse=options.rehearse, command=masked(options.command_line),
    )  # fmt: skip
    with watched() as progress:
        summary = measure(project_root(), wishes, tell, progress)
    return FAILED if summary.failed else 0
