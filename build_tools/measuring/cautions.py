"""What a reader should know about numbers that are each plausible: typed, with the figures seen."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from build_tools.measuring.report import Report
from build_tools.model import Caution, Metric

WIDE_SPREAD = 0.5  # pyperf calls a benchmark unstable when its extremes lie half the mean away
BUSY_CORES = 0.2  # our own: a fifth of a core taken by others shows in a run that uses all of them


def of_process(report: Report) -> list[Caution]:
    """What went on beside one timed process."""
    found = []
    if (cores := report.others_cores) is not None and cores > BUSY_CORES:
        found.append(Caution(kind="load", detail={"cores": round(cores, 1)}))
    if report.gpu_processes is not None and report.gpu_processes > 1:
        found.append(Caution(kind="other_processes", detail={"count": report.gpu_processes - 1}))
    if report.throttled:
        found.append(Caution(kind="throttling"))
    return found


def of_repeats(samples: Mapping[str, Sequence[float]], metrics: Mapping[str, Metric]) -> list[Caution]:
    """Repeats that do not agree: an exact metric must once rounded, a noisy one within bounds."""
    found = []
    for name, values in samples.items():
        exact, low, high = metrics[name].exact, min(values), max(values)
        if exact and len({round(value, metrics[name].decimals) for value in values}) > 1:
            found.append(Caution(kind="inexact", detail={"metric": name, "low": low, "high": high}))
        elif not exact and high - low > WIDE_SPREAD * abs(statistics.median(values)):
            found.append(Caution(kind="wide_spread", detail={"metric": name, "low": low, "high": high}))
    return found


def worst(cautions: Sequence[Caution]) -> list[Caution]:
    """One of each kind (and metric): the one with the largest figures."""
    kept: dict[tuple[str, object], Caution] = {}
    for caution in cautions:
        identity = caution.kind, caution.detail.get("metric")
        if identity not in kept or _size(caution) > _size(kept[identity]):
            kept[identity] = caution
    return list(kept.values())


def _size(caution: Caution) -> float:
    return max((float(value) for value in caution.detail.values() if not isinstance(value, str)), default=0.0)
