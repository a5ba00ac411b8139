"""The words of what the memory model says: beside measurements, in charts, and of how it has been checked."""

from __future__ import annotations

from collections.abc import Mapping

from build_tools.model import Device, Origin, Text

PREDICTED_NOTE = Text(
    zh="标着「预测」的数由显存模型算出，没有在设备上测过。模型算什么、怎样验证过，见{page}。",
    en="Numbers marked as predicted come from the memory model and were never read on a device. "
    "What it computes and how it has been checked: {page}.",
)
PREDICTION_PAGE = Text(zh="预测与验证", en="Prediction, checked")
# What a prediction was made with, where a measurement names its machine.
MODELS: Mapping[Device, Text] = {
    "cuda": Text(zh="显存模型（CUDA 设备）", en="memory model for CUDA devices"),
    "cpu": Text(zh="显存模型（CPU）", en="memory model for CPUs"),
}
VERSION = Text(zh="版本 {version}", en="version {version}")
COMPUTED: Mapping[Origin, Text] = {
    "ci": Text(zh="CI 算出", en="computed by CI"),
    "maintainer": Text(zh="维护者算出", en="computed by a maintainer"),
    "contributor": Text(zh="贡献者算出", en="computed by a contributor"),
    "rehearsal": Text(zh="演练", en="a rehearsal"),
}
REACHED_IN = Text(zh="峰值出现在{moment}", en="reached in {moment}")
MORE = Text(zh="软件包与命令", en="packages and command")

# how predictions have been checked
ON_CPU_ONLY = Text(
    zh="目前只在 CPU 上验证过：还没有哪条 CUDA 设备上的测量记录能与预测对照。",
    en="Checked on the CPU only: so far no record from a CUDA device can be held against a prediction.",
)
ON_GPU = Text(
    zh="在 CUDA 设备上对照了 {n} 个实验组，其中 {close} 个相差不超过 {percent}%，最大相差 {off}%。",
    en="Cases held against their predictions on CUDA devices: {n}, of these {close} within {percent}%; "
    "largest difference {off}%.",
)
ON_CPU = Text(
    zh="在 CPU 上对照了 {n} 个实验组，其中 {close} 个相差不超过 {percent}%，最大相差 {off}%。",
    en="Cases held against their predictions on CPUs: {n}, of these {close} within {percent}%; "
    "largest difference {off}%.",
)
NOTHING_CHECKED = Text(zh="还没有哪条测量记录能与预测对照。", en="So far no record can be held against a prediction.")
MEASURED = Text(zh="实测", en="measured")
PREDICTED = Text(zh="预测", en="predicted")
DIFFERENCE = Text(zh="相差", en="difference")
CHECKS_LABEL = Text(zh="{metric}：实测与预测", en="{metric}: measured and predicted")
EVERY_CASE = Text(zh="逐组对照：{metric}（{n} 组）", en="case by case: {metric} ({n} cases)")
