"""What another device would run, and keep, is run on the meta device; and the meta device is left as it was."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import pytest
import torch
from predict.steps import Form, build
from torch.nn.functional import dropout, scaled_dot_product_attention
from torch.optim import optimizer as torch_optimizer
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode_stack

from build_tools.measuring.predict import Flavour
from build_tools.measuring.predicting.flavours import imitated
from build_tools.measuring.predicting.following import follow

HALF, SINGLE, DOUBLE = torch.bfloat16, torch.float32, torch.float64
FLASH = "_scaled_dot_product_flash_attention"
EFFICIENT = "_scaled_dot_product_efficient_attention"
ON_CPU = "_scaled_dot_product_flash_attention_for_cpu"
PLAIN = "bmm"
CAUSAL, DROPOUT = {"is_causal": True}, {"dropout_p": 0.1}


class Ran(TorchDispatchMode):
    """Names of the operations that were run, and the types of their results."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.types: set[torch.dtype] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        self.names.append(func.overloadpacket.__name__)
        self.types |= {r.dtype for r in (result if isinstance(result, tuple) else [result]) if torch.is_tensor(r)}
        return result


# device, type, length of a head, keys per query, options -> kernel
CHOICES: dict[str, tuple[Flavour, torch.dtype, int, int, dict[str, Any], str]] = {
    "half_precision": ("cuda", HALF, 64, 1, {}, FLASH),
    "half_precision_with_dropout": ("cuda", HALF, 64, 1, DROPOUT, FLASH),
    "half_precision_causal": ("cuda", HALF, 64, 1, CAUSAL, FLASH),
    "a_head_to_be_padded": ("cuda", HALF, 20, 1, {}, FLASH),
    "a_head_too_long_for_flash": ("cuda", HALF, 264, 1, {}, EFFICIENT),
    "half_precision_causal_over_more_keys": ("cuda", HALF, 64, 2, CAUSAL, EFFICIENT),
    "half_precision_with_a_mask": ("cuda", HALF, 64, 1, {"masked": True}, EFFICIENT),
    "fp32": ("cuda", SINGLE, 64, 1, {}, EFFICIENT),
    "fp32_with_a_mask_and_dropout": ("cuda", SINGLE, 64, 1, {"masked": True, **DROPOUT}, EFFICIENT),
    "fp32_with_a_mask_to_be_padded": ("cuda", SINGLE, 64, 3, {"masked": True}, EFFICIENT),
    "a_head_out_of_line": ("cuda", SINGLE, 6, 1, {}, PLAIN),
    "fp64": ("cuda", DOUBLE, 64, 1, {}, PLAIN),
    "cpu": ("cpu", SINGLE, 64, 1, {}, ON_CPU),
    "cpu_causal": ("cpu", HALF, 64, 1, CAUSAL, ON_CPU),
    "cpu_with_a_mask": ("cpu", SINGLE, 64, 1, {"masked": True}, ON_CPU),
    "cpu_with_dropout": ("cpu", SINGLE, 64, 1, DROPOUT, PLAIN),
}  # fmt: skip


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
def test_the_attention_kernel(choice: tuple[Flavour, torch.dtype, int, int, dict[str, Any], str]) -> None:
    """It is the one that the device would choose, and its backward pass runs, too."""
    flavour, dtype, head, ratio, options, kernel = choice
    options = dict(options)
    query = torch.empty(2, 4, 10, head, dtype=dtype, device="meta", requires_grad=True)
    key, value = (torch.empty(2, 4, 10 * ratio, head, dtype=dtype, device="meta", requires_grad=True) for _ in "kv")
    if options.pop("masked", False):
        options["attn_mask"] = torch.ones(10, 10 * ratio, dtype=torch.bool, device="meta")

    with imitated(flavour), Ran() as ran:
        attended = scaled_dot_product_attention(query, key, value, **options)
        attended.sum().backward()

    assert attended.shape == query.shape
    assert query.grad is not None
    assert next(name for name in ran.names if name in (FLASH, EFFICIENT, ON_CPU, PLAIN)) == kernel


