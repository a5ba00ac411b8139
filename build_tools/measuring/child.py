"""Inside a measuring process: load the program, run one pass of one case, report. Nothing here decides what to run."""

from __future__ import annotations

import importlib.util
import os
import random
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from build_tools.machine import visible_gpus
from build_tools.measuring import windows
from build_tools.measuring.report import Job, Report, Settings
from build_tools.model import Counted, Failure, FailureKind, Scalar, Series

if TYPE_CHECKING:
    import torch

SEED = 0


class ProtocolError(Exception):
    """The program did not do what `build_tools.measure` asks of it."""


class CheckError(Exception):
    """What `check` raised: the implementation is not right."""


class CaseParameters:
    """`p`: the case's parameters as attributes, read-only."""

    def __init__(self, values: Mapping[str, Scalar]) -> None:
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no parameter {name!r}; there are: {', '.join(self.__dict__)}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"parameters are read-only: {name}")


class PassMeter:
    """The meter of one pass (see `build_tools.measure.Meter`)."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.readings = windows.Readings()
        self.windows = self.reports = 0
        self.declared: Counted | None = None
        self.counted: Counted | None = None
        self.used_device = True
        self.reported: dict[str, float] = {}
        self.series: dict[str, Series] = {}

    @property
    def device(self) -> torch.device:
        import torch

        return torch.device(self.job.device, 0) if self.job.device == "cuda" else torch.device("cpu")

    @contextmanager
    def window(self, model: torch.nn.Module | None, *, samples: int, optimizer_steps: int) -> Iterator[None]:
        self.windows += 1
        if self.windows > 1:
            raise ProtocolError("a second meter.window(…) was opened; a run has exactly one")
        self.declared = Counted(samples=samples, optimizer_steps=optimizer_steps)
        counting = windows.Counting(model)
        # The meter sits inside the counting, so that setting hooks is not measured.
        with counting(), self._read(model):
            yield
        self.counted = counting.counted if model is not None else self.declared
        self.used_device = model is None or all(p.device.type == self.job.device for p in model.parameters())
        if "seconds" in self.readings.meters and samples:
            self.readings.meters["samples_per_second"] = samples / self.readings.meters["seconds"]

    def _read(self, model: torch.nn.Module | None) -> Any:
        if self.job.run_pass == "time":
            return windows.timed(self.job.device, self.readings)
        if self.job.run_pass == "memory":
            return windows.memory(self.job.device, self.readings)
        if self.job.run_pass == "tensors":
            return windows.live_tensors(self.job.device, model, self.readings)
        raise ProtocolError(f"meter.window(…) in a {self.job.run_pass} pass, which has no window")

    def report(self, **metrics: float | Iterable[tuple[float, float]]) -> None:
        self.reports += 1
        if self.reports > 1:
            raise ProtocolError("meter.report(…) was called twice; hand over everything in one call")
        for name, value in metrics.items():
            if name in self.job.series:
                points = [(float(x), float(y)) for x, y in value]  # type: ignore[union-attr]
                self.series[name] = Series(x=tuple(x for x, _ in points), y=tuple(y for _, y in points))
            elif name in self.job.scalars:
                self.reported[name] = float(value)  # type: ignore[arg-type]
            else:
                declared = ", ".join((*self.job.scalars, *self.job.series)) or "none"
                raise ProtocolError(f"meter.report({name}=…): not declared in [metrics]; declared: {declared}")


def run_job(job: Job) -> Report:
    """Run the pass; whatever the program raises becomes the report's failure."""
    meter, failure = PassMeter(job), None
    try:
        _run_pass(job, load_program(Path(job.folder)), meter)
    except ProtocolError as error:
        failure = _failure("protocol", job, str(error))
    except CheckError as error:
        failure = _failure("check", job, _in_a_line(error.__cause__ or error))
    except (Exception, SystemExit) as error:
        failure = _failure("out_of_memory" if _is_out_of_memory(error) else "exception", job, _in_a_line(error))
    return Report(
        settings=torch_settings(), **vars(meter.readings),
        declared=meter.declared, counted=meter.counted, used_device=meter.used_device,
        reported=meter.reported, series=meter.series, failure=failure,
    )  # fmt: skip


