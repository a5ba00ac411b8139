"""The snippet `loss_scaling`: what an undivided loss does to the update of each optimiser."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from projects import REPOSITORY

from build_tools.measuring.child import CaseParameters, load_program
from build_tools.store import load_snippet

SNIPPET = load_snippet(REPOSITORY / "snippets" / "loss_scaling")
K = 8


class Collected(dict[str, Any]):
    """A meter that keeps what is reported; of a series, its values."""

    def __init__(self) -> None:
        import torch

        self.device = torch.device("cpu")

    def report(self, **metrics: Any) -> None:
        for name, value in metrics.items():
            self[name] = [y for _, y in value] if name.startswith("loss") else float(value)


@pytest.fixture(scope="module")
def program() -> ModuleType:
    return load_program(SNIPPET.folder)


def parameters(case: str, **changes: Any) -> CaseParameters:
    return CaseParameters(SNIPPET.parameters_of(case, "quick") | changes)


def found(program: ModuleType, case: str, **changes: Any) -> Collected:
    """What a case reports after three updates."""
    program.run(parameters(case, **{"updates": 3, "validation_samples": 64} | changes), meter := Collected())
    return meter


@pytest.mark.parametrize(
    ("case", "ratio", "cosine"),
    [("sgd", K, 1), ("sgd_rate8", K, 1), ("sgd_momentum", K, 1), ("adamw", 1, 1), ("adamw_clipped", 1, 1)],
)
def test_first_updates(program: ModuleType, case: str, ratio: float, cosine: float) -> None:
    """SGD follows the size of the gradient, Adam does not."""
    first = found(program, case)
    assert first["first_update_ratio"] == pytest.approx(ratio, abs=1e-3)
    assert first["first_update_cosine"] == pytest.approx(cosine, abs=1e-3)


def test_momentum_is_momentum(program: ModuleType) -> None:
    """Its first update is that of plain SGD, the third is not."""
    with_it, without = (found(program, "sgd_momentum", momentum=momentum)["loss_divided"] for momentum in (0.9, 0.0))
    assert with_it[1] == without[1]
    assert with_it[3] < without[3] - 0.01


def test_what_makes_adam_depend_on_the_size_of_the_gradient(program: ModuleType) -> None:
    """An eps that is not small, and a decay that is added to the gradient: one shows in size, one in direction."""
    assert found(program, "adamw")["difference"] < 0.1
    assert found(program, "adamw_large_eps")["first_update_ratio"] > 1.05
    assert found(program, "adam_l2")["first_update_ratio"] == pytest.approx(1, abs=1e-3)
    assert found(program, "adam_l2")["first_update_cosine"] < 0.9


def test_a_tight_limit_hides_the_missing_division(program: ModuleType) -> None:
    """Where both gradients are clipped, the updates are equal; where only one is, they differ by less than K."""
    assert found(program, "sgd_clipped", max_norm=1e-3)["difference"] < 0.1
    assert 1 < found(program, "sgd_clipped", max_norm=2.0)["first_update_ratio"] < K


def test_undivided_sgd_is_sgd_at_k_times_the_rate(program: ModuleType) -> None:
    """Update for update, which is what the comment in snippet.toml says of these cases."""
    sgd, faster = found(program, "sgd"), found(program, "sgd_rate8")
    assert sgd["loss_undivided"] == pytest.approx(faster["loss_divided"], abs=1e-4)
    assert sgd["loss_divided"][0] == sgd["loss_undivided"][0]
    assert sgd["loss_divided"][-1] != pytest.approx(sgd["loss_undivided"][-1], abs=1e-2)


def test_windows_hold_every_sample_once_and_in_order(program: ModuleType) -> None:
    """Three windows of K micro-batches."""
    import torch

    p = parameters("sgd")
    windows = program.windows(p, 3, "cpu")
    assert [len(window) for window in windows] == [K, K, K]
    _, labels = program.data(p, 3 * K * p.micro_batch, "cpu")
    assert torch.cat([labels for window in windows for _, labels in window]).equal(labels)


@pytest.mark.parametrize("case", SNIPPET.cases)
def test_the_check_passes_and_the_step_needs_no_device(program: ModuleType, case: str) -> None:
    """With every optimiser; the step also on `meta`, as a predictor builds it."""
    import torch

    program.check(parameters(case))
    with torch.device("meta"):
        program.build(parameters(case))()


@pytest.mark.parametrize("always", [True, False])
def test_the_check_notices_a_division_that_is_not_what_was_asked(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch, always: bool
) -> None:
    """Always dividing, or never: both are found."""
    update = program.update

    def stubborn(net: Any, optimizer: Any, window: Any, divide: bool, max_norm: float) -> None:
        update(net, optimizer, window, always, max_norm)

    monkeypatch.setattr(program, "update", stubborn)
    with pytest.raises(AssertionError, match=f"divide = {not always}"):
        program.check(parameters("sgd"))
