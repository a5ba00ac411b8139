"""The command line: arguments, colours and exit codes live here and nowhere else.

argparse and not a richer library: a GPU machine at hand may have torch and little else. Each command imports what it
needs only when it runs: rendering needs no torch, measuring no mkdocs.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from typing import NoReturn

from build_tools.cli import asking, building, checking, comparing, continuous, making, measuring, predicting
from build_tools.cli.arguments import FAILED, WRONG_USE
from build_tools.errors import LedgerError, one_line

__all__ = ["FAILED", "WRONG_USE", "main", "parser"]


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
    """All commands, in the order in which somebody meets them."""
    top = _Parser(prog="python -m build_tools", description="VRAM Ledger: measure, render, check.")
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for group in (measuring, building, checking, asking, predicting, comparing, continuous, making):
        group.add_to(commands)
    return top
