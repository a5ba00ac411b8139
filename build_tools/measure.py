"""All that a snippet imports: the step it builds, the meter it is handed, and how to run it by hand.

A snippet is a folder with a `main.py` that defines `build`, `run` and usually `check`:

    def model(p): ...          the one factory that the three below share
    def build(p): ...          -> TrainingStep, on torch's default device
    def check(p): ...          raises unless the implementation is right
    def run(p, meter): ...     opens one `meter.window(...)`, then calls `meter.report(...)`

torch is imported only where a step is really run, so that pages can be rendered without it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import torch

Batch = Mapping[str, "torch.Tensor"]
Points = Iterable[tuple[float, float]]


def model_loss(model: torch.nn.Module, batch: Batch) -> torch.Tensor:
    """Loss of a model that computes it itself, as those of transformers do: `model(**batch).loss`."""
    loss: torch.Tensor = model(**batch).loss
    return loss


@dataclass(frozen=True)
class TrainingStep:
    """One optimiser step over `micro_batches`, each weighted equally: gradients of the mean of their losses.

    The runner calls it as warm-up; a predictor runs it without a device.
    `loss(model, batch)` returns a scalar tensor, the mean over the samples of that micro-batch.
    """

    model: torch.nn.Module
    optimizer: torch.optim.Optimizer
    micro_batches: Sequence[Batch]
    loss: Callable[[torch.nn.Module, Batch], torch.Tensor] = model_loss

    def __call__(self) -> None:
        for batch in self.micro_batches:
            (self.loss(self.model, batch) / len(self.micro_batches)).backward()
        self.optimizer.step()
        self.optimizer.zero_grad()


class Meter(Protocol):
    """What `run(p, meter)` is handed. The runner decides what the window reads: a clock, memory or tensors."""

    @property
    def device(self) -> torch.device:
        """The one device this case may use."""
        ...

    def window(
        self, model: torch.nn.Module | None, *, samples: int, optimizer_steps: int
    ) -> AbstractContextManager[None]:
        """Measure what happens inside; exactly one window a run.

        `samples` and `optimizer_steps` declare what will happen. They are counted by hooks (a forward pre-hook on
        `model`, torch.optim's global post hook), and a run that did something else is refused as implausible.
        """
        ...

    def report(self, **metrics: float | Points) -> None:
        """Hand over metrics the snippet declares in `[metrics]`: a number, or (x, y) pairs for a series."""
        ...


def main(file: str) -> None:
    """Run the snippet that `file` belongs to, as `python -m build_tools measure NAME …` would; exits with its code.

    `python snippets/trainer/main.py --case plain` measures that case, any other option is handed on.
    """
    snippet, arguments = Path(file).resolve().parent.name, sys.argv[1:]
    if "--case" in arguments:
        at = arguments.index("--case")
        snippet, arguments = f"{snippet}/{''.join(arguments[at + 1 : at + 2])}", arguments[:at] + arguments[at + 2 :]
    command: list[Any] = [sys.executable, "-m", "build_tools", "measure", snippet, "--force", *arguments]
    root = Path(file).resolve().parents[2]
    raise SystemExit(subprocess.run(command, cwd=root, env=os.environ).returncode)
