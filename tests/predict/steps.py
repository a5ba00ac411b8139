"""A small transformer whose step every form of training can be asked of, and the exact count of a real run of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn.functional import cross_entropy, dropout, scaled_dot_product_attention
from torch.utils.checkpoint import checkpoint

from build_tools.measure import TrainingStep
from build_tools.measuring.live_tensors import LiveTensors

MIB = 1024**2
VOCABULARY, LABELS = 200, 2


@dataclass(frozen=True)
class Form:
    """How to train. `optimizer` names a class of torch.optim, `update` its form; `attention` is eager or sdpa."""

    layers: int = 2
    hidden: int = 64
    heads: int = 2
    length: int = 64
    micro_batch: int = 4
    accumulation_steps: int = 1
    dropout: float = 0.1
    attention: str = "eager"
    masked: bool = False
    checkpointing: bool = False
    dtype: torch.dtype = torch.float32
    optimizer: str = "AdamW"
    update: str = "for-loop"
    momentum: float = 0.0


class Block(nn.Module):
    """Self-attention and a feed-forward part, each with dropout and a residual."""

    def __init__(self, form: Form) -> None:
        super().__init__()
        self.form = form
        self.before_attention, self.before_forward = nn.LayerNorm(form.hidden), nn.LayerNorm(form.hidden)
        self.projections = nn.ModuleList(nn.Linear(form.hidden, form.hidden) for _ in range(4))
        self.widen, self.narrow = nn.Linear(form.hidden, 4 * form.hidden), nn.Linear(4 * form.hidden, form.hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + dropout(self.attend(self.before_attention(x)), self.form.dropout)
        return x + dropout(self.narrow(nn.functional.gelu(self.widen(self.before_forward(x)))), self.form.dropout)

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        heads = [p(x).unflatten(-1, (self.form.heads, -1)).transpose(1, 2) for p in self.projections[:3]]
        attended = self.fused(*heads) if self.form.attention == "sdpa" else self.eager(*heads)
        return self.projections[3](attended.transpose(1, 2).flatten(2))

    def fused(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        length = query.shape[2]
        mask = torch.ones(length, length, dtype=torch.bool, device=query.device).tril() if self.form.masked else None
        return scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=self.form.dropout)

    def eager(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        scores = query @ key.transpose(2, 3) * query.shape[-1] ** -0.5
        return dropout(scores.softmax(-1), self.form.dropout) @ value


class Classifier(nn.Module):
    """Embeds, runs the blocks, classifies the mean."""

    def __init__(self, form: Form) -> None:
        super().__init__()
        self.checkpointing = form.checkpointing
        self.embedding = nn.Embedding(VOCABULARY, form.hidden)
        self.blocks = nn.ModuleList(Block(form) for _ in range(form.layers))
        self.head = nn.Linear(form.hidden, LABELS)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.checkpointing else block(x)
        return self.head(x.mean(1))


def build(form: Form) -> TrainingStep:
    """On torch's default device."""
    model = Classifier(form).to(form.dtype)
    options: dict[str, Any] = {"lr": 1e-3, "foreach": form.update == "foreach", "fused": form.update == "fused"}
    if form.optimizer == "SGD":
        options["momentum"] = form.momentum
    optimizer = getattr(torch.optim, form.optimizer)(model.parameters(), **options)
    batches = [
        {
            "tokens": torch.randint(VOCABULARY, (form.micro_batch, form.length)),
            "labels": torch.randint(LABELS, (form.micro_batch,)),
        }
        for _ in range(form.accumulation_steps)
    ]
    return TrainingStep(model, optimizer, batches, lambda net, b: cross_entropy(net(b["tokens"]), b["labels"]))


def counted_mib(step: TrainingStep) -> float:
    """Peak of live tensors of two real steps, as the tensor pass counts it."""
    tensors = LiveTensors("cpu")
    tensors.watch([*step.model.parameters(), *step.model.buffers()])
    with tensors:
        step()
        step()
    return tensors.peak / MIB
