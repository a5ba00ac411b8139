"""Does a record still hold? Decided from the record, today's key and the pinned versions, and from nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from build_tools.key import differences
from build_tools.model import Freshness, Key, Reason, Record

# Best first: of two records of the same case the better is shown.
ORDER: tuple[Freshness, ...] = ("fresh", "older-versions", "failed", "stale", "damaged", "pending")

Judgement = tuple[Freshness, tuple[Reason, ...]]


def judge(record: Record | None, failed: Record | None, key: Key, pins: Mapping[str, str]) -> Judgement:
    """Freshness of `record`, beside which the newest failed attempt is `failed`; `key` is the one of today.

    What the rendering machine has installed plays no part: two people see the same page.
    """
    failure = _failure(record, failed, key)
    if record is None:
        return ("failed", failure) if failure else ("pending", (Reason(code="not_measured"),))
    if record.damaged:
        return "damaged", (Reason(code="digest_differs"),)
    if changed := differences(record.key, key):
        return "stale", changed + failure
    if failure:
        return "failed", failure
    older = _other_versions(record, pins)
    return ("older-versions", older) if older else ("fresh", ())


def worst(all_of: list[Freshness]) -> Freshness:
    """The freshness of several figures together."""
    return max(all_of, key=ORDER.index, default="pending")


def _failure(record: Record | None, failed: Record | None, key: Key) -> tuple[Reason, ...]:
    """The failed attempt counts where it tried today's program and came after the record."""
    if failed is None or failed.reason is None or failed.damaged or differences(failed.key, key):
        return ()
    if record is not None and failed.started <= record.started:
        return ()
    why = failed.reason
    return (Reason(code="run_failed", detail={"kind": why.kind, "during": why.during, "message": why.message}),)


def _other_versions(record: Record, pins: Mapping[str, str]) -> tuple[Reason, ...]:
    return tuple(
        Reason(code="package_differs", detail={"name": name, "was": version, "now": pins[normalised(name)]})
        for name, version in sorted(record.environment.packages.items())
        if normalised(name) in pins and _public(version) != _public(pins[normalised(name)])
    )


def _public(version: str) -> str:
    """`2.13.0+cpu` and `2.13.0` are one release."""
    return version.partition("+")[0]


def normalised(package: str) -> str:
    """A package's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", package).lower()


def pinned_versions(constraints: str) -> dict[str, str]:
    """`name==version` lines of a constraints file; everything else in it pins nothing."""
    pin = re.compile(r"^\s*([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*==\s*([^\s;,#*]+)\s*(?:[;#].*)?$", re.M)
    return {normalised(name): version for name, version in pin.findall(constraints)}


# A comment, an option, a requirement with or without a version, an address.
REQUIREMENT = re.compile(
    r"\s*(#.*|-.*|[A-Za-z0-9][\w.-]*\s*(\[[^\]]*\]\s*)?((===?|~=|!=|[<>]=?)\s*[^\s=]\S*\s*|@\s*\S+\s*)?([;#].*)?)?"
)


def not_a_requirement(constraints: str) -> Iterator[tuple[int, str]]:
    """Lines, numbered from 1, that pip would not understand: `torch=2.13.0`."""
    for number, line in enumerate(constraints.splitlines(), 1):
        if not REQUIREMENT.fullmatch(line):
            yield number, line
