"""What the memory model says beside a measurement or in its place, and how far measurements bear it out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from build_tools.figures.reference import Selection, parse_reference
from build_tools.figures.resolve import REFERENCE_PROFILE, Ledger, Spot
from build_tools.memory_model import FAR_OFF, MODEL, PARTS, PEAK_OF, model_of
from build_tools.model import Caution, Device, Figure, Scalar

PEAK = PEAK_OF["cuda"]
CURRENT = {"fresh", "older-versions"}  # of today's program; any other number decides nothing


@dataclass(frozen=True)
class Check:
    """A measured peak and the prediction of it."""

    measured: Figure
    predicted: Figure

    @property
    def off(self) -> float:
        """How far the measurement is from the prediction, as a share of it: 0.02 where it is 2 % higher."""
        assert self.measured.value is not None
        assert self.predicted.value
        return self.measured.value / self.predicted.value - 1


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
    off = Check(figure, predicted).off
    if abs(off) <= FAR_OFF:
        return seen
    detail: dict[str, Scalar] = {"metric": PEAK, "percent": round(100 * off), "predicted": round(predicted.value)}
    return (*seen, Caution(kind="far_from_prediction", detail=detail))


def checks(ledger: Ledger, device: Device) -> list[Check]:
    """Every case whose peak was both measured on this kind of device and predicted for it, both of today's program."""
    return [check for snippet in ledger.snippets for check in _checks_of(ledger, snippet, device)]


def _checks_of(ledger: Ledger, name: str, device: Device) -> Iterator[Check]:
    snippet, metric = ledger.snippet(name), PEAK_OF[device]
    for spot in ledger.spots(Selection(name)):
        machine = ledger.machines.get(spot.machine or "")
        if machine is None or machine.device != device:
            continue
        for case in snippet.cases_in(spot.profile):
            measured = ledger.figure_at(snippet, case, metric, spot)
            predicted = ledger.figure_at(snippet, case, metric, Spot(spot.profile, model_of(device).slug))
            if measured.value is not None and predicted.value and {measured.freshness, predicted.freshness} <= CURRENT:
                yield Check(measured, predicted)
