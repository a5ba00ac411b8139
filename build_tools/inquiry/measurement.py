"""Where a measured number comes from: everything its record tells, or why there is none and what would measure it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from build_tools.figures.reference import parse_reference
from build_tools.figures.resolve import Ledger
from build_tools.inquiry.wording import (
    Fact,
    age,
    device_words,
    fact_lines,
    is_local,
    one_below_the_other,
    record_file,
    sentences,
    unbroken,
)
from build_tools.metrics import declared
from build_tools.model import Environment, Figure, Key, Needs, Parameters, Record, Series
from build_tools.render import words
from build_tools.render.numbers import number, with_unit
from build_tools.render.provenance import machine_words
from build_tools.render.reasons import seen_by
from build_tools.snippet import Snippet, shown

# No run would change these: the case, the device or the program would have to be another.
BEYOND_MEASURING = {"not_in_profile", "meter_absent", "not_reported"}
POINTS_SHOWN = 3  # of a series, at each end


@dataclass(frozen=True)
class Measurement:
    """One measured number, or the lack of it, with the snippet and needs of its case."""

    figure: Figure
    snippet: Snippet
    needs: Needs

    @property
    def samples(self) -> tuple[float, ...]:
        """Every raw one."""
        return self.figure.record.samples.get(self.figure.metric, ()) if self.figure.record else ()

    @property
    def series(self) -> Series | None:
        return self.figure.record.series.get(self.figure.metric) if self.figure.record else None

    @property
    def measure(self) -> str | None:
        """The command that would make the number fresh; it measures all cases, so that they can be compared."""
        figure = self.figure
        if figure.freshness == "fresh" or any(reason.code in BEYOND_MEASURING for reason in figure.reasons):
            return None
        # Older versions and a failed attempt leave the key as it is: by itself, `measure` would find nothing to do.
        force = " --force" if figure.freshness in {"older-versions", "failed"} and figure.record else ""
        profile = parse_reference(figure.reference).profile
        return f"python -m build_tools measure {self.snippet.name} --profile {profile}{force}"

    def as_data(self) -> dict[str, Any]:
        """For JSON: without what the record says of other numbers, and without what the program printed."""
        figure = self.figure.model_dump(mode="json", exclude={"record", "source", "label"})
        record = self.figure.record
        return {
            **figure,
            "label": self.figure.label.en,
            "why": list(sentences(self.figure.reasons)),
            "samples": list(self.samples),
            "series": self.series.model_dump(mode="json") if self.series else None,
            "record_file": record_file(self.figure),
            "committed": not is_local(self.figure) if self.figure.source else None,
            "record": record and record.model_dump(
                mode="json", by_alias=True, exclude={"samples", "series", "output"}
            ),
            "needs": self.needs.model_dump(mode="json"),
            "measure": self.measure,
        }  # fmt: skip

    def lines(self, now: datetime, width: int) -> list[str]:
        """For a terminal: the reference, then one fact a line."""
        facts = list(_number(self))
        if record := self.figure.record:
            facts += [*_measured_on(record), *_measured_with(record.environment), *_program(record.key)]
            facts += [*_seen(self, record), *_run(record, now)]
            facts.append(("record", f"{record_file(self.figure)}"))
        if self.measure:
            facts += one_below_the_other("to measure", (self.measure, *_where(self)))
        return fact_lines(self.figure.reference, facts, width)


def measurement(ledger: Ledger, figure: Figure) -> Measurement:
    """What there is to tell of a figure that a reference names."""
    asked = parse_reference(figure.reference)
    snippet = ledger.snippet(asked.snippet)
    return Measurement(figure, snippet, snippet.needs_of(asked.case, asked.profile or ""))


# ----------------------------------------------------------------------------------------------------- as lines of text


def _number(found: Measurement) -> Iterator[Fact]:
    figure = found.figure
    yield "what", figure.label.en
    state = [words.FRESHNESS[figure.freshness].en]
    if figure.value is not None:
        yield "value", f"{with_unit(figure, 'en')}, {_centre(found)}"
        state = [f"{words.KINDS[figure.kind].en}, {state[0]}"]
    elif figure.freshness == "pending":
        state = []  # the reason says it
    yield from one_below_the_other("known as", (*state, *sentences(figure.reasons)))
    if found.samples:
        yield "samples", "  ".join(str(sample) for sample in found.samples)
    if found.series is not None:
        yield "series", _points(found.series)


def _centre(found: Measurement) -> str:
    if found.series is not None:
        return "the last of a series"
    if found.figure.n == 1:
        return "a single run"
    low, high = (number(value, found.figure.decimals) for value in (found.figure.low, found.figure.high))
    return f"median of {found.figure.n} runs, {low}–{high}"


def _where(found: Measurement) -> Iterator[str]:
    """On which machine, and on what kind of device."""
    machine, device = parse_reference(found.figure.reference).machine, device_words(found.needs)
    told = [*([machine] if machine else []), *([device] if found.needs != Needs() else [])]
    if told:
        yield f"on {', '.join(told)}"


def _points(series: Series) -> str:
    points = [unbroken(f"{x:g}: {y}") for x, y in zip(series.x, series.y, strict=False)]
    if len(points) > 2 * POINTS_SHOWN:
        points = [*points[:POINTS_SHOWN], "…", *points[-POINTS_SHOWN:]]
    return f"{len(series.y)} points; " + "  ".join(points)


def _measured_on(record: Record) -> Iterator[Fact]:
    machine, around = record.machine, record.environment
    yield "machine", f"{machine.slug}: {machine_words(machine, 'en')}"
    if machine.device == "cuda":
        yield "", f"{record.devices} of {around.devices_in_box} devices; host {around.host_cpu}"


def _measured_with(around: Environment) -> Iterator[Fact]:
    yield "packages", ", ".join(unbroken(f"{name} {version}") for name, version in around.packages.items())
    driver = [f"driver {around.driver}"] if around.driver else []
    cuda = [f"CUDA {around.cuda}"] if around.cuda else []
    yield "system", ", ".join([around.system, f"Python {around.python}", *driver, *cuda])
    tf32 = [] if around.tf32 is None else [f"TF32 {'on' if around.tf32 else 'off'}"]
    threads = "1 thread" if around.threads == 1 else f"{around.threads} threads"
    yield "settings", ", ".join([threads, f"{around.allocator} allocator", *tf32, f"start by {around.start_method}"])


def _program(key: Key) -> Iterator[Fact]:
    yield "program", key.program
    if key.parameters:
        yield "parameters", _assigned(key.parameters)
    if key.short:
        yield "short", f"{_assigned(key.short)} (memory and tensor passes)"


def _assigned(parameters: Parameters) -> str:
    return ", ".join(unbroken(f"{name} = {shown(value)}") for name, value in parameters.items())


def _seen(found: Measurement, record: Record) -> Iterator[Fact]:
    """What was counted, and what the runner warns of, of this number or of all."""
    if record.counted:
        yield "counted", f"{record.counted.samples:,} samples, {record.counted.optimizer_steps:,} optimizer steps"
    metrics = declared(found.snippet.metrics)
    told = []
    for caution in record.warnings:
        if caution.detail.get("metric") in {None, found.figure.metric}:
            figures = seen_by(caution, metrics, "en")
            told.append(words.CAUTIONS[caution.kind].en + (f" ({figures})" if figures else ""))
    yield from one_below_the_other("warnings", tuple(told))


def _run(record: Record, now: datetime) -> Iterator[Fact]:
    yield "run", f"{record.run_id}, started {record.started:%Y-%m-%d %H:%M:%S} UTC, {age(record.started, now)}"
    yield "command", record.command
    if record.commit:
        state = {True: " (clean)", False: " (with uncommitted changes)", None: ""}[record.clean]
        yield "commit", record.commit + state
    yield "origin", words.ORIGINS[record.origin].en
