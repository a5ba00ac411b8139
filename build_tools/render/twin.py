"""A figure as plain data: what a page's `figures.json` holds of it, for whoever wants to compute with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from build_tools.figures.number import judged
from build_tools.figures.resolve import Ledger
from build_tools.figures.verdict import Judged
from build_tools.model import Claim, Figure, Reason, Record

SCHEMA = 1


def figure_data(ledger: Ledger, figure: Figure) -> dict[str, Any]:
    """Number and provenance; what does not apply is absent. Raises LedgerError where a claim cannot be judged."""
    found = judged(ledger, figure.claim) if figure.claim else None
    data = {
        "reference": figure.reference, "kind": figure.kind, "freshness": figure.freshness,
        "value": figure.value, "unit": figure.unit, "decimals": figure.decimals,
        "metric": figure.metric or None, "label": figure.label.model_dump() if figure.metric else None,
        "n": figure.n or None, "low": figure.low, "high": figure.high, "reasons": _reasons(figure.reasons),
        "record": _record(figure.record) if figure.record and figure.value is not None else None,
        "claim": _claim(ledger, figure.claim) if figure.claim else None,
        "verdict": _verdict(found) if found else None,
        "weakest": figure.weakest, "arithmetic": figure.arithmetic,
        "inputs": [figure_data(ledger, one) for one in figure.inputs],
    }  # fmt: skip
    # A number that is missing is told, all else that is missing is left out.
    return {name: value for name, value in data.items() if name == "value" or value not in (None, [], {})}


def _reasons(reasons: Iterable[Reason]) -> list[dict[str, Any]]:
    return [{"code": reason.code, **({"detail": reason.detail} if reason.detail else {})} for reason in reasons]


def _record(record: Record) -> dict[str, Any]:
    """Where the raw samples are, below the site's root, and what was measured when and where."""
    return {
        "path": f"records/{record.snippet}/{record.profile}/{record.machine.slug}/{record.case}.json",
        "snippet": record.snippet, "case": record.case, "profile": record.profile, "devices": record.devices,
        "machine": record.machine.model_dump(exclude_none=True), "run_id": record.run_id,
        "started": f"{record.started:%Y-%m-%dT%H:%M:%SZ}", "origin": record.origin, "commit": record.commit,
    }  # fmt: skip


def _claim(ledger: Ledger, claim: Claim) -> dict[str, Any]:
    source = claim.source.model_dump(mode="json", exclude_none=True)
    document = ledger.claims.documents.get(claim.source.document or "")
    data = {
        "id": claim.id, "statement": claim.statement.model_dump(), "source": source,
        "document": document.model_dump(exclude_none=True) if document else None,
        "run": claim.run, "hardware": claim.hardware, "devices": claim.devices,
    }  # fmt: skip
    return {name: value for name, value in data.items() if value is not None}


def _verdict(found: Judged) -> dict[str, Any] | None:
    if found.verdict is None:
        return None
    return {
        "verdict": found.verdict, "reasons": _reasons(found.reasons),
        "held_against": [{"reference": one.reference, "value": one.value, "unit": one.unit} for one in found.tested],
    }  # fmt: skip
