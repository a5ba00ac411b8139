"""How long ago a number was measured, and whether that is too long: `[tool.ledger.age]` in pyproject.toml decides."""

from __future__ import annotations

from datetime import UTC, date, datetime

from build_tools.model import Record
from build_tools.store import Age


def days_since(started: datetime, today: date) -> int:
    """Whole days by the calendar, in UTC. 0 for a clock that was ahead."""
    return max(0, (today - started.astimezone(UTC).date()).days)


def is_old(record: Record, today: date, age: Age) -> bool:
    """Whether a page calls this number old. A browser decides the same from the date and `age.old_days`."""
    return days_since(record.started, today) >= age.old_days


def is_overdue(record: Record, today: date, age: Age) -> bool:
    """Whether the daily job fails over it."""
    return days_since(record.started, today) >= age.fail_days
