"""Units as products of base quantities, so that a second is never added to a byte.

MB and GB occur only where a source printed them; the tools behind our sources divide by 1024**2 and print "MB", so here
they mean MiB and GiB.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from build_tools.errors import LedgerError

Dimensions = tuple[tuple[str, int], ...]  # base quantity and exponent, sorted, without zeros

MIB, GIB = 1.0, 1024.0
# One of each unit in its base quantity: bytes in MiB, time in seconds. What is only counted (steps, runs) has none.
BASES: Mapping[str, tuple[str | None, float]] = {
    "1": (None, 1.0), "%": (None, 0.01), "steps": (None, 1.0), "times": (None, 1.0),
    "s": ("time", 1.0), "ms": ("time", 1e-3), "min": ("time", 60.0), "h": ("time", 3600.0),
    "B": ("memory", 2.0**-20), "KiB": ("memory", 2.0**-10), "MiB": ("memory", MIB), "GiB": ("memory", GIB),
    "MB": ("memory", MIB), "GB": ("memory", GIB), "G": ("memory", GIB),
    "samples": ("samples", 1.0), "tokens": ("tokens", 1.0),
}  # fmt: skip


@dataclass(frozen=True)
class Quantity:
    """A value in base quantities."""

    value: float
    dimensions: Dimensions = ()

    def __mul__(self, other: Quantity) -> Quantity:
        return Quantity(self.value * other.value, _product(self.dimensions, other.dimensions, 1))

    def __truediv__(self, other: Quantity) -> Quantity:
        return Quantity(self.value / other.value, _product(self.dimensions, other.dimensions, -1))

    def __add__(self, other: Quantity) -> Quantity:
        return Quantity(self.value + other.value, self.dimensions)

    def __sub__(self, other: Quantity) -> Quantity:
        return Quantity(self.value - other.value, self.dimensions)


def _product(one: Dimensions, other: Dimensions, sign: int) -> Dimensions:
    exponents = dict(one)
    for base, exponent in other:
        exponents[base] = exponents.get(base, 0) + sign * exponent
    return tuple(sorted((base, exponent) for base, exponent in exponents.items() if exponent))


def one_of(unit: str) -> Quantity:
    """One `MiB`, one `samples/s`. A unit that a snippet made up is a base quantity of its own."""
    above, slash, below = unit.partition("/")
    return _base(above) / _base(below) if slash and below else _base(unit)


def _base(unit: str) -> Quantity:
    base, size = BASES.get(unit, (unit, 1.0))
    return Quantity(size, ((base, 1),) if base else ())


# How a result is written: the first unit with these dimensions.
WRITTEN = ("1", "MiB", "s", "samples", "tokens", "samples/s", "tokens/s", "1/s", "MiB/s", "MiB/samples", "s/samples")


def unit_of(dimensions: Dimensions) -> str:
    """A unit to write a result in. Raises LedgerError for dimensions that nobody would know how to read."""
    for unit in WRITTEN:
        if one_of(unit).dimensions == dimensions:
            return unit
    if len(dimensions) == 1 and dimensions[0][1] == 1:
        return dimensions[0][0]
    raise LedgerError(f"the result would be in {spelled(dimensions)}", example="a ratio of like quantities: a / b")


def spelled(dimensions: Dimensions) -> str:
    """`memory · time^-1`, for an error."""
    return " · ".join(base if power == 1 else f"{base}^{power}" for base, power in dimensions) or "a plain number"
