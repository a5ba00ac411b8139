"""docs/evidence.toml: every statement of a source, checked by itself and against the others, each error at its line.

What a claim says of *our* numbers is checked where these are known, in `figures`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from build_tools.errors import LedgerError, Place
from build_tools.metrics import METERS, QUANTITIES
from build_tools.model import Claim, Data, Document, SourceRun
from build_tools.model.claim import EXAMPLES as SOURCES
from build_tools.names import unknown
from build_tools.toml_source import NEXT, line_of, read_toml, validated

EVIDENCE = Path("docs/evidence.toml")
Entry = TypeVar("Entry", bound=Data)

# What is right, by the keys of an entry; shown with every error.
CLAIM: Mapping[str, str] = {
    "": "[[claim]] with id, kind, statement and source, as the first in docs/evidence.toml",
    "id": 'id = "saved-accumulate-memory"',
    "kind": f"kind = {', '.join(f'{kind!r}' for kind in SOURCES)}",
    "statement": 'statement = { zh = "累积运行占用 {value}", en = "the accumulation run occupied {value}" }',
    "source": SOURCES["saved-output"],
    "source.read": "read = 2026-12-01",
    "source.at": 'at = "07:45"',
    "value": "value = 13166",
    "unit": 'unit = "MB"',
    "metric": 'metric = "device_mib"',
    "run": 'run = "course-accumulate"',
    "devices": "devices = 2",
    "hardware": 'hardware = "Tesla V100-SXM2-16GB"',
    "tests": 'tests = "trainer/accumulate/device_mib"',
    "tolerance": "tolerance = 0.10",
    "expect": 'expect = "bn/8x8/updates@quick > bn/64x1/updates@quick", or [{ when = "…", holds = "…" }]',
    "limits": 'limits = ["goyal-linear-scaling"]',
    "note": 'note = { zh = "…", en = "…" }',
    "settle": 'settle = { zh = "…", en = "…" }',
}
DOCUMENT = '[documents.course-summary] with title and origin, each { zh = "…", en = "…" }'
RUN = '[runs.course-plain] with title = { zh = "…", en = "…" }'
TABLES = {"documents", "runs", "claim"}


@dataclass
class Claims:
    """The ledger of sources. `problems` holds what is wrong with an entry, which then is left out."""

    path: Path
    documents: dict[str, Document] = field(default_factory=dict)
    runs: dict[str, SourceRun] = field(default_factory=dict)
    by_id: dict[str, Claim] = field(default_factory=dict)
    problems: list[LedgerError] = field(default_factory=list)
    _positions: dict[str, int] = field(default_factory=dict)

    def claim(self, name: str) -> Claim:
        """Raises LedgerError with the names that exist."""
        if name not in self.by_id:
            raise unknown("claim", name, self.by_id)
        return self.by_id[name]

    def of_run(self, run: str) -> list[Claim]:
        """The claims that report figures of one run. Raises LedgerError for an unknown run."""
        if run not in self.runs:
            raise unknown("run", run, self.runs)
        return [claim for claim in self.by_id.values() if claim.run == run]

    def place(self, claim: Claim, *keys: str) -> Place:
        """Where a claim's key stands in the file."""
        return self.at("claim", str(self._positions[claim.id]), *keys)

    def at(self, *keys: str) -> Place:
        """Where these keys stand in the file, which is read only for somebody who asks."""
        text = self.path.read_text(encoding="utf-8-sig", errors="replace") if self.path.is_file() else ""
        return Place(self.path, line_of(text, keys))


def load_claims(root: Path) -> Claims:
    """The project's ledger; empty where there is no file. Never raises: what is wrong becomes a problem in the list."""
    found = Claims(root / EVIDENCE)
    if not found.path.exists():
        return found
    try:
        tables = read_toml(found.path)
    except LedgerError as error:
        found.problems.append(error)
        return found
    found.problems += _unknown_tables(tables, found)
    found.documents = _entries(found, Document, tables, "documents", DOCUMENT)
    found.runs = _entries(found, SourceRun, tables, "runs", RUN)
    for position, table in enumerate(_list(tables.get("claim", []))):
        _add(found, table, position)
    return found


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _unknown_tables(tables: Mapping[str, Any], found: Claims) -> Iterator[LedgerError]:
    for name in tables.keys() - TABLES:
        error = unknown("table", name, sorted(TABLES), example="[[claim]]")
        yield error.at(found.at(name), next_command=NEXT)


def _entries(found: Claims, model: type[Entry], tables: Mapping[str, Any], name: str, right: str) -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    table = tables.get(name, {})
    for key, entry in table.items() if isinstance(table, dict) else []:
        try:
            entries[key] = validated(model, entry, found.path, examples={"": right}, prefix=(name, key))
        except LedgerError as error:
            found.problems.append(error)
    return entries


def _add(found: Claims, table: Any, position: int) -> None:
    """One claim, unless something is wrong with it."""
    prefix = ("claim", str(position))
    try:
        claim = validated(Claim, table, found.path, examples=CLAIM, prefix=prefix)
    except LedgerError as error:
        found.problems.append(error)
        return
    twin = claim.id in found.by_id
    found._positions.setdefault(claim.id, position)
    problems = [
        error.at(found.at(*prefix, *keys), example=CLAIM.get(keys[0]), next_command=NEXT)
        for keys, error in _misfits(found, claim, twin=twin)
    ]
    found.problems += problems
    if not problems:
        found.by_id[claim.id] = _with_run(claim, found.runs)


def _with_run(claim: Claim, runs: Mapping[str, SourceRun]) -> Claim:
    """The claim with the hardware and the devices of its run, where it does not name its own."""
    if claim.run is None:
        return claim
    run = runs[claim.run]
    own = {"hardware": claim.hardware or run.hardware, "devices": claim.devices or run.devices}
    return claim.model_copy(update=own)


def _misfits(found: Claims, claim: Claim, *, twin: bool) -> Iterator[tuple[tuple[str, ...], LedgerError]]:
    """What does not fit the rest of the file, with the key it stands under."""
    if twin:
        yield ("id",), LedgerError(f"there are two claims {claim.id!r}")
    if claim.id in found.runs:
        yield ("id",), LedgerError(f"{claim.id!r} is the name of a run, too")
    if claim.run is not None and claim.run not in found.runs:
        yield ("run",), unknown("run", claim.run, found.runs)
    if claim.source.document is not None and claim.source.document not in found.documents:
        yield ("source",), unknown("document", claim.source.document, found.documents)
    if claim.metric is not None and claim.metric not in known_metrics() and claim.tests is None:
        yield ("metric",), unknown("metric", claim.metric, known_metrics())


def known_metrics() -> list[str]:
    """What a claim can be about without naming a snippet's own metric."""
    return [*METERS, *QUANTITIES]
