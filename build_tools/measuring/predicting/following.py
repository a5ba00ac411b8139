"""Runs a training step on the meta device and follows where in it the memory is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from types import ModuleType
from typing import Any

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from build_tools.measure import Batch, TrainingStep
from build_tools.measuring.child import CaseParameters
from build_tools.measuring.predicting.accounts import Accounts
from build_tools.measuring.predicting.flavours import Device, imitated
from build_tools.measuring.predicting.prediction import Flavour, Moment, Peak, Phase
from build_tools.model import Parameters

LIKE_THE_SECOND = 2  # micro-batches of a window: from the second on gradients are there, and nothing new comes


class NoStepError(Exception):
    """What `build` returned is no training step."""


def foresee(program: ModuleType, parameters: Parameters, flavour: Flavour) -> Peak:
    """The peak of the step that the program's `build` returns. Raises NoStepError if that is something else."""
    with imitated(flavour) as device:
        with torch.device("meta"):
            step = program.build(CaseParameters(parameters))
        if not isinstance(step, TrainingStep):
            raise NoStepError(f"build(p) returned {type(step).__name__}, not a measure.TrainingStep")
        return _follow(step, device)


def follow(step: TrainingStep, flavour: Flavour) -> Peak:
    """The peak of a step whose tensors are on the meta device."""
    with imitated(flavour) as device:
        return _follow(step, device)


def _follow(step: TrainingStep, device: Device) -> Peak:
    """Twice: the first time, with one micro-batch, creates the optimiser's state; the second is like all later ones."""
    following = _Following(step, device.granule)
    with following.hooks():
        following.run(step.micro_batches[:1])
        following.run(_distinct(step.micro_batches))
    return following.accounts.result()


def _distinct(micro_batches: Sequence[Batch]) -> list[Batch]:
    """The first two, and of the others those that are unlike any before: the rest would repeat the second."""
    seen: set[Any] = set()
    kept = []
    for number, batch in enumerate(micro_batches):
        shape = tuple((name, tuple(tensor.shape), tensor.dtype) for name, tensor in batch.items())
        if number < LIKE_THE_SECOND or shape not in seen:
            kept.append(batch)
        seen.add(shape)
    return kept


class _Following:
    """Knows what the step is doing: by its loss, and by hooks on gradients, saved tensors and optimisers."""

    def __init__(self, step: TrainingStep, granule: int) -> None:
        self.step, self.accounts = step, Accounts(granule, self)
        self.micro_batch = 1
        self.updating = False

    def run(self, micro_batches: Sequence[Batch]) -> None:
        """The step with some of its micro-batches."""
        replace(self.step, micro_batches=micro_batches, loss=self._loss)()

    def moment(self, operation: str) -> Moment:
        number = None if self.updating else self.micro_batch
        return Moment(phase=self.phase, micro_batch=number, micro_batches=len(self.step.micro_batches), op=operation)

    @property
    def phase(self) -> Phase:
        if self.updating:
            return "optimizer"
        if torch._C._current_graph_task_id() == -1:
            return "forward"
        # Within the backward pass gradients are recorded only for what a checkpoint computes again.
        return "recomputation" if torch.is_grad_enabled() else "backward"

    @contextmanager
    def hooks(self) -> Iterator[None]:
        """Everything that is followed, and the accounts themselves."""
        step, accounts = self.step, self.accounts
        accounts.assign([*step.model.parameters(), *step.model.buffers()], "weights")
        accounts.assign([tensor for batch in step.micro_batches for tensor in batch.values()], "activations")
        with ExitStack() as stack:
            for parameter in step.model.parameters():
                if parameter.requires_grad:
                    stack.enter_context(_removed(parameter.register_post_accumulate_grad_hook(self._has_gradient)))
            # Of every optimiser: a weight may have one of its own, that steps within the backward pass.
            stack.enter_context(_removed(register_optimizer_step_pre_hook(self._update)))
            stack.enter_context(_removed(register_optimizer_step_post_hook(self._updated)))
            stack.enter_context(saved_tensors_hooks(self._save, lambda tensor: tensor))
            stack.enter_context(accounts)
            yield

    def _loss(self, model: torch.nn.Module, batch: Batch) -> torch.Tensor:
        self.micro_batch = 1 + next(n for n, other in enumerate(self.step.micro_batches) if other is batch)
        return self.step.loss(model, batch)

    def _save(self, tensor: torch.Tensor) -> torch.Tensor:
        self.accounts.assign([tensor], "activations")
        # Not the tensor itself, or a graph that nobody walks back would hold itself alive.
        return tensor.detach()

    def _has_gradient(self, parameter: torch.Tensor) -> None:
        if parameter.grad is not None:
            self.accounts.assign([parameter.grad], "gradients")

    def _update(self, optimizer: Optimizer, *_: Any) -> None:
        self.updating = True
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                self._has_gradient(parameter)

    def _updated(self, optimizer: Optimizer, *_: Any) -> None:
        self.updating = False
        states = [value for state in optimizer.state.values() for value in state.values()]
        self.accounts.assign([value for value in states if isinstance(value, torch.Tensor)], "optimizer")


@contextmanager
def _removed(handle: Any) -> Iterator[None]:
    """A hook for the time being."""
    try:
        yield
    finally:
        handle.remove()
