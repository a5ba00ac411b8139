"""Predictions stand beside measurements, never for them."""

from __future__ import annotations

import pytest
from figures.bench import GPU, NOTE, Bench, claim

from build_tools.errors import LedgerError
from build_tools.figures.number import judged, number
from build_tools.figures.predicted import cautions, prediction
from build_tools.figures.reference import Selection
from build_tools.memory_model import MODEL, prediction_key
from build_tools.store import load_snippet

PEAK = "toy/plain/peak_mib"


def predict(bench: Bench, mib: float, case: str = "plain") -> None:
    """File a prediction of the case at `full`."""
    key = prediction_key(load_snippet(bench.root / "snippets/toy"), case, "full")
    bench.record(case, "full", MODEL, samples={"peak_mib": (mib,), "weights_mib": (mib / 2,)}, key=key)


def test_a_prediction_is_no_measurement(bench: Bench) -> None:
    """The reference stays pending; the prediction is found beside it, with its own kind."""
    predict(bench, 1000.0)
    ledger = bench.ledger()
    figure = ledger.figure(PEAK)
    beside = prediction(ledger, figure)

    assert (figure.value, figure.freshness) == (None, "pending")
    assert beside
    assert (beside.value, beside.kind, beside.freshness) == (1000.0, "predicted", "fresh")
    assert ledger.figure("toy/plain/weights_mib@full:model-cuda").value == 500.0


def test_the_model_is_no_machine_of_a_table(bench: Bench) -> None:
    """It gets no tab, and never speaks for `@full`."""
    predict(bench, 1000.0)
    ledger = bench.ledger()

    assert [spot.machine for spot in ledger.spots(Selection("toy", "full"))] == [None]
    assert ledger.figure(f"{PEAK}@full").value is None


def test_an_edited_program_makes_a_prediction_stale(bench: Bench) -> None:
    """Its key is the predictor's, not that of the meters."""
    predict(bench, 1000.0)
    bench.snippet("toy", program="x = 2\n")
    ledger = bench.ledger()
    beside = prediction(ledger, ledger.figure(PEAK))

    assert beside
    assert (beside.freshness, [reason.code for reason in beside.reasons]) == ("stale", ["program_changed"])


@pytest.mark.parametrize(
    ("measured", "percent"), [(1099.0, None), (901.0, None), (1101.0, 10), (890.0, -11), (2000.0, 100)]
)
def test_a_peak_far_from_its_prediction_is_pointed_out(measured: float, percent: int | None, bench: Bench) -> None:
    """More than a tenth, on either side."""
    predict(bench, 1000.0)
    bench.record("plain", "full", GPU, samples={"peak_mib": (measured,)})
    ledger = bench.ledger()
    found = [caution.detail["percent"] for caution in cautions(ledger, ledger.figure(PEAK))]

    assert found == ([] if percent is None else [percent])


@pytest.mark.parametrize(("value", "verdict"), [(1040, "consistent"), (1200, "pending")])
def test_a_prediction_supports_a_claim_and_refutes_none(value: int, verdict: str, bench: Bench) -> None:
    """Until somebody measures it."""
    predict(bench, 1000.0)
    bench.evidence(NOTE + claim("it", f'value = {value}\nunit = "MB"\nmetric = "peak_mib"\ntests = "{PEAK}"'))
    ledger = bench.ledger()

    assert judged(ledger, ledger.claim("it")).verdict == verdict


def test_a_prediction_is_not_divided_by_a_measurement(bench: Bench) -> None:
    """The difference is shown side by side."""
    predict(bench, 1000.0)
    bench.record("plain", "full", GPU, samples={"peak_mib": (900.0,)})
    with pytest.raises(LedgerError, match="come from h200 and model-cuda"):
        number(bench.ledger(), f"{PEAK} / {PEAK}@full:model-cuda")
