"""Each rule of the verdicts, at its borders."""

from __future__ import annotations

import pytest
from figures.bench import DOCUMENT, GPU, NOTE, OTHER_CPU, Bench, claim

from build_tools.figures.like import comparable
from build_tools.figures.number import judged
from build_tools.figures.verdict import Judged, together
from build_tools.model import Verdict

CITED = 'source = { url = "https://example.org", place = "1", read = 2026-12-01 }'
HERE = 'hardware = "Some CPU"\n'  # what the bench measures on


def judge(bench: Bench, text: str, name: str = "it") -> Judged:
    bench.evidence(NOTE + text)
    ledger = bench.ledger()
    assert ledger.problems == []
    return judged(ledger, ledger.claim(name))


def held_against(
    value: float, more: str = HERE, metric: str = "seconds", reference: str = "toy/plain/seconds@quick"
) -> str:
    return claim("it", f'value = {value}\nmetric = "{metric}"\ntests = "{reference}"\ntolerance = 0.10\n{more}')


class TestAgainstANumber:
    @pytest.mark.parametrize(
        ("value", "verdict"),
        [
            (2.0, "reproduced"),
            (2.19, "reproduced"),
            (1.81, "reproduced"),
            (2.21, "contradicted"),
            (1.79, "contradicted"),
        ],
    )
    def test_same_hardware_within_the_tolerance_or_not(self, value: float, verdict: Verdict, bench: Bench) -> None:
        """A share of our number, on either side."""
        bench.record(samples={"seconds": (2.0,)})

        assert judge(bench, held_against(value)).verdict == verdict

    def test_other_hardware_is_not_comparable(self, bench: Bench) -> None:
        """Though the numbers happen to agree."""
        bench.record(samples={"seconds": (2.0,)})
        found = judge(bench, held_against(2.0, 'hardware = "Tesla V100-SXM2-16GB"'))

        assert found.verdict == "not comparable"
        assert found.reasons[0].detail == {"theirs": "Tesla V100-SXM2-16GB", "ours": "Some CPU"}

    def test_hardware_that_the_source_does_not_name_is_not_comparable(self, bench: Bench) -> None:
        """The course's notebook does not say which cards it used."""
        bench.record(samples={"seconds": (2.0,)})
        found = judge(bench, held_against(2.0, ""))

        assert (found.verdict, found.reasons[0].code) == ("not comparable", "hardware_unknown")

    def test_a_spoken_two_card_figure_is_not_compared_with_one_card(self, bench: Bench) -> None:
        """Same meter, same model of card, two of them."""
        bench.record("plain", "full", GPU, samples={"device_mib": (13166.0,)})
        more = 'devices = 2\nhardware = "H200"'
        found = judge(bench, held_against(13166, more, "device_mib", "toy/plain/device_mib"))

        assert (found.verdict, found.reasons[0].code) == ("not comparable", "other_devices")

    def test_a_number_that_nobody_measured_is_pending(self, bench: Bench) -> None:
        """With what would measure it."""
        found = judge(bench, held_against(2.0, HERE, "peak_mib", "toy/plain/peak_mib"))

        assert (found.verdict, found.reasons[0].code) == ("pending", "needs_cuda")

    def test_a_stale_number_decides_nothing(self, bench: Bench) -> None:
        """The program has changed since: no verdict without a record that holds."""
        bench.record(samples={"seconds": (2.0,)})
        bench.snippet("toy", program="x = 2\n")
        found = judge(bench, held_against(2.0))

        assert (found.verdict, found.reasons[0].code) == ("pending", "untrusted_record")

    def test_an_edited_record_decides_nothing(self, bench: Bench) -> None:
        """A record that does not match its digest has no number."""
        path = bench.record(samples={"seconds": (2.0,)})
        path.write_text(path.read_text().replace("2.0", "2.1"))
        bench.evidence(NOTE + held_against(2.0))
        ledger = bench.ledger()

        assert judged(ledger, ledger.claim("it")).verdict == "pending"

    def test_a_count_is_comparable_anywhere(self, bench: Bench) -> None:
        """A loss or a number of updates does not depend on the device."""
        bench.record(samples={"loss": (4.0,)})

        assert judge(bench, held_against(4.0, "", "loss", "toy/plain/loss@quick")).verdict == "reproduced"

    def test_a_ratio_of_times_on_other_hardware_can_be_consistent_only(self, bench: Bench) -> None:
        """A related record agrees, or nothing is said."""
        bench.record("plain", samples={"seconds": (2.0,)})
        bench.record("accumulate", samples={"seconds": (3.0,)})
        ratio = "toy/accumulate/seconds@quick / toy/plain/seconds@quick"
        verdicts = [
            judge(bench, held_against(value, 'hardware = "V100"', "loss", ratio)).verdict for value in (1.5, 2.7)
        ]

        assert verdicts == ["consistent", "not comparable"]


