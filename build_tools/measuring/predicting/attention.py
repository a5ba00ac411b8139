"""Which kernel `scaled_dot_product_attention` chooses on a device, and the same choice on the meta device.

Left alone, meta tensors take the plain implementation, which stores attention matrices. The conditions are those of
ATen/native/transformers/cuda/sdp_utils.cpp and sdp_utils_cpp.cpp in PyTorch 2.13, for dense tensors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.nn.functional import pad

FLASH_DTYPES = (torch.float16, torch.bfloat16)
EFFICIENT_DTYPES = (*FLASH_DTYPES, torch.float32)
CPU_DTYPES = (*EFFICIENT_DTYPES, torch.float64)
LONGEST_FLASH_HEAD = 256
FLASH_ALIGNMENT = 8  # elements; shorter heads are padded
EFFICIENT_ALIGNMENT_BYTES = 16  # of a head, from compute capability 8.0 on
EFFICIENT_MASK_ALIGNMENT = 16  # elements of a mask's last dimension

aten = torch.ops.aten


@dataclass(frozen=True)
class Call:
    """The arguments of `scaled_dot_product_attention`; shapes are (batch, heads, length, head)."""

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    attn_mask: torch.Tensor | None = None
    dropout_p: float = 0.0
    is_causal: bool = False
    scale: float | None = None
    enable_gqa: bool = False

    @property
    def fusable(self) -> bool:
        """What every fused kernel asks for."""
        tensors = (self.query, self.key, self.value)
        return all(t.dim() == 4 and t.shape[2] > 0 and t.stride(-1) == 1 for t in tensors)

    @property
    def equal_heads(self) -> bool:
        """Queries, keys and values of one length, as most kernels want them."""
        return self.query.shape[-1] == self.key.shape[-1] == self.value.shape[-1]

    @property
    def keeps_statistics(self) -> bool:
        """Whether the backward pass will want the logarithms of the sums."""
        return torch.is_grad_enabled() and any(t.requires_grad for t in (self.query, self.key, self.value))

    def with_added_mask(self) -> Call:
        """A mask of true and false becomes one that is added."""
        mask = self.attn_mask
        if mask is None or mask.dtype != torch.bool:
            return self
        nothing = torch.zeros((), dtype=self.query.dtype, device=mask.device)
        return replace(self, attn_mask=torch.where(mask.logical_not(), -torch.inf, nothing))


def on_cuda(*arguments: Any, **named: Any) -> torch.Tensor:
    """Flash for half precision, memory-efficient for fp32, the plain implementation for what neither can do."""
    call = Call(*arguments, **named).with_added_mask()
    if _flash_can(call):
        return _flash(call)
    return _efficient(call) if _efficient_can(call) else _plain(call)


def on_cpu(*arguments: Any, **named: Any) -> torch.Tensor:
    """The fused kernel where no dropout is asked for."""
    call = Call(*arguments, **named).with_added_mask()
    return _fused_on_cpu(call) if _cpu_can_fuse(call) else _plain(call)


def _cpu_can_fuse(call: Call) -> bool:
    mask_learns = call.attn_mask is not None and call.attn_mask.requires_grad
    return (
        call.fusable and call.equal_heads and call.query.dtype in CPU_DTYPES and call.dropout_p == 0 and not mask_learns
    )


def _fused_on_cpu(call: Call) -> torch.Tensor:
    attention: torch.Tensor = aten._scaled_dot_product_flash_attention_for_cpu(
        call.query, call.key, call.value, call.dropout_p, call.is_causal, attn_mask=call.attn_mask, scale=call.scale
    )[0]
    return attention


def _flash_can(call: Call) -> bool:
    return (
        call.fusable
        and call.equal_heads
        and call.attn_mask is None
        and call.query.dtype in FLASH_DTYPES
        and call.query.shape[-1] <= LONGEST_FLASH_HEAD
        and not (call.is_causal and call.query.shape[2] != call.key.shape[2])
    )


def _flash(call: Call) -> torch.Tensor:
    length = call.query.shape[-1]
    padding = -length % FLASH_ALIGNMENT
    tensors = [pad(t, (0, padding)) if padding else t for t in (call.query, call.key, call.value)]
    attention: torch.Tensor = aten._scaled_dot_product_flash_attention(
        *tensors, call.dropout_p, call.is_causal, scale=call.scale
    )[0]
    return attention[..., :length] if padding else attention


def _efficient_can(call: Call) -> bool:
    aligned = EFFICIENT_ALIGNMENT_BYTES // call.query.element_size()
    return (
        call.fusable
        and call.query.dtype in EFFICIENT_DTYPES
        and call.query.shape[-1] == call.key.shape[-1]
        and call.query.shape[1] == call.key.shape[1] == call.value.shape[1]
        and call.query.shape[-1] % aligned == 0
        and call.value.shape[-1] % aligned == 0
    )


def _efficient(call: Call) -> torch.Tensor:
    attention: torch.Tensor = aten._scaled_dot_product_efficient_attention(
        call.query, call.key, call.value, _aligned_mask(call), call.keeps_statistics, call.dropout_p, call.is_causal,
        scale=call.scale,
    )[0]  # fmt: skip
    return attention


def _aligned_mask(call: Call) -> torch.Tensor | None:
    """For every head, as a view where the layout allows it, else as a copy."""
    if call.attn_mask is None:
        return None
    length = call.key.shape[2]
    mask = call.attn_mask.expand(*call.query.shape[:3], length)
    if padding := -length % EFFICIENT_MASK_ALIGNMENT:
        return pad(mask, (0, padding))[..., :length]
    return mask.contiguous() if any(step % EFFICIENT_MASK_ALIGNMENT for step in mask.stride()[:3]) else mask


def _plain(call: Call) -> torch.Tensor:
    attention: torch.Tensor = aten._scaled_dot_product_attention_math(
        call.query, call.key, call.value, call.attn_mask, call.dropout_p, call.is_causal,
        scale=call.scale, enable_gqa=call.enable_gqa,
    )[0]  # fmt: skip
    return attention
