"""The command line: arguments, colours and exit codes live here and nowhere else.

argparse and not a richer library: a GPU machine at hand may have torch and little else.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from build_tools.errors import LedgerError

FAILED, WRONG_USE = 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code: 0 fine, 1 something failed, 2 wrong use."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = parser().parse_args(given)
    options.command_line = shlex.join(["python", "-m", "build_tools", *given])
    try:
        code: int = options.run(options)
    except LedgerError as error:
        print(f"error: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("stopped; finished results are kept", file=sys.stderr)
        return 130
    return code


def parser() -> argparse.ArgumentParser:
    """All commands. Each imports what it needs only when it runs: rendering needs no torch, measuring no mkdocs."""
    top = argparse.ArgumentParser(prog="python -m build_tools", description="VRAM Ledger: measure, render, check.")
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    _measure_options(commands.add_parser("measure", help="measure what is stale or missing for this machine"))
    _build_options(commands.add_parser("build", help="measure, then build both sites into site/"))
    _serve_options(commands.add_parser("serve", help="live preview of both languages; never measures"))
    check = commands.add_parser("check", help="syntax and references of all pages")
    check.set_defaults(run=check_command)
    return top


def _measure_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("targets", nargs="*", metavar="SNIPPET[/CASE]", help="in order of importance; default: all")
    add("--device", choices=("auto", "cpu", "cuda"), default="auto")
    add("--profile", default="auto", help="auto: full on CUDA, quick on a CPU")
    add("--force", action="store_true", help="measure even what is current")
    add("--repeats", type=_positive_int, metavar="N")
    add("--timeout", type=_positive, metavar="S", help="seconds a process may take")
    add("--budget", type=_positive, metavar="S", help="seconds the whole call may take; the most important comes first")
    add("--save", action="store_true", help="into snippets/*/records/ (to be committed), not .ledger/")
    add("--out", type=Path, metavar="DIR", help="into DIR/records.tar, complete after every result")
    add("--commit", metavar="SHA", help="the commit measured, where there is no git")
    add("--rehearse", type=_card, metavar="NAME:GIB", help="plan as for that card, run quick on the CPU; needs --out")
    command.set_defaults(run=measure_command)


def _build_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--no-measure", action="store_true", help="render what is there")
    command.add_argument("--strict", action="store_true", help="fail on problems and on what this machine owes")
    command.add_argument("--publish", action="store_true", help="committed records only, never measures")
    command.add_argument("--builder", choices=("mkdocs", "zensical"), default="mkdocs")
    command.set_defaults(run=build_command)


def _serve_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--port", type=_positive_int, default=8000)
    command.set_defaults(run=serve_command)


def measure_command(options: argparse.Namespace) -> int:
    from build_tools.display import watched
    from build_tools.measuring.session import Wishes, measure
    from build_tools.store import project_root

    wishes = Wishes(
        targets=tuple(options.targets), device=options.device, profile=options.profile, force=options.force,
        repeats=options.repeats, timeout_s=options.timeout, budget_s=options.budget, save=options.save,
        out=options.out, commit=options.commit, rehearse=options.rehearse, command=options.command_line,
    )  # fmt: skip
    with watched() as progress:
        summary = measure(project_root(), wishes, _tell, progress)
    return FAILED if summary.failed else 0


def build_command(options: argparse.Namespace) -> int:
    from build_tools.site.build import Building, build
    from build_tools.store import project_root

    root = project_root()
    owed = 0
    if not (options.no_measure or options.publish):
        from build_tools.display import watched
        from build_tools.measuring.session import Wishes, measure

        with watched() as progress:
            owed = len(measure(root, Wishes(command=options.command_line), _tell, progress).failed)
    building = Building(strict=options.strict, publish=options.publish, builder=options.builder)
    problems = build(root, building, tell=_tell)
    return FAILED if owed or (options.strict and problems) else 0


def serve_command(options: argparse.Namespace) -> int:
    from build_tools.site.serve import serve
    from build_tools.store import project_root

    serve(project_root(), options.port, tell=_tell)
    return 0


def check_command(options: argparse.Namespace) -> int:
    from build_tools.checks.references import reference_problems
    from build_tools.store import project_root

    problems = reference_problems(project_root())
    for problem in problems:
        print(problem)
    _tell("pages: no problem found" if not problems else f"pages: {len(problems)} problem(s)")
    return FAILED if problems else 0


def _tell(line: str) -> None:
    print(line, flush=True)


def _positive(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def _positive_int(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def _card(text: str) -> tuple[str, float]:
    name, _, memory = text.partition(":")
    try:
        return name, _positive(memory)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME:GIB, for example H200:141") from None
