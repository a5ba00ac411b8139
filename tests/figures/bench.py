"""A small project with records, for tests of figures and of pages: `Bench` writes them, keys and all."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from records import ENVIRONMENT, make_record

from build_tools.figures.resolve import Ledger
from build_tools.memory_model import key_on
from build_tools.model import Environment, Machine, Record
from build_tools.store import committed_folder, load_snippet, local_folder, write_record

CPU = Machine(slug="cpu-2c", device="cpu", model="Some CPU", memory_gib=8.0, cores=2)
OTHER_CPU = Machine(slug="cpu-8c", device="cpu", model="Big CPU", memory_gib=64.0, cores=8)
GPU = Machine(slug="h200", device="cuda", model="NVIDIA H200", memory_gib=140.4)
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)

SETTINGS = '[tool.ledger]\nreference = "h200"\nmachines = ["h200", "cpu-2c", "cpu-8c"]\n'
TOML = """\
title = { zh = "玩具", en = "Toy" }
baseline = "plain"
[parameters]
micro_batch = 4
attention = "eager"
[profiles.quick]
[profiles.full]
needs = { device = "cuda", memory_gib = 16 }
[cases.plain]
[cases.accumulate]
micro_batch = 1
[cases.sdpa]
attention = "sdpa"
profiles = ["full"]
[metrics.loss]
unit = "1"
decimals = 4
label = { zh = "训练损失", en = "training loss" }
[metrics.curve]
unit = "1"
decimals = 2
series = "samples"
label = { zh = "损失曲线", en = "loss curve" }
"""
SAMPLES = {"seconds": (2.0, 1.5, 1.75), "tensor_mib": (31.44, 31.44, 31.44)}


class Bench:
    """A project with one snippet `toy`, and a way to put records of it on the shelf."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "snippets").mkdir(exist_ok=True)
        (root / "pyproject.toml").write_text(SETTINGS)
        (root / "constraints.txt").write_text("torch==2.13.0\n")
        self.snippet("toy", TOML)

    def snippet(self, name: str, toml: str = TOML, program: str = "x = 1\n") -> None:
        folder = self.root / "snippets" / name
        folder.mkdir(exist_ok=True)
        (folder / "snippet.toml").write_text(toml)
        (folder / "main.py").write_text(program)

    def record(
        self,
        case: str = "plain",
        profile: str = "quick",
        machine: Machine = CPU,
        *,
        snippet: str = "toy",
        local: bool = False,
        samples: Mapping[str, tuple[float, ...]] = SAMPLES,
        packages: Mapping[str, str] | None = None,
        **changes: Any,
    ) -> Path:
        """Store a record that is fresh, but for what a test changes."""
        declared = load_snippet(self.root / "snippets" / snippet)
        environment: Environment = ENVIRONMENT
        if packages is not None:
            environment = ENVIRONMENT.model_copy(update={"packages": dict(packages)})
        made: Record = make_record(
            snippet=snippet, case=case, profile=profile, machine=machine, samples=dict(samples), **{
                "key": key_on(machine.slug, machine.device, declared, case, profile),
                "environment": environment, "started": NOON, **changes,
            },
        )  # fmt: skip
        return write_record((local_folder if local else committed_folder)(self.root, snippet), made)

    def evidence(self, text: str) -> Path:
        """Write docs/evidence.toml; `ev(...)` makes its claims."""
        path = self.root / "docs/evidence.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def ledger(self, *, committed_only: bool = False) -> Ledger:
        return Ledger(self.root, committed_only=committed_only)


NOTEBOOK = 'source = { notebook = "x.ipynb@61fe5c0", cell = "execution 3" }'
DOCUMENT = 'source = { document = "note", item = "1" }'
NOTE = '[documents.note]\ntitle = { zh = "笔记", en = "a note" }\norigin = { zh = "不详", en = "unknown" }\n'


def claim(name: str, more: str = "", kind: str = "saved-output", source: str = NOTEBOOK) -> str:
    """An entry of evidence.toml; `more` holds further lines of it."""
    words = "{value}" if "value =" in more else "…"
    statement = f'statement = {{ zh = "某值 {words}", en = "it is {words}" }}'
    return f'[[claim]]\nid = "{name}"\nkind = "{kind}"\n{statement}\n{source}\n{more}\n'


def run(name: str, more: str = "") -> str:
    """A run that a source reports."""
    return f'[runs.{name}]\ntitle = {{ zh = "运行", en = "a run" }}\n{more}\n'
