"""The questions behind `predict`: which cases, what to tell of each, and filing what pages will show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from build_tools.errors import LedgerError
from build_tools.key import differences
from build_tools.measuring.predicting.filing import prediction_record
from build_tools.measuring.predicting.fitting import PARAMETER
from build_tools.measuring.predicting.fitting import fit as fit_by_predictions
from build_tools.measuring.predicting.prediction import Fit, Prediction
from build_tools.measuring.predicting.predictor import Predictor
from build_tools.measuring.predicting.wishes import memory_gib, settings
from build_tools.measuring.report import Settings
from build_tools.measuring.surroundings import environment, provenance
from build_tools.memory_model import PARTS, PEAK_OF, PREDICTOR_VERSION, model_of, prediction_key
from build_tools.metrics import METERS
from build_tools.model import Device
from build_tools.names import unknown
from build_tools.snippet import Snippet
from build_tools.store import committed_folder, load_snippets, read_record, write_record

# A CPU runs the small scale, and a prediction for it is there to be held against such a run.
USUAL_PROFILE: dict[Device, str] = {"cuda": "full", "cpu": "quick"}
# A prediction reads nothing of the machine it is made on, but for the versions of its packages.
NO_DEVICE = Settings(threads=1, allocator="default")


@dataclass(frozen=True)
class Wish:
    """What somebody asks for; None is a default."""

    target: str | None = None
    profile: str | None = None
    changes: tuple[str, ...] = ()
    memory: str | None = None
    device: Device = "cuda"


@dataclass(frozen=True)
class Answer:
    """A prediction, or the fit that was asked for."""

    prediction: Prediction
    fit: Fit | None = None

    def as_json(self) -> str:
        return (self.fit or self.prediction).model_dump_json()

    def lines(self, checked: str) -> Iterator[str]:
        """The peak, what it is made of, when it is reached; the micro-batch that fits; on what it was `checked`."""
        found = self.prediction
        device = {"cuda": "a CUDA device", "cpu": "a CPU"}[found.flavour]
        yield f"{found.snippet}/{found.case}@{found.profile}, predicted for {device}"
        if self.fit:
            yield f"  fits        micro-batch {self.fit.micro_batch} in {self.fit.memory_gib:g} GiB"
            yield f"  beyond      the next larger one needs {self.fit.beyond.peak_mib / 1024:,.2f} GiB"
        yield f"  peak        {found.peak_mib:,.0f} MiB"
        parts = found.breakdown.model_dump()
        for name, part in PARTS.items():
            yield f"    {part.label.en.ljust(18)} {parts[name]:>8,.0f} MiB"
        yield f"  reached in  {found.moment.words.en}"
        yield f"  made by     predictor version {PREDICTOR_VERSION}; {checked}"


def answers(root: Path, wish: Wish) -> Iterator[Answer]:
    """One answer for each case that is meant. Raises LedgerError."""
    for snippet, cases, profile in _meant(root, wish):
        changes = settings(snippet, wish.changes)
        with Predictor(snippet) as predictor:
            for case in cases:
                if wish.memory is None:
                    yield Answer(predictor.predict(case, profile, changes, wish.device))
                    continue
                others = {name: value for name, value in changes.items() if name != PARAMETER}

                def at(size: int, case: str = case) -> Prediction:
                    return predictor.predict(case, profile, {**others, PARAMETER: size}, wish.device)  # noqa: B023

                fitted = fit_by_predictions(snippet, memory_gib(wish.memory), at)
                yield Answer(fitted.prediction, fitted)


def saved(root: Path, wish: Wish, command: str, tell: Callable[[str], None]) -> Iterator[str]:
    """File what is missing or stale; yields what could not be predicted where it was asked for by name."""
    filed = current = 0
    origin = provenance(root, command, None, rehearsal=False)
    for snippet, cases, profile in _meant(root, wish):
        cases = [case for case in cases if _is_read(snippet, case, profile, wish.device)]
        due = [case for case in cases if not _is_current(root, snippet, case, profile, wish.device)]
        current += len(cases) - len(due)
        if not due:
            continue
        with Predictor(snippet) as predictor:
            for case in due:
                try:
                    found = predictor.predict(case, profile, flavour=wish.device)
                except LedgerError as error:
                    if wish.target:
                        yield str(error)
                    else:
                        tell(f"no prediction of {snippet.name}/{case}: {error.problem}")
                    continue
                started = datetime.now(UTC)
                record = prediction_record(found, snippet, origin, environment(NO_DEVICE, "spawn"), started)
                write_record(committed_folder(root, snippet.name), record)
                filed += 1
                tell(f"{snippet.name}/{case}@{profile}: {found.peak_mib:,.0f} MiB")
    tell(f"filed {filed} prediction(s), {current} were current")


def _is_read(snippet: Snippet, case: str, profile: str, device: Device) -> bool:
    """Whether a run of this case reads what a prediction foretells; no other one is worth filing."""
    return METERS[PEAK_OF[device]].read_in in snippet.passes_of(case, profile)


def _is_current(root: Path, snippet: Snippet, case: str, profile: str, device: Device) -> bool:
    """Whether the prediction on file has today's key."""
    path = committed_folder(root, snippet.name) / profile / model_of(device).slug / f"{case}.json"
    if not path.is_file():
        return False
    try:
        record = read_record(path)
    except LedgerError:
        return False
    return not record.damaged and not differences(record.key, prediction_key(snippet, case, profile, device=device))


def _meant(root: Path, wish: Wish) -> Iterator[tuple[Snippet, list[str], str]]:
    """Snippets, their cases and the profile; without a target every snippet that has the device's usual profile."""
    snippets = load_snippets(root)
    name, _, case = (wish.target or "").partition("/")
    if wish.target and name not in snippets:
        raise unknown("snippet", name, snippets)
    for snippet in [snippets[name]] if wish.target else snippets.values():
        usual = USUAL_PROFILE[wish.device]
        profile = wish.profile or (usual if usual in snippet.profiles else next(iter(snippet.profiles)))
        if profile not in snippet.profiles or (not wish.target and usual not in snippet.profiles):
            if wish.target:
                raise unknown("profile", profile, snippet.profiles, where=f" in {name}")
            continue
        yield snippet, [case] if case else snippet.cases_in(profile), profile
