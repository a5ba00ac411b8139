"""The snippet `convergence`: cases differ in K, BatchNorm and learning rate only, and are judged in the right mode."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from projects import REPOSITORY

from build_tools.measuring.child import CaseParameters, load_program
from build_tools.store import load_snippet

SNIPPET = load_snippet(REPOSITORY / "snippets" / "convergence")
SMALL = {"samples": 1024, "validation_samples": 64, "evaluations": 2}


class Collected(dict[str, Any]):
    """A meter that keeps what is reported."""

    def __init__(self) -> None:
        import torch

        self.device = torch.device("cpu")

    def report(self, **metrics: Any) -> None:
        self.update({name: value if isinstance(value, float | int) else list(value) for name, value in metrics.items()})


@pytest.fixture(scope="module")
def program() -> ModuleType:
    return load_program(SNIPPET.folder)


def parameters(case: str, **changes: Any) -> CaseParameters:
    return CaseParameters(SNIPPET.parameters_of(case, "quick") | changes)


@pytest.mark.parametrize("case", SNIPPET.cases)
def test_the_check_passes(program: ModuleType, case: str) -> None:
    """With every K, with and without BatchNorm."""
    program.check(parameters(case))


@pytest.mark.parametrize("norm", ["", "bn_"])
def test_few_updates_are_as_many_as_those_of_the_largest_k(norm: str) -> None:
    """Otherwise the control controls nothing."""
    steps = [
        p["samples"] // (p["micro_batch"] * p["accumulation_steps"])
        for p in (SNIPPET.parameters_of(norm + case, "quick") for case in ("k64", "k64_retuned", "k1_few_updates"))
    ]
    assert len(set(steps)) == 1


def test_a_seed_starts_every_case_from_the_same_weights(program: ModuleType) -> None:
    """BatchNorm draws no random numbers, K changes no samples."""
    plain, normalised = (list(program.model(parameters(case)).parameters()) for case in ("k1", "bn_k64"))
    assert all(any(weight.equal(other) for other in normalised) for weight in plain)
    starts = {program.curve(parameters(case, **SMALL), 0, "cpu")[0] for case in ("k1", "k8", "k64_retuned")}
    assert len(starts) == 1


def test_more_seeds_report_their_mean_and_extremes(program: ModuleType) -> None:
    """The curve is that of the mean, and its last value the final one."""
    program.run(parameters("bn_k8", **SMALL), found := Collected())

    assert found["optimizer_steps"] == 16
    assert [seen for seen, _ in found["loss"]] == [0, 512, 1024]
    assert found["loss"][-1][1] == found["loss_mean"]
    assert found["loss_low"] < found["loss_mean"] < found["loss_high"] < found["loss"][0][1]


def test_the_learning_rate_of_a_case_counts(program: ModuleType) -> None:
    """Tuned again, the same few updates go farther."""
    same, retuned = (program.curve(parameters(case, **SMALL), 0, "cpu")[-1] for case in ("k64", "k64_retuned"))
    assert retuned < same


def test_validation_leaves_the_running_statistics_alone(program: ModuleType) -> None:
    """They follow every micro-batch of the training and nothing else, also after a validation."""
    import torch

    p = parameters("bn_k8")
    net = program.model(p)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.0)
    for _ in range(2):
        program.train(net, optimizer, program.micro_batches(p, 64, "cpu"), 8)
        program.validate(net, *program.data(p, 16, "cpu"))

    assert int(net[1].num_batches_tracked) == 16


def test_the_step_can_be_built_without_a_device(program: ModuleType) -> None:
    """On `meta`, as a predictor does."""
    import torch

    with torch.device("meta"):
        program.build(parameters("bn_k8"))()


@pytest.mark.parametrize("case", ["k8", "bn_k8"])
def test_the_check_notices_a_loss_that_is_not_divided(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    """A gradient K times as large is neither that of one batch nor the mean of the micro-batches'."""

    def undivided(net: Any, optimizer: Any, batches: Any, accumulation_steps: int) -> None:
        for number, (waves, labels) in enumerate(batches, start=1):
            program.cross_entropy(net(waves), labels).backward()
            if number % accumulation_steps == 0:
                optimizer.step()
                optimizer.zero_grad()

    monkeypatch.setattr(program, "train", undivided)
    with pytest.raises(AssertionError, match="relative error of the gradient"):
        program.check(parameters(case))


def test_the_check_notices_an_evaluation_within_a_window(program: ModuleType) -> None:
    """It would start the next window with left-over gradients."""
    with pytest.raises(AssertionError, match="fall into a window"):
        program.check(parameters("k64", evaluations=32))
