"""What another device does differently from the meta device: kernels, optimisers, and the size of an allocation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import torch
from torch.library import _scoped_library
from torch.optim import optimizer as torch_optimizer
from torch.utils import _foreach_utils

from build_tools.measuring.predicting import attention
from build_tools.measuring.predicting.prediction import Flavour

# In place and without results: nothing to account for. AdamW's is there already.
FUSED_WITHOUT_META = ("_fused_sgd_", "_fused_adagrad_")


@dataclass(frozen=True)
class Device:
    """`granule`: bytes of which every allocation takes a multiple. `kernels` replace operations of meta tensors."""

    granule: int
    kernels: dict[str, Callable[..., Any]]
    foreach_by_default: bool


def byte_mask_dropout(values: torch.Tensor, probability: float, train: bool) -> torch.Tensor:
    """CUDA's dropout keeps a mask of bytes; that of a CPU one of the values' own type."""
    fused = train and 0 < probability < 1 and values.numel()
    # The other operation begins with the same exceptions, and has no kernel of its own on CUDA.
    operation = torch.ops.aten.native_dropout if fused else torch.ops.aten.feature_dropout
    dropped: torch.Tensor | tuple[torch.Tensor, ...] = operation(values, probability, train)
    return dropped[0] if isinstance(dropped, tuple) else dropped


DEVICES: dict[Flavour, Device] = {
    # 512 bytes: kMinBlockSize in c10/cuda/CUDACachingAllocator.cpp.
    "cuda": Device(512, {"dropout": byte_mask_dropout, "scaled_dot_product_attention": attention.on_cuda}, True),
    "cpu": Device(1, {"scaled_dot_product_attention": attention.on_cpu}, False),
}


@contextmanager
def imitated(flavour: Flavour) -> Iterator[Device]:
    """Within, the meta device keeps what `flavour` would keep, and optimisers take the form that they take there."""
    device = DEVICES[flavour]
    with ExitStack() as stack:
        library: Any = stack.enter_context(_scoped_library("aten", "IMPL"))
        for operation, kernel in device.kernels.items():
            library.impl(operation, kernel, "AutogradMeta")
        for operation in FUSED_WITHOUT_META:
            library.impl(operation, lambda *_, **__: None, "Meta")
        stack.enter_context(_with_meta("_get_fused_kernels_supported_devices"))
        if device.foreach_by_default:
            stack.enter_context(_with_meta("_get_foreach_kernels_supported_devices"))
        yield device


@contextmanager
def _with_meta(question: str) -> Iterator[None]:
    """torch.optim's list of devices that a form of its optimisers runs on, with meta in it."""
    devices = getattr(_foreach_utils, question)()
    with ExitStack() as stack:
        for module in (_foreach_utils, torch_optimizer):
            stack.enter_context(patch.object(module, question, lambda: [*devices, "meta"]))
        yield
