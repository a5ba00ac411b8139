"""What `predict` asks, tells and files, for a CUDA device and for a CPU."""

from __future__ import annotations

from pathlib import Path

import pytest
from predict.test_predict_process import PROGRAM, TOML
from projects import Write

from build_tools.errors import LedgerError
from build_tools.measuring.predicting.asking import Wish, answers, saved
from build_tools.store import read_record


@pytest.fixture
def nap(project: Path, write_snippet: Write) -> Path:
    """A project with one snippet that can be predicted; `short` runs at both scales, `wide` at the full one."""
    write_snippet(program=PROGRAM, toml=TOML)
    return project


def file_all(project: Path, wish: Wish) -> tuple[list[str], list[str]]:
    """What could not be predicted, and what was told."""
    told: list[str] = []
    return list(saved(project, wish, "predict --save", told.append)), told


def filed(project: Path) -> list[str]:
    folder = project / "snippets" / "nap" / "records"
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.json"))


@pytest.mark.parametrize(
    ("wish", "title"),
    [
        (Wish("nap/short"), "nap/short@full, predicted for a CUDA device"),
        (Wish("nap/short", device="cpu"), "nap/short@quick, predicted for a CPU"),
    ],
)
def test_an_answer_says_for_which_device(wish: Wish, title: str, nap: Path) -> None:
    """A CPU runs the small scale unless another is asked for; the last line says on what predictions were checked."""
    (answer,) = answers(nap, wish)
    lines = list(answer.lines("checked on paper"))

    assert lines[0] == title
    assert lines[-1].endswith("; checked on paper")


def test_each_device_files_under_its_own_machine(nap: Path) -> None:
    """What is current is not made again."""
    assert file_all(nap, Wish()) == (
        [],
        ["nap/short@full: 0 MiB", "nap/wide@full: 0 MiB", "filed 2 prediction(s), 0 were current"],
    )
    assert file_all(nap, Wish(device="cpu"))[1][-1] == "filed 1 prediction(s), 0 were current"
    assert file_all(nap, Wish(device="cpu"))[1] == ["filed 0 prediction(s), 1 were current"]
    assert filed(nap) == ["full/model-cuda/short.json", "full/model-cuda/wide.json", "quick/model-cpu/short.json"]
    record = read_record(nap / "snippets/nap/records/quick/model-cpu/short.json")
    assert "tensor_mib" in record.samples


def test_what_no_run_would_read_is_not_filed(nap: Path, write_snippet: Write) -> None:
    """A case that only reports, or whose passes leave out memory."""
    write_snippet(program=PROGRAM, toml=TOML.replace("[profiles.full]\n", "[profiles.full]\npasses = ['tensors']\n"))

    assert file_all(nap, Wish())[1] == ["filed 0 prediction(s), 0 were current"]
    assert file_all(nap, Wish(device="cpu", profile="full"))[1][-1] == "filed 2 prediction(s), 0 were current"


def test_an_edited_program_is_predicted_again(nap: Path, write_snippet: Write) -> None:
    """Its key is another; a reworded comment is none."""
    file_all(nap, Wish("nap/short"))
    write_snippet(program="# why\n" + PROGRAM, toml=TOML)
    assert file_all(nap, Wish("nap/short"))[1] == ["filed 0 prediction(s), 1 were current"]
    write_snippet(program=PROGRAM.replace("p.width, p.width", "p.width, 2 * p.width"), toml=TOML)
    assert file_all(nap, Wish("nap/short"))[1][-1] == "filed 1 prediction(s), 0 were current"


def test_what_cannot_be_predicted_is_told(nap: Path, write_snippet: Write) -> None:
    """As an error where it was asked for by name, as a line where everything was."""
    write_snippet(program=PROGRAM.replace("def build", "def built"), toml=TOML)

    failed, told = file_all(nap, Wish("nap/short"))
    assert "nap/short cannot be predicted: there is no build" in failed[0]
    failed, told = file_all(nap, Wish())
    assert failed == []
    assert told[0].startswith("no prediction of nap/short: ")


def test_an_unknown_snippet_is_told(nap: Path) -> None:
    """With those that there are."""
    with pytest.raises(LedgerError, match="there is no snippet 'nup'; did you mean nap"):
        list(answers(nap, Wish("nup")))
