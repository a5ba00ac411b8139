"""Counts the bytes of all live tensors exactly, on any device, by watching every operation that torch dispatches."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class LiveTensors(TorchDispatchMode):
    """While active, `live` and `peak` are bytes held by storages of `device_type` that an operation has touched.

    A storage counts from when it is first seen, as input or as result, until its last tensor (the graph's saved ones
    included) is gone. Tensors that exist before, such as a model's weights, are handed to `watch`.
    Costs about 20 µs an operation: never on together with a clock.
    """

    def __init__(self, device_type: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.device_type = device_type
        self.live = 0
        self.peak = 0
        self._bytes: dict[int, int] = {}
        self._references: dict[int, weakref.ref[Any]] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        self.watch(tree_leaves((args, kwargs, result)))
        return result

    def watch(self, values: Iterable[Any]) -> None:
        """Count the storages of those values that are tensors."""
        for value in values:
            if isinstance(value, torch.Tensor) and self._counts(value):
                self._see(value.untyped_storage())

    def _counts(self, tensor: torch.Tensor) -> bool:
        return tensor.device.type == self.device_type and tensor.layout == torch.strided

    def _see(self, storage: torch.UntypedStorage) -> None:
        identity, size = storage._cdata, self.size_of(storage)
        if identity not in self._references:
            self._references[identity] = weakref.ref(storage, lambda _: self._forget(identity))
        # Not only at first sight: resize_ changes the size of a storage already known.
        self._change(identity, size - self._bytes.get(identity, 0))
        self._bytes[identity] = size

    def size_of(self, storage: torch.UntypedStorage) -> int:
        """Bytes that a storage counts with; what subclasses replace to count as an allocator does."""
        return storage.nbytes()

    def _change(self, identity: int, difference: int) -> None:
        self.live += difference
        self.peak = max(self.peak, self.live)

    def _forget(self, identity: int) -> None:
        self._change(identity, -self._bytes.pop(identity, 0))
        self._references.pop(identity, None)
