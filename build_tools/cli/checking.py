"""`check` and `schema`: what is wrong in files, before anybody builds them."""

from __future__ import annotations

import argparse

from build_tools.cli.arguments import FAILED, Commands
from build_tools.cli.speaking import tell
from build_tools.errors import LedgerError


def add_to(commands: Commands) -> None:
    _check_options(commands.add_parser("check", help="pages: syntax and references; records: whole and without leaks"))
    _schema_options(commands.add_parser("schema", help="write the JSON schemas for editors"))


def _check_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("part", nargs="?", choices=("pages", "records"), help="default: all")
    command.add_argument("--base", metavar="REF", help="also tell records that differ from this commit's without a run")
    command.set_defaults(run=check_command)


def _schema_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--check", action="store_true", help="write nothing; fail where a file is out of date")
    command.set_defaults(run=schema_command)


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
                tell(line)
        tell(f"{name}: {f'{len(found.problems)} problem(s)' if found.problems else 'no problem found'}")
    return FAILED if any(not line.startswith("note: ") for line in told) else 0


def schema_command(options: argparse.Namespace) -> int:
    from build_tools.errors import Place
    from build_tools.schemas import outdated, write
    from build_tools.store import project_root

    root = project_root()
    if not options.check:
        for path in write(root):
            tell(f"written: {Place(path)}")
        return 0
    due = list(outdated(root))
    for path in due:
        problem = "does not say what the models say"
        tell(str(LedgerError(problem, place=Place(path), next_command="python -m build_tools schema")))
    return FAILED if due else 0
