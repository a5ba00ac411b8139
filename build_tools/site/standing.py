"""What the numbers of a site still owe: what this machine could measure and has not, and what needs another one."""

from __future__ import annotations

from build_tools.inquiry.status import Status
from build_tools.inquiry.wording import device_words


def owed(found: Status) -> list[str]:
    """Failed, damaged, stale or missing although this machine has the device: what `--strict` does not let pass."""
    due = {f"{item.snippet}/{case} at {item.profile}": why for item in found.due for case, why in item.why.items()}
    failed = {
        f"{case.snippet}/{case.case} at {case.profile}": case.why
        for case in found.cases
        if case.machine == found.machine.slug and case.freshness in ("failed", "damaged")
    }
    return [f"owed: {name}: {'; '.join(why)}" for name, why in {**due, **failed}.items()]


def degraded(found: Status) -> list[str]:
    """Numbers that need a device which is not here, and that no committed or local record holds."""
    missing = {(case.snippet, case.profile) for case in found.cases if case.freshness == "pending"}
    return [
        f"degraded: {item.snippet} at {item.profile}: {len(item.cases)} cases need {device_words(item.needs)}"
        for item in found.elsewhere
        if (item.snippet, item.profile) in missing
    ]
