"""References find their figure, or say why there is none; names that do not exist are errors."""

from __future__ import annotations

import json
import os
import re
from datetime import timedelta
from pathlib import Path

import pytest
from figures.bench import CPU, GPU, NOON, OTHER_CPU, TOML, Bench

from build_tools.errors import LedgerError
from build_tools.figures.reference import Selection, parse_selection
from build_tools.figures.resolve import Spot, current_ledger


class TestFigure:
    def test_median_range_and_number(self, bench: Bench) -> None:
        """The centre is the median; the range and the number of samples come along."""
        bench.record()
        figure = bench.ledger().figure("toy/plain/seconds@quick")

        assert (figure.value, figure.low, figure.high, figure.n) == (1.75, 1.5, 2.0, 3)
        assert (figure.kind, figure.freshness, figure.reasons) == ("measured", "fresh", ())
        assert figure.reference == "toy/plain/seconds@quick:cpu-2c"
        assert figure.source == "toy/records/quick/cpu-2c/plain.json"

    def test_last_value_of_a_series(self, bench: Bench) -> None:
        """A series stands for its last value."""
        bench.record(series={"curve": {"x": (1.0, 2.0), "y": (0.9, 0.5)}})

        assert bench.ledger().figure("toy/plain/curve@quick").value == 0.5

    def test_unqualified_is_full_on_the_reference_machine(self, bench: Bench) -> None:
        """No other machine's number ever stands in for it."""
        bench.record(profile="full", machine=GPU.model_copy(update={"slug": "a100", "model": "NVIDIA A100"}))
        before = bench.ledger().figure("toy/plain/seconds")
        bench.record(profile="full", machine=GPU)

        assert (before.value, before.freshness) == (None, "pending")
        assert bench.ledger().figure("toy/plain/seconds").value == 1.75

    def test_profile_is_the_first_declared_machine_for_all_cases(self, bench: Bench) -> None:
        """A case that this machine lacks is pending, though another machine has it."""
        bench.record(machine=OTHER_CPU)
        bench.record("accumulate", machine=OTHER_CPU)
        assert bench.ledger().figure("toy/plain/seconds@quick").reference == "toy/plain/seconds@quick:cpu-8c"

        bench.record(machine=CPU)
        ledger = bench.ledger()

        assert ledger.figure("toy/plain/seconds@quick").reference == "toy/plain/seconds@quick:cpu-2c"
        assert ledger.figure("toy/accumulate/seconds@quick").freshness == "pending"

    def test_profile_on_this_machine_where_nobody_committed_one(self, bench: Bench) -> None:
        """A contributor sees local numbers, a published build none."""
        stranger = CPU.model_copy(update={"slug": "laptop-4c", "cores": 4})
        bench.record(machine=stranger, local=True)

        assert bench.ledger().figure("toy/plain/seconds@quick").value == 1.75
        assert bench.ledger(committed_only=True).figure("toy/plain/seconds@quick").freshness == "pending"

    def test_local_machine_does_not_push_aside_a_committed_one(self, bench: Bench) -> None:
        """`@quick` means the same machine for everybody who has the same commit."""
        bench.record(machine=OTHER_CPU)
        bench.record(machine=CPU, local=True)

        assert bench.ledger().figure("toy/plain/seconds@quick").reference == "toy/plain/seconds@quick:cpu-8c"

    def test_damaged_number_is_not_shown(self, bench: Bench) -> None:
        """A record that fails its digest yields no value, and is listed as a problem."""
        path = bench.record()
        path.write_text(path.read_text().replace("1.75", "9.75"))
        ledger = bench.ledger()
        figure = ledger.figure("toy/plain/seconds@quick")

        assert (figure.value, figure.freshness) == (None, "damaged")
        assert [f"{path}: does not match its digest"] == [str(e).split(";")[0] for e in ledger.problems]

    def test_unreadable_record(self, bench: Bench) -> None:
        """Damage that hides the whole record is told as that, not as `not measured`."""
        bench.record().write_text("{")
        figure = bench.ledger().figure("toy/plain/seconds@quick:cpu-2c")

        assert (figure.freshness, [reason.code for reason in figure.reasons]) == ("damaged", ["unreadable"])


