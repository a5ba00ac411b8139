"""`new`: a lecture in both languages, or a snippet, to be filled in."""

from __future__ import annotations

import argparse

from build_tools.cli.arguments import Commands
from build_tools.cli.speaking import tell


def add_to(commands: Commands) -> None:
    kinds = commands.add_parser("new", help="a lecture or a snippet that passes all checks and says where to write")
    made = kinds.add_subparsers(metavar="KIND", required=True)
    lecture = made.add_parser("lecture", help="a page in both languages, and its places in the navigation")
    lecture.add_argument("name", metavar="NAME", help="of the file, for example gradient-checkpointing")
    lecture.add_argument("--snippet", metavar="NAME", help="a snippet whose code and results it shows")
    lecture.set_defaults(run=lecture_command)
    snippet = made.add_parser("snippet", help="a program with its parameters and cases")
    snippet.add_argument("name", metavar="NAME", help="of the folder, for example gradient_checkpointing")
    snippet.set_defaults(run=snippet_command)


def lecture_command(options: argparse.Namespace) -> int:
    from build_tools.scaffolds import new_lecture
    from build_tools.store import project_root

    for line in new_lecture(project_root(), options.name, options.snippet):
        tell(line)
    tell("next: write where it says FILL, then: python -m build_tools check")
    return 0


def snippet_command(options: argparse.Namespace) -> int:
    from build_tools.scaffolds import new_snippet
    from build_tools.store import project_root

    for line in new_snippet(project_root(), options.name):
        tell(line)
    tell(f"next: write where it says FILL, then: python -m build_tools measure {options.name}")
    return 0
