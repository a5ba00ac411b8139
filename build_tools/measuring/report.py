"""What passes between the runner and a measuring process: a job goes in, a report comes back, both as JSON files."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ConfigDict

from build_tools.model import Counted, Data, Device, Failure, Parameters, Pass, Series


class Job(Data):
    """One pass of one case in a process of its own. `warm_up` counts calls of the step that `build(p)` returns;
    `threads` None means one for every usable core.

    The launcher adds the paths: the working directory, the report, the output.
    """

    folder: str
    case: str
    run_pass: Pass
    parameters: Parameters
    series: tuple[str, ...]
    scalars: tuple[str, ...]
    device: Device
    devices: int
    warm_up: int
    timeout_s: float
    threads: int | None = None
    work: str = ""
    report: str = ""
    output: str = ""


class Outcome(Data):
    """How a process ended: its exit code (negative: the signal), and how many processes it had left behind."""

    code: int
    timed_out: bool
    leftover: int


class Settings(Data):
    """What only the process itself can tell about how torch ran."""

    threads: int
    allocator: str
    tf32: bool | None = None
    cuda: str | None = None


class Report(Data):
    """What one process saw. `meters` and `reported` are in their metrics' units; clocks in seconds.

    `others_cores` is how many cores other processes kept busy, on average, while the clock ran;
    `gpu_processes` all processes on the GPU, this one included.
    """

    # A loss may be NaN or infinite: the plausibility gate has to see it, so the file must be able to say it.
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants", allow_inf_nan=True)

    settings: Settings
    meters: dict[str, float] = {}
    other_clock_s: float | None = None
    others_cores: float | None = None
    gpu_processes: int | None = None
    throttled: bool | None = None
    declared: Counted | None = None
    counted: Counted | None = None
    used_device: bool = True
    reported: dict[str, float] = {}
    series: dict[str, Series] = {}
    failure: Failure | None = None

    def write(self, path: Path) -> None:
        """In one step, so that a process killed while writing has reported nothing."""
        temporary = path.with_suffix(".part")
        temporary.write_text(self.model_dump_json())
        temporary.replace(path)

    @classmethod
    def read(cls, path: Path) -> Report | None:
        try:
            return cls.model_validate(json.loads(path.read_text()), strict=False)
        except (OSError, ValueError):
            return None
