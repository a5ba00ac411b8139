"""Every live byte under the category it belongs to, and the totals at the highest moment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch

from build_tools.measuring.live_tensors import LiveTensors
from build_tools.measuring.predicting.prediction import CATEGORIES, Breakdown, Category, Moment, Peak, Phase

MIB = 1024**2


class Progress(Protocol):
    """Where in the step we are."""

    @property
    def phase(self) -> Phase: ...

    def moment(self, operation: str) -> Moment: ...


@dataclass
class _Top:
    """The highest moment so far. `undecided`: storages that were temporary then, by identity, with their bytes."""

    live: int = 0
    totals: dict[Category, int] = field(default_factory=dict)
    undecided: dict[int, int] = field(default_factory=dict)
    moment: Moment | None = None


class Accounts(LiveTensors):
    """Live bytes on the meta device, by category.

    A storage is temporary until `assign` says what it is for; if it was alive at the peak, that moment's totals follow.
    So the peak is told by what its bytes become: an activation is saved, and a gradient handed over, only after the
    operation that allocates it. `granule` is the allocator's: each storage takes a multiple of it.
    What a checkpoint computes again are activations from the start: nobody tells when they are saved.
    """

    def __init__(self, granule: int, progress: Progress) -> None:
        super().__init__("meta")
        self.totals: dict[Category, int] = dict.fromkeys(CATEGORIES, 0)
        self._granule, self._progress = granule, progress
        self._category: dict[int, Category] = {}
        self._temporary: dict[int, int] = {}
        self._top = _Top()
        self._operation: Any = None

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self._operation = func
        return super().__torch_dispatch__(func, types, args, kwargs)

    def assign(self, tensors: Iterable[torch.Tensor], category: Category) -> None:
        """Say what the storages of these tensors are for. What has been said of a storage stands until it is freed."""
        self.watch(tensors := [tensor for tensor in tensors if self._counts(tensor)])
        for tensor in tensors:
            identity = tensor.untyped_storage()._cdata
            if self._category[identity] == "temporary":
                self._move(identity, category)

    def result(self) -> Peak:
        """The highest moment. Of several that are equal the last, when the optimiser's state is there."""
        if self._top.moment is None:
            raise ValueError("nothing was allocated")
        parts = {f"{category}_mib": size / MIB for category, size in self._top.totals.items()}
        return Peak(peak_mib=self._top.live / MIB, breakdown=Breakdown(**parts), moment=self._top.moment)

    def size_of(self, storage: torch.UntypedStorage) -> int:
        return -(-storage.nbytes() // self._granule) * self._granule

    def _change(self, identity: int, difference: int) -> None:
        super()._change(identity, difference)
        category = self._category.get(identity) or self._first_category(identity)
        self.totals[category] += difference
        if category == "temporary":
            self._temporary[identity] = self._temporary.get(identity, 0) + difference
        if difference > 0 and self.live >= self._top.live:
            self._top = _Top(self.live, dict(self.totals), dict(self._temporary), self._progress.moment(self._name()))

    def _first_category(self, identity: int) -> Category:
        category: Category = "activations" if self._progress.phase == "recomputation" else "temporary"
        self._category[identity] = category
        return category

    def _name(self) -> str:
        """What torch calls the running operation, without its variant: `add`, not `aten::add.Tensor`."""
        return getattr(self._operation, "overloadpacket", self._operation).__name__ if self._operation else "none"

    def _move(self, identity: int, category: Category) -> None:
        size = self._temporary.pop(identity)
        self._category[identity] = category
        self.totals["temporary"] -= size
        self.totals[category] += size
        if size := self._top.undecided.pop(identity, 0):
            self._top.totals["temporary"] -= size
            self._top.totals[category] += size

    def _forget(self, identity: int) -> None:
        super()._forget(identity)
        # The identity may soon be another storage's.
        self._category.pop(identity, None)
        self._temporary.pop(identity, None)
        self._top.undecided.pop(identity, None)
