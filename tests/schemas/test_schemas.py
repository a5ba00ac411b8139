"""The schemas for editors say what the models say, and are up to date."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from projects import REPOSITORY
from records import make_record

from build_tools import cli
from build_tools.measuring.plan import Request, make_plan
from build_tools.model import Caution, Counted, Machine, Series
from build_tools.schemas import FOLDER, outdated, schemas, write
from build_tools.store import load_snippets

SNIPPETS = sorted((REPOSITORY / "snippets").glob("*/snippet.toml"))
RECORDS = sorted((REPOSITORY / "snippets").glob("*/records/*/*/*.json"))
COMMENT = "#:schema ../../build_tools/schemas/snippet.schema.json"


def validator(name: str) -> Draft202012Validator:
    schema = json.loads(schemas()[f"{name}.schema.json"])
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def problems(name: str, value: Any) -> list[str]:
    return [error.message for error in validator(name).iter_errors(value)]


def test_committed_files_are_up_to_date() -> None:
    """To renew: `python -m build_tools schema`."""
    assert list(outdated(REPOSITORY)) == []


@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.parent.name)
def test_committed_snippets(path: Path) -> None:
    """They fit their schema, and name it for the editor."""
    text = path.read_text(encoding="utf-8")

    assert problems("snippet", tomllib.loads(text)) == []
    assert text.splitlines()[0] == COMMENT
    assert (path.parent / COMMENT.partition(" ")[2]).resolve() == REPOSITORY / FOLDER / "snippet.schema.json"


@pytest.mark.parametrize("name", ["evidence", "glossary"])
def test_committed_files_of_docs(name: str) -> None:
    """They fit their schema, and name it for the editor."""
    path = REPOSITORY / "docs" / f"{name}.toml"
    text = path.read_text(encoding="utf-8")

    assert problems(name, json.loads(json.dumps(tomllib.loads(text), default=str))) == []  # JSON has no dates
    assert (path.parent / text.splitlines()[0].removeprefix("#:schema ")).resolve() == (
        REPOSITORY / FOLDER / f"{name}.schema.json"
    )


@pytest.mark.parametrize(
    "text",
    [
        'zh = "无"\nen = "none"',
        'zh = "无"\nen = "none"\nmeans = "x"',
        'zh = "无"\nen = "none"\nmeans = { zh = "a", en = "b" }\nalso = ["c"]',
    ],
)
def test_wrong_term(text: str) -> None:
    """An editor marks what the glossary would refuse."""
    assert problems("glossary", tomllib.loads(f"[[term]]\n{text}\n"))


def test_committed_records() -> None:
    """They fit their schema."""
    found = {path: problems("record", json.loads(path.read_bytes())) for path in RECORDS}

    assert {path: told for path, told in found.items() if told} == {}


def test_a_record_with_everything() -> None:
    """Whatever `measure` writes fits."""
    record = make_record(
        series={"loss": Series(x=(1.0,), y=(0.5,))}, counted=Counted(samples=4, optimizer_steps=1),
        warnings=(Caution(kind="load", detail={"cores": 1.5}),), status="failed",
    )  # fmt: skip

    assert problems("record", json.loads(record.model_dump_json(by_alias=True))) == []


TITLE = 'title = { zh = "打盹", en = "nap" }\n'
REST = "[profiles.quick]\n[cases.plain]\n"
WRONG = {
    "no_title": REST,
    "no_case": TITLE + "[profiles.quick]\n",
    "one_language": 'title = { en = "nap" }\n' + REST,
    "unknown_key": TITLE + "timeout = 3\n" + REST,
    "parameter_that_is_a_list": TITLE + "[parameters]\nx = [1]\n" + REST,
    "list_in_a_case": TITLE + REST + "x = [1]\n",
    "name_with_a_space": TITLE + REST + '[cases."a b"]\n',
    "unknown_pass": TITLE + REST + 'passes = ["tme"]\n',
    "unknown_device": TITLE + REST + 'needs = { device = "tpu" }\n',
    "metric_without_a_unit": TITLE + REST + '[metrics.loss]\ndecimals = 1\nlabel = { zh = "损失", en = "loss" }\n',
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_wrong_snippet(text: str) -> None:
    """An editor marks what loading the file would refuse."""
    assert problems("snippet", tomllib.loads(text))


def test_parameters_beside_reserved_keys() -> None:
    """Any name may be a parameter of a case; the reserved keys keep their meaning."""
    right = TITLE + "[parameters]\nx = 1\n" + REST + 'x = 2\nlike = "plain"\npasses = ["time"]\n'

    assert problems("snippet", tomllib.loads(right)) == []


def test_outdated_files_are_told_and_written(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check fails until they are written; then nothing is left to write."""
    monkeypatch.chdir(project)
    assert cli.main(["schema", "--check"]) == 1

    assert cli.main(["schema"]) == 0

    assert cli.main(["schema", "--check"]) == 0
    assert write(project) == []


def test_the_comment_makes_no_result_stale(project: Path) -> None:
    """What would be measured is the same with and without the line for the editor."""
    shutil.copytree(
        REPOSITORY / "snippets", project / "snippets", ignore=shutil.ignore_patterns("records"), dirs_exist_ok=True
    )
    machine = Machine(slug="cpu-1c", device="cpu", model="Some CPU", memory_gib=8.0, cores=1)

    def planned() -> list[Any]:
        plan = make_plan(project, load_snippets(project), Request(targets=(), machine=machine))
        return [case.key for group in plan.groups for case in group.cases]

    before = planned()
    for path in (project / "snippets").glob("*/snippet.toml"):
        path.write_text(path.read_text(encoding="utf-8").replace(COMMENT + "\n", ""), encoding="utf-8")

    assert before == planned() != []
