"""A prediction as a record: filed beside measurements, under a machine that is none."""

from __future__ import annotations

from datetime import datetime

from build_tools.errors import LedgerError
from build_tools.measuring.predicting.prediction import Prediction
from build_tools.measuring.surroundings import Provenance
from build_tools.memory_model import MODEL, PARTS, prediction_key
from build_tools.model import Environment, Record
from build_tools.snippet import Snippet


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
        moment=prediction.moment.words,
    ).sealed()  # fmt: skip
