"""Predictions from a process of their own: what is asked, what a broken program answers, and how it is filed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import pytest
from projects import NAP_TOML, Write
from records import ENVIRONMENT

from build_tools.errors import LedgerError
from build_tools.measuring.predict import (
    PREDICTOR_VERSION,
    Prediction,
    Predictor,
    memory_gib,
    predict,
    prediction_key,
    prediction_record,
    settings,
)
from build_tools.measuring.predicting.predictor import STEP
from build_tools.measuring.surroundings import Provenance
from build_tools.model import Record
from build_tools.snippet import Snippet
from build_tools.store import load_snippet, read_record, write_record

TOML = (
    NAP_TOML.replace(
        "[parameters]\nseconds = 0.01\n",
        '[parameters]\nwidth = 8\nrate = 0.1\nbias = true\nname = "x"\nmicro_batch = 2\n',
    )
    + "[profiles.full]\nshort = { width = 4 }\n[cases.wide]\nwidth = 16\nprofiles = ['full']\n"
)
PROGRAM = """\
import torch
from build_tools import measure

def build(p):
    print("out"); import sys; print("err", file=sys.stderr)
    model = torch.nn.Linear(p.width, p.width, bias=p.bias)
    batches = [{"x": torch.ones(p.micro_batch, p.width)}]
    return measure.TrainingStep(model, torch.optim.SGD(model.parameters()), batches, lambda m, b: m(b["x"]).mean())

