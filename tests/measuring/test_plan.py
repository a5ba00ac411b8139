"""What is due on which machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import NAP_TOML, Write
from records import MACHINE, make_record

from build_tools.errors import LedgerError
from build_tools.key import key_of
from build_tools.measuring.plan import Plan, Request, make_plan
from build_tools.model import Machine, Record
from build_tools.store import committed_folder, load_snippet, load_snippets, local_folder, write_record

TWO_SCALES = (
    NAP_TOML.replace(
        "[profiles.quick]", "[profiles.quick]\n[profiles.full]\nneeds = { device = 'cuda', memory_gib = 16 }"
    )
    + "[cases.big]\nprofiles = ['full']\n"
)
CARD = Machine(slug="card", device="cuda", model="Card", memory_gib=15.8)
SMALL_CARD = Machine(slug="small", device="cuda", model="Small", memory_gib=8)


def plan_for(project: Path, machine: Machine = MACHINE, **wishes: object) -> Plan:
    request = Request(**{"targets": (), "machine": machine, **wishes})  # type: ignore[arg-type]
    return make_plan(project, load_snippets(project), request)


def planned(plan: Plan) -> list[str]:
    return [f"{group.profile}/{case.case}" for group in plan.groups for case in group.cases]


def current_record(project: Path, case: str = "short") -> Record:
    snippet = load_snippet(project / "snippets" / "nap")
    return make_record(snippet="nap", case=case, key=key_of(snippet, case, "quick", MACHINE.slug, "cpu"))


def test_a_case_without_a_record_is_due(project: Path, write_snippet: Write) -> None:
    """Nothing there: measure."""
    write_snippet()

    assert planned(plan_for(project)) == ["quick/short"]


@pytest.mark.parametrize("place", ["committed", "local"])
def test_a_record_with_the_key_of_today_is_enough(place: str, project: Path, write_snippet: Write) -> None:
    """Committed or of this machine: `nothing to measure`."""
    write_snippet()
    folder = committed_folder if place == "committed" else local_folder
    write_record(folder(project, "nap"), current_record(project))

    plan = plan_for(project)

    assert (planned(plan), plan.known) == ([], 1)


def test_saving_counts_committed_records_only(project: Path, write_snippet: Write) -> None:
    """`--save` is how a record of this machine gets committed at all."""
    write_snippet()
    write_record(local_folder(project, "nap"), current_record(project))

    assert planned(plan_for(project, saved_only=True)) == ["quick/short"]


def test_a_damaged_record_is_due(project: Path, write_snippet: Write) -> None:
    """A number that was edited by hand is no result."""
    write_snippet()
    path = write_record(local_folder(project, "nap"), current_record(project))
    path.write_text(path.read_text().replace("1.0", "1.1"))

    plan = plan_for(project)

    assert [reason.code for group in plan.groups for case in group.cases for reason in case.why] == ["digest_differs"]


def test_one_stale_case_takes_its_neighbours_along(project: Path, write_snippet: Write) -> None:
    """Only what ran interleaved can be compared; another snippet is left alone."""
    write_snippet(toml=NAP_TOML + "[cases.long]\n")
    write_record(local_folder(project, "nap"), current_record(project, "short"))

    assert planned(plan_for(project)) == ["quick/short", "quick/long"]


def test_asked_for_by_name_only_that_case_is_measured(project: Path, write_snippet: Write) -> None:
    """And in the order in which they were named: that of importance."""
    write_snippet(toml=NAP_TOML + "[cases.long]\n[cases.longer]\n")

    wanted = (("nap", "longer"), ("nap", "short"))
    assert planned(plan_for(project, targets=wanted)) == ["quick/longer", "quick/short"]


def test_a_missing_device_is_told_and_not_planned(project: Path, write_snippet: Write) -> None:
    """On a CPU `quick` runs, and what `full` needs is listed."""
    write_snippet(toml=TWO_SCALES)

    plan = plan_for(project)

    assert planned(plan) == ["quick/short"]
    assert [(item.case, item.profile, item.needs.memory_gib) for item in plan.lacking] == [
        ("short", "full", 16), ("big", "full", 16),
    ]  # fmt: skip


def test_a_card_runs_full(project: Path, write_snippet: Write) -> None:
    """One that is sold as 16 GB reports a little less, and is meant; one with half of it is not."""
    write_snippet(toml=TWO_SCALES)

    assert planned(plan_for(project, CARD)) == ["full/short", "full/big"]
    assert planned(plan_for(project, SMALL_CARD)) == []


@pytest.mark.parametrize(
    ("target", "pattern"),
    [
        (("nop", None), r"there is no snippet 'nop'; did you mean nap\? there are: nap"),
        (("nap", "shirt"), r"there is no case 'shirt' in nap; did you mean short\? there are: short"),
    ],
)
def test_unknown_names_are_told(
    target: tuple[str, str | None], pattern: str, project: Path, write_snippet: Write
) -> None:
    """With those that exist, the nearest as example."""
    write_snippet()

    with pytest.raises(LedgerError, match=pattern):
        plan_for(project, targets=(target,))
