"""What is there to measure on this machine? Decides; runs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from build_tools.errors import LedgerError
from build_tools.key import differences, key_of, program_digest
from build_tools.model import Key, Machine, Needs, Reason, Record
from build_tools.names import unknown
from build_tools.snippet import Snippet
from build_tools.store import committed_folder, local_folder, read_record

# A card sold as 16 GB reports 15.7 to 16 GiB: the driver keeps some for itself.
CARD_TOLERANCE = 1.03


@dataclass(frozen=True)
class CasePlan:
    """One case at one profile, its key today, and why its result is not one of today (empty: it is)."""

    case: str
    key: Key
    why: tuple[Reason, ...]


@dataclass(frozen=True)
class Group:
    """Cases of a snippet at a profile that are measured in one interleaved run."""

    snippet: Snippet
    profile: str
    cases: tuple[CasePlan, ...]


@dataclass(frozen=True)
class Lacking:
    """A case that needs a device this machine has not."""

    snippet: str
    case: str
    profile: str
    needs: Needs


@dataclass
class Plan:
    """`groups` in order of importance; `known` counts the cases that could be measured here, current ones included."""

    groups: list[Group] = field(default_factory=list)
    lacking: list[Lacking] = field(default_factory=list)
    known: int = 0

    @property
    def to_measure(self) -> int:
        return sum(len(group.cases) for group in self.groups)


@dataclass(frozen=True)
class Request:
    """What was asked for. `targets` are `(snippet, case or None)` in order of importance; none means all.

    `machine` is the one planned for, `gpus` how many of it are visible; `saved_only`: a result counts as there only if
    it is a committed one.
    """

    targets: tuple[tuple[str, str | None], ...]
    machine: Machine
    gpus: int = 1
    profile: str = "auto"
    force: bool = False
    saved_only: bool = False


def parse_target(text: str) -> tuple[str, str | None]:
    snippet, slash, case = text.partition("/")
    return snippet, case if slash else None


def make_plan(root: Path, snippets: dict[str, Snippet], request: Request) -> Plan:
    """Which cases have no result of today's program on this machine. Raises LedgerError for names that do not exist."""
    plan = Plan()
    wanted = _wanted(snippets, request.targets)
    profiles = {profile: None for name in wanted for profile in snippets[name].profiles}
    if wanted and request.profile not in {"auto", *profiles}:
        raise unknown("profile", request.profile, ["auto", *profiles], example="measure --profile quick")
    for name, cases in wanted.items():
        snippet = snippets[name]
        for profile in _profiles(snippet, request):
            _add(plan, root, snippet, profile, cases, request)
        if request.profile == "auto":
            others = [profile for profile in snippet.profiles if profile not in _profiles(snippet, request)]
            plan.lacking += [item for other in others for item in _missing(snippet, other, cases, request)]
    return plan


def _add(plan: Plan, root: Path, snippet: Snippet, profile: str, cases: Sequence[str], request: Request) -> None:
    """One group: all of its cases as soon as one of them is due, so that they can be compared."""
    lacking = _missing(snippet, profile, cases, request)
    plan.lacking += lacking
    here = [case for case in _ordered(snippet, profile, cases) if case not in {item.case for item in lacking}]
    plan.known += len(here)
    program = program_digest(snippet.folder)
    planned = tuple(_plan_case(root, snippet, case, profile, request, program) for case in here)
    if any(case.why for case in planned):
        plan.groups.append(Group(snippet, profile, planned))


def _plan_case(root: Path, snippet: Snippet, case: str, profile: str, request: Request, program: str) -> CasePlan:
    key = key_of(snippet, case, profile, request.machine.slug, request.machine.device, program=program)
    if request.force:
        return CasePlan(case, key, (Reason(code="not_measured"),))
    folders = [committed_folder(root, snippet.name)]
    folders += [] if request.saved_only else [local_folder(root, snippet.name)]
    return CasePlan(case, key, _why(folders, case, key))


def _why(folders: Sequence[Path], case: str, key: Key) -> tuple[Reason, ...]:
    """Empty where some folder holds a good record with this key; else what is wrong with the last one looked at."""
    why: tuple[Reason, ...] = (Reason(code="not_measured"),)
    for folder in folders:
        record = _record(folder / key.profile / key.machine / f"{case}.json")
        if record is None:
            continue
        why = (Reason(code="digest_differs"),) if record.damaged else differences(record.key, key)
        if not why:
            break
    return why


def _record(path: Path) -> Record | None:
    try:
        return read_record(path)
    except LedgerError:
        return None  # missing or unreadable: either way there is no result to keep


def _wanted(snippets: dict[str, Snippet], targets: Sequence[tuple[str, str | None]]) -> dict[str, list[str]]:
    """Snippets with the cases asked for, both in the order they were named in.

    None means all, those that preload the same one after another: one fork server then serves them.
    """
    wanted: dict[str, list[str]] = {}
    everything = [(name, None) for name in sorted(snippets, key=lambda name: snippets[name].preload)]
    for snippet, case in targets or everything:
        if snippet not in snippets:
            raise unknown("snippet", snippet, snippets, example=f"measure {next(iter(snippets), 'trainer')}")
        if case is not None and case not in snippets[snippet].cases:
            example = f"measure {snippet}/{next(iter(snippets[snippet].cases))}"
            raise unknown("case", case, snippets[snippet].cases, where=f" in {snippet}", example=example)
        wanted.setdefault(snippet, [])
        wanted[snippet] += [case] if case else list(snippets[snippet].cases)
    return wanted


def _profiles(snippet: Snippet, request: Request) -> list[str]:
    """`auto`: `full` on a GPU and `quick` on a CPU, or what the snippet has instead of `full`."""
    wanted = request.profile
    if wanted == "auto":
        wanted = "full" if request.machine.device == "cuda" and "full" in snippet.profiles else "quick"
    return [wanted] if wanted in snippet.profiles else []


def _ordered(snippet: Snippet, profile: str, cases: Sequence[str]) -> list[str]:
    allowed = set(snippet.cases_in(profile))
    return [case for case in dict.fromkeys(cases) if case in allowed]


def _missing(snippet: Snippet, profile: str, cases: Sequence[str], request: Request) -> list[Lacking]:
    needs = {case: snippet.needs_of(case, profile) for case in _ordered(snippet, profile, cases)}
    return [Lacking(snippet.name, c, profile, n) for c, n in needs.items() if not satisfies(request, n)]


def satisfies(request: Request, needs: Needs) -> bool:
    """Whether the planned machine has what a case needs. Memory is that of one device."""
    machine = request.machine
    return (
        needs.device in ("any", machine.device)
        and needs.memory_gib <= machine.memory_gib * CARD_TOLERANCE
        and needs.devices <= (request.gpus if machine.device == "cuda" else 1)
    )
