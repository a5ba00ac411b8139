"""A prediction as a record: filed beside measurements, under a machine that is none."""

from __future__ import annotations

from datetime import datetime

from build_tools.errors import LedgerError
from build_tools.key import key_of
from build_tools.measuring.predicting.prediction import PREDICTOR_VERSION, Prediction
from build_tools.measuring.surroundings import Provenance
from build_tools.model import Environment, Key, Machine, Record, Text
from build_tools.snippet import Snippet

PARTS: dict[str, Text] = {
    "weights_mib": Text(zh="权重", en="weights"),
    "gradients_mib": Text(zh="梯度", en="gradients"),
    "optimizer_mib": Text(zh="优化器状态", en="optimiser state"),
    "activations_mib": Text(zh="激活值", en="activations"),
    "temporary_mib": Text(zh="临时", en="temporary"),
}
# A record's machine has a memory; the model has no limit, and this is beyond any card.
MODEL = Machine(slug="model-cuda", device="cuda", model="memory model for CUDA devices", memory_gib=2.0**20)


def prediction_key(snippet: Snippet, case: str, profile: str) -> Key:
    """What a fresh prediction of this case would be filed under: a record with another key is stale."""
    meters = dict.fromkeys(("peak_mib", *PARTS), PREDICTOR_VERSION)
    return key_of(snippet, case, profile, MODEL.slug, "cuda").model_copy(update={"meters": meters})


def prediction_record(
    prediction: Prediction, snippet: Snippet, provenance: Provenance, environment: Environment, started: datetime
) -> Record:
    """The sealed record: the peak as `peak_mib`, its parts beside it. `environment` tells the versions that made it.

    Raises LedgerError for a prediction of something else than the case: other parameters, another kind of device.
    """
    case, profile = prediction.case, prediction.profile
    if prediction.flavour != "cuda" or prediction.parameters != snippet.parameters_of(case, profile, short=True):
        raise LedgerError(
            f"this prediction of {snippet.name}/{case} is not that of the case as it stands: it has other parameters, "
            "or is for a CPU",
            example=f"predict {snippet.name}/{case} --save, without --set",
        )
    parts = prediction.breakdown.model_dump()
    return Record(
        snippet=snippet.name, case=case, profile=profile, machine=MODEL, environment=environment,
        key=prediction_key(snippet, case, profile), run_id=provenance.run_id, started=started,
        command=provenance.command, commit=provenance.commit, clean=provenance.clean, origin=provenance.origin,
        status="ok", samples={"peak_mib": (prediction.peak_mib,), **{name: (parts[name],) for name in PARTS}},
        output=prediction.moment.words.en,
    ).sealed()  # fmt: skip
