"""What the memory model says beside a measurement, or in its place."""

from __future__ import annotations

from build_tools.figures.reference import parse_reference
from build_tools.figures.resolve import REFERENCE_PROFILE, Ledger, Spot
from build_tools.memory_model import FAR_OFF, MODEL, PARTS
from build_tools.model import Caution, Figure, Scalar

PEAK = "peak_mib"


def prediction(ledger: Ledger, figure: Figure) -> Figure | None:
    """The prediction of a measured or missing figure; None where nobody has asked for one.

    There are predictions of `peak_mib` and its parts, for cases that were filed with `predict --save`.
    """
    asked = parse_reference(figure.reference)
    if asked.metric not in {PEAK, *PARTS}:
        return None
    spot = Spot(asked.profile or REFERENCE_PROFILE, MODEL.slug)
    found = ledger.figure_at(ledger.snippet(asked.snippet), asked.case, asked.metric, spot)
    return found if found.value is not None else None


def cautions(ledger: Ledger, figure: Figure) -> tuple[Caution, ...]:
    """What a reader should know of a measured figure: what the runner saw, and a peak far from its prediction."""
    seen = figure.record.warnings if figure.record else ()
    if figure.kind != "measured" or figure.value is None or figure.metric != PEAK:
        return seen
    predicted = prediction(ledger, figure)
    if predicted is None or not predicted.value:
        return seen
    off = figure.value / predicted.value - 1
    if abs(off) <= FAR_OFF:
        return seen
    detail: dict[str, Scalar] = {"metric": PEAK, "percent": round(100 * off), "predicted": round(predicted.value)}
    return (*seen, Caution(kind="far_from_prediction", detail=detail))