@pytest.mark.parametrize(("flavour", "bytes_kept"), [("cuda", True), ("cpu", False)])
def test_the_mask_of_dropout(flavour: Flavour, bytes_kept: bool) -> None:
    """Bytes on CUDA, values of the input's type on a CPU."""
    values = torch.empty(4, 8, device="meta", requires_grad=True)

    with imitated(flavour), Ran() as ran:
        dropout(values, 0.1)

    assert (torch.bool in ran.types) == bytes_kept


@pytest.mark.parametrize(("probability", "train"), [(0.1, False), (0.0, True), (1.0, True)])
def test_a_dropout_that_drops_nothing_or_all_keeps_no_mask(probability: float, train: bool) -> None:
    """Nothing to remember."""
    values = torch.empty(4, 8, device="meta", requires_grad=True)

    with imitated("cuda"), Ran() as ran:
        kept = dropout(values, probability, train)

    assert kept.shape == values.shape
    assert torch.bool not in ran.types


# update that was asked for, device -> operations of the step
UPDATES: dict[str, tuple[dict[str, Any], Flavour, str]] = {
    "left_to_torch_on_cuda": ({}, "cuda", "_foreach_sqrt"),
    "left_to_torch_on_a_cpu": ({}, "cpu", "sqrt"),
    "for_loop": ({"foreach": False}, "cuda", "sqrt"),
    "foreach": ({"foreach": True}, "cpu", "_foreach_sqrt"),
    "fused": ({"fused": True}, "cuda", "_fused_adamw_"),
}


@pytest.mark.parametrize(("options", "flavour", "operation"), UPDATES.values(), ids=UPDATES)
def test_the_form_of_the_optimiser(options: dict[str, Any], flavour: Flavour, operation: str) -> None:
    """As asked for, and where nothing was asked for as on the device."""
    weight = torch.nn.Parameter(torch.empty(4, device="meta"))
    weight.grad = torch.empty(4, device="meta")

    with imitated(flavour), Ran() as ran:
        torch.optim.AdamW([weight], **options).step()

    assert operation in ran.names


def test_allocations_are_multiples_of_what_the_allocator_gives() -> None:
    """512 bytes on CUDA; a CPU's are counted as they are."""
    with torch.device("meta"):
        step = build(Form(hidden=10, heads=1, length=3))
    cuda, cpu = (follow(step, flavour).breakdown.weights_mib * 1024**2 for flavour in ("cuda", "cpu"))

    weights = list(step.model.parameters())
    assert cpu == sum(weight.nbytes for weight in weights)
    assert cuda == sum(-(-weight.nbytes // 512) * 512 for weight in weights)


def _state() -> tuple[object, ...]:
    values = torch.empty(4, device="meta")
    with Ran() as ran:
        dropout(values, 0.5)
        scaled_dot_product_attention(*[torch.empty(1, 1, 4, 4, device="meta")] * 3)
    weight = torch.nn.Parameter(torch.empty(4, device="meta"))
    weight.grad = values
    with pytest.raises(RuntimeError, match="fused"):
        torch.optim.AdamW([weight], fused=True).step()
    return (
        tuple(ran.names), torch.get_default_device(), torch.initial_seed(), torch.get_rng_state().tolist(),
        random.getstate(), len(_get_current_dispatch_mode_stack()), len(torch.overrides._get_current_function_mode_stack()),
    )  # fmt: skip


@pytest.mark.parametrize("failing", [False, True])
def test_nothing_is_left_behind(failing: bool) -> None:
    """Neither kernels nor modes nor hooks, though the step fails."""
    with torch.device("meta"):
        step = build(Form())
    if failing:
        step.optimizer.register_step_pre_hook(lambda *_: 1 / 0)
    before = _state()
    with suppress(ZeroDivisionError):
        follow(step, "cuda")

    assert _state() == before
    assert not torch_optimizer._global_optimizer_pre_hooks
    assert not torch_optimizer._global_optimizer_post_hooks
    assert not any(weight._post_accumulate_grad_hooks for weight in step.model.parameters())
