"""The command line: arguments, colours and exit codes live here and nowhere else.

argparse and not a richer library: a GPU machine at hand may have torch and little else.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from build_tools.errors import LedgerError, one_line, quoted

FAILED, WRONG_USE = 1, 2
A_WEEK_S = 7 * 24 * 3600
COLOURS = {
    "fresh": "green",
    "older versions|not measured yet": "cyan",
    "stale|re-run failed": "yellow",
    "damaged|problem": "red",
}


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
    except BrokenPipeError:  # whoever reads has seen enough, as `head` does; nothing is left to say at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return code


class _Parser(argparse.ArgumentParser):
    """Wrong use is one line, as every error of ours; argparse would print all options first."""

    def error(self, message: str) -> NoReturn:
        print(f"error: {one_line(message)}; next: {self.prog} --help", file=sys.stderr)
        raise SystemExit(WRONG_USE)


def parser() -> argparse.ArgumentParser:
    """All commands. Each imports what it needs only when it runs: rendering needs no torch, measuring no mkdocs."""
    top = _Parser(prog="python -m build_tools", description="VRAM Ledger: measure, render, check.")
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    _measure_options(commands.add_parser("measure", help="measure what is stale or missing for this machine"))
    _build_options(commands.add_parser("build", help="measure, then build both sites into site/"))
    _serve_options(commands.add_parser("serve", help="live preview of both languages; never measures"))
    _check_options(commands.add_parser("check", help="pages: syntax and references; records: whole and without leaks"))
    _status_options(commands.add_parser("status", help="how every case stands and why; what measure would run here"))
    _explain_options(commands.add_parser("explain", help="where one number comes from"))
    _schema_options(commands.add_parser("schema", help="write the JSON schemas for editors"))
    return top


def _measure_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("targets", nargs="*", metavar="SNIPPET[/CASE]", help="in order of importance; default: all")
    add("--device", choices=("auto", "cpu", "cuda"), default="auto")
    add("--profile", default="auto", help="auto: full on CUDA, quick on a CPU")
    add("--force", action="store_true", help="measure even what is current")
    add("--repeats", type=_repeats, metavar="N")
    add("--timeout", type=_seconds, metavar="S", help="seconds a process may take")
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
    command.add_argument("--port", type=_port, default=8000)
    command.set_defaults(run=serve_command)


def _check_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("part", nargs="?", choices=("pages", "records"), help="default: all")
    command.add_argument("--base", metavar="REF", help="also tell records that differ from this commit's without a run")
    command.set_defaults(run=check_command)


def _status_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="everything, for programs")
    command.set_defaults(run=status_command)


def _explain_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("reference", metavar="REF", help="such as trainer/accumulate/peak_mib or …@quick")
    command.add_argument("--json", action="store_true", help="everything, for programs")
    command.set_defaults(run=explain_command)


def _schema_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--check", action="store_true", help="write nothing; fail where a file is out of date")
    command.set_defaults(run=schema_command)


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
    from build_tools.checks.records import Findings, record_findings
    from build_tools.checks.references import reference_problems
    from build_tools.store import project_root

    root = project_root()
    parts = {
        "pages": lambda: Findings(problems=reference_problems(root)),
        "records": lambda: record_findings(root, options.base),
    }
    told: dict[str, None] = {}  # both parts read the records: a line is said once
    for name in [options.part] if options.part else parts:
        try:
            found = parts[name]()
        except LedgerError as error:
            found = Findings(problems=[error])
        for line in [f"note: {note}" for note in found.notes] + [str(problem) for problem in found.problems]:
            if line not in told:
                told[line] = None
                _tell(line)
        _tell(f"{name}: {f'{len(found.problems)} problem(s)' if found.problems else 'no problem found'}")
    return FAILED if any(not line.startswith("note: ") for line in told) else 0


def status_command(options: argparse.Namespace) -> int:
    from datetime import UTC, datetime

    from build_tools.figures.resolve import current_ledger
    from build_tools.inquiry.status import lines, plan_here, status
    from build_tools.store import project_root

    ledger = current_ledger(project_root())
    found = status(ledger, *plan_here(ledger))
    if options.json:
        _tell(found.model_dump_json(indent=1))
    else:
        _show(lines(found, datetime.now(UTC), _width()))
    return 0


def explain_command(options: argparse.Namespace) -> int:
    import json
    from datetime import UTC, datetime

    from build_tools.figures.resolve import current_ledger
    from build_tools.inquiry.explain import explain, lines
    from build_tools.store import project_root

    found = explain(current_ledger(project_root()), options.reference)
    if options.json:
        _tell(json.dumps(found.as_data(), indent=1, ensure_ascii=False))
    else:
        _show(lines(found, datetime.now(UTC), _width()))
    return 0


def schema_command(options: argparse.Namespace) -> int:
    from build_tools.errors import Place
    from build_tools.schemas import outdated, write
    from build_tools.store import project_root

    root = project_root()
    if not options.check:
        for path in write(root):
            _tell(f"written: {Place(path)}")
        return 0
    due = list(outdated(root))
    for path in due:
        problem = "does not say what the models say"
        _tell(str(LedgerError(problem, place=Place(path), next_command="python -m build_tools schema")))
    return FAILED if due else 0


def _tell(line: str) -> None:
    print(line, flush=True)


def _width() -> int:
    """Columns of the terminal; 100 where there is none, or where it is wider than anybody reads."""
    return min(shutil.get_terminal_size((100, 24)).columns, 120)


def _show(lines: Iterable[str]) -> None:
    """Lines on a terminal, states in colour and titles bold; elsewhere plain text."""
    console = None
    if sys.stdout.isatty():
        with suppress(ImportError):
            from rich.console import Console

            console = Console(highlight=False)
    for line in lines:
        if console is None:
            _tell(line)
        else:
            console.print(_coloured(line), soft_wrap=True)


def _coloured(line: str) -> Any:
    from rich.text import Text

    text = Text(line, style="" if line.startswith(" ") else "bold")
    for words, style in COLOURS.items():
        text.highlight_regex(rf"(?<![\w-])(?:{words})(?![\w-])", style)
    return text


def _number(text: str, example: str, low: float, high: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is no number from {low:g} to {high:g}, for example {example}")
    return value


def _positive(text: str) -> float:
    return _number(text, "300", 1e-3, 1e9)


def _seconds(text: str) -> float:
    return _number(text, "300", 1e-3, A_WEEK_S)


def _whole(text: str, example: str, high: int) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{quoted(text)} is no whole number above 0, for example {example}")
    return int(_number(text, example, 1, high))


def _repeats(text: str) -> int:
    return _whole(text, "5", 1000)


def _port(text: str) -> int:
    return _whole(text, "8000", 65535)


def _card(text: str) -> tuple[str, float]:
    name, colon, memory = text.partition(":")
    if not (colon and re.search("[A-Za-z0-9]", name)):
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not NAME:GIB, for example H200:141")
    return name, _number(memory, "H200:141", 1e-3, 1e6)
