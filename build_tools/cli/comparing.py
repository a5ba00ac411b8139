"""`diff`, `land` and `age`: what fresh records change, which of a delivery are good, and which numbers are too old."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from build_tools.cli.arguments import FAILED, WRONG_USE, Commands
from build_tools.cli.speaking import tell
from build_tools.errors import LedgerError


def add_to(commands: Commands) -> None:
    _diff_options(commands.add_parser("diff", help="what fresh records change, with drift, claims and staleness"))
    _land_options(commands.add_parser("land", help="check records of another machine and store the good ones"))
    _age_options(commands.add_parser("age", help="which numbers are old; fails where one is too old"))


def _diff_options(command: argparse.ArgumentParser) -> None:
    command.description = "Exit codes: 0 fine, 1 drift, 2 implausible, failed or damaged, or nothing to compare."
    add = command.add_argument
    add("old", metavar="OLD", help="a commit, a project's folder, a folder of records, or a records.tar")
    add("new", metavar="NEW", help="the same; `.` is the working tree")
    add("--json", action="store_true", help="everything, for programs")
    add("--text", type=Path, metavar="FILE", help="also add the Markdown to the end of FILE")
    command.set_defaults(run=diff_command)


def _land_options(command: argparse.ArgumentParser) -> None:
    command.description = "Refuses by name what should not be stored. Exit code 1: something refused, or nothing new."
    add = command.add_argument
    add("delivery", type=Path, metavar="PATH", help="a records.tar, or a folder of records")
    add("--commit", metavar="SHA", help="the commit that must have been measured")
    add("--machine", metavar="SLUG", help="the machine that must have measured")
    add("--origin", choices=("ci", "maintainer", "contributor"), help="who must have measured")
    add("--text", type=Path, metavar="FILE", help="also add what was refused to the end of FILE, as Markdown")
    command.set_defaults(run=land_command)


def _age_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="everything, for programs")
    command.set_defaults(run=age_command)


def diff_command(options: argparse.Namespace) -> int:
    from build_tools.comparing.compare import diff
    from build_tools.comparing.markdown import markdown
    from build_tools.store import project_root

    try:
        found = diff(project_root(), options.old, options.new)
    except LedgerError as error:  # 1 would say drift
        print(f"error: {error}", file=sys.stderr)
        return WRONG_USE
    tell(found.model_dump_json(indent=1) if options.json else markdown(found).rstrip("\n"))
    _add(options.text, markdown(found))
    return found.exit_code


def land_command(options: argparse.Namespace) -> int:
    from build_tools.comparing.land import Demands, land, refused_markdown
    from build_tools.store import project_root

    demands = Demands(commit=options.commit, machine=options.machine, origin=options.origin)
    landing = land(project_root(), options.delivery, demands)
    for line in landing.lines():
        tell(line)
    _add(options.text, refused_markdown(landing))
    return FAILED if landing.refused or not landing.landed else 0


def age_command(options: argparse.Namespace) -> int:
    from datetime import UTC, datetime

    from build_tools.comparing.age import ages
    from build_tools.store import project_root

    found = ages(project_root(), datetime.now(UTC).date())
    tell(found.model_dump_json(indent=1) if options.json else "\n".join(found.lines()))
    return FAILED if found.overdue else 0


def _add(file: Path | None, text: str) -> None:
    """To the end of a file, as a job summary is written; it is there afterwards, though there be nothing to say."""
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as end:
            end.write(text)
