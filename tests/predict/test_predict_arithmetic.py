"""BERT-large against arithmetic from shapes: what a layer keeps for the backward pass, per sample."""

from __future__ import annotations

from typing import Any

import pytest

from build_tools.measuring.predict import Flavour, Prediction, Predictor

MIB = 1024**2
HIDDEN, HEADS, LENGTH = 1024, 16, 512
SAMPLES = 8
VECTORS = LENGTH * HIDDEN  # elements of one value per position, of one sample
MATRICES = HEADS * LENGTH * LENGTH  # elements of one attention matrix per head
SIZE = {"fp32": 4, "bf16": 2}


def layer_mib(attention: str, precision: str, mask_bytes: int) -> float:
    """What one layer keeps of one sample.

    Positions: inputs of the projections of queries, keys and values (one tensor), these three in the layout of the
    product, the attended values, input and output of both norms, of the wide part and of its activation (4 wide each),
    and the like: 16 times the hidden size. Masks of two dropouts. Attention: the softmax, its dropped copy and a mask;
    a fused kernel keeps a logarithm per row (fp32) instead.
    """
    size = SIZE[precision]
    kept = 16 * VECTORS * size + 2 * VECTORS * mask_bytes
    kept += MATRICES * (2 * size + mask_bytes) if attention == "eager" else HEADS * LENGTH * 4
    return kept / MIB


def activations(trainer: Predictor, layers: int, flavour: Flavour, **overrides: Any) -> float:
    # A small vocabulary and many samples, so that the peak is where the activations are.
    settings = {"layers": layers, "micro_batch": SAMPLES, "vocabulary": 1000, **overrides}
    return trainer.predict("plain", "full", settings, flavour).breakdown.activations_mib


LAYERS: dict[str, tuple[str, str, Flavour, int]] = {
    "eager_on_cuda": ("eager", "fp32", "cuda", 1),
    "eager_on_a_cpu": ("eager", "fp32", "cpu", 4),
    "sdpa_on_cuda": ("sdpa", "fp32", "cuda", 1),
    "eager_on_cuda_in_bf16": ("eager", "bf16", "cuda", 1),
    "sdpa_on_cuda_in_bf16": ("sdpa", "bf16", "cuda", 1),
}


@pytest.mark.parametrize(("attention", "precision", "flavour", "mask_bytes"), LAYERS.values(), ids=LAYERS)
def test_a_layer_keeps_what_its_shapes_say(
    attention: str, precision: str, flavour: Flavour, mask_bytes: int, trainer: Predictor
) -> None:
    """The difference that a layer makes, per sample."""
    few, more = (activations(trainer, layers, flavour, attention=attention, precision=precision) for layers in (2, 4))

    assert (more - few) / 2 / SAMPLES == pytest.approx(layer_mib(attention, precision, mask_bytes), rel=0.01)


def test_the_arithmetic_of_the_lecture() -> None:
    """The shapes above give what has been worked out by hand for 24 layers."""
    assert 24 * layer_mib("eager", "fp32", 1) == 1656
    assert 24 * layer_mib("eager", "fp32", 4) == 2016
    assert 24 * layer_mib("sdpa", "fp32", 1) == pytest.approx(24 * 33, rel=0.01)


def test_a_whole_model_keeps_what_its_layers_keep(trainer: Predictor) -> None:
    """The lecture's own case; what is beyond the layers is small."""
    kept = trainer.predict("accumulate", "full").breakdown.activations_mib

    assert kept == pytest.approx(24 * layer_mib("eager", "fp32", 1), rel=0.01)


def test_sdpa_is_clearly_below_eager(trainer: Predictor) -> None:
    """On CUDA no attention matrix is kept; on a CPU with dropout they all are."""
    eager, sdpa, eager_cpu, sdpa_cpu = (
        trainer.predict(case, "full", {"layers": 6}, flavour).peak_mib
        for flavour in ("cuda", "cpu")
        for case in ("plain", "plain_sdpa")
    )

    assert sdpa < 0.75 * eager
    assert sdpa_cpu == pytest.approx(eager_cpu, rel=0.001)


@pytest.mark.parametrize("case", ["plain", "accumulate", "plain_sdpa"])
def test_the_peak_is_affine_in_the_micro_batch(case: str, trainer: Predictor) -> None:
    """Three points lie on a line, to the allocator's rounding."""
    few, some, many = (
        trainer.predict(case, "full", {"layers": 4, "micro_batch": size}).peak_mib for size in (4, 8, 16)
    )

    assert (many - some) == pytest.approx(2 * (some - few), rel=1e-3)


def test_accumulation_costs_a_gradient_buffer_at_equal_micro_batch(trainer: Predictor) -> None:
    """And nothing else: gradients outlive a micro-batch."""
    alone, window = (trainer.predict(case, "full") for case in ("plain_micro1", "accumulate"))

    extra = window.breakdown.gradients_mib - alone.breakdown.gradients_mib
    assert window.breakdown.gradients_mib == pytest.approx(window.breakdown.weights_mib, rel=0.001)
    assert window.peak_mib - alone.peak_mib == pytest.approx(extra, rel=0.03)


def test_weights_gradients_and_states_are_counted_in_parameters(trainer: Predictor) -> None:
    """AdamW holds two numbers per parameter beside the weight and its gradient, in the weights' precision."""
    full: Prediction = trainer.predict("accumulate", "full")
    half = trainer.predict("accumulate", "full", {"precision": "bf16"})

    assert full.breakdown.optimizer_mib == pytest.approx(2 * full.breakdown.weights_mib, rel=0.001)
    for part in ("weights_mib", "gradients_mib", "optimizer_mib"):
        assert getattr(half.breakdown, part) == pytest.approx(getattr(full.breakdown, part) / 2, rel=0.001)
