"""Derived numbers: units, unlike inputs, and what they inherit."""

from __future__ import annotations

import pytest
from figures.bench import CPU, GPU, NOTE, OTHER_CPU, Bench, claim, run
from records import ENVIRONMENT

from build_tools.errors import LedgerError
from build_tools.figures.number import about, number

PLAIN, ACCUMULATE = {"seconds": (2.0,), "tensor_mib": (80.0,)}, {"seconds": (3.0,), "tensor_mib": (30.0,)}


@pytest.fixture
def measured(bench: Bench) -> Bench:
    """Two cases of one run, and figures of a source."""
    bench.record("plain", samples=PLAIN)
    bench.record("accumulate", samples=ACCUMULATE)
    said = claim(
        "said",
        "value = 20\nunit = 'GB'\nmetric = 'device_mib'",
        "spoken",
        'source = { document = "note", at = "07:45" }',
    )
    saved = claim("saved", "value = 13166\nunit = 'MB'\nmetric = 'device_mib'")
    bench.evidence(NOTE + said + saved + claim("wordless"))
    return bench


RESULTS = {
    "toy/accumulate/seconds@quick / toy/plain/seconds@quick": (1.5, "1", "3.00 s / 2.00 s"),
    "toy/plain/tensor_mib@quick - toy/accumulate/tensor_mib@quick": (50.0, "MiB", "80.0 MiB - 30.0 MiB"),
    "(toy/plain/tensor_mib@quick - toy/accumulate/tensor_mib@quick) / toy/plain/tensor_mib@quick in %": (62.5, "%", "(80.0 MiB - 30.0 MiB) / 80.0 MiB"),
    "saved in GiB": (13166 / 1024, "GiB", "13,166 MB"),
    "toy/plain/seconds@quick + 500 ms": (2.5, "s", "2.00 s + 500 ms"),
    "toy/plain/tensor_mib@quick / toy/plain/seconds@quick": (40.0, "MiB/s", "80.0 MiB / 2.00 s"),
}  # fmt: skip


@pytest.mark.parametrize("text", RESULTS)
def test_value_unit_and_arithmetic(text: str, measured: Bench) -> None:
    """The expression with numbers for names is what a reader can recompute."""
    figure = number(measured.ledger(), text)

    assert figure.value == pytest.approx(RESULTS[text][0])
    assert (figure.unit, figure.arithmetic, figure.kind) == (*RESULTS[text][1:], "derived")


