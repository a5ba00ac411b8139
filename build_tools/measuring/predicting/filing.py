"""A prediction as a record: filed beside measurements, under a machine that is none."""

from __future__ import annotations

from datetime import datetime

from build_tools.errors import LedgerError
from build_tools.measuring.predicting.prediction import Prediction
from build_tools.measuring.surroundings import Provenance
from build_tools.memory_model import PARTS, PEAK_OF, model_of, prediction_key
from build_tools.model import Environment, Record
from build_tools.snippet import Snippet


def prediction_record(
    prediction: Prediction, snippet: Snippet, provenance: Provenance, environment: Environment, started: datetime
) -> Record:
    """The sealed record: the peak as the device's meter, its parts beside it. `environment` tells the versions.

    Raises LedgerError for a prediction of something else than the case, with other parameters.
    """
    case, profile, device = prediction.case, prediction.profile, prediction.flavour
    if prediction.parameters != snippet.parameters_of(case, profile, short=True):
        raise LedgerError(
            f"this prediction of {snippet.name}/{case} is not that of the case as it stands: it has other parameters",
            example=f"predict {snippet.name}/{case} --save, without --set",
        )
    parts = prediction.breakdown.model_dump()
    return Record(
        snippet=snippet.name, case=case, profile=profile, machine=model_of(device), environment=environment,
        key=prediction_key(snippet, case, profile, device=device), run_id=provenance.run_id, started=started,
        command=provenance.command, commit=provenance.commit, clean=provenance.clean, origin=provenance.origin,
        status="ok", samples={PEAK_OF[device]: (prediction.peak_mib,), **{name: (parts[name],) for name in PARTS}},
        moment=prediction.moment.words,
    ).sealed()  # fmt: skip
