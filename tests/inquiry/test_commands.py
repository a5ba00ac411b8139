"""The commands that answer questions: what they print, and their exit codes."""

from __future__ import annotations

import json

import pytest
from figures.bench import Bench

from build_tools import cli


@pytest.fixture(autouse=True)
def in_project(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.record()
    monkeypatch.chdir(bench.root)


@pytest.mark.parametrize("arguments", [["status"], ["explain", "toy/plain/seconds@quick"]], ids=lambda a: a[0])
def test_text_and_data(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Plain text where there is no terminal, JSON where it is asked for; asking is no failure."""
    assert cli.main(arguments) == 0
    text = capsys.readouterr().out
    assert cli.main([*arguments, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)

    assert "fresh" in text
    assert "\x1b" not in text
    assert isinstance(data, dict)


@pytest.mark.parametrize("arguments", [["status"], ["explain", "toy/plain/seconds@quick"]], ids=lambda a: a[0])
def test_on_a_terminal(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """States have their colour; the text is the same, and nothing in it is taken for markup."""
    assert cli.main(arguments) == 0
    plain = capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert cli.main(arguments) == 0
    coloured = capsys.readouterr().out

    assert "\x1b[32mfresh\x1b[0m" in coloured
    assert without_colours(coloured).splitlines() == plain.splitlines()


def without_colours(text: str) -> str:
    from build_tools.measuring.capture import as_left_on_screen

    return as_left_on_screen(text)


def test_unknown_name(capsys: pytest.CaptureFixture[str]) -> None:
    """One line, with the names there are."""
    assert cli.main(["explain", "toy/plian/seconds"]) == 1
    assert "error: there is no case 'plian' in toy; did you mean plain? there are: plain" in capsys.readouterr().err


class TestCheck:
    def test_all(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Without a name every part is checked."""
        assert cli.main(["check"]) == 0
        parts = ("pages", "records", "parity", "numbers", "prose")
        assert capsys.readouterr().out.splitlines() == [f"{part}: no problem found" for part in parts]

    @pytest.mark.parametrize(("part", "code"), [("pages", 0), ("records", 1)])
    def test_one(self, bench: Bench, part: str, code: int) -> None:
        """A leak is a matter of records alone."""
        bench.record(output="/home/alice/x")

        assert cli.main(["check", part]) == code

    def test_note_is_no_failure(self, bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
        """A stale record is told."""
        bench.snippet("toy", program="x = 2\n")

        assert cli.main(["check"]) == 0
        assert "note: snippets/toy/records/quick/cpu-2c/plain.json: stale" in capsys.readouterr().out

    def test_each_line_once(self, bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
        """Pages rest on the records, so that both parts find what is wrong with these."""
        path = bench.record()
        path.write_text(path.read_text().replace("1.75", "9.75"))

        assert cli.main(["check"]) == 1
        assert capsys.readouterr().out.count("does not match its digest") == 1

    def test_one_part_does_not_hide_the_other(self, bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
        """What ends the check of the pages is told, and the records are looked at all the same."""
        (bench.root / "pyproject.toml").write_text("[tool.ledger]\n")
        bench.record(output="/home/alice/x")

        assert cli.main(["check"]) == 1
        out = capsys.readouterr().out
        assert "reference is missing" in out
        assert "holds an absolute path" in out
