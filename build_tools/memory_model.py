"""What predictions are filed under: a machine that is none, metrics for what the memory is for, and a version.

The predictor itself lives in `measuring.predicting` and needs torch; whoever shows a prediction needs only this.
"""

from __future__ import annotations

from collections.abc import Mapping

from build_tools.key import key_of
from build_tools.model import Device, Key, Machine, Metric, Text
from build_tools.snippet import Snippet

PREDICTOR_VERSION = 1  # a change that can change a prediction raises it
# A record's machine has a memory; the model has no limit, and this is beyond any card.
BEYOND_ANY = 2.0**20
MODEL = Machine(slug="model-cuda", device="cuda", model="memory model for CUDA devices", memory_gib=BEYOND_ANY)
# What a CPU would hold is predicted for one purpose: there a prediction can be held against an exact count anywhere.
CPU_MODEL = Machine(slug="model-cpu", device="cpu", model="memory model for CPUs", memory_gib=BEYOND_ANY)
MODELS: Mapping[str, Machine] = {model.slug: model for model in (MODEL, CPU_MODEL)}
# The meter that a prediction of this device foretells.
PEAK_OF: Mapping[Device, str] = {"cuda": "peak_mib", "cpu": "tensor_mib"}
FAR_OFF = 0.10  # relative; a measured peak further from its prediction is pointed out


def _part(zh: str, en: str) -> Metric:
    return Metric(unit="MiB", decimals=0, label=Text(zh=zh, en=en))


# What the bytes at the peak are for; together they are the peak.
PARTS: Mapping[str, Metric] = {
    "weights_mib": _part("权重", "weights"),
    "gradients_mib": _part("梯度", "gradients"),
    "optimizer_mib": _part("优化器状态", "optimizer state"),
    "activations_mib": _part("激活值", "activations"),
    "temporary_mib": _part("临时张量", "temporary tensors"),
}
# What a prediction leaves out, or takes for something simpler.
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


def model_of(device: Device) -> Machine:
    """What predictions for a kind of device are filed under."""
    return next(model for model in MODELS.values() if model.device == device)


def prediction_key(
    snippet: Snippet, case: str, profile: str, *, device: Device = "cuda", program: str | None = None
) -> Key:
    """What a fresh prediction of this case would be filed under: a record with another key is stale."""
    meters = dict.fromkeys((PEAK_OF[device], *PARTS), PREDICTOR_VERSION)
    key = key_of(snippet, case, profile, model_of(device).slug, device, program=program)
    return key.model_copy(update={"meters": meters})


def key_on(
    machine: str, device: Device, snippet: Snippet, case: str, profile: str, *, program: str | None = None
) -> Key:
    """What a fresh record would be filed under, of a measurement or of a prediction; `machine` is a slug."""
    if machine in MODELS:
        return prediction_key(snippet, case, profile, device=device, program=program)
    return key_of(snippet, case, profile, machine, device, program=program)
