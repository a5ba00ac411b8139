"""`status` and `explain`: how the numbers stand, and where one comes from."""

from __future__ import annotations

import argparse

from build_tools.cli.arguments import Commands
from build_tools.cli.speaking import show, tell, width


def add_to(commands: Commands) -> None:
    _status_options(commands.add_parser("status", help="how every case stands and why; what measure would run here"))
    _explain_options(commands.add_parser("explain", help="where one number comes from"))


def _status_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="everything, for programs")
    command.set_defaults(run=status_command)


def _explain_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("reference", metavar="REF", help="a reference, claim, RUN/QUANTITY or quoted expression")
    command.add_argument("--json", action="store_true", help="everything, for programs")
    command.set_defaults(run=explain_command)


def status_command(options: argparse.Namespace) -> int:
    from datetime import UTC, datetime

    from build_tools.figures.resolve import current_ledger
    from build_tools.inquiry.status import lines, plan_here, status
    from build_tools.store import project_root

    ledger = current_ledger(project_root())
    found = status(ledger, *plan_here(ledger))
    if options.json:
        tell(found.model_dump_json(indent=1))
    else:
        show(lines(found, datetime.now(UTC), width()))
    return 0


def explain_command(options: argparse.Namespace) -> int:
    import json
    from datetime import UTC, datetime

    from build_tools.figures.resolve import current_ledger
    from build_tools.inquiry.explain import explain
    from build_tools.store import project_root

    found = explain(current_ledger(project_root()), options.reference)
    if options.json:
        tell(json.dumps(found.as_data(), indent=1, ensure_ascii=False))
    else:
        show(found.lines(datetime.now(UTC), width()))
    return 0