REFUSED = {
    "toy/plain/seconds@quick + toy/plain/tensor_mib@quick": "time and memory cannot be added",
    "toy/plain/seconds@quick in GiB": "is time and cannot be given in GiB",
    "toy/plain/seconds@quick * toy/plain/seconds@quick": "the result would be in time^2",
    "1 / 2": "uses no number of the ledger",
    "toy/plain/seconds@quick / toy/plain/seconds": "come from cpu-2c and h200",
    "toy/plain/seconds@quick:cpu-2c / toy/plain/seconds@quick:cpu-8c": "come from cpu-2c and cpu-8c",
    "toy/plain/seconds@full:cpu-2c / toy/plain/seconds@quick:cpu-2c": "come from the full and the quick scale",
    "saved / toy/plain/tensor_mib@quick": "come from a source and from a run of ours",
    "saved / said": "come from different sources or hardware",
    "toy/plain/secnods@quick / toy/plain/seconds@quick": "there is no metric 'secnods' in toy; did you mean seconds?",
    "sadi / said": "there is no claim 'sadi'; did you mean said?",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refuses_what_cannot_be_meant(text: str, measured: Bench) -> None:
    """A ratio across two machines, profiles or sources names both; units must fit."""
    measured.record("plain", machine=OTHER_CPU, samples=PLAIN)
    with pytest.raises(LedgerError) as error:
        number(measured.ledger(), text)

    assert REFUSED[text] in error.value.problem


def test_a_ratio_of_unlike_runs_has_no_value(measured: Bench) -> None:
    """Clocks of two runs, or two environments: no mistake of the page, so a reason and no error."""
    measured.record("plain", samples=PLAIN, run_id="later")
    text = "toy/accumulate/seconds@quick / toy/plain/seconds@quick"
    assert [reason.code for reason in number(measured.ledger(), text).reasons] == ["run_differs"]

    measured.record("plain", samples=PLAIN, environment=ENVIRONMENT.model_copy(update={"threads": 2}))
    figure = number(measured.ledger(), text)
    assert (figure.value, figure.freshness, figure.reasons[0].code) == (None, "pending", "environment_differs")


def test_exact_memory_of_two_runs_may_be_compared(measured: Bench) -> None:
    """Only clocks need one run."""
    measured.record("plain", samples=PLAIN, run_id="later")

    assert number(measured.ledger(), "toy/plain/tensor_mib@quick / toy/accumulate/tensor_mib@quick").value is not None


def test_inherits_the_weakest_kind_and_the_worst_freshness(bench: Bench) -> None:
    """Through derived inputs, too."""
    bench.record("plain", samples=PLAIN, packages={"torch": "2.12.0"})
    bench.record("accumulate", samples=ACCUMULATE, packages={"torch": "2.12.0"})
    micro = claim("micro", 'value = 4\nmetric = "micro_batch"', "stated", 'source = { document = "note", item = "1" }')
    bench.evidence(NOTE + micro)
    ledger = bench.ledger()
    ratio = number(ledger, "toy/accumulate/seconds@quick / toy/plain/seconds@quick")

    assert (ratio.weakest, ratio.freshness) == ("measured", "older-versions")
    assert number(ledger, "micro * 2").weakest == "stated"


def test_pending_input_leaves_the_result_pending(bench: Bench) -> None:
    """And says which one is missing, and what would measure it."""
    figure = number(bench.ledger(), "toy/accumulate/peak_mib / toy/plain/peak_mib")

    assert (figure.value, figure.freshness) == (None, "pending")
    assert figure.reasons[0].detail == {"name": "toy/accumulate/peak_mib@full:h200"}
    assert figure.reasons[1].code == "needs_cuda"


def test_division_by_a_measured_zero_has_a_reason(bench: Bench) -> None:
    """No infinity reaches a page."""
    bench.record("plain", samples={"loss": (0.0,)})

    assert number(bench.ledger(), "1 / toy/plain/loss@quick").reasons[0].code == "divisor_zero"


class TestAbout:
    RATIO = "toy/accumulate/seconds@quick / toy/plain/seconds@quick"

    @pytest.mark.parametrize("text", ["≈ 1.6 ± 10 %", "> 1", "<= 1.5", "== 1.5 ± 1 %", "< 1.49 ± 1 %"])
    def test_words_that_hold(self, text: str, measured: Bench) -> None:
        """Only the words are shown; the figure bears them."""
        found = about(measured.ledger(), f"half as long again = {self.RATIO} {text}")

        assert (found.words, found.figure.value) == ("half as long again", 1.5)

    @pytest.mark.parametrize("text", ["≈ 2 ± 15 %", "< 1", "== 1.52 ± 1 %"])
    def test_words_that_do_not_hold_are_an_error(self, text: str, measured: Bench) -> None:
        """With the number that they should have said."""
        with pytest.raises(LedgerError, match=r"'twice' does not hold: it is 1\.50"):
            about(measured.ledger(), f"twice = {self.RATIO} {text}")

    @pytest.mark.parametrize("text", ["twice", "= a ≈ 2", "twice = toy/plain/seconds@quick ≈ 2 s"])
    def test_words_need_a_comparison_with_a_tolerance(self, text: str, measured: Bench) -> None:
        """`about` without a margin would be luck."""
        with pytest.raises(LedgerError):
            about(measured.ledger(), text)

    def test_words_about_a_pending_number_stand(self, bench: Bench) -> None:
        """They are neither right nor wrong yet, and the figure says so."""
        found = about(bench.ledger(), "twice = toy/accumulate/seconds / toy/plain/seconds ≈ 2 ± 15 %")

        assert (found.outcome.holds, found.figure.freshness) == (None, "pending")


def test_devices_of_records_must_agree(bench: Bench) -> None:
    """Two cards and one are not one calculation."""
    bench.record("plain", machine=CPU, samples=PLAIN)
    bench.record("accumulate", machine=CPU, samples=ACCUMULATE, devices=2)
    with pytest.raises(LedgerError, match="come from 1 and 2 devices"):
        number(bench.ledger(), "toy/plain/seconds@quick / toy/accumulate/seconds@quick")


def test_quantities_of_a_run_are_names(bench: Bench) -> None:
    """`RUN/QUANTITY`, reported or implied; another one is an error with what there is."""
    bench.evidence(
        run("acc")
        + claim("s", 'value = 2\nmetric = "seconds"\nrun = "acc"')
        + claim("r", 'value = 3\nmetric = "steps_per_second"\nrun = "acc"')
    )
    ledger = bench.ledger()

    assert number(ledger, "acc/seconds").reference == "s"
    assert number(ledger, "acc/optimizer_steps").value == 6
    with pytest.raises(LedgerError, match="there is no quantity 'effective_batch' that acc reports or implies"):
        number(ledger, "acc/effective_batch")
    with pytest.raises(LedgerError, match="there is no run 'ac'"):
        number(ledger, "ac/seconds")


def test_a_gpu_reference_may_be_explicit(bench: Bench) -> None:
    """The unqualified name and the explicit one mean the same machine."""
    bench.record("plain", "full", GPU, samples={"peak_mib": (10.0,)})
    bench.record("accumulate", "full", GPU, samples={"peak_mib": (5.0,)})

    assert number(bench.ledger(), "toy/accumulate/peak_mib / toy/plain/peak_mib@full:h200").value == 0.5
