"""One case while it is measured: what its processes have reported so far, and the record that follows from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from build_tools.measuring import cautions
from build_tools.measuring.capture import cleaned, masked
from build_tools.measuring.launcher import Result
from build_tools.measuring.plan import CasePlan, Group
from build_tools.measuring.plausible import implausible
from build_tools.measuring.report import Report
from build_tools.measuring.surroundings import Provenance, environment
from build_tools.metrics import declared
from build_tools.model import Caution, Counted, Environment, Failure, Machine, Pass, Record, Series


@dataclass
class CaseRun:
    """Collects reports. `failure` ends the case; samples seen before it are kept in its record."""

    group: Group
    plan: CasePlan
    machine: Machine
    provenance: Provenance
    started: datetime = field(default_factory=lambda: datetime.now(UTC).replace(microsecond=0))
    samples: dict[str, list[float]] = field(default_factory=dict)
    series: dict[str, Series] = field(default_factory=dict)
    counted: Counted | None = None
    done: set[Pass] = field(default_factory=set)
    beside: list[Caution] = field(default_factory=list)
    output: str = ""
    environment: Environment | None = None
    failure: Failure | None = None

    @property
    def case(self) -> str:
        return self.plan.case

    @property
    def passes(self) -> tuple[Pass, ...]:
        return self.group.snippet.passes_of(self.case, self.group.profile)

    @property
    def worth_storing(self) -> bool:
        """Whether a record would say something whole: a failure, or what each pass of the case has to say."""
        return self.failure is not None or set(self.passes) <= self.done

    def take(self, run_pass: Pass, result: Result, *folders: Path) -> None:
        """Add what one process left behind, or why it is not added. Paths below `folders` become relative."""
        report, output = result.report, cleaned(result.output, *folders)
        if report is not None and self.environment is None:
            self.environment = environment(report.settings, result.start_method)
        failure = result.failure or self._implausible(run_pass, report) or self._unreported(run_pass, report)
        self.failure = failure and failure.model_copy(update={"message": masked(failure.message, *folders)})
        if self.failure is not None or not self.output:
            self.output = output if self.failure or run_pass in ("time", "report") else self.output
        if report is not None and self.failure is None:
            self._add(run_pass, report)

    def _add(self, run_pass: Pass, report: Report) -> None:
        values = dict(report.meters)
        self.done.add(run_pass)
        self.beside += cautions.of_process(report)
        if run_pass in ("time", "report"):
            # Short passes see fewer samples, so what they report is not the case's result.
            values |= report.reported
            self.series = self.series or report.series
            self.counted = self.counted or report.counted
        for name, value in values.items():
            self.samples.setdefault(name, []).append(value)

    def _implausible(self, run_pass: Pass, report: Report | None) -> Failure | None:
        problem = implausible(report, self.machine) if report else None
        return Failure(kind="implausible", during=run_pass, message=problem) if problem else None

    def _unreported(self, run_pass: Pass, report: Report | None) -> Failure | None:
        """A declared metric that a whole run did not hand over."""
        if report is None or run_pass not in ("time", "report"):
            return None
        missing = set(self.group.snippet.metrics) - set(report.reported) - set(report.series)
        if not missing:
            return None
        message = f"meter.report(…) handed over no {', '.join(sorted(missing))}, declared in [metrics]"
        return Failure(kind="protocol", during=run_pass, message=message)

    def cautions(self) -> list[Caution]:
        """What a reader should know beside the numbers, the worst of each kind."""
        return cautions.worst([*self.beside, *cautions.of_repeats(self.samples, declared(self.group.snippet.metrics))])

    def record(self) -> Record:
        """The record as of now. Its environment is that of the first process that reported."""
        from build_tools.measuring.child import torch_settings

        snippet = self.group.snippet
        return Record(
            snippet=snippet.name, case=self.case, profile=self.group.profile, machine=self.machine,
            devices=snippet.needs_of(self.case, self.group.profile).devices,
            environment=self.environment or environment(torch_settings(), "fork"), key=self.plan.key,
            run_id=self.provenance.run_id, started=self.started, command=self.provenance.command,
            commit=self.provenance.commit, clean=self.provenance.clean, origin=self.provenance.origin,
            status="failed" if self.failure else "ok", reason=self.failure,
            samples={name: tuple(values) for name, values in sorted(self.samples.items())},
            counted=self.counted, series=self.series, output=self.output,
            warnings=tuple(self.cautions()),
        )  # fmt: skip
