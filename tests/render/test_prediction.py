"""What the memory model says: in tables beside measurements and in their place, and how far it has been checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from figures.bench import GPU, Bench
from projects import REPOSITORY
from render.test_table import rendered

from build_tools.errors import LedgerError
from build_tools.figures.number import number
from build_tools.figures.predicted import checks
from build_tools.figures.resolve import Ledger
from build_tools.memory_model import CPU_MODEL, MODEL, NOT_MODELLED, PARTS
from build_tools.render import prediction_words
from build_tools.render.nodes import FIGURES, node_problem
from build_tools.render.prediction import CLOSE
from build_tools.syntax import parse

PEAK = "results toy@full\ncases: [plain, accumulate]\ncolumns: [seconds, peak_mib]\nbaseline: plain"


def predict(bench: Bench, mib: float, case: str = "plain", **changes: Any) -> None:
    parts = dict.fromkeys(list(PARTS)[:4], (mib / 4,))
    bench.record(case, "full", MODEL, samples={"peak_mib": (mib,), **parts}, **changes)


def measure(bench: Bench, mib: float, case: str = "plain", **changes: Any) -> None:
    bench.record(case, "full", GPU, samples={"seconds": (2.0,), "peak_mib": (mib,)}, **changes)


# ------------------------------------------------------------------------------------------------------------- tables


def test_prediction_stands_where_nobody_has_measured(bench: Bench) -> None:
    """In the cell, named as what it is; the table still says what is needed, and where the prediction comes from."""
    predict(bench, 1000.0)
    html = rendered(bench, PEAK, "en")

    assert "not measured yet: needs a CUDA device with 16 GiB." in html
    assert (
        '<td class="num pending" data-label="peak allocated (MiB)" data-freshness="pending"><small class="ledger-predicted">'
        '<span class="kind">predicted</span> <span class="size">1,000</span></small></td>'
    ) in html
    assert html.count('<abbr title="not measured yet') == 3  # the two times, and the peak that nobody has predicted
    assert '<a href="../../memory/prediction/">Prediction, checked</a>' in html
    assert '<a class="ledger-mark" data-kind="predicted" data-freshness="fresh"' in html
    assert "memory model for CUDA devices · version 1" in html
    assert "÷ plain" not in html


def test_prediction_stands_beside_a_measurement(bench: Bench) -> None:
    """Each of the two has its line of provenance."""
    predict(bench, 1000.0)
    measure(bench, 1020.0)
    html = rendered(bench, PEAK, "zh")

    cell = html[html.index('class="median">1,020') :]
    assert cell.index('<span class="kind">预测</span> <span class="size">1,000</span>') < cell.index("</td>")
    assert "NVIDIA H200" in html
    assert "显存模型（CUDA 设备）" in html
    assert "版本 1" in html
    assert "相差较大" not in html


def test_peak_far_from_its_prediction_carries_a_warning(bench: Bench) -> None:
    """Typed, with both numbers' relation."""
    predict(bench, 1000.0)
    measure(bench, 1200.0)

    said = "<code>plain</code> (off by 20 %, predicted 1000 MiB): far from what the memory model predicts."
    assert said in rendered(bench, PEAK, "en")


def test_stale_prediction_says_so(bench: Bench) -> None:
    """Beside a measurement that is stale as well, or in its place."""
    predict(bench, 1000.0)
    bench.snippet("toy", program="x = 2\n")
    html = rendered(bench, PEAK, "en")

    assert '<span class="size">1,000</span><span class="ledger-freshness" data-freshness="stale"' in html
    assert "<code>plain</code>: stale — the program has changed since." in html


def test_no_prediction_on_a_cpu(bench: Bench) -> None:
    """What a CPU would hold is only there to check the model; the parts of a peak are left out with the peak."""
    predict(bench, 1000.0)
    bench.record("plain", "quick", CPU_MODEL, samples={"tensor_mib": (31.0,)})
    bench.record()
    html = rendered(bench, "results toy@quick\ncolumns: [tensor_mib, peak_mib, weights_mib]", "en")

    assert "ledger-predicted" not in html
    assert "Left out, since a CPU cannot measure them: peak allocated, weights." in html


def test_parts_may_be_columns(bench: Bench) -> None:
    """Predicted where the peak is measured, and nobody is told that a run did not report them."""
    predict(bench, 1000.0)
    measure(bench, 1020.0)
    html = rendered(bench, "results toy@full\ncases: [plain]\ncolumns: [peak_mib, weights_mib]", "en")

    assert '<span class="size">250</span>' in html
    assert "did not report" not in html


def test_table_of_the_model_itself(bench: Bench) -> None:
    """By default the peak and its parts; called predicted, without runs or ranges."""
    predict(bench, 1000.0)
    html = rendered(bench, "results toy@full:model-cuda\ncases: [plain]", "en")

    assert 'aria-label="Toy · full · predicted"' in html
    assert '<th scope="col" class="num">weights' in html
    assert 'data-kind="predicted"><span class="median">1,000</span></td>' in html
    assert "n = 1" not in html
    assert "runs per case" not in html


def test_twin_of_a_table_has_its_predictions(bench: Bench) -> None:
    """As figures of their own kind."""
    predict(bench, 1000.0)
    (node,) = parse("```results toy@full\ncolumns: [peak_mib]\ncases: [plain]\n```")

    assert [(figure.kind, figure.value) for figure in FIGURES["results"](bench.ledger(), node)] == [
        ("measured", None), ("predicted", 1000.0),
    ]  # fmt: skip


