"""The snippet `ddp_sync`: what two real processes exchange, that the loops are right, and that nothing stays behind."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

import psutil
import pytest
from projects import REPOSITORY
from torch.multiprocessing import ProcessRaisedException

from build_tools.measuring.child import CaseParameters, load_program
from build_tools.measuring.launcher import Launcher
from build_tools.measuring.report import Job
from build_tools.store import load_snippet

SNIPPET = load_snippet(REPOSITORY / "snippets" / "ddp_sync")
ROUNDING = 1e-3  # in %

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")  # Python 3.12


class Collected(dict[str, float]):
    """A meter that keeps what is reported."""

    def report(self, **metrics: float) -> None:
        self.update(metrics)


@pytest.fixture(scope="module")
def program() -> ModuleType:
    """The program; what DDP imports at its first use is imported once instead of in each process."""
    import torch._dynamo  # noqa: F401
    from accelerate.state import AcceleratorState

    # A Trainer that ran in this process before leaves its state behind, and forked processes would go by it.
    AcceleratorState._reset_state(reset_partial_state=True)
    return load_program(SNIPPET.folder)


def parameters(case: str, **changes: Any) -> CaseParameters:
    return CaseParameters(SNIPPET.parameters_of(case, "quick") | changes)


@pytest.fixture(scope="module")
def found(program: ModuleType) -> dict[str, Collected]:
    """Each case once, with fewer micro-batches."""
    meters = {case: Collected() for case in SNIPPET.cases}
    for case, meter in meters.items():
        program.run(parameters(case, accumulation_steps=3), meter)
    return meters


def test_all_reduces_of_a_window(found: dict[str, Collected]) -> None:
    """One for each micro-batch, unless forward and backward are both inside `no_sync`."""
    counts = {case: meter["all_reduces"] for case, meter in found.items() if case != "accelerate"}

    assert counts == {"naive": 3, "no_sync": 1, "backward_only": 3, "never": 0}


def test_an_all_reduce_moves_every_gradient(program: ModuleType, found: dict[str, Collected]) -> None:
    """Four bytes for each weight."""
    weights = sum(weight.numel() for weight in program.model(parameters("naive")).parameters())

    assert all(meter["reduced_kib"] == meter["all_reduces"] * 4 * weights / 1024 for meter in found.values())


def test_processes_agree_in_the_end_if_not_before(found: dict[str, Collected]) -> None:
    """After the first micro-batch only where it was averaged; at the end unless nothing ever was."""
    agree = {case: (m["first_difference"] == 0, m["last_difference"] == 0) for case, m in found.items()}

    assert agree["naive"] == agree["backward_only"] == (True, True)
    assert agree["no_sync"] == (False, True)
    assert agree["never"] == (False, False)


def test_gradients_are_those_of_one_big_batch(found: dict[str, Collected]) -> None:
    """However often they were averaged, unless they never were."""
    errors = {case: meter["gradient_error"] for case, meter in found.items()}

    assert max(errors[case] for case in ("naive", "no_sync", "backward_only")) < ROUNDING
    assert errors["never"] > 10


def test_accelerate_is_measured_and_not_judged(found: dict[str, Collected]) -> None:
    """Whatever it does is reported."""
    assert set(found["accelerate"]) == set(SNIPPET.metrics)


def test_the_check_notices_processes_that_do_not_agree(program: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop without any reduction leaves each rank with a gradient of its own."""
    program.check(parameters("no_sync"))
    monkeypatch.setitem(program.WAYS, "no_sync", program.never)

    with pytest.raises(AssertionError, match="rank 0: relative error"):
        program.check(parameters("no_sync"))


def test_a_failing_process_ends_the_other(program: ModuleType) -> None:
    """Which would otherwise wait for it; the error says what happened, and nobody stays behind."""

    def leave_in_the_lurch(net: Any, micro_batches: Any) -> None:
        if int(os.environ["LOCAL_RANK"]) == 1:
            raise ValueError("a stumbling rank")
        program.naive(net, micro_batches)

    before = psutil.Process().children(recursive=True)
    with pytest.raises(ProcessRaisedException, match="a stumbling rank"):
        program.in_processes(2, program.window, parameters("naive"), leave_in_the_lurch)
    assert psutil.Process().children(recursive=True) == before


def test_it_runs_in_a_measuring_process() -> None:
    """Forked from a server, in a session of its own; what gloo might print is none of a record."""
    job = Job(
        folder=str(SNIPPET.folder), case="no_sync", run_pass="report", device="cpu", devices=1, warm_up=0,
        parameters=SNIPPET.parameters_of("no_sync", "quick"), series=(), scalars=tuple(SNIPPET.metrics), timeout_s=60,
    )  # fmt: skip
    with Launcher(SNIPPET.preload) as launcher:
        result = launcher.run(job)

    assert (result.failure, result.output) == (None, b"")
    assert result.report is not None
    assert result.report.reported["all_reduces"] == 1