class TestBetterOfTwo:
    def test_newer_of_two_fresh(self, bench: Bench) -> None:
        """Of a committed and a local record, both fresh, the newer counts."""
        bench.record(samples={"seconds": (1.0,)})
        bench.record(samples={"seconds": (2.0,)}, local=True, started=NOON + timedelta(days=1))

        assert bench.ledger().figure("toy/plain/seconds@quick").value == 2.0
        assert bench.ledger(committed_only=True).figure("toy/plain/seconds@quick").value == 1.0

    def test_fresh_before_newer(self, bench: Bench) -> None:
        """A fresh record is not replaced by a newer one of another program."""
        bench.record(samples={"seconds": (1.0,)})
        stale = json.loads(bench.record("accumulate").read_text())["key"]
        bench.record(samples={"seconds": (2.0,)}, local=True, started=NOON + timedelta(days=1),
                     key={**stale, "program": "other"})  # fmt: skip

        assert bench.ledger().figure("toy/plain/seconds@quick").value == 1.0

    def test_failed_attempt_keeps_the_last_good(self, bench: Bench) -> None:
        """The number stands, marked, with the reason of the failure."""
        bench.record()
        bench.record(status="failed", local=True, samples={}, started=NOON + timedelta(days=1))
        figure = bench.ledger().figure("toy/plain/seconds@quick")

        assert (figure.value, figure.freshness, figure.reasons[0].code) == (1.75, "failed", "run_failed")


PENDING = {
    "needs_a_gpu": ("toy/plain/seconds", "needs_cuda"),
    "not_measured": ("toy/accumulate/seconds@quick", "not_measured"),
    "not_in_profile": ("toy/sdpa/seconds@quick", "not_in_profile"),
    "meter_of_another_device": ("toy/plain/peak_mib@quick", "meter_absent"),
    "not_reported": ("toy/plain/loss@quick", "not_reported"),
}


@pytest.mark.parametrize(("reference", "code"), PENDING.values(), ids=PENDING)
def test_pending(bench: Bench, reference: str, code: str) -> None:
    """What is not there says why."""
    bench.record()
    figure = bench.ledger().figure(reference)

    assert (figure.value, figure.freshness) == (None, "pending")
    assert code == figure.reasons[0].code


UNKNOWN = {
    "snippet": ("tiy/plain/seconds", "no snippet 'tiy'; did you mean toy? there are: toy"),
    "case": ("toy/plian/seconds", "no case 'plian' in toy; did you mean plain?"),
    "metric": ("toy/plain/secnds", "no metric 'secnds' in toy; did you mean seconds?"),
    "profile": ("toy/plain/seconds@quik", "no profile 'quik' in toy; did you mean quick?"),
    "machine": ("toy/plain/seconds@quick:gpu", "no machine 'gpu'; there are: h200, cpu-2c, cpu-8c"),
    "no_reference": ("toy/plain", "'toy/plain' is no reference"),
    "space": ("toy/plain/seconds @quick", "is no reference"),
}


@pytest.mark.parametrize(("reference", "problem"), UNKNOWN.values(), ids=UNKNOWN)
def test_unknown_name(bench: Bench, reference: str, problem: str) -> None:
    """A name that does not exist is an error with those that do."""
    with pytest.raises(LedgerError, match=re.escape(problem)):
        bench.ledger().figure(reference)


