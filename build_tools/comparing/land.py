"""Records that another machine delivered come into the project: the good ones are stored, the others named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from build_tools.comparing.delivery import parsed, read_delivery, shown
from build_tools.comparing.markdown import code
from build_tools.comparing.trust import Demands, good_record, objections, utc_now
from build_tools.errors import LedgerError
from build_tools.figures.collect import Collection, collect
from build_tools.model import Record
from build_tools.store import committed_folder, record_path, write_record

__all__ = ["Demands", "Landing", "land", "refused_markdown"]


@dataclass
class Landing:
    """What became of a delivery, by the files' names in it. `kept` are those that are here already, digit by digit."""

    landed: dict[str, Path] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        for name, path in self.landed.items():
            yield f"landed: {name}: {path}"
        for name, why in self.refused.items():
            yield f"refused: {name}: {why}"
        yield f"{len(self.landed)} landed, {len(self.kept)} here already, {len(self.refused)} refused"


def land(root: Path, delivered: Path, demands: Demands) -> Landing:
    """Store what may be stored. Raises LedgerError where there is no delivery, or no project to store it in."""
    delivery = read_delivery(delivered)
    project = collect(root, committed_only=True)
    result = Landing(refused=dict(delivery.refused))
    good: dict[str, Record] = {}
    for name, content in delivery.files.items():
        _sort(result, good, shown(name), content, project, demands)
    for name, record in _one_each(result, good, root).items():
        result.landed[name] = write_record(committed_folder(root, record.snippet), record).relative_to(root)
    return result


def _sort(
    result: Landing, good: dict[str, Record], name: str, content: bytes, project: Collection, demands: Demands
) -> None:
    """Into `good`, or refused with its reason, or left where it is as it is here already."""
    try:
        record = parsed(content)
    except LedgerError as error:
        result.refused[name] = error.problem
        return
    there = _same(project, record)
    if there is not None and there.digest == record.content_digest() == record.digest:
        result.kept.append(name)
    elif wrong := next(objections(record, project, demands, utc_now()), None):
        result.refused[name] = wrong
    else:
        good[name] = record


def _same(project: Collection, record: Record) -> Record | None:
    """A delivery of a whole folder also holds what was in the checkout before: other machines' records, too."""
    there = good_record(project, record)
    failures = [stored.record for files in project.stored.values() for stored in files if stored.failed]
    known = [there, *failures] if there else failures
    return next((other for other in known if other and other.digest == record.digest), None)


def _one_each(result: Landing, good: dict[str, Record], root: Path) -> dict[str, Record]:
    """Of several records for one place none: whichever came last would win."""
    places: dict[Path, list[str]] = {}
    for name, record in good.items():
        places.setdefault(record_path(committed_folder(root, record.snippet), record), []).append(name)
    for names in places.values():
        if len(names) > 1:
            result.refused.update({name: f"one of {len(names)} records for the same place" for name in names})
    return {name: record for name, record in good.items() if name not in result.refused}


def refused_markdown(landing: Landing) -> str:
    """For a pull request; empty where nothing was refused."""
    if not landing.refused:
        return ""
    lines = [f"* {code(name)}: {code(why)}" for name, why in landing.refused.items()]
    return "\n".join(["", "#### Refused", "", *lines, ""])