class TestAgainstExpectations:
    FASTER, SLOWER = (
        "toy/accumulate/seconds@quick < toy/plain/seconds@quick",
        "toy/accumulate/seconds@quick > toy/plain/seconds@quick",
    )

    @pytest.fixture(autouse=True)
    def _measured(self, bench: Bench) -> None:
        bench.record("plain", samples={"seconds": (2.0,)})
        bench.record("accumulate", samples={"seconds": (3.0,)})

    def verdict(self, bench: Bench, *expectations: str, more: str = "") -> Verdict | None:
        expect = ", ".join(f'{{ when = "{number}", holds = "{text}" }}' for number, text in enumerate(expectations))
        return judge(bench, more + claim("it", f"expect = [{expect}]", "stated", DOCUMENT)).verdict

    def test_holds_or_fails(self, bench: Bench) -> None:
        """consistent, contradicted."""
        assert self.verdict(bench, self.SLOWER) == "consistent"
        assert self.verdict(bench, self.FASTER) == "contradicted"

    def test_one_that_holds_and_one_that_fails_are_conditional(self, bench: Bench) -> None:
        """Right under a named condition."""
        assert self.verdict(bench, self.SLOWER, self.FASTER) == "conditional"

    def test_pending_outweighs_what_holds(self, bench: Bench) -> None:
        """The other half is not known yet."""
        assert self.verdict(bench, self.SLOWER, "toy/plain/peak_mib > 1 GiB") == "pending"

    def test_clocks_of_two_runs_decide_nothing(self, bench: Bench) -> None:
        """A machine is not as fast on every day."""
        bench.record("plain", samples={"seconds": (2.0,)}, run_id="later")

        assert self.verdict(bench, self.SLOWER) == "pending"

    def test_a_translated_factor_on_another_quantity_is_another_claim(self, bench: Bench) -> None:
        """The expectation names the metric: memory cannot be mistaken for speed."""
        bench.record("plain", samples={"tensor_mib": (80.0,), "seconds": (2.0,)})
        bench.record("accumulate", samples={"tensor_mib": (30.0,), "seconds": (3.0,)})
        memory = "toy/accumulate/tensor_mib@quick < 0.5 * toy/plain/tensor_mib@quick"

        assert self.verdict(bench, memory) == "consistent"
        assert self.verdict(bench, memory.replace("tensor_mib", "seconds")) == "contradicted"


LIMIT = claim("limit", kind="cited", source=CITED)


class TestLimits:
    def test_a_cited_source_makes_it_conditional(self, bench: Bench) -> None:
        """Nothing of ours tests it; the literature says when it is right."""
        assert judge(bench, LIMIT + claim("it", 'limits = ["limit"]', "stated", DOCUMENT)).verdict == "conditional"

    def test_nothing_tests_it(self, bench: Bench) -> None:
        """No verdict at all, which is not `pending`."""
        assert judge(bench, claim("it")).verdict is None


@pytest.mark.parametrize(
    ("opinions", "limited", "verdict"),
    [
        (["reproduced", "contradicted"], False, "conditional"), (["contradicted"], True, "contradicted"),
        (["contradicted", "pending"], False, "contradicted"), (["consistent", "pending"], True, "pending"),
        (["consistent"], True, "conditional"), (["not comparable", "consistent"], False, "not comparable"),
        ([], False, None), ([], True, "conditional"), (["reproduced", "consistent"], False, "reproduced"),
    ],
)  # fmt: skip
def test_several_opinions(opinions: list[Verdict], limited: bool, verdict: Verdict | None) -> None:
    """What failed has failed; what is not known outweighs what holds."""
    assert together(opinions, limited=limited) == verdict


@pytest.mark.parametrize(
    ("model", "named", "same"),
    [
        ("Tesla V100-SXM2-16GB", "V100", True), ("NVIDIA H200", "H200", True), ("NVIDIA A100-SXM4-80GB", "A100 80 GB", True),
        ("NVIDIA GeForce RTX 4090", "RTX 4090", True), ("NVIDIA H100 NVL", "H100", False), ("NVIDIA A100", "V100", False),
        ("NVIDIA GeForce RTX 4060 Ti", "RTX 4060", False), ("NVIDIA H200", "GPU", False),
    ],
)  # fmt: skip
def test_hardware_is_compared_by_model(model: str, named: str, same: bool) -> None:
    """Makers, buses and sizes are noise; other letters are another card."""
    assert comparable(OTHER_CPU.model_copy(update={"model": model}), named) is same
