"""What a source says, as a figure: its value as printed, and where it stands."""

from __future__ import annotations

from decimal import Decimal

from build_tools.metrics import METERS, QUANTITIES
from build_tools.model import Claim, Figure, Metric, Text


def claimed(claim: Claim, own: Metric | None = None) -> Figure:
    """The figure of a claim; without a value where it makes a statement only. `own`: the snippet's metric it tests."""
    metric = METERS.get(claim.metric or "") or QUANTITIES.get(claim.metric or "") or own
    return Figure(
        reference=claim.id, metric=claim.metric or "", unit=claim.unit or (metric.unit if metric else "1"),
        label=metric.label if metric else Text(zh=claim.id, en=claim.id), decimals=decimals_of(claim),
        kind=claim.kind, freshness="fresh", value=claim.value, n=0 if claim.value is None else 1, claim=claim,
    )  # fmt: skip


def decimals_of(claim: Claim) -> int:
    """As the source printed it: the digits in the file, unless `decimals` says that it ended in zeros."""
    if claim.decimals is not None or claim.value is None:
        return claim.decimals or 0
    exponent = Decimal(repr(claim.value)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
