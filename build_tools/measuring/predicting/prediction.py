"""What a prediction says, and what it cannot say."""

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


NOT_MODELLED: tuple[Text, ...] = (
    Text(
        zh="CUDA 上下文与驱动自用的显存：NVML 计入，PyTorch 分配器不计入",
        en="the CUDA context and what the driver keeps: NVML counts them, PyTorch's allocator does not",
    ),
    Text(
        zh="cuBLAS、cuBLASLt 的工作区（分配器计入，Hopper 起更大）和 cuDNN 卷积的工作区",
        en="workspaces of cuBLAS and cuBLASLt (the allocator counts them; larger from Hopper on), and of cuDNN's "
        "convolutions",
    ),
    Text(
        zh="碎片：缓存块可能比所需的大，已保留显存因此高于已分配；分配器选项",
        en="fragmentation: a cached block may be larger than what was asked for, so reserved exceeds allocated; "
        "options of the allocator",
    ),
    Text(
        zh="内核内部的临时缓冲，例如 flash 反向中 fp32 的累加缓冲",
        en="scratch memory inside kernels, such as the fp32 accumulator in flash attention's backward pass",
    ),
    Text(
        zh="注意力内核按计算能力 8.0 以上的卡选择；cuDNN 注意力与 flash 保存的内容相同",
        en="attention kernels are those that a card of compute capability 8.0 or later chooses; cuDNN's attention "
        "keeps what flash attention keeps",
    ),
    Text(
        zh="fp32 的分组查询注意力（键值头少于查询头）按 PyTorch 的数学实现计算",
        en="grouped-query attention in fp32, with fewer key and value heads than query heads, counts as PyTorch's "
        "plain implementation",
    ),
    Text(
        zh="只在 CUDA 上融合的其他算子（nn.RMSNorm、cuDNN 的循环网络、fp16 softmax）按其组成部分计算",
        en="other operations that only CUDA fuses (nn.RMSNorm, cuDNN's recurrent networks, softmax in fp16) count as "
        "their parts",
    ),
    Text(
        zh="自动混合精度（autocast）、torch.compile、CUDA graphs、多卡通信缓冲",
        en="autocast, torch.compile, CUDA graphs, and buffers for communication between devices",
    ),
    Text(
        zh="训练步之外的显存：数据加载、Trainer 的梯度裁剪与日志、评估、保存",
        en="memory outside the training step: loading data, the Trainer's clipping and logging, evaluation, saving",
    ),
    Text(
        zh="预测的训练步同时持有窗口里的全部微批次；逐个加载的程序持有的更少",
        en="the predicted step holds all micro-batches of its window; a program that loads them one by one holds fewer",
    ),
)
