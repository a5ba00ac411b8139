"""A number that nobody has measured again for long says so, by the reader's own clock."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from build_tools.store import load_settings

OLD = load_settings(Path(__file__).resolve().parents[2]).age.old_days
LECTURE = "lectures/gradient-accumulation/"
WORDS = {"": "已较旧", "en/": "old"}


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize(("days", "old"), [(OLD - 1, False), (OLD, True)])
def test_a_measurement_is_called_old_from_the_day_the_policy_names(language: str, days: int, old: bool, visit) -> None:
    """The day before it is not."""
    tab = visit().open(language + LECTURE)
    dates = tab.locator("article .ledger-provenance time[data-old-days]")
    measured = datetime.fromisoformat(dates.first.get_attribute("datetime"))
    tab.clock.set_fixed_time(measured + timedelta(days=days))
    tab.reload()

    age = dates.first.locator("xpath=following-sibling::*[1]")
    assert (WORDS[language] in age.inner_text()) is old
    if old and (folder := os.environ.get("LEDGER_SCREENSHOTS")):
        tab.screenshot(path=Path(folder) / f"old-{language.strip('/') or 'zh'}.png", full_page=True)
