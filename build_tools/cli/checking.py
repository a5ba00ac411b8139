"""`check` and `schema`: what is wrong in files, before anybody builds them."""

from __future__ import annotations

import argparse

from build_tools.cli.arguments import FAILED, Commands
from build_tools.cli.speaking import tell
from build_tools.errors import LedgerError

PARTS = {
    "pages": "syntax and references of pages",
    "records": "committed records are whole and without leaks",
    "parity": "both languages in step, terms translated one way",
    "numbers": "no number is typed where a reference belongs",
    "prose": "typography, headings, images, links, code on a phone",
}


def add_to(commands: Commands) -> None:
    _check_options(commands.add_parser("check", help="what is wrong in pages, records and texts"))
    _schema_options(commands.add_parser("schema", help="write the JSON schemas for editors"))


def _check_options(command: argparse.ArgumentParser) -> None:
    parts = "; ".join(f"{name}: {what}" for name, what in PARTS.items())
    command.add_argument("part", nargs="?", choices=tuple(PARTS), help=f"default: all. {parts}")
    command.add_argument("--base", metavar="REF", help="also tell records that differ from this commit's without a run")
    command.add_argument(
        "--accept", metavar="PAGE[#SECTION]", action="append", default=[],
        help="record that a translator has looked at a section, a page or `all`; then check",
    )  # fmt: skip
    command.set_defaults(run=check_command)


def _schema_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--check", action="store_true", help="write nothing; fail where a file is out of date")
    command.set_defaults(run=schema_command)


def check_command(options: argparse.Namespace) -> int:
    from build_tools.checks.everything import run_check
    from build_tools.checks.finding import Findings
    from build_tools.checks.records import record_findings
    from build_tools.store import project_root

    root = project_root()
    _accept(options.accept)
    told: dict[str, None] = {}  # several parts read the records: a line is said once
    failed = False
    for name in [options.part] if options.part else PARTS:
        try:
            found = record_findings(root, options.base) if name == "records" else run_check(name, root)
        except LedgerError as error:
            found = Findings(problems=[error])
        failed = failed or bool(found.problems)
        for line in [f"note: {note}" for note in found.notes] + [str(problem) for problem in found.problems]:
            if line not in told:
                told[line] = None
                tell(line)
        tell(f"{name}: {f'{len(found.problems)} problem(s)' if found.problems else 'no problem found'}")
    return FAILED if failed else 0


def _accept(names: list[str]) -> None:
    from build_tools.store import project_root
    from build_tools.translations import accept

    for name in names:
        accepted = accept(project_root(), name)
        tell(f"accepted: {', '.join(accepted) or f'nothing new in {name}'}")


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
