"""The snippet `learning_rate`: its rules, the runs that follow them, and what the check notices."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from projects import REPOSITORY

from build_tools.measuring.child import CaseParameters, load_program
from build_tools.store import load_snippet

SNIPPET = load_snippet(REPOSITORY / "snippets" / "learning_rate")
SHORT = {"samples": 1024, "validation_samples": 256, "seeds": 2}


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


def reported(program: ModuleType, case: str, **changes: Any) -> Collected:
    program.run(parameters(case, **SHORT, **changes), found := Collected())
    return found


@pytest.mark.parametrize(
    ("case", "batch", "times"),
    [
        ("sgd_small", 1, 1),
        ("sgd_unchanged", 16, 1),
        ("sgd_sqrt", 16, 4),
        ("sgd_linear", 16, 16),
        ("sgd_linear_64", 64, 64),
        ("adamw_small", 1, 1),
        ("adamw_unchanged", 16, 1),
        ("adamw_sqrt", 16, 4),
        ("adamw_linear", 16, 16),
        ("adamw_sqrt_64", 64, 8),
    ],
)
def test_cases_differ_in_batch_and_rate(program: ModuleType, case: str, batch: int, times: float) -> None:
    """The rate of the optimiser is the small batch's, multiplied as the case's name says."""
    p = parameters(case)
    small = SNIPPET.parameters_of(case.split("_")[0] + "_small", "quick")

    assert (p.accumulation_steps, p.micro_batch) == (batch, small["micro_batch"])
    optimizer = program.scaled_optimizer(p, program.model(p, seed=1))
    assert type(optimizer).__name__.lower() == case.split("_")[0]
    assert optimizer.defaults["lr"] == pytest.approx(times * small["learning_rate"])


def test_a_run_reports_all_seeds(program: ModuleType) -> None:
    """The last point of the curve is the mean of what the seeds ended with."""
    found = reported(program, "sgd_linear")

    last = [program.learn(parameters("sgd_linear", **SHORT), seed)[1][-1][1] for seed in (1, 2)]
    assert (found["loss_low"], found["loss_high"]) == (min(last), max(last))
    assert found["loss_mean"] == pytest.approx(sum(last) / 2)
    assert found["loss"] == [(512, pytest.approx(found["loss"][0][1])), (1024, found["loss_mean"])]
    assert found["optimizer_steps"] == 1024 // (8 * 16)
    assert found["rate"] == pytest.approx(16 * SNIPPET.parameters["learning_rate"])


def test_seeds_differ_in_weights_and_samples(program: ModuleType) -> None:
    """And one seed gives the same run again."""
    p = parameters("sgd_linear", **SHORT)
    first, again, other = (program.learn(p, seed) for seed in (1, 1, 2))

    assert first == again != other


def test_cases_learn_from_the_same_samples(program: ModuleType) -> None:
    """However many make a step."""
    import torch

    small, big = (program.micro_batches(parameters(case, **SHORT), seed=1) for case in ("sgd_small", "adamw_sqrt_64"))
    for one, other in zip(small, big, strict=True):
        assert all(map(torch.equal, one, other))


def test_learning_lowers_the_loss(program: ModuleType) -> None:
    """From one end of a short run to the other."""
    (_, early), *_, (_, late) = reported(program, "sgd_small")["loss"]

    assert late < early


@pytest.mark.parametrize("case", SNIPPET.cases)
def test_the_check_passes(program: ModuleType, case: str) -> None:
    """For each case as it is measured."""
    program.check(parameters(case))


@pytest.mark.parametrize("case", ["sgd_linear", "adamw_sqrt"])
def test_the_check_notices_a_wrong_rule(program: ModuleType, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    """A rate that does not follow the accumulation steps as it should."""
    wrong = {name: lambda rate, k: rate * k**0.75 for name in program.RULES}
    monkeypatch.setattr(program, "RULES", wrong)

    with pytest.raises(AssertionError, match="relative error of the step"):
        program.check(parameters(case))


def test_the_check_notices_a_loss_that_is_not_divided(program: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which would multiply SGD's rate once more."""

    def undivided(net: Any, optimizer: Any, window: Any, size: int) -> Iterator[None]:
        for features, labels in window:
            program.cross_entropy(net(features), labels).backward()
        optimizer.step()
        yield

    monkeypatch.setattr(program, "accumulate", undivided)
    with pytest.raises(AssertionError, match="relative error of the step"):
        program.check(parameters("sgd_linear"))


def test_a_predictor_needs_no_device(program: ModuleType) -> None:
    """The step can be built and called on `meta`."""
    import torch

    with torch.device("meta"):
        program.build(parameters("adamw_sqrt"))()
