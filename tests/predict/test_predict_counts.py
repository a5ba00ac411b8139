"""A prediction for a CPU against the exact count of a real run, the tensor pass's own."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from predict.steps import Form, build, counted_mib
from projects import REPOSITORY

from build_tools.key import key_of
from build_tools.machine import cpu_machine
from build_tools.measuring.predict import Peak, Prediction, Predictor, predict
from build_tools.measuring.predicting.following import follow
from build_tools.measuring.session import Wishes, measure
from build_tools.memory_model import MODELS
from build_tools.model import Record
from build_tools.store import load_snippet, load_snippets, local_folder, read_record, read_records

TOLERANCE = 0.01  # what is promised

BASE = Form(hidden=128, length=128)
SMALL_BATCHES = replace(BASE, micro_batch=1, accumulation_steps=4)
DEEP = replace(BASE, layers=6, checkpointing=True)  # deep enough for a block to be less than the whole
FORMS: dict[str, Form] = {
    "adamw": BASE,
    "smaller": Form(hidden=32, length=32),
    "larger": Form(layers=4, hidden=256, heads=4, length=96),
    "longer": Form(hidden=64, length=256, micro_batch=2),
    "without_dropout": replace(BASE, dropout=0.0),
    "bf16": replace(BASE, dtype=torch.bfloat16),
    "accumulation": SMALL_BATCHES,
    "accumulation_in_bf16": replace(SMALL_BATCHES, dtype=torch.bfloat16),
    "adamw_foreach": replace(BASE, update="foreach"),
    "adamw_fused": replace(BASE, update="fused"),
    "sgd": replace(BASE, optimizer="SGD"),
    "sgd_with_momentum_and_accumulation": replace(SMALL_BATCHES, optimizer="SGD", momentum=0.9),
    "sgd_foreach": replace(BASE, optimizer="SGD", momentum=0.9, update="foreach"),
    "sgd_fused": replace(BASE, optimizer="SGD", momentum=0.9, update="fused"),
    "checkpointing": DEEP,
    "checkpointing_and_accumulation": replace(DEEP, accumulation_steps=4),
    "peak_in_the_optimiser_step_for_loop": replace(DEEP, micro_batch=1, length=16),
    "peak_in_the_optimiser_step_foreach": replace(DEEP, micro_batch=1, length=16, update="foreach"),
    "peak_in_the_optimiser_step_fused": replace(DEEP, micro_batch=1, length=16, update="fused"),
    "checkpointing_and_sgd": replace(DEEP, optimizer="SGD"),
    "sdpa_with_dropout": replace(BASE, attention="sdpa"),
    "sdpa": replace(BASE, attention="sdpa", dropout=0.0),
    "sdpa_with_a_mask": replace(BASE, attention="sdpa", dropout=0.0, masked=True),
    "sdpa_with_a_mask_and_dropout": replace(BASE, attention="sdpa", masked=True),
}


def predicted(form: Form) -> Peak:
    with torch.device("meta"):
        step = build(form)
    return follow(step, "cpu")


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_real_step_counts_what_was_predicted(form: Form) -> None:
    """For every form of training, at several sizes."""
    counted = counted_mib(build(form))

    assert predicted(form).peak_mib == pytest.approx(counted, rel=TOLERANCE)


def test_what_measure_stores_was_predicted(project: Path) -> None:
    """The whole way round: a snippet is measured, its record read, its case predicted."""
    source, folder = REPOSITORY / "snippets" / "loop", project / "snippets" / "loop"
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("records", "__pycache__"))
    measure(project, Wishes(targets=("loop/accumulate",), device="cpu", repeats=1), tell=lambda line: None)
    record = read_record(local_folder(project, "loop") / "quick" / cpu_machine().slug / "accumulate.json")

    prediction = predict(folder, "accumulate", "quick", flavour="cpu")

    assert record.samples["tensor_mib"] == (pytest.approx(prediction.peak_mib, rel=TOLERANCE),)


def _fresh(record: Record) -> bool:
    snippet = load_snippet(REPOSITORY / "snippets" / record.snippet)
    key = key_of(snippet, record.case, record.profile, record.machine.slug, record.machine.device)
    return "tensor_mib" in record.samples and key == record.key


COMMITTED = [
    read_record(path)
    for snippet in load_snippets(REPOSITORY).values()
    for path in read_records(snippet.folder / "records")
]


@pytest.mark.parametrize(
    "record",
    [r for r in COMMITTED if r.snippet == "trainer" and r.machine.device == "cpu" and r.machine.slug not in MODELS],
    ids=lambda r: r.case,
)
def test_committed_records_were_predicted(record: Record, trainer: Predictor) -> None:
    """The real Trainer, with all that it does around a step."""
    if not _fresh(record):
        pytest.skip("the record is not one of today's program")
    prediction = trainer.predict(record.case, record.profile, flavour="cpu")

    assert record.samples["tensor_mib"] == (pytest.approx(prediction.peak_mib, rel=TOLERANCE),)


def test_a_whole_window_has_the_peak_of_its_first_two_micro_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left out of a long window repeats what came before."""
    form = replace(SMALL_BATCHES, accumulation_steps=5)
    short = predicted(form)
    monkeypatch.setattr("build_tools.measuring.predicting.following._distinct", lambda batches: batches)

    whole = predicted(form)

    assert whole.peak_mib == short.peak_mib
    assert whole.breakdown == short.breakdown


def test_a_larger_micro_batch_late_in_the_window_counts() -> None:
    """One that is unlike the first two is run, wherever it stands."""
    with torch.device("meta"):
        step, larger = build(SMALL_BATCHES), build(replace(BASE, micro_batch=8))
    mixed = replace(step, micro_batches=[*step.micro_batches, *larger.micro_batches])

    peak = follow(mixed, "cpu")

    assert (peak.moment.micro_batch, peak.moment.micro_batches) == (5, 5)
    assert peak.peak_mib > 1.5 * follow(step, "cpu").peak_mib


@pytest.mark.slow
def test_predictions_take_seconds(trainer: Predictor) -> None:
    """All full cases of the lecture within the time that was promised."""
    import time

    started = time.monotonic()
    predictions: list[Prediction] = [trainer.predict(case, "full") for case in trainer.snippet.cases_in("full")]

    assert len(predictions) == len(trainer.snippet.cases)
    assert time.monotonic() - started < 90
