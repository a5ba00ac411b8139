"""The snippet `batchnorm`: what accumulation does to running statistics and gradients, and what the check notices."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from projects import REPOSITORY

from build_tools.measuring.child import CaseParameters, load_program
from build_tools.store import load_snippet

SNIPPET = load_snippet(REPOSITORY / "snippets" / "batchnorm")
SAMPLES = 1280  # 20 windows of 64, after which the first values of the statistics weigh an eighth
ROUNDING = 1e-3  # in %


class Collected(dict[str, Any]):
    """A meter that keeps what is reported."""

    def __init__(self) -> None:
        import torch

        self.device = torch.device("cpu")

    def report(self, **metrics: Any) -> None:
        self.update(metrics)


@pytest.fixture(scope="module")
def program() -> Iterator[ModuleType]:
    """The program; it pins torch to one thread, which is undone for the tests of others."""
    import torch

    threads = torch.get_num_threads()
    yield load_program(SNIPPET.folder)
    torch.set_num_threads(threads)


def parameters(case: str, **changes: Any) -> CaseParameters:
    return CaseParameters(SNIPPET.parameters_of(case, "quick") | changes)


@pytest.fixture(scope="module")
def found(program: ModuleType) -> dict[str, Collected]:
    """A short run of each case over the same samples."""
    meters = {case: Collected() for case in SNIPPET.cases if not case.endswith("_start")}
    for case, meter in meters.items():
        program.run(parameters(case, samples=SAMPLES), meter)
    return meters


def test_every_micro_batch_updates_the_statistics(found: dict[str, Collected]) -> None:
    """Not every optimiser step; LayerNorm has none to update."""
    updates = {case: int(meter["stat_updates"]) for case, meter in found.items()}

    assert updates == {"64x1": 20, "8x8": 160, "4x16": 320, "8x8_momentum": 160, "8x8_layernorm": 0}


@pytest.mark.parametrize("metric", ["mean_error", "variance_error"])
def test_corrected_momentum_gives_the_statistics_of_the_big_batch(found: dict[str, Collected], metric: str) -> None:
    """At every point of the run, and not without the correction."""
    curves = {case: [error for _, error in meter[metric]] for case, meter in found.items()}

    assert curves["8x8_momentum"] == pytest.approx(curves["64x1"], abs=1)
    assert abs(curves["8x8"][0] - curves["64x1"][0]) > 10


def test_after_one_window_the_mean_is_as_far_as_momentum_lets_it(found: dict[str, Collected]) -> None:
    """From zero, K updates leave a share of (1 - momentum)^K of the true mean to go."""
    p = parameters("64x1")

    first = found["64x1"]["mean_error"][0]
    assert first == (64, pytest.approx(100 * 0.9 * p.mean / p.deviation, rel=0.02))


def test_errors_are_those_of_statistics_against_the_data(program: ModuleType) -> None:
    """A mean off by one deviation and a variance twice too large are each 100 % off."""
    p = parameters("64x1")
    norm = program.norm_layer(p)
    norm.running_mean.fill_(p.mean + p.deviation)
    norm.running_var.fill_(2 * p.deviation**2)

    assert program.errors(norm, p) == pytest.approx([100, 100])


def test_the_gradient_differs_only_where_samples_see_each_other(found: dict[str, Collected]) -> None:
    """More so in smaller micro-batches, and with any momentum."""
    errors = {case: meter["gradient_error"] for case, meter in found.items()}

    assert errors["64x1"] == 0
    assert errors["8x8_layernorm"] < ROUNDING
    assert 10 < errors["8x8"] < errors["4x16"]
    assert errors["8x8_momentum"] == errors["8x8"]


def test_layernorm_reports_no_statistics(found: dict[str, Collected]) -> None:
    """An empty series is shown as no number."""
    assert found["8x8_layernorm"]["mean_error"] == found["8x8_layernorm"]["variance_error"] == []


@pytest.mark.parametrize("case", SNIPPET.cases)
def test_the_check_passes(program: ModuleType, case: str) -> None:
    """For each case as it is measured."""
    program.check(parameters(case))


def test_the_check_notices_a_loss_that_is_not_divided(program: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """A window whose gradient is K times too large."""

    def undivided(net: Any, optimizer: Any, micro_batches: Any, size: int) -> Iterator[None]:
        for features, labels in micro_batches[:size]:
            program.cross_entropy(net(features), labels).backward()
        optimizer.step()
        optimizer.zero_grad()
        yield

    monkeypatch.setattr(program, "accumulate", undivided)
    with pytest.raises(AssertionError, match="relative error of the gradient"):
        program.check(parameters("8x8"))


def test_the_check_notices_a_momentum_that_is_not_corrected(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is only divided by K is close, and still wrong."""
    monkeypatch.setattr(program, "momentum", lambda p: p.momentum / p.accumulation_steps)

    with pytest.raises(AssertionError, match="times as far as one"):
        program.check(parameters("8x8_momentum"))


def test_a_predictor_needs_no_device(program: ModuleType) -> None:
    """The step can be built and called on `meta`."""
    import torch

    with torch.device("meta"):
        program.build(parameters("8x8"))()
