"""The cases of a chart: which are meant, what sets each apart, and its figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from build_tools.errors import LedgerError
from build_tools.figures.predicted import cautions
from build_tools.figures.resolve import Ledger, Spot
from build_tools.memory_model import PARTS
from build_tools.metrics import METERS
from build_tools.model import Caution, Figure, Parameters, Scalar
from build_tools.snippet import Snippet

Found = tuple[Snippet, str]  # where a case is declared, and its name there


@dataclass(frozen=True)
class Group:
    """A case of the chart, with one figure for each metric of y.

    `name` is how the fence writes it, with its snippet where that is another than the fence's; `apart` are the
    parameters that set it apart from the others shown, `parameters` all it runs with. `total` is what the figures of
    a stack add up to.
    """

    name: str
    snippet: Snippet
    case: str
    parameters: Parameters
    apart: Parameters
    figures: tuple[Figure, ...]
    cautions: tuple[Caution, ...]
    total: Figure | None = None

    @property
    def complete(self) -> bool:
        return all(figure.value is not None for figure in self.figures)


def find_case(ledger: Ledger, snippet: Snippet, name: str, profile: str) -> Found:
    """The case that a name means: `plain`, or `other/plain` of another snippet. Raises LedgerError."""
    other, slash, case = name.rpartition("/")
    where = ledger.snippet(other) if slash else snippet
    ledger.case(where, case)
    ledger.profile(where, profile)
    if case not in where.cases_in(profile):
        example = f"cases: [{', '.join(where.cases_in(profile))}]"
        raise LedgerError(f"{name} does not run at {profile}", example=example)
    return where, case


def groups(ledger: Ledger, cases: Mapping[str, Found], spot: Spot, metrics: Iterable[str]) -> Iterator[Group]:
    """The cases with their figures. All names must exist."""
    names = tuple(metrics)
    parameters = {name: snippet.parameters_of(case, spot.profile) for name, (snippet, case) in cases.items()}
    for name, (snippet, case) in cases.items():
        figures = tuple(ledger.figure_at(snippet, case, metric, spot) for metric in names)
        seen: list[Caution] = []
        for figure in (figure for figure in figures if figure.value is not None):
            seen += [caution for caution in cautions(ledger, figure) if caution not in seen]
        apart = _apart(name, snippet, case, spot.profile, parameters, names)
        yield Group(name, snippet, case, parameters[name], apart, figures, tuple(seen))


def _apart(
    name: str, snippet: Snippet, case: str, profile: str, everywhere: Mapping[str, Parameters], metrics: Iterable[str]
) -> Parameters:
    """In what a case differs from the others shown, but for what does not decide these metrics."""
    usual = {**snippet.parameters, **snippet.profiles[profile].parameters}
    ignored = snippet.short_of(case, profile) if all(_read_short(metric) for metric in metrics) else {}
    return {
        parameter: value
        for parameter, value in everywhere[name].items()
        if parameter not in ignored
        and _differs(value, (others.get(parameter) for others in everywhere.values()), usual[parameter])
    }


def _read_short(metric: str) -> bool:
    """Whether it comes from passes that cut a case short, since what is cut off does not matter to it."""
    return metric in PARTS or (metric in METERS and METERS[metric].read_in in {"memory", "tensors"})


def _differs(value: Scalar, everywhere: Iterable[Scalar | None], usual: Scalar) -> bool:
    """Whether others have another value; where another snippet has no such parameter, whether it is not the usual."""
    values = list(everywhere)
    return value != usual if None in values else any(other != value for other in values)
