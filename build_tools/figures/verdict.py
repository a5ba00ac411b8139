"""What our records say of a claim. Every verdict is computed, by the rule that its function states, and by no other.

A claim is held against a number (`tests`), against expectations (`expect`), or is narrowed by cited claims (`limits`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from build_tools.figures.derive import Outcome
from build_tools.figures.like import bound_to_hardware, comparable, leaves
from build_tools.figures.units import one_of
from build_tools.model import Claim, Figure, Freshness, Reason, Record, Scalar, Verdict

DEFAULT_TOLERANCE = 0.05  # relative, as wide as two runs of a benchmark on one machine usually lie apart
# A number that may no longer hold decides nothing. After a failed re-run the last good one still counts.
TRUSTED: tuple[Freshness, ...] = ("fresh", "older-versions", "failed")


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict, None where nothing tests it. `tested`: the figures it was held against."""

    claim: Claim
    verdict: Verdict | None
    reasons: tuple[Reason, ...] = ()
    tested: tuple[Figure, ...] = ()


Opinion = tuple[Verdict, Reason]


def judge_claim(
    claim: Claim, own: Figure, tested: Figure | None, outcomes: tuple[Outcome, ...], limits: Mapping[str, Claim]
) -> Judged:
    """`own` is the claim's figure, `tested` what its `tests` names, `outcomes` its expectations one by one."""
    figures = ((tested,) if tested else ()) + tuple(side for outcome in outcomes for side in _sides(outcome))
    opinions = ([against_number(own, tested, claim.tolerance)] if tested else []) + [
        against_expectation(outcome) for outcome in outcomes
    ]
    verdict = together([opinion for opinion, _ in opinions], limited=bool(limits))
    named = tuple(Reason(code="limited_by", detail={"name": name}) for name in limits)
    return Judged(claim, verdict, tuple(reason for _, reason in opinions) + named, figures)


def _sides(outcome: Outcome) -> tuple[Figure, ...]:
    """The sides of a comparison that stand on numbers of the ledger."""
    return tuple(side for side in (outcome.left, outcome.right) if side.kind != "derived" or side.inputs)


# ------------------------------------------------------------------------------------------- against one number of ours


def against_number(own: Figure, tested: Figure, tolerance: float | None) -> Opinion:
    """The first rule that applies, in the order of RULES."""
    for rule in RULES:
        if opinion := rule(own, tested, tolerance or DEFAULT_TOLERANCE):
            return opinion
    raise AssertionError("the last rule always applies")


def no_number_yet(own: Figure, tested: Figure, tolerance: float) -> Opinion | None:
    """pending: nobody has measured it, or the number there is may no longer hold."""
    if tested.value is None:
        return "pending", tested.reasons[0] if tested.reasons else Reason(code="not_measured")
    if tested.freshness not in TRUSTED:
        return "pending", Reason(code="untrusted_record", detail={"name": tested.reference})
    return None


def only_predicted(own: Figure, tested: Figure, tolerance: float) -> Opinion | None:
    """consistent where a prediction agrees; one that differs refutes nothing, so that stays pending."""
    if (tested.weakest or tested.kind) != "predicted":
        return None
    if within(own, tested, tolerance):
        return "consistent", Reason(code="prediction_agrees", detail=_detail(own, tested, tolerance))
    return "pending", Reason(code="prediction_differs", detail=_detail(own, tested, tolerance))


def other_devices(own: Figure, tested: Figure, tolerance: float) -> Opinion | None:
    """not comparable: what a meter reads on two devices is not what it reads on one."""
    theirs, record = own.claim.devices if own.claim else None, record_behind(tested)
    if bound_to_hardware(tested) and theirs and record and theirs != record.devices:
        return "not comparable", Reason(code="other_devices", detail={"was": theirs, "now": record.devices})
    return None


def other_hardware(own: Figure, tested: Figure, tolerance: float) -> Opinion | None:
    """not comparable: bound to hardware, and ours is another model, or the source does not name its own.

    consistent where both are ratios on one machine each, and agree: that is a related record.
    """
    record = record_behind(tested)
    if record is None or not bound_to_hardware(tested):
        return None
    theirs, ours = own.claim.hardware if own.claim else None, record.machine
    if theirs and comparable(ours, theirs):
        return None
    if tested.inputs and not one_of(tested.unit).dimensions and within(own, tested, tolerance):
        return "consistent", Reason(code="related_agrees", detail=_detail(own, tested, tolerance))
    if theirs is None:
        return "not comparable", Reason(code="hardware_unknown", detail={"ours": ours.model})
    return "not comparable", Reason(code="other_hardware", detail={"theirs": theirs, "ours": ours.model})


def like_with_like(own: Figure, tested: Figure, tolerance: float) -> Opinion:
    """reproduced within the tolerance, contradicted outside it: same meter, devices and model of hardware."""
    detail = _detail(own, tested, tolerance)
    if within(own, tested, tolerance):
        return "reproduced", Reason(code="within_tolerance", detail=detail)
    return "contradicted", Reason(code="outside_tolerance", detail=detail)


RULES: tuple[Callable[[Figure, Figure, float], Opinion | None], ...] = (
    no_number_yet, only_predicted, other_devices, other_hardware, like_with_like,
)  # fmt: skip


def record_behind(figure: Figure) -> Record | None:
    """The record of a measured figure, or the first of those that a derived one rests on: these agree in hardware."""
    return next((leaf.record for leaf in leaves([figure]) if leaf.record), None)


def within(own: Figure, tested: Figure, tolerance: float) -> bool:
    """Whether the claim's value lies within a share `tolerance` of the tested one, both in the same unit."""
    ours = (tested.value or 0.0) * one_of(tested.unit).value
    theirs = (own.value or 0.0) * one_of(own.unit).value
    return abs(theirs - ours) <= tolerance * abs(ours)


def _detail(own: Figure, tested: Figure, tolerance: float) -> dict[str, Scalar]:
    return {"name": tested.reference, "percent": round(100 * tolerance, 1)}


# ----------------------------------------------------------------------------------------------- against an expectation


def against_expectation(outcome: Outcome) -> Opinion:
    """consistent where it holds, contradicted where it fails, pending where a number is missing or not trusted."""
    sides = (outcome.left, outcome.right)
    if outcome.holds is None or any(side.freshness not in TRUSTED for side in sides):
        if outcome.apart:
            return "pending", outcome.apart
        missing = next((side.reference for side in sides if side.freshness not in TRUSTED), outcome.left.reference)
        return "pending", Reason(code="expectation_pending", detail={"name": missing})
    detail: dict[str, Scalar] = {"name": outcome.text}
    if outcome.holds:
        return "consistent", Reason(code="expectation_holds", detail=detail)
    return "contradicted", Reason(code="expectation_fails", detail=detail)


# ----------------------------------------------------------------------------------------------------- several opinions


def together(opinions: list[Verdict], *, limited: bool) -> Verdict | None:
    """One verdict from several: conditional where some hold and some fail, or where a cited source sets limits.

    Pending outweighs what holds, as more may come; what failed on its own has failed whatever comes.
    """
    held = [opinion for opinion in opinions if opinion in {"reproduced", "consistent"}]
    if "contradicted" in opinions:
        return "conditional" if held else "contradicted"
    if limited and "pending" not in opinions:
        return "conditional"
    return next((verdict for verdict in ORDER if verdict in opinions), None)


ORDER: tuple[Verdict, ...] = ("pending", "not comparable", "reproduced", "consistent")