# -------------------------------------------------------------------------------------------------------------- checks


def test_nothing_to_check(bench: Bench) -> None:
    """Neither kind of device."""
    predict(bench, 1000.0)
    html = rendered(bench, "prediction checks", "en")

    assert "So far no record can be held against a prediction." in html
    assert "<table" not in html


def test_checked_on_a_cpu_only(bench: Bench) -> None:
    """Said as long as no record of a GPU stands beside a prediction, however many CPUs agree."""
    predict(bench, 1000.0)
    for case, mib in (("plain", 31.44), ("accumulate", 30.0)):
        bench.record(case, "quick", CPU_MODEL, samples={"tensor_mib": (mib,)})
        bench.record(case)
    html = rendered(bench, "prediction checks", "en")

    assert "Checked on the CPU only" in html
    assert "Cases held against their predictions on CPUs: 2, of these 1 within 1%; largest difference 4.80%." in html
    assert html.index("toy/accumulate") < html.index("toy/plain")
    assert '<td class="num" data-label="difference">4.80</td>' in html
    assert "peak of live tensors" in html


def test_checked_on_a_gpu(bench: Bench) -> None:
    """The sentence changes by itself, and a table of its own appears."""
    predict(bench, 1000.0)
    measure(bench, 980.0)
    html = rendered(bench, "prediction checks", "zh")

    assert "只在 CPU 上" not in html
    assert "在 CUDA 设备上对照了 1 个实验组，其中 1 个相差不超过 3%，最大相差 2.00%。" in html
    assert '<td class="num" data-label="相差">−2.00</td>' in html


def test_numbers_of_another_program_check_nothing(bench: Bench) -> None:
    """A stale measurement or prediction is no evidence for either."""
    predict(bench, 1000.0)
    measure(bench, 980.0)
    bench.snippet("toy", program="x = 2\n")

    assert checks(bench.ledger(), "cuda") == []


def test_limits_are_said_once_for_all(bench: Bench) -> None:
    """The list that the predictor itself keeps."""
    html = rendered(bench, "prediction limits", "zh")

    assert html.count("<li>") == len(NOT_MODELLED)
    assert "CUDA 上下文" in html


def test_view_that_does_not_exist(bench: Bench) -> None:
    """With those that there are."""
    (node,) = parse("```prediction cheks\n```")
    problem = node_problem(bench.ledger(), node)

    assert isinstance(problem, LedgerError)
    assert "there is no view of predictions 'cheks'; did you mean checks? there are: checks, limits" in str(problem)


def test_origins_have_words() -> None:
    """For whoever may make a prediction, and for each kind of device."""
    assert set(prediction_words.COMPUTED) == {"ci", "maintainer", "contributor", "rehearsal"}
    assert set(prediction_words.MODELS) == {"cpu", "cuda"}


# --------------------------------------------------------------------------------------------------- this repository's


@pytest.fixture(scope="module")
def committed() -> Ledger:
    return Ledger(REPOSITORY, committed_only=True)


def test_committed_measurements_were_predicted(committed: Ledger) -> None:
    """What the page promises: every case within the tolerance of its kind of device.

    But for `sweep`, which loads its micro-batches one by one while a predicted step holds them all: NOT_MODELLED.
    """
    found = {device: checks(committed, device) for device in CLOSE}
    off = {
        c.measured.reference: c.off
        for device, limit in CLOSE.items()
        for c in found[device]
        if abs(c.off) > limit and not c.measured.reference.startswith("sweep/")
    }

    assert off == {}
    assert found["cpu"], "no committed record can be held against a prediction"


PUBLISHED = {
    "huggingface-plain-memory": "trainer/plain",
    "huggingface-accumulate-memory": "trainer/accumulate",
    "lecture13-plain-memory": "trainer/plain",
    "lecture13-checkpointed-memory": "checkpointing/accumulate_checkpoint",
}


@pytest.mark.parametrize(("claim", "case"), PUBLISHED.items(), ids=PUBLISHED)
def test_published_readings_lie_above_their_predictions(committed: Ledger, claim: str, case: str) -> None:
    """As the page says, since NVML counts more than the allocator; an expression over both would be refused."""
    page = (REPOSITORY / "docs/zh/memory/prediction.md").read_text(encoding="utf-8")
    reading, predicted = number(committed, claim), number(committed, f"{case}/peak_mib@full:model-cuda")

    assert f"{{value}}`{claim}` | {{value}}`{predicted.reference}`" in page
    assert reading.unit == "MB"  # which at these sources means MiB
    assert reading.value is not None
    assert predicted.value is not None
    assert reading.value > predicted.value


def test_pages_show_the_same_charts() -> None:
    """Both languages draw what the other draws: one source for the numbers, words of their own."""

    def fences(language: str) -> list[tuple[str, str]]:
        folder: Path = REPOSITORY / "docs" / language / "memory"
        nodes = [node for page in sorted(folder.glob("*.md")) for node in parse(page.read_text(encoding="utf-8"))]
        return [(node.text, node.body) for node in nodes if node.kind in {"chart", "prediction"}]

    assert fences("zh") == fences("en")
    assert fences("zh")
