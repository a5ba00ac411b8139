"""The snippet `sweep`: cutting a batch changes its memory and not its gradient; longer windows cost no more memory."""

from __future__ import annotations

from contextlib import nullcontext
from types import ModuleType
from typing import Any

import pytest
from projects import REPOSITORY

from build_tools.measuring.child import CaseParameters, load_program
from build_tools.store import load_snippet

SNIPPET = load_snippet(REPOSITORY / "snippets" / "sweep")
GRID = ("64x1", "32x2", "16x4", "8x8", "4x16", "2x32", "1x64")
MIB = 1024**2


class Collected(dict[str, float]):
    """A meter that keeps what is declared and reported."""

    def __init__(self) -> None:
        import torch

        self.device = torch.device("cpu")

    def window(self, model: Any, **declared: int) -> nullcontext[None]:
        self.update(declared)
        return nullcontext()

    def report(self, **metrics: Any) -> None:
        self.update(metrics)


@pytest.fixture(scope="module")
def program() -> ModuleType:
    return load_program(SNIPPET.folder)


def parameters(case: str, **changes: Any) -> CaseParameters:
    return CaseParameters(SNIPPET.parameters_of(case, "quick") | changes)


def peak_mib(program: ModuleType, case: str, device: str = "cpu") -> float:
    """Of live tensors, over two optimiser steps."""
    import torch

    from build_tools.measuring.live_tensors import LiveTensors

    with torch.device(device):
        step = program.build(parameters(case, sequence_length=32))
        tensors = LiveTensors(device)
        tensors.watch(step.model.parameters())
        with tensors:
            step()
            step()
    return tensors.peak / MIB


@pytest.mark.parametrize("profile", SNIPPET.profiles)
def test_every_case_trains_on_the_same_samples(profile: str) -> None:
    """The grid keeps the effective batch, K's row the micro-batch, and every window is a full one."""
    sizes = {case: SNIPPET.parameters_of(case, profile) for case in SNIPPET.cases}
    windows = {case: (size["micro_batch"], size["accumulation_steps"]) for case, size in sizes.items()}

    assert {case: windows[case] for case in GRID} == {case: tuple(map(int, case.split("x"))) for case in GRID}
    assert {windows[f"k{k}"] for k in (1, 2, 4, 8, 16, 32, 64)} == {(4, k) for k in (1, 2, 4, 8, 16, 32, 64)}
    assert len({size["samples"] for size in sizes.values()}) == 1
    assert not any(sizes[case]["samples"] % (micro * k) for case, (micro, k) in windows.items())


@pytest.mark.parametrize("case", SNIPPET.cases)
def test_memory_is_read_over_at_least_two_updates(case: str) -> None:
    """AdamW makes its states in the first; only the second backward pass sees them."""
    short = SNIPPET.parameters_of(case, "quick", short=True)
    assert short["samples"] >= 2 * short["micro_batch"] * short["accumulation_steps"]


def test_a_batch_cut_finer_takes_less_memory(program: ModuleType) -> None:
    """At the same effective batch."""
    peaks = [peak_mib(program, case) for case in ("64x1", "16x4", "4x16")]
    assert peaks[0] > 2 * peaks[1] > 4 * peaks[2] / 1.5


def test_longer_windows_take_no_more_memory(program: ModuleType) -> None:
    """Apart from the micro-batches of `build`, which all exist at once; from K = 1 to 2 a copy of the gradients."""
    k1, k2, k8 = (peak_mib(program, case) for case in ("k1", "k2", "k8"))
    gradients = sum(weight.nbytes for weight in program.model(parameters("k1", sequence_length=32)).parameters()) / MIB

    assert 0 < k2 - k1 < 1.2 * gradients
    assert k8 == pytest.approx(k2, rel=0.02)


def test_a_predictor_sees_the_same_peak_without_a_device(program: ModuleType) -> None:
    """`build` runs on `meta`; attention there keeps its matrices, which are small at this length."""
    assert peak_mib(program, "8x8", device="meta") == pytest.approx(peak_mib(program, "8x8"), rel=0.15)


def test_the_grid_ends_at_the_same_loss(program: ModuleType) -> None:
    """Cut or not, the same updates follow from the same samples; a window four times as long makes fewer."""
    found = {}
    for case in ("64x1", "16x4", "k64"):
        program.run(parameters(case, sequence_length=32, samples=256), meter := Collected())
        found[case] = meter

    assert found["16x4"]["loss"] == pytest.approx(found["64x1"]["loss"], abs=1e-4)
    assert [found[case]["optimizer_steps"] for case in found] == [4, 4, 1]
    assert found["k64"]["loss"] > found["64x1"]["loss"] + 0.01


@pytest.mark.parametrize("case", ["64x1", "8x8", "k64"])
def test_the_check_passes(program: ModuleType, case: str) -> None:
    """Cut finely or not at all, window long or short."""
    program.check(parameters(case, sequence_length=16))


def test_the_check_notices_a_loss_that_is_not_divided(program: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gradient K times as large is not that of one batch."""

    def undivided(net: Any, optimizer: Any, micro_batches: Any, accumulation_steps: int) -> None:
        for number, batch in enumerate(micro_batches, start=1):
            net(**batch).loss.backward()
            if number % accumulation_steps == 0:
                optimizer.step()
                optimizer.zero_grad()

    monkeypatch.setattr(program, "train", undivided)
    with pytest.raises(AssertionError, match="relative error of the gradient"):
        program.check(parameters("8x8", sequence_length=16))


def test_the_check_notices_a_short_window(program: ModuleType) -> None:
    """Samples that no step would use must not count as trained on."""
    with pytest.raises(AssertionError, match="not whole windows of 64"):
        program.check(parameters("8x8", samples=500))
