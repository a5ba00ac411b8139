"""`ci …`: the steps of our workflows that are more than a line of shell. Each runs by hand as well."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from build_tools.cli.arguments import FAILED, Commands, positive
from build_tools.cli.speaking import tell
from build_tools.errors import LedgerError


def add_to(commands: Commands) -> None:
    steps = commands.add_parser("ci", help="steps of the workflows, by hand").add_subparsers(
        metavar="STEP", required=True
    )
    _jobs_options(steps.add_parser("jobs", help="runners or snippets to measure, as JSON"))
    _commit_options(
        steps.add_parser("commit", help="a commit of this repository's own branches: its full SHA, and a branch")
    )
    _waiting_options(
        steps.add_parser("waiting", help="runs that no runner has taken, from `gh run list --json` on stdin")
    )
    _lowest_options(steps.add_parser("lowest", help="constraints with the lowest versions that pyproject.toml allows"))
    _links_options(steps.add_parser("links", help="external links that lead nowhere"))
    _issue_options(steps.add_parser("issue", help="text of the weekly issue, from the ends of logs"))
    _screenshots_options(steps.add_parser("screenshots", help="pictures of the pages that differ between two sites"))


def _jobs_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("snippets", nargs="*", metavar="SNIPPET", help="default: all that can be measured there")
    command.add_argument("--runner", metavar="LABEL", help="the snippets for this runner; without it, all runners")
    command.add_argument("--profile", default="full")
    command.set_defaults(run=jobs_command)


def _commit_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("commit", metavar="SHA")
    command.add_argument("--prefer", default="main", metavar="BRANCH", help="where several hold it (default main)")
    command.set_defaults(run=commit_command)


def _waiting_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--hours", type=positive, default=12.0, help="a run that has not ended by then (default 12)")
    command.set_defaults(run=waiting_command)


def _lowest_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("packages", nargs="*", metavar="PACKAGE", help="default: those that weekly.yml tries")
    command.set_defaults(run=lowest_command)


def _links_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--timeout", type=positive, default=20.0, metavar="S")
    command.set_defaults(run=links_command)


def _issue_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("logs", type=Path, metavar="FOLDER", help="*.log files, one a job")
    command.add_argument("--url", default="", help="where the whole run can be read")
    command.set_defaults(run=issue_command)


def _screenshots_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("old", type=Path, metavar="OLD_SITE")
    command.add_argument("new", type=Path, metavar="NEW_SITE")
    command.add_argument("--out", type=Path, required=True, metavar="DIR")
    command.set_defaults(run=screenshots_command)


def jobs_command(options: argparse.Namespace) -> int:
    import json

    from build_tools.ci.jobs import jobs, runners
    from build_tools.store import project_root

    root = project_root()
    found = jobs(root, options.runner, options.snippets, options.profile) if options.runner else runners(root)
    tell(json.dumps(found, separators=(",", ":")))
    return 0


def commit_command(options: argparse.Namespace) -> int:
    from build_tools.ci.commit import own_commit
    from build_tools.store import project_root

    sha, branch = own_commit(project_root(), options.commit, options.prefer)
    tell(f"commit={sha}")
    tell(f"branch={branch}")
    return 0


def waiting_command(options: argparse.Namespace) -> int:
    from datetime import UTC, datetime, timedelta

    from build_tools.ci.waiting import waiting

    lines = waiting(sys.stdin.read(), datetime.now(UTC), timedelta(hours=options.hours))
    for line in lines:
        tell(line)
    return FAILED if lines else 0


def lowest_command(options: argparse.Namespace) -> int:
    from build_tools.ci.lowest import lowest
    from build_tools.store import project_root

    for line in lowest(project_root(), options.packages):
        tell(line)
    return 0


def links_command(options: argparse.Namespace) -> int:
    from build_tools.ci.external_links import dead_links
    from build_tools.store import project_root

    dead: list[LedgerError] = list(dead_links(project_root(), options.timeout))
    for error in dead:
        tell(str(error))
    tell(f"external links: {len(dead)} dead")
    return FAILED if dead else 0


def issue_command(options: argparse.Namespace) -> int:
    from build_tools.ci.issue import issue_text

    tell(issue_text(options.logs, options.url))
    return 0


def screenshots_command(options: argparse.Namespace) -> int:
    from build_tools.ci.screenshots import changed_pages, take

    for path in take(options.new, changed_pages(options.old, options.new), options.out):
        tell(f"written: {path}")
    return 0
