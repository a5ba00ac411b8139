"""Numbers within a sentence."""

from __future__ import annotations

from datetime import timedelta

from figures.bench import GPU, NOON, Bench

from build_tools.memory_model import MODEL, prediction_key
from build_tools.model import Language
from build_tools.render.nodes import Renderer
from build_tools.render.page import Page
from build_tools.store import load_snippet
from build_tools.syntax import parse


def rendered(bench: Bench, reference: str, language: Language = "zh") -> str:
    (node,) = parse(f"{{value}}`{reference}`")
    return Renderer(bench.ledger(), Page(language, "../../")).render(node)


def test_full_number(bench: Bench) -> None:
    """Number, unit, a mark with its word that leads to the record's place, and the card behind it."""
    bench.record(profile="full", machine=GPU, samples={"peak_mib": (13166.4, 13165.0, 13170.0)})

    assert rendered(bench, "toy/plain/peak_mib").partition('<ledger-card class="ledger-card"')[0] == (
        '<span class="ledger-value" data-kind="measured" data-freshness="fresh"><span class="number">13,166 MiB</span>'
        '<a class="ledger-mark" data-kind="measured" data-freshness="fresh" href="../../measurements/#toy-full-h200"'
        ' aria-label="实测：来源与说明">实测</a>'
    )


def test_quick_number_says_so(bench: Bench) -> None:
    """A small model's number cannot be taken for the experiment's."""
    bench.record()

    assert ">measured · quick</a>" in rendered(bench, "toy/plain/seconds@quick", "en")


def test_failed_attempt(bench: Bench) -> None:
    """The last good number stands; the mark says that the newest attempt failed, and why."""
    bench.record()
    bench.record(status="failed", samples={}, started=NOON + timedelta(days=1))
    html = rendered(bench, "toy/plain/seconds@quick", "en")

    assert '<span class="number">1.75 s</span>' in html
    assert ">measured · quick · re-run failed</a>" in html
    assert "the latest run failed: the program raised an exception (time pass): boom" in html


def test_nothing_measured(bench: Bench) -> None:
    """A dash, and what is needed; never a number from elsewhere."""
    bench.record()
    html = rendered(bench, "toy/plain/seconds", "en")

    assert '<span class="number">—</span>' in html
    assert "<span>not measured yet: needs a CUDA device with 16 GiB</span>" in html
    assert "<code>toy/plain/seconds@full:h200</code>" in html
    assert 'href="../../measurements/#toy"' in html
    assert ">not measured yet</a>" in html


def test_prediction(bench: Bench) -> None:
    """It says that no device gave it, and names no machine; its mark leads to what a prediction is."""
    key = prediction_key(load_snippet(bench.root / "snippets/toy"), "plain", "full")
    bench.record("plain", "full", MODEL, samples={"peak_mib": (1000.0,)}, key=key)
    html = rendered(bench, "toy/plain/peak_mib@full:model-cuda", "en")

    assert 'data-kind="predicted" data-freshness="fresh" href="../../legend/#predicted"' in html
    assert "computed by the memory model, never read on a device" in html
    assert "memory model for CUDA devices" not in html
    assert 'href="../../../records/toy/full/model-cuda/plain.json">record</a>' in html
    assert "single run" not in html
