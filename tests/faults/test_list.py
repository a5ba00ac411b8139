"""The list, its tests and its pages say the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults.listed import FAULTS, LIST, PAGES, page


def test_every_fault_has_a_test_of_its_name() -> None:
    """What the page promises is tried."""
    sources = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))

    assert [fault for fault in FAULTS if f'"{fault}"' not in sources] == []


def test_every_fault_belongs_to_a_group() -> None:
    """A fault without one would be on no page."""
    assert {fault["group"] for fault in FAULTS.values()} == set(LIST["groups"])


@pytest.mark.parametrize("language", PAGES)
def test_the_page_is_that_of_the_list(language: str) -> None:
    """Edited by hand or forgotten: run `python tests/faults/write_pages.py`."""
    assert PAGES[language].read_text(encoding="utf-8") == page(language)
