"""What the check of committed records finds, and what it leaves alone."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from figures.bench import CPU, OTHER_CPU, TOML, Bench

from build_tools.checks.records import Findings, record_findings
from build_tools.errors import LedgerError
from build_tools.store import read_record, write_record

# Written apart, so that no scanner takes a test for a leak.
TOKEN = "hf_" + "aB3" * 8
RIGHT = "snippets/toy/records/quick/cpu-2c/plain.json"


def found(bench: Bench, base: str | None = None) -> Findings:
    return record_findings(bench.root, base)


def line_of(bench: Bench, text: str) -> int:
    return next(n for n, line in enumerate((bench.root / RIGHT).read_text().splitlines(), 1) if text in line)


@pytest.fixture(autouse=True)
def in_project(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are told relative to the folder one is in."""
    monkeypatch.chdir(bench.root)


def test_nothing_wrong(bench: Bench) -> None:
    """Whole records of today's program."""
    bench.record(output="loss 0.5\n‹path›/x https://example.org/a/b")
    bench.record("accumulate", status="failed", samples={})

    assert found(bench) == Findings()


def test_no_records(bench: Bench) -> None:
    """A project without any."""
    assert found(bench) == Findings()


def test_stale_is_a_note(bench: Bench) -> None:
    """The pages say it too; a contributor without the device cannot mend it."""
    bench.record()
    bench.snippet("toy", program="x = 2\n")
    (note,) = found(bench).notes

    assert found(bench).problems == []
    assert str(note) == (
        f"{RIGHT}: stale: the program has changed since; next: python -m build_tools measure toy --profile quick --save"
    )


def edited(bench: Bench) -> None:
    path = bench.record()
    path.write_text(path.read_text().replace("1.75", "9.75"))


def truncated(bench: Bench) -> None:
    path = bench.record()
    path.write_text(path.read_text()[:100])


def misplaced(bench: Bench) -> None:
    path = bench.record()
    path.rename(path.with_name("accumulate.json"))


def too_high_up(bench: Bench) -> None:
    path = bench.record()
    path.rename(bench.root / "snippets/toy/records/plain.json")


def case_gone(bench: Bench) -> None:
    bench.record("accumulate")
    bench.snippet("toy", TOML.replace("accumulate]", "gathered]"))


def snippet_gone(bench: Bench) -> None:
    bench.record()
    (bench.root / "snippets/toy/snippet.toml").unlink()


def two_machines(bench: Bench) -> None:
    bench.record()
    bench.record("accumulate", machine=CPU.model_copy(update={"model": "Another CPU"}))


def rehearsal(bench: Bench) -> None:
    bench.record(origin="rehearsal")


def leaking(**changes: object) -> Callable[[Bench], None]:
    return lambda bench: bench.record(**changes) and None  # type: ignore[arg-type, func-returns-value]


WRONG: dict[str, tuple[Callable[[Bench], None], str]] = {
    "edited_by_hand": (edited, "plain.json: does not match its digest"),
    "truncated": (truncated, "plain.json:"),
    "in_the_wrong_place": (misplaced, "accumulate.json: this is the record of toy/plain@quick:cpu-2c"),
    "not_where_records_are": (too_high_up, "records/plain.json: no record belongs here"),
    "case_gone": (case_gone, "toy has no case 'accumulate' at profile 'quick' any more"),
    "snippet_gone": (snippet_gone, "there is no snippet 'toy' any more"),
    "two_machines_of_one_slug": (two_machines, "two machines are called 'cpu-2c'"),
    "rehearsal": (rehearsal, "rehearsal"),
    "path_in_output": (leaking(output="at /home/alice/x"), "output holds an absolute path (/hom…)"),
    "windows_path": (leaking(output=r"at C:\Users\alice\x"), "output holds an absolute path (C:\\U…)"),
    "path_in_command": (leaking(command="measure --out /root/x/y"), "command holds an absolute path (/roo…)"),
    "token_in_output": (leaking(output=f"using {TOKEN}"), "output holds a token (hf_a…)"),
    "several": (leaking(output="/tmp/a/b /tmp/a/c"), "output holds an absolute path (/tmp…, 2 times)"),
}


