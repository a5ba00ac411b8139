"""Peak memory of a case without its device: predictions with their breakdown, and the micro-batch that fits a card.

    predict(snippet, "accumulate", "full", {"micro_batch": 8}).peak_mib
    fit(snippet, "accumulate", "full", 24.0).micro_batch

Each call starts a process of its own, which imports what the snippet needs; several predictions of one snippet share
one through `Predictor`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from build_tools.measuring.predicting.filing import prediction_record
from build_tools.measuring.predicting.fitting import PARAMETER
from build_tools.measuring.predicting.fitting import fit as fit_by_predictions
from build_tools.measuring.predicting.prediction import (
    CATEGORIES,
    Breakdown,
    Category,
    Fit,
    Flavour,
    Moment,
    Peak,
    Phase,
    Prediction,
)
from build_tools.measuring.predicting.predictor import Predictor
from build_tools.measuring.predicting.wishes import memory_gib, settings
from build_tools.memory_model import MODEL, NOT_MODELLED, PARTS, PREDICTOR_VERSION, prediction_key
from build_tools.model import Scalar
from build_tools.snippet import Snippet
from build_tools.store import load_snippet

__all__ = [
    "CATEGORIES",
    "MODEL",
    "NOT_MODELLED",
    "PARTS",
    "PREDICTOR_VERSION",
    "Breakdown",
    "Category",
    "Fit",
    "Flavour",
    "Moment",
    "Peak",
    "Phase",
    "Prediction",
    "Predictor",
    "fit",
    "memory_gib",
    "predict",
    "prediction_key",
    "prediction_record",
    "settings",
]


def predict(
    snippet: Snippet | Path,
    case: str,
    profile: str,
    overrides: Mapping[str, Scalar] | None = None,
    flavour: Flavour = "cuda",
) -> Prediction:
    """The peak of a case's training step, as on a device of this kind; `overrides` replace parameters.

    Raises LedgerError for names that do not exist and for a program that cannot run without a device.
    """
    with Predictor(_loaded(snippet)) as predictor:
        return predictor.predict(case, profile, overrides, flavour)


def fit(
    snippet: Snippet | Path, case: str, profile: str, memory_gib: float, overrides: Mapping[str, Scalar] | None = None
) -> Fit:
    """The largest micro-batch of a case whose predicted peak stays within `memory_gib`; errors as for `predict`."""
    loaded = _loaded(snippet)
    with Predictor(loaded) as predictor:
        others = {name: value for name, value in (overrides or {}).items() if name != PARAMETER}
        return fit_by_predictions(
            loaded, memory_gib, lambda size: predictor.predict(case, profile, {**others, PARAMETER: size})
        )


def _loaded(snippet: Snippet | Path) -> Snippet:
    return load_snippet(snippet) if isinstance(snippet, Path) else snippet