class TestSpots:
    def test_profile_nobody_measured(self, bench: Bench) -> None:
        """It gets one place without a machine; `full` comes first."""
        assert [Spot("full", None), Spot("quick", None)] == bench.ledger().spots(Selection("toy"))

    def test_full_before_all_others(self, bench: Bench) -> None:
        """The experiment comes first, wherever the file names its profile; the others keep the file's order."""
        bench.snippet("toy", TOML.replace("[profiles.quick]", "[profiles.tiny]\n[profiles.big]"))

        assert [spot.profile for spot in bench.ledger().spots(Selection("toy"))] == ["full", "tiny", "big"]

    def test_declared_order(self, bench: Bench) -> None:
        """Machines come as declared, others behind them by name."""
        for slug in ("zoo", "cpu-8c", "abc", "cpu-2c"):
            bench.record(machine=CPU.model_copy(update={"slug": slug}))
        spots = bench.ledger().spots(parse_selection("toy@quick"))

        assert [spot.machine for spot in spots] == ["cpu-2c", "cpu-8c", "abc", "zoo"]

    def test_one_machine(self, bench: Bench) -> None:
        """A selection can name it, measured or not."""
        assert [Spot("full", "h200")] == bench.ledger().spots(parse_selection("toy@full:h200"))


class TestProblems:
    def test_one_slug_for_two_machines(self, bench: Bench) -> None:
        """Numbers of unlike hardware would stand under one name."""
        bench.record()
        bench.record("accumulate", machine=CPU.model_copy(update={"model": "Another CPU"}))

        with pytest.raises(LedgerError, match="two machines are called 'cpu-2c'"):
            bench.ledger()

    def test_broken_snippet_spoils_only_itself(self, bench: Bench) -> None:
        """Other snippets' figures resolve; its own references raise its error."""
        bench.snippet("bad", "nonsense = 1\n")
        bench.record()
        ledger = bench.ledger()

        assert ledger.figure("toy/plain/seconds@quick").value == 1.75
        assert len(ledger.problems) == 1
        with pytest.raises(LedgerError, match=r"bad/snippet\.toml"):
            ledger.figure("bad/plain/seconds")

    def test_record_in_the_wrong_place(self, bench: Bench) -> None:
        """A copied record does not speak for another case."""
        path = bench.record()
        path.rename(path.with_name("accumulate.json"))
        ledger = bench.ledger()

        assert ledger.figure("toy/accumulate/seconds@quick:cpu-2c").freshness == "damaged"
        assert "in the wrong place" in str(ledger.problems[0])

    def test_record_of_a_case_that_is_gone(self, bench: Bench) -> None:
        """It is a problem, and no figure."""
        bench.record("sdpa", profile="full", machine=GPU)
        bench.snippet("toy", TOML.replace("sdpa]", "flash]"))
        ledger = bench.ledger()

        assert "has no case 'sdpa'" in str(ledger.problems[0])
        assert ledger.shown_records() == {}


def test_shown_records(bench: Bench) -> None:
    """The site gets exactly the files behind its figures."""
    committed = bench.record("accumulate")
    bench.record(samples={"seconds": (1.0,)})
    newer = bench.record(samples={"seconds": (2.0,)}, local=True, started=NOON + timedelta(days=1))

    assert {
        "toy/quick/cpu-2c/accumulate.json": committed,
        "toy/quick/cpu-2c/plain.json": newer,
    } == bench.ledger().shown_records()


class TestCurrentLedger:
    def test_built_once(self, bench: Bench) -> None:
        """Nothing changed: the same ledger."""
        assert current_ledger(bench.root) is current_ledger(bench.root)

    @pytest.mark.parametrize("change", ["record", "program", "settings", "constraints"])
    def test_built_again_when_a_file_changes(self, bench: Bench, change: str) -> None:
        """A preview shows what is on disk now."""
        before = current_ledger(bench.root)
        paths = {
            "program": bench.root / "snippets/toy/main.py",
            "settings": bench.root / "pyproject.toml",
            "constraints": bench.root / "constraints.txt",
        }
        if change == "record":
            bench.record(local=True)
        else:
            touch(paths[change])

        assert current_ledger(bench.root) is not before


def touch(path: Path) -> None:
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
