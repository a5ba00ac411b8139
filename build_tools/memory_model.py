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
MODEL = Machine(slug="model-cuda", device="cuda", model="memory model for CUDA devices", memory_gib=2.0**20)
FAR_OFF = 0.10  # relative; a measured peak further from its prediction is pointed out


def _part(zh: str, en: str) -> Metric:
    return Metric(unit="MiB", decimals=0, label=Text(zh=zh, en=en))


# What the bytes at the peak are for; together they are `peak_mib`.
PARTS: Mapping[str, Metric] = {
    "weights_mib": _part("权重", "weights"),
    "gradients_mib": _part("梯度", "gradients"),
    "optimizer_mib": _part("优化器状态", "optimizer state"),
    "activations_mib": _part("激活值", "activations"),
    "temporary_mib": _part("临时张量", "temporary tensors"),
}


def prediction_key(snippet: Snippet, case: str, profile: str, *, program: str | None = None) -> Key:
    """What a fresh prediction of this case would be filed under: a record with another key is stale."""
    meters = dict.fromkeys(("peak_mib", *PARTS), PREDICTOR_VERSION)
    key = key_of(snippet, case, profile, MODEL.slug, MODEL.device, program=program)
    return key.model_copy(update={"meters": meters})


def key_on(
    machine: str, device: Device, snippet: Snippet, case: str, profile: str, *, program: str | None = None
) -> Key:
    """What a fresh record would be filed under, of a measurement or of a prediction; `machine` is a slug."""
    if machine == MODEL.slug:
        return prediction_key(snippet, case, profile, program=program)
    return key_of(snippet, case, profile, machine, device, program=program)
