"""What a source says and what is derived are explained like what was measured."""

from __future__ import annotations

from datetime import timedelta

from figures.bench import DOCUMENT, NOON, NOTE, Bench, claim, run

from build_tools.inquiry.explain import explain

NOW = NOON + timedelta(days=1)
LEDGER = (
    NOTE + run("acc", "devices = 2")
    + claim("seconds", 'value = 102.8176\nmetric = "seconds"\nrun = "acc"')
    + claim("rate", 'value = 1.245\nmetric = "steps_per_second"\nrun = "acc"')
    + claim("steps", 'value = 256\nmetric = "optimizer_steps"\nexpect = "steps == acc/optimizer_steps ± 1 %"', "stated", DOCUMENT)
)  # fmt: skip


def told(bench: Bench, text: str) -> list[str]:
    return explain(bench.ledger(), text).lines(NOW, 100)


def test_a_claim_with_its_verdict(bench: Bench) -> None:
    """Statement, kind, source, verdict and what it was held against."""
    path = bench.evidence(LEDGER)

    assert told(bench, "steps") == [
        "steps",
        "  says        it is 256 steps",
        "  known as    stated",
        "  source      note, item 1",
        "  verdict     contradicted",
        "  because     the expectation fails: steps == acc/optimizer_steps",
        "  held against steps: 256 steps (stated)",
        "              rate: 1.245 steps/s (saved output)",
        "              seconds: 102.8176 s (saved output)",
        f"  entry       {path}:23",
    ]


def test_a_derived_number_down_to_its_inputs(bench: Bench) -> None:
    """Arithmetic that a reader can repeat; as weak as the weakest."""
    bench.evidence(LEDGER)
    found = explain(bench.ledger(), "acc/optimizer_steps / steps")

    assert found.lines(NOW, 100)[1:4] == [
        "  value       0.50",
        "  arithmetic  128 steps / 256 steps",
        "  known as    derived, from inputs as weak as stated, fresh",
    ]
    assert [one["reference"] for one in found.as_data()["inputs"]] == ["rate", "seconds", "steps"]


def test_an_expectation_with_both_sides(bench: Bench) -> None:
    """Whether it holds, and on what that rests."""
    bench.evidence(LEDGER)

    assert told(bench, "steps > 2 * acc/optimizer_steps ± 1 %") == [
        "steps > 2 * acc/optimizer_steps ± 1 %",
        "  outcome     holds",
        "  left        256 steps",
        "  right       256.02 = 2 * 128 steps",
        "  inputs      steps: 256 steps (stated)",
        "              rate: 1.245 steps/s (saved output)",
        "              seconds: 102.8176 s (saved output)",
    ]
