"""Which figures may stand in one calculation, and which hardware is comparable: decided here and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from build_tools.errors import LedgerError
from build_tools.figures.reference import parse_reference
from build_tools.metrics import METERS
from build_tools.model import Claim, Figure, Machine, Reason

# Makers' and bus words that one source prints and the next leaves out.
NOISE = re.compile(r"\b(nvidia|tesla|amd|intel|geforce|[rg]tx|gpu|card|pcie?|sxm\d?|hbm\d\w*|\d+\s*gi?b)\b")


def leaves(figures: Iterable[Figure]) -> list[Figure]:
    """The figures that others are derived from."""
    return [leaf for figure in figures for leaf in (leaves(figure.inputs) if figure.inputs else [figure])]


def bound_to_hardware(figure: Figure) -> bool:
    """Whether another device would give another number: what meters read, and not what is counted or computed."""
    return any(leaf.metric in METERS for leaf in leaves([figure]))


def comparable(machine: Machine, hardware_named: str) -> bool:
    """Whether a source's words name this machine's model: `Tesla V100-SXM2-16GB` is a V100, an `H100 NVL` no H100.

    Makers, buses and memory sizes are left out; words that remain name a model of its own.
    """
    named = _words(hardware_named)
    return bool(named) and named == _words(machine.model)


def _words(model: str) -> frozenset[str]:
    return frozenset(NOISE.sub(" ", re.sub(r"[-_()]", " ", model.lower())).split())


def refuse_unlike(figures: Iterable[Figure]) -> None:
    """Raises LedgerError, naming both, where measurements of two machines, scales or numbers of devices would mix."""
    measured = [figure for figure in leaves(figures) if not figure.claim or bound_to_hardware(figure)]
    for one, other in pairwise(measured):
        if difference := _difference(one, other):
            raise LedgerError(
                f"{one.reference} and {other.reference} {difference} and may not stand in one calculation",
                example="two cases of one snippet at one scale on one machine",
            )


def _difference(one: Figure, other: Figure) -> str | None:
    if one.claim and other.claim:
        return None if origin(one.claim) == origin(other.claim) else "come from different sources or hardware"
    if one.claim or other.claim:
        return "come from a source and from a run of ours"
    ours, theirs = parse_reference(one.reference), parse_reference(other.reference)
    if ours.machine and theirs.machine and ours.machine != theirs.machine:
        return f"come from {ours.machine} and {theirs.machine}"
    if ours.profile != theirs.profile:
        return f"come from the {ours.profile} and the {theirs.profile} scale"
    if one.record and other.record and one.record.devices != other.record.devices:
        return f"come from {one.record.devices} and {other.record.devices} devices"
    return None


def origin(claim: Claim) -> tuple[object, ...]:
    """What must agree between two figures of sources: the hardware, or where it is not told, the source itself."""
    source = claim.source
    return claim.hardware or source.notebook or source.video or source.document or source.url, claim.devices


def unlike_runs(figures: Iterable[Figure]) -> Reason | None:
    """Why measured figures that name the same machine still give no fair number; later runs can mend it.

    A machine is not as fast on every day, and what surrounds it changes: that is no mistake in a page.
    """
    measured = [figure for figure in leaves(figures) if figure.record]
    for one, other in pairwise(measured):
        assert one.record is not None
        assert other.record is not None
        if one.record.environment != other.record.environment:
            return Reason(code="environment_differs", detail={"one": one.reference, "other": other.reference})
        clocks = all(figure.metric in METERS and METERS[figure.metric].clock for figure in (one, other))
        if clocks and one.record.run_id != other.record.run_id:
            return Reason(code="run_differs", detail={"one": one.reference, "other": other.reference})
    return None