def run(p, meter): ...
"""
PROVENANCE = Provenance(run_id="r1", command="predict", commit="abc", clean=True, origin="maintainer")
STARTED = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def snippet(write_snippet: Write) -> Snippet:
    return load_snippet(write_snippet(program=PROGRAM, toml=TOML))


def test_a_prediction_tells_what_it_is_of(snippet: Snippet) -> None:
    """Parameters are those of the memory pass, overrides on top; what a program prints disturbs nothing."""
    prediction = predict(snippet, "short", "full", {"micro_batch": 3}, "cpu")

    assert prediction.parameters == {"width": 4, "rate": 0.1, "bias": True, "name": "x", "micro_batch": 3}
    assert (prediction.snippet, prediction.case, prediction.profile) == ("nap", "short", "full")
    assert prediction.breakdown.weights_mib * 1024**2 == (4 * 4 + 4) * 4
    assert Prediction.model_validate_json(prediction.model_dump_json()) == prediction


def test_a_folder_will_do(snippet: Snippet) -> None:
    """As will a snippet."""
    assert predict(snippet.folder, "wide", "full") == predict(snippet, "wide", "full")


def test_the_process_ends_with_its_context(snippet: Snippet) -> None:
    """One serves many predictions, then it is gone."""
    with Predictor(snippet) as predictor:
        process = psutil.Process(predictor._process.pid)
        first, second = (predictor.predict("short", "quick") for _ in range(2))

    assert first == second
    assert not process.is_running()


WRONG: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "case": (
        "shirt",
        "quick",
        {},
        r"there is no case 'shirt' in nap; did you mean short\? there are: short, wide; for example: predict nap/short",
    ),
    "profile": ("short", "fall", {}, r"there is no profile 'fall' in nap; did you mean full\?"),
    "case_of_another_profile": ("wide", "quick", {}, r"nap/wide does not run at quick; for example: --profile full"),
    "parameter": ("short", "quick", {"witdh": 3}, r"there is no parameter 'witdh' in nap; did you mean width\?"),
    "type": ("short", "quick", {"width": "3"}, r"width is a whole number, not a string; for example: width=8"),
}


@pytest.mark.parametrize(("case", "profile", "overrides", "said"), WRONG.values(), ids=WRONG)
def test_what_does_not_exist_is_told(
    case: str, profile: str, overrides: dict[str, Any], said: str, snippet: Snippet
) -> None:
    """With those that exist, the nearest as example; nothing is run."""
    with Predictor(snippet) as predictor, pytest.raises(LedgerError, match=said):
        predictor.predict(case, profile, overrides)


BROKEN: dict[str, tuple[str, str, str]] = {
    "no_build": ("def build(p):", "def built(p):", "main.py: nap/short cannot be predicted: there is no build"),
    "no_step": (
        "return measure.TrainingStep",
        "return print",
        r"main.py: nap/short cannot be predicted: NoStepError: build\(p\) returned NoneType",
    ),
    "raises": (
        "    model =",
        "    raise ValueError('no\\nway')\n    model =",
        "main.py:6: nap/short cannot be predicted: ValueError: no way",
    ),
    "leaves": (
        "    model =",
        "    raise SystemExit(3)\n    model =",
        "main.py:6: nap/short cannot be predicted: SystemExit: 3",
    ),
    "value_decides": (".mean())", ".mean() * m(b['x']).sum().item())", "main.py:8: nap/short cannot be predicted: "),
    "syntax": ("def build(p):", "def build(p)", r"main.py(:\d+)?: nap/short cannot be predicted: SyntaxError: "),
    "dies": ("    model =", "    import os; os._exit(3)\n    model =", "the predicting process ended: err"),
}


@pytest.mark.parametrize(("right", "wrong", "said"), BROKEN.values(), ids=BROKEN)
def test_a_program_that_cannot_be_predicted_is_told(right: str, wrong: str, said: str, write_snippet: Write) -> None:
    """In one line, with the line of the program, what would be right, and what to do instead."""
    folder = write_snippet(program=PROGRAM.replace(right, wrong), toml=TOML)

    with pytest.raises(LedgerError, match=said) as raised:
        predict(folder, "short", "quick")

    assert raised.value.example == STEP
    assert str(raised.value).endswith("; next: python -m build_tools measure nap/short")


def test_a_program_that_takes_too_long(write_snippet: Write) -> None:
    """It has as long as a measuring process."""
    program = PROGRAM.replace("    model =", "    import time; time.sleep(60)\n    model =")
    folder = write_snippet(program=program, toml=TOML.replace("timeout_s = 20", "timeout_s = 0.5"))

    with pytest.raises(LedgerError, match=r"not done after 0\.5 s"):
        predict(folder, "short", "quick")


def test_settings_are_read_by_the_type_of_the_default(snippet: Snippet) -> None:
    """As a command line gives them."""
    given = ["width=16", "rate = 1", "bias=false", "name=7"]

    assert settings(snippet, given) == {"width": 16, "rate": 1.0, "bias": False, "name": "7"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("width", "'width' sets nothing; for example: micro_batch=2"),
        ("width=8.5", "width is a whole number, not '8.5'; for example: width=8"),
        ("bias=yes", "bias is true or false, not 'yes'; for example: bias=true"),
        ("wide=8", r"there is no parameter 'wide' in nap; did you mean width\?"),
    ],
)
def test_settings_that_misfit_are_told(text: str, said: str, snippet: Snippet) -> None:
    """With what would be right."""
    with pytest.raises(LedgerError, match=said):
        settings(snippet, [text])


def test_memory_is_given_in_powers_of_1024() -> None:
    """GB would be ambiguous."""
    assert memory_gib("24GiB") == 24
    assert memory_gib("1.5 GiB") == 1.5
    assert memory_gib("512MiB") == 0.5
    for text in ("24GB", "24", "GiB", "0GiB", "-1GiB", "1e3GiB"):
        with pytest.raises(LedgerError, match="no memory in GiB or MiB"):
            memory_gib(text)


def filed(snippet: Snippet, **changes: Any) -> Record:
    prediction = predict(snippet, "wide", "full", **changes)
    return prediction_record(prediction, snippet, PROVENANCE, ENVIRONMENT, STARTED)


def test_a_prediction_is_filed_as_a_record(snippet: Snippet, tmp_path: Path) -> None:
    """Sealed, with its parts, under a machine of its own and a key with the predictor's version."""
    record = filed(snippet)

    assert not record.damaged
    assert (record.machine.slug, record.machine.device) == ("model-cuda", "cuda")
    assert record.key == prediction_key(snippet, "wide", "full")
    assert record.key.meters["peak_mib"] == PREDICTOR_VERSION
    parts = [values[0] for name, values in record.samples.items() if name != "peak_mib"]
    assert sum(parts) == pytest.approx(record.samples["peak_mib"][0])
    assert len(parts) == 5
    assert read_record(write_record(tmp_path, record)) == record


def test_a_prediction_for_a_cpu_is_filed_apart(snippet: Snippet) -> None:
    """Under a machine of its own, as the meter that a CPU has."""
    record = filed(snippet, flavour="cpu")

    assert (record.machine.slug, record.machine.device) == ("model-cpu", "cpu")
    assert record.key == prediction_key(snippet, "wide", "full", device="cpu")
    assert "tensor_mib" in record.samples
    assert "peak_mib" not in record.samples


def test_only_the_case_itself_is_filed(snippet: Snippet) -> None:
    """A question about something else stays a question."""
    with pytest.raises(LedgerError, match="not that of the case as it stands"):
        filed(snippet, overrides={"micro_batch": 9})