@pytest.mark.parametrize(("spoil", "problem"), WRONG.values(), ids=WRONG)
def test_problem(bench: Bench, spoil: Callable[[Bench], None], problem: str) -> None:
    """One problem, with the file, an example of what is right, and what to do."""
    spoil(bench)
    (error,) = found(bench).problems

    assert problem in str(error)
    assert error.place is not None
    assert error.example
    assert error.next_command


def test_leak_stands_on_its_line(bench: Bench) -> None:
    """And what it says is not repeated in the log of a check."""
    bench.record(output=f"显存\n{TOKEN}\n/home/alice")
    problems = found(bench).problems

    assert {problem.place.line for problem in problems if problem.place} == {line_of(bench, TOKEN)}
    assert TOKEN not in "".join(map(str, problems))
    assert len(problems) == 2


def test_leak_is_found_in_whatever_is_json(bench: Bench) -> None:
    """Also where the record cannot be read otherwise."""
    path = bench.record(output="/home/alice/x")
    path.write_text(path.read_text().replace('"schema": 1', '"schema": 99'))

    assert any("output holds an absolute path" in str(problem) for problem in found(bench).problems)


def test_local_records_are_not_looked_at(bench: Bench) -> None:
    """They are nobody else's."""
    bench.record(local=True, output=TOKEN)

    assert found(bench) == Findings()


class TestBase:
    """`--base`: what has changed since a commit."""

    @pytest.fixture(autouse=True)
    def committed(self, bench: Bench, in_project: None) -> None:
        bench.record(run_id="r1")
        self.git(bench, "init", "--quiet")
        self.commit(bench)

    def git(self, bench: Bench, *arguments: str) -> None:
        who = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *arguments], cwd=bench.root, check=True, capture_output=True)

    def commit(self, bench: Bench) -> None:
        self.git(bench, "add", ".")
        self.git(bench, "commit", "--quiet", "--no-verify", "-m", "x")

    def test_unchanged(self, bench: Bench) -> None:
        """Nothing has changed, and nothing is said."""
        assert found(bench, "HEAD") == Findings()

    def test_measured_again(self, bench: Bench) -> None:
        """A new run may change everything, and a new case may come."""
        bench.record(run_id="r2", samples={"seconds": (9.0,)})
        bench.record("accumulate")
        bench.record(machine=OTHER_CPU)

        assert found(bench, "HEAD") == Findings()

    @pytest.mark.parametrize("then_committed", [False, True])
    def test_other_content_of_the_same_run(self, bench: Bench, then_committed: bool) -> None:
        """Sealed anew, so that the digest fits: still no run has measured it."""
        record = read_record(bench.root / RIGHT)
        write_record(bench.root / "snippets/toy/records", record.model_copy(update={"samples": {"seconds": (0.1,)}}))
        assert found(bench) == Findings()

        if then_committed:
            self.commit(bench)
        (problem,) = found(bench, "HEAD~1" if then_committed else "HEAD").problems

        assert "and not by `measure`: it still says run r1" in str(problem)
        assert f"next: git checkout HEAD{'~1' if then_committed else ''} -- {RIGHT}" in str(problem)

    def test_edited(self, bench: Bench) -> None:
        """A digit changed by hand."""
        path = bench.root / RIGHT
        path.write_text(path.read_text().replace("1.75", "9.75"))

        assert "it does not match its digest" in str(found(bench, "HEAD").problems[-1])

    @pytest.mark.parametrize("base", ["nothing", "--help", ""])
    def test_unknown_commit(self, bench: Bench, base: str) -> None:
        """It is told, and is never an option for git."""
        with pytest.raises(LedgerError, match="git knows no commit"):
            found(bench, base)


def test_no_git(bench: Bench, tmp_path: Path) -> None:
    """Where there is no repository, there is nothing to compare with."""
    with pytest.raises(LedgerError, match="git knows no commit 'main'"):
        found(bench, "main")