def _run_pass(job: Job, program: ModuleType, meter: PassMeter) -> None:
    parameters = CaseParameters(job.parameters)
    if job.run_pass == "check":
        _check(program, parameters)
        return
    _warm_up(job, program, parameters)
    seed_everything()
    program.run(parameters, meter)
    if job.run_pass != "report" and meter.windows == 0:
        raise ProtocolError("run(p, meter) opened no meter.window(…)")


def _check(program: ModuleType, parameters: CaseParameters) -> None:
    if not hasattr(program, "check"):
        return
    seed_everything()
    try:
        program.check(parameters)
    except (Exception, SystemExit) as error:
        raise CheckError from error


def _warm_up(job: Job, program: ModuleType, parameters: CaseParameters) -> None:
    """Call the step that `build` returns, then drop it: allocators, kernels and caches are warm, memory is not held."""
    if not job.warm_up or not hasattr(program, "build"):
        return
    import torch

    seed_everything()
    with torch.device(job.device):
        step = program.build(parameters)
        for _ in range(job.warm_up):
            step()
    del step
    windows.synchronize(job.device)
    windows.release_free_memory()


def load_program(folder: Path) -> ModuleType:
    """`main.py` as a module of its own; its folder and `snippets/` (for `shared`) can be imported from."""
    sys.path[:0] = [str(folder), str(folder.parent)]
    spec = importlib.util.spec_from_file_location(f"snippet_{folder.name}", folder / "main.py")
    if spec is None or spec.loader is None:
        raise ProtocolError(f"{folder / 'main.py'} cannot be loaded")
    program = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = program
    spec.loader.exec_module(program)
    return program


def seed_everything() -> None:
    """The same numbers in every process, so that an exact metric can be compared between repeats."""
    random.seed(SEED)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(SEED)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(SEED)


def torch_settings() -> Settings:
    allocator = os.environ.get("PYTORCH_CUDA_ALLOC_CONF", "default")
    torch = sys.modules.get("torch")
    if torch is None:
        return Settings(threads=int(os.environ.get("OMP_NUM_THREADS", "1")), allocator=allocator)
    cuda = torch.version.cuda if "cuda" in dir(torch.version) else None
    return Settings(threads=torch.get_num_threads(), allocator=allocator, tf32=_tf32(torch), cuda=cuda)


def _tf32(torch: Any) -> bool:
    """Whether products of fp32 matrices may use TF32. Since torch 2.9 the older flag raises once the newer is set."""
    matmul = torch.backends.cuda.matmul
    return bool(matmul.fp32_precision == "tf32" if hasattr(matmul, "fp32_precision") else matmul.allow_tf32)


def _failure(kind: FailureKind, job: Job, message: str) -> Failure:
    return Failure(kind=kind, during=job.run_pass, message=message)


def _is_out_of_memory(error: BaseException) -> bool:
    """Python's own, CUDA's (torch.OutOfMemoryError), and that of torch's CPU allocator, which has no type."""
    return (
        isinstance(error, MemoryError)
        or type(error).__name__ == "OutOfMemoryError"
        or "can't allocate memory" in str(error)
    )


def _in_a_line(error: BaseException) -> str:
    """What it says and where in the program, without the frames of the machinery below."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.endswith("main.py")]
    where = f" (main.py:{frames[-1].lineno})" if frames else ""
    said = str(error).strip() or "no message"
    return f"{type(error).__name__}: {said}{where}"


def main(job: Job) -> None:
    """The body of a measuring process: output goes to a file, the report appears at the very end."""
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(visible_gpus()[: job.devices]) if job.device == "cuda" else ""
    os.chdir(job.work)
    if job.threads:
        _pin_threads(job.threads)
    report = run_job(job)
    report.write(Path(job.report))


def _pin_threads(threads: int) -> None:
    """For a torch that is imported already, for one imported later, and for processes the program starts."""
    os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = str(threads)
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(threads)
