"""`build` and `serve`: both sites, once or at every change."""

from __future__ import annotations

import argparse

from build_tools.cli.arguments import FAILED, Commands, port
from build_tools.cli.speaking import tell


def add_to(commands: Commands) -> None:
    _build_options(commands.add_parser("build", help="measure, then build both sites into site/"))
    _serve_options(commands.add_parser("serve", help="live preview of both languages; never measures"))


def _build_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--no-measure", action="store_true", help="render what is there")
    command.add_argument("--strict", action="store_true", help="fail on problems and on what this machine owes")
    command.add_argument("--publish", action="store_true", help="committed records only, never measures")
    command.add_argument("--builder", choices=("mkdocs", "zensical"), default="mkdocs")
    command.set_defaults(run=build_command)


def _serve_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--port", type=port, default=8000)
    command.set_defaults(run=serve_command)


def build_command(options: argparse.Namespace) -> int:
    from build_tools.site.build import Building, build
    from build_tools.store import project_root

    root = project_root()
    owed = 0
    if not (options.no_measure or options.publish):
        from build_tools.display import watched
        from build_tools.measuring.session import Wishes, measure

        with watched() as progress:
            owed = len(measure(root, Wishes(command=options.command_line), tell, progress).failed)
    building = Building(strict=options.strict, publish=options.publish, builder=options.builder)
    problems = build(root, building, tell=tell)
    return FAILED if owed or (options.strict and problems) else 0


def serve_command(options: argparse.Namespace) -> int:
    from build_tools.site.serve import serve
    from build_tools.store import project_root

    serve(project_root(), options.port, tell=tell)
    return 0
