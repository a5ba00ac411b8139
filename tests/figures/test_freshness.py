"""When a record still holds, and what is said when it does not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from records import ENVIRONMENT, KEY, make_record

from build_tools.figures.freshness import judge, pinned_versions, worst
from build_tools.model import Freshness, Record

LATER = datetime(2026, 12, 1, tzinfo=UTC)
EARLIER = datetime(2026, 11, 1, tzinfo=UTC)
PINS = {"torch": "2.13.0"}
OTHER_PROGRAM = KEY.model_copy(update={"program": "q"})
OTHER_PARAMETER = KEY.model_copy(update={"parameters": {"layers": 2}})
OTHER_METER = KEY.model_copy(update={"meters": {"seconds": 2}})

GOOD = make_record()
FAILED = make_record(status="failed", started=LATER, samples={})


def with_torch(version: str) -> Record:
    return make_record(environment=ENVIRONMENT.model_copy(update={"packages": {"torch": version, "numpy": "1"}}))


CASES: dict[str, tuple[Record | None, Record | None, Freshness, list[str]]] = {
    "same_key_and_versions": (GOOD, None, "fresh", []),
    "nothing_there": (None, None, "pending", ["not_measured"]),
    "edited_by_hand": (GOOD.model_copy(update={"samples": {"seconds": (9.0,)}}), None, "damaged", ["digest_differs"]),
    "damaged_before_stale": (GOOD.model_copy(update={"key": OTHER_PROGRAM}), None, "damaged", ["digest_differs"]),
    "program_changed": (make_record(key=OTHER_PROGRAM), None, "stale", ["program_changed"]),
    "parameter_changed": (make_record(key=OTHER_PARAMETER), None, "stale", ["parameter_changed"]),
    "meter_changed": (make_record(key=OTHER_METER), None, "stale", ["meter_changed"]),
    "newer_attempt_failed": (GOOD, FAILED, "failed", ["run_failed"]),
    "older_attempt_failed": (GOOD, make_record(status="failed", started=EARLIER), "fresh", []),
    "attempt_of_another_program_failed": (GOOD, make_record(status="failed", started=LATER, key=OTHER_PROGRAM), "fresh", []),
    "only_a_failed_attempt": (None, FAILED, "failed", ["run_failed"]),
    "only_an_outdated_failed_attempt": (
        None, make_record(status="failed", key=OTHER_PROGRAM), "pending", ["not_measured"],
    ),
    "stale_and_the_new_program_fails": (make_record(key=OTHER_PROGRAM), FAILED, "stale", ["program_changed", "run_failed"]),
    "other_version": (with_torch("2.12.0"), None, "older-versions", ["package_differs"]),
    "other_build_of_the_same_version": (with_torch("2.13.0+cu130"), None, "fresh", []),
    "failed_before_other_version": (with_torch("2.12.0"), FAILED, "failed", ["run_failed"]),
}  # fmt: skip


@pytest.mark.parametrize(("record", "failed", "freshness", "codes"), CASES.values(), ids=CASES)
def test_judge(record: Record | None, failed: Record | None, freshness: Freshness, codes: list[str]) -> None:
    """Damage comes before staleness, staleness before a failed attempt, that before other versions."""
    found, reasons = judge(record, failed, KEY, PINS)

    assert (freshness, codes) == (found, [reason.code for reason in reasons])


def test_reasons_name_what_changed() -> None:
    """A reason carries the names and values that its sentence needs."""
    _, (parameter,) = judge(make_record(key=OTHER_PARAMETER), None, KEY, PINS)
    _, (package,) = judge(with_torch("2.12.0"), None, KEY, PINS)

    assert parameter.detail == {"name": "layers", "was": "2", "now": "—"}
    assert package.detail == {"name": "torch", "was": "2.12.0", "now": "2.13.0"}


def test_pins() -> None:
    """Only exact pins count; comments, markers, extras and spelling do not matter."""
    text = "# all\ntorch==2.13.0 ; python_version > '3'\nNVIDIA_ml.py[x] == 13.1  # why\nnumpy>=2\n-r other.txt\n"

    assert pinned_versions(text) == {"torch": "2.13.0", "nvidia-ml-py": "13.1"}


def test_worst() -> None:
    """Figures together are as fresh as the least fresh of them."""
    assert worst(["fresh", "stale", "older-versions"]) == "stale"
    assert worst([]) == "pending"
