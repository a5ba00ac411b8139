"""A site appears whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_tools.errors import LedgerError
from build_tools.site import build as building
from build_tools.site.build import Building, build, swap


def site(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "index.html").write_text(text)
    return folder


@pytest.mark.parametrize("exchange", [True, False], ids=["in one step", "without that system call"])
def test_a_swap_replaces_all_of_the_old_site(exchange: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file of the old one is left among those of the new."""
    if not exchange:
        monkeypatch.setattr(building, "_exchange", lambda one, other: False)
    old, new = site(tmp_path / "site", "old"), site(tmp_path / "fresh", "new")
    (old / "gone.html").write_text("")

    swap(new, old)

    assert [path.name for path in old.iterdir()] == ["index.html"]
    assert (old / "index.html").read_text() == "new"


def test_the_first_site_needs_no_old_one(tmp_path: Path) -> None:
    """Nothing there yet: it is moved into place."""
    swap(site(tmp_path / "fresh", "new"), tmp_path / "site")

    assert (tmp_path / "site" / "index.html").read_text() == "new"


def test_a_failed_build_leaves_the_last_site_and_no_debris(project: Path) -> None:
    """One line that says which configuration is at fault."""
    site(project / "site", "the last good one")

    with pytest.raises(LedgerError, match=r"mkdocs\.yml"):
        build(project, Building(), tell=lambda line: None)

    assert (project / "site" / "index.html").read_text() == "the last good one"
    assert not list(project.glob(".build/site-*"))
