"""What the figures of one run say of each other."""

from __future__ import annotations

import pytest
from figures.bench import Bench, claim, run

from build_tools.figures.identities import Finding, consistency, quantities
from build_tools.ledger.claims import Claims, load_claims

# As the course's notebook prints them (its saved and its pasted log): seconds, samples/s, steps/s.
ACCUMULATE = {"seconds": 102.8176, "samples_per_second": 9.959, "steps_per_second": 1.245}
PLAIN = {"seconds": 38.0194, "samples_per_second": 26.934, "steps_per_second": 3.367}


def claims_of(bench: Bench, **figures: float) -> Claims:
    """A ledger with one run."""
    text = "".join(
        claim(f"c-{name}", f'value = {value}\nmetric = "{name}"\nrun = "acc"') for name, value in figures.items()
    )
    bench.evidence(run("acc") + text)
    found = load_claims(bench.root)
    assert found.problems == []
    return found


def agreement(findings: tuple[Finding, ...]) -> dict[str, bool | None]:
    return {finding.identity.name: finding.agrees for finding in findings}


@pytest.mark.parametrize(
    "log",
    [{**ACCUMULATE, "micro_batch": 1, "accumulation_steps": 4}, {**PLAIN, "micro_batch": 4, "accumulation_steps": 1}],
)
def test_the_notebooks_logs_imply_eight_samples_a_step_on_two_devices(log: dict[str, float], bench: Bench) -> None:
    """128 steps for 1,024 samples, whichever of the two runs is asked."""
    claims = claims_of(bench, samples=1024, **log)
    implied = {name: quantities(claims, "acc")[name] for name in ("optimizer_steps", "effective_batch", "devices")}

    assert {name: round(figure.value or 0) for name, figure in implied.items() if figure} == {
        "optimizer_steps": 128,
        "effective_batch": 8,
        "devices": 2,
    }
    assert all(figure and figure.weakest == "saved-output" for figure in implied.values())
    assert agreement(consistency(claims, "acc")) == {
        "throughput": True,
        "steps": None,
        "batch": None,
        "devices": None,
        "step-count": True,
    }


def test_a_log_that_contradicts_itself_is_found(bench: Bench) -> None:
    """Half the samples cannot come out at the same throughput and time."""
    assert agreement(consistency(claims_of(bench, samples=512, **ACCUMULATE), "acc"))["throughput"] is False


@pytest.mark.parametrize(("samples", "agrees"), [(1024, True), (1023.9, True), (1024.2, False), (1023.7, False)])
def test_rounding_is_allowed_for_and_no_more(samples: float, agrees: bool, bench: Bench) -> None:
    """Half a unit in the last digit printed, of each factor."""
    assert agreement(consistency(claims_of(bench, samples=samples, **ACCUMULATE), "acc"))["throughput"] is agrees


@pytest.mark.parametrize(("steps", "agrees"), [(334, False), (42, True), (41, False)])
def test_steps_are_rounded_up_twice(steps: int, agrees: bool, bench: Bench) -> None:
    """1,000 samples, micro-batch 3, windows of 8: 334 batches, 42 steps."""
    claims = claims_of(bench, samples=1000, micro_batch=3, accumulation_steps=8, devices=1, optimizer_steps=steps)

    assert agreement(consistency(claims, "acc"))["step-count"] is agrees


def test_nothing_follows_from_too_little(bench: Bench) -> None:
    """Two quantities missing: no finding, and no number out of nowhere."""
    claims = claims_of(bench, seconds=10)

    assert consistency(claims, "acc") == ()
    assert list(quantities(claims, "acc")) == ["seconds"]


def test_the_arithmetic_is_shown(bench: Bench) -> None:
    """What followed can be recomputed from what was printed."""
    figure = quantities(claims_of(bench, samples=1024, **ACCUMULATE), "acc")["optimizer_steps"]

    assert figure
    assert figure.arithmetic == "1.245 steps/s × 102.8176 s"
