"""What a prediction says. What it cannot say is in `memory_model`, where pages read it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from build_tools.memory_model import PREDICTOR_VERSION
from build_tools.model import Data, Name, Parameters, Text

Flavour = Literal["cuda", "cpu"]
Category = Literal["weights", "gradients", "optimizer", "activations", "temporary"]
CATEGORIES: tuple[Category, ...] = ("weights", "gradients", "optimizer", "activations", "temporary")
Phase = Literal["forward", "recomputation", "backward", "optimizer"]
PHASES: dict[Phase, Text] = {
    "forward": Text(zh="前向", en="the forward pass"),
    "recomputation": Text(zh="反向中的重算", en="the recomputation within the backward pass"),
    "backward": Text(zh="反向", en="the backward pass"),
    "optimizer": Text(zh="优化器更新", en="the optimiser step"),
}


class Moment(Data):
    """When the peak is reached. `micro_batch` counts from 1 and is None within the optimiser step; `op` is torch's."""

    phase: Phase
    micro_batch: int | None
    micro_batches: int
    op: str

    @property
    def words(self) -> Text:
        """`the backward pass of micro-batch 2 of 4, at mm`."""
        phase = PHASES[self.phase]
        if self.micro_batch is None:
            return Text(zh=f"{phase.zh}，执行 {self.op} 时", en=f"{phase.en}, at {self.op}")
        return Text(
            zh=f"第 {self.micro_batch}/{self.micro_batches} 个微批次的{phase.zh}，执行 {self.op} 时",
            en=f"{phase.en} of micro-batch {self.micro_batch} of {self.micro_batches}, at {self.op}",
        )


class Breakdown(Data):
    """The live bytes at the peak by what they are for, in MiB; together they are the peak.

    `weights` are parameters and buffers, `activations` what the forward pass keeps for the backward pass, micro-batches
    included, `temporary` all that no later pass needs: results on their way, gradients of activations, scratch tensors.
    """

    weights_mib: float = Field(ge=0)
    gradients_mib: float = Field(ge=0)
    optimizer_mib: float = Field(ge=0)
    activations_mib: float = Field(ge=0)
    temporary_mib: float = Field(ge=0)


class Peak(Data):
    """The highest total of live bytes within a training step."""

    peak_mib: float = Field(ge=0)
    breakdown: Breakdown
    moment: Moment


class Prediction(Peak):
    """The peak of one case, run with `parameters`, as on a device of kind `flavour`."""

    snippet: Name
    case: Name
    profile: Name
    parameters: Parameters
    flavour: Flavour
    predictor_version: int = PREDICTOR_VERSION


class Fit(Data):
    """The largest micro-batch whose predicted peak stays within a memory, 0 where not even one sample does.

    `prediction` is that of this micro-batch (of 1 where it is 0), `beyond` that of the next larger one.
    """

    memory_gib: float
    micro_batch: int = Field(ge=0)
    prediction: Prediction
    beyond: Prediction
