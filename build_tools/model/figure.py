"""What a page shows: one resolved number, how it is known, how fresh it is, and why."""

from __future__ import annotations

from typing import Literal

from build_tools.model.base import Data, Scalar, Text
from build_tools.model.claim import Claim
from build_tools.model.record import Record

Kind = Literal[
    "measured", "saved-output", "pasted-output", "cited", "predicted", "spoken", "stated", "derived"
]  # strongest first
Freshness = Literal["fresh", "older-versions", "stale", "failed", "damaged", "pending"]
Verdict = Literal["reproduced", "consistent", "contradicted", "conditional", "not comparable", "pending"]


class Reason(Data):
    """Why a figure is as fresh as it is; worded in both languages by the renderer."""

    code: Literal[
        "program_changed", "parameter_changed", "meter_changed", "package_differs", "run_failed", "digest_differs",
        "unreadable", "not_measured", "needs_cuda", "not_in_profile", "meter_absent",
        "not_reported", "not_predicted",
        # why two figures are not compared
        "baseline_missing", "baseline_zero", "machine_differs", "environment_differs", "profile_differs",
        "devices_differ", "program_differs", "run_differs",
        # why a number of a source has the verdict it has
        "within_tolerance", "outside_tolerance", "other_hardware", "hardware_unknown", "other_devices",
        "expectation_holds", "expectation_fails", "expectation_pending", "limited_by", "untrusted_record",
        "prediction_agrees", "prediction_differs", "related_agrees",
        # why there is no derived number
        "input_missing", "divisor_zero",
    ]  # fmt: skip
    detail: dict[str, Scalar] = {}


class Figure(Data):
    """One resolved number, whatever it came from. `value` is None where there is none, and `reasons` say why.

    `low` and `high` bound the `n` samples behind the centre. `source` is the record's path
    below `snippets/`, or below the project where it is this machine's own. A number that a source gives has its
    `claim`; a derived one has its `inputs`, the weakest of their kinds in `weakest`, and `arithmetic`, the expression
    with numbers for names.
    """

    reference: str
    metric: str
    unit: str
    label: Text
    decimals: int
    kind: Kind
    freshness: Freshness
    reasons: tuple[Reason, ...] = ()
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    record: Record | None = None
    source: str | None = None
    claim: Claim | None = None
    inputs: tuple[Figure, ...] = ()
    weakest: Kind | None = None
    arithmetic: str | None = None
