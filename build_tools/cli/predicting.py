"""`predict`: peak memory without a GPU, its breakdown, and the largest micro-batch for a card."""

from __future__ import annotations

import argparse

from build_tools.cli.arguments import FAILED, Commands
from build_tools.cli.speaking import show, tell
from build_tools.errors import LedgerError


def add_to(commands: Commands) -> None:
    command = commands.add_parser("predict", help="peak memory of a case on a CUDA device, without one")
    add = command.add_argument
    add("target", nargs="?", metavar="SNIPPET[/CASE]", help="default: all snippets, with --save")
    add("--profile", help="default: full (quick for a CPU), else the snippet's first")
    add("--device", choices=["cuda", "cpu"], default="cuda", help="cpu: what tensor_mib counts there; default: cuda")
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="another parameter, such as micro_batch=8")
    add("--fit", metavar="MEMORY", help="the largest micro-batch within 24GiB, for example")
    add("--json", action="store_true", help="everything, for programs")
    add("--save", action="store_true", help="file the predictions beside the snippet's records, to be committed")
    command.set_defaults(run=predict_command)


def predict_command(options: argparse.Namespace) -> int:
    from build_tools.measuring.predicting.asking import Wish, answers, saved
    from build_tools.store import project_root

    wish = Wish(options.target, options.profile, tuple(options.set), options.fit, options.device)
    if options.save:
        if options.set or options.fit:
            raise LedgerError("--save files the case as it stands", example="predict trainer --save, without --set")
        return FAILED if list(map(tell, saved(project_root(), wish, options.command_line, tell))) else 0
    if options.target is None:
        raise LedgerError("which case?", example="predict trainer/accumulate", next_command="predict --help")
    for answer in answers(project_root(), wish):
        if options.json:
            tell(answer.as_json())
        else:
            show(answer.lines(_checked_on()))
    return 0


def _checked_on() -> str:
    """On which kinds of device measurements have been held against predictions, by the records there are."""
    from build_tools.figures.predicted import checks
    from build_tools.figures.resolve import current_ledger
    from build_tools.store import project_root

    ledger = current_ledger(project_root())
    gpu, cpu = checks(ledger, "cuda"), checks(ledger, "cpu")
    if gpu:
        return f"checked on a GPU in {len(gpu)} case(s), at most {max(abs(one.off) for one in gpu):.1%} off"
    return "checked on the CPU only" if cpu else "not checked by any record"
