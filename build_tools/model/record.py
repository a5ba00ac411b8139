"""What a snippet declares and what a run leaves behind."""

from __future__ import annotations

import hashlib
from typing import Literal

from pydantic import AwareDatetime, ConfigDict, Field, model_validator

from build_tools.errors import MisfitError
from build_tools.model.base import Data, Device, Name, Parameters, Scalar, Text, canonical_json, possible

Pass = Literal["check", "memory", "tensors", "time", "report"]
Origin = Literal["ci", "maintainer", "contributor", "rehearsal"]
FailureKind = Literal[
    "check", "exception", "protocol", "out_of_memory", "time_limit", "killed", "no_report", "implausible", "not_started"
]
WarningKind = Literal["inexact", "wide_spread", "other_processes", "throttling", "load", "far_from_prediction"]


class Needs(Data):
    """What a case asks of a machine. `memory_gib` is the memory of one device."""

    device: Literal["any", "cpu", "cuda"] = "any"
    memory_gib: float = Field(default=0, ge=0)
    devices: int = Field(default=1, ge=1)


class Metric(Data):
    """How one quantity is printed. `exact`: repeats must agree once rounded. `series` names the x axis."""

    unit: str
    label: Text
    decimals: int = Field(ge=0, le=9)
    exact: bool = False
    series: Name | None = None


class Meter(Metric):
    """A built-in metric: read by the runner in passes `read_in`, on `devices`. A new `version` makes results stale."""

    read_in: Pass
    devices: tuple[Device, ...]
    version: int
    clock: bool = False


class Machine(Data):
    """One device. `model` is what its driver calls it; `cores` are the usable ones of a CPU; memory in GiB."""

    slug: Name
    device: Device
    model: str
    memory_gib: float = Field(gt=0)
    cores: int | None = Field(default=None, ge=1)
    mig: str | None = None


StartMethod = Literal["fork", "spawn"]


class Environment(Data):
    """What surrounded the device while it was measured."""

    devices_in_box: int
    host_cpu: str
    system: str
    python: str
    packages: dict[str, str]
    driver: str | None = None
    cuda: str | None = None
    threads: int
    allocator: str
    tf32: bool | None = None
    start_method: StartMethod = "fork"


class Key(Data):
    """All that decides a result. Equal keys: nothing to measure."""

    program: str
    parameters: Parameters
    short: Parameters = {}
    profile: str
    machine: str
    meters: dict[str, int]


class Counted(Data):
    """What really happened inside a window, by hooks."""

    samples: int
    optimizer_steps: int


class Series(Data):
    """A metric along an axis: `y[i]` was reported at `x[i]`. A program may report NaN; a record may not hold it."""

    model_config = ConfigDict(allow_inf_nan=True)

    x: tuple[float, ...]
    y: tuple[float, ...]


class Failure(Data):
    """Why a run gave no number. `during` names the pass."""

    kind: FailureKind
    during: Pass
    message: str


class Caution(Data):
    """Something seen while measuring that a reader should know. A closed list of kinds, with the figures seen."""

    kind: WarningKind
    detail: dict[str, Scalar] = {}


SCHEMA: Literal[1] = 1


class Record(Data):
    """One case, one profile, one machine, one environment: every raw sample, and where it came from.

    `devices` is how many of the machine's devices the case saw. `samples` holds lists per metric in the metric's unit;
    series stand in `series`. Times are UTC. `moment` is said by a prediction: when its peak is reached.
    `digest` detects damage, not forgery.
    """

    schema_version: Literal[1] = Field(default=SCHEMA, alias="schema")
    snippet: Name
    case: Name
    profile: Name
    machine: Machine
    devices: int = Field(default=1, ge=1)
    environment: Environment
    key: Key
    run_id: str
    started: AwareDatetime
    command: str
    commit: str | None = None
    clean: bool | None = None
    origin: Origin
    status: Literal["ok", "failed"]
    reason: Failure | None = None
    samples: dict[str, tuple[float, ...]] = {}
    counted: Counted | None = None
    series: dict[str, Series] = {}
    warnings: tuple[Caution, ...] = ()
    output: str = ""
    moment: Text | None = None
    digest: str = ""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=True)

    @model_validator(mode="after")
    def can_be_true(self) -> Record:
        """A failure has a reason, nothing else has, and every number can be computed with."""
        if (self.status == "failed") != (self.reason is not None):
            raise MisfitError("a failed record has a reason, and no other has one", path=("status",))
        for name, values in self.samples.items():
            if not values or not all(possible(value) for value in values):
                raise MisfitError(f"{name} has no samples, or impossible ones", path=("samples", name))
        for name, series in self.series.items():
            if len(series.x) != len(series.y) or not all(possible(value) for value in (*series.x, *series.y)):
                raise MisfitError(f"{name} is no series of x and y, or holds impossible numbers", path=("series", name))
        return self

    def content_digest(self) -> str:
        """SHA-256 over everything but `digest` itself, in a canonical form.

        Fields at their default are left out: a field that is added later must not damage the records there are.
        """
        content = self.model_dump(mode="json", by_alias=True, exclude={"digest"}, exclude_defaults=True)
        return hashlib.sha256(canonical_json(content).encode()).hexdigest()

    def sealed(self) -> Record:
        """The same record with the digest that fits it."""
        return self.model_copy(update={"digest": self.content_digest()})

    @property
    def damaged(self) -> bool:
        return self.digest != self.content_digest()
