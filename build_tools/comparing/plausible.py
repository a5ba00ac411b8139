"""Can a stored record be true? The runner's gate saw the run; this one sees only what somebody says came of it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from build_tools.measuring.plausible import CLOCK_TOLERANCE, MIB_PER_GIB
from build_tools.memory_model import MODELS, PARTS
from build_tools.metrics import METERS, declared, meters_of
from build_tools.model import Metric, Record
from build_tools.snippet import Snippet

MOST_SAMPLES = 1000  # the command line takes no more repeats


def doubts(record: Record, snippet: Snippet) -> list[str]:
    """Why a good record cannot be true; empty where nothing speaks against it, and for a failed one."""
    if record.status == "failed":
        return []
    rules = (_metrics, _counts, _memory, _clocks, _exact)
    return [doubt for rule in rules for doubt in rule(record, snippet)]


def metrics_of(record: Record, snippet: Snippet) -> dict[str, Metric]:
    """What a record may hold. A prediction tells its parts, and is the same every time it is computed."""
    if record.machine.slug not in MODELS:
        return declared(snippet.metrics)
    return {name: metric.model_copy(update={"exact": True}) for name, metric in {**METERS, **PARTS}.items()}


def _metrics(record: Record, snippet: Snippet) -> Iterator[str]:
    """Every meter of the passes that were run, each declared metric, and nothing else."""
    known, held = metrics_of(record, snippet), {*record.samples, *record.series}
    for name in sorted(held - known.keys()):
        yield f"{name!r} is no metric of {snippet.name}"
    # Where the time was up after the memory passes, memory alone was worth keeping.
    timed = "time" not in snippet.passes_of(record.case, record.profile) or "seconds" in held
    missing = {*snippet.metrics} - held if timed else set()
    yield from (f"{name} is missing" for name in sorted(missing))
    if not held:
        yield "it holds no sample"
    foreign = {name for name in held if name in METERS} - meters_of(record.machine.device).keys()
    for name in sorted(foreign):
        yield f"{name} cannot be read on a {record.machine.device} device"


def _counts(record: Record, snippet: Snippet) -> Iterator[str]:
    for name, values in record.samples.items():
        if len(values) > MOST_SAMPLES:
            yield f"{name} has {len(values)} samples"
    if record.counted is not None and min(record.counted.samples, record.counted.optimizer_steps) < 0:
        yield "samples and optimiser steps are counted from 0 upwards"


def _memory(record: Record, snippet: Snippet) -> Iterator[str]:
    limit = record.machine.memory_gib * MIB_PER_GIB * record.devices
    for name, values in record.samples.items():
        if name.endswith("_mib") and name in METERS and not all(0 <= value <= limit for value in values):
            worst = max(values, key=abs)
            yield f"{name} = {worst:.6g} MiB on {record.devices} device(s) of {record.machine.memory_gib:g} GiB"


def _clocks(record: Record, snippet: Snippet) -> Iterator[str]:
    """A window takes time; samples are samples per second times seconds, in each run."""
    seconds, rates = record.samples.get("seconds", ()), record.samples.get("samples_per_second", ())
    if any(value <= 0 for value in (*seconds, *rates)):
        yield "a clock that stood still or ran backwards"
        return
    if not rates and (record.counted is None or record.counted.samples == 0):
        return
    if len(seconds) != len(rates):
        yield f"{len(seconds)} times and {len(rates)} speeds of one set of runs"
        return
    if record.counted is None:
        return
    for time, rate in zip(seconds, rates, strict=True):
        if not math.isclose(time * rate, record.counted.samples, rel_tol=CLOCK_TOLERANCE):
            yield f"{rate:.6g} samples/s for {time:.6g} s are not {record.counted.samples} samples"
            return


def _exact(record: Record, snippet: Snippet) -> Iterator[str]:
    """Repeats of an exact metric that differ are warned of by the runner; without the warning the record is not its."""
    warned = {str(caution.detail.get("metric")) for caution in record.warnings if caution.kind == "inexact"}
    for name, metric in declared(snippet.metrics).items():
        values = {round(value, metric.decimals) for value in record.samples.get(name, ())}
        if metric.exact and len(values) > 1 and name not in warned:
            yield f"{name} is exact, and its repeats differ"
