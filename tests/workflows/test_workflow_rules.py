"""What a workflow may do: pinned actions, least permissions, no code of a stranger on a machine of ours."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from projects import REPOSITORY
from workflows.read import FILES, FOLDER, JOBS, STEPS, WORKFLOWS

# The commits that were read in the actions' own repositories; a newer one is proposed by .github/dependabot.yml.
PINNED = {
    "actions/checkout": "3d3c42e5aac5ba805825da76410c181273ba90b1",
    "actions/setup-python": "5fda3b95a4ea91299a34e894583c3862153e4b97",
    "actions/upload-artifact": "bbbca2ddaa5d8feaa63e36b76fdaad77386f024f",
    "actions/download-artifact": "3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c",
    "actions/upload-pages-artifact": "fc324d3547104276b827a68afc52ff2a11cc49c9",
    "actions/deploy-pages": "cd2ce8fcbc39b97be8ca5fce6e763baed58fa128",
    "actions/create-github-app-token": "1b10c78c7865c340bc4f6099eb2f838309f1e8c3",
    "peter-evans/create-pull-request": "5f6978faf089d4d20b00c7766989d076bb2fc7f1",
}
LONGEST_SHELL = 4  # lines; whatever is more is a command of ours
OF_OTHERS = re.compile(r"\$\{\{")  # an expression in a script is code that somebody else may word
MAY_WRITE = {
    ("site", "deploy"): {"pages", "id-token"},
    ("measure", "request"): {"actions"},
    ("measure", "measure"): {"contents", "pull-requests", "actions"},  # for the job below that proposes
    ("measure-runner", "propose"): {"contents", "pull-requests", "actions"},
    ("weekly", "issue"): {"issues"},
}

jobs = pytest.mark.parametrize(("name", "job"), JOBS, ids=".".join)
steps = pytest.mark.parametrize("step", [pytest.param(step, id=name) for name, step in STEPS])


def test_workflow_files() -> None:
    """The four there are."""
    assert {path.stem for path in FILES} == {"site", "measure", "measure-runner", "weekly"}


@pytest.mark.parametrize("schema", ["vendor.github-workflows", "custom.github-workflows-require-timeout"])
def test_workflow_schema(schema: str) -> None:
    """GitHub's schema, and a time limit on every job."""
    command = ["-m", "check_jsonschema", "--builtin-schema", schema, *map(str, FILES)]
    assert said(command).strip() == "ok -- validation done"


def test_workflow_audit() -> None:
    """zizmor finds nothing, without network, and nothing is silenced."""
    zizmor = Path(sys.executable).with_name("zizmor")
    done = subprocess.run([zizmor, "--offline", "--no-progress", "-q", FOLDER.parent], capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
    assert not any("zizmor: ignore" in path.read_text() for path in FILES)
    assert not (FOLDER.parent / "zizmor.yml").exists()


def said(command: list[str]) -> str:
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@steps
def test_workflow_actions_are_pinned(step: dict[str, Any]) -> None:
    """By the commit that was read, never by a tag, which others can move."""
    if uses := step.get("uses"):
        action, _, commit = uses.partition("@")
        assert PINNED.get(action) == commit


@steps
def test_workflow_shell_is_short_and_closed(step: dict[str, Any]) -> None:
    """Under five lines, and no expression in it: what others word arrives in variables, as text."""
    script = step.get("run", "")
    assert len(script.strip().splitlines()) <= LONGEST_SHELL
    assert not OF_OTHERS.search(script)


@steps
def test_workflow_checkouts_keep_no_token(step: dict[str, Any]) -> None:
    """What a checkout leaves in its folder, every later program can read."""
    if step.get("uses", "").startswith("actions/checkout@"):
        assert step["with"]["persist-credentials"] == "false"


@jobs
def test_workflow_jobs_end(name: str, job: str) -> None:
    """Each has its limit; one that calls a workflow has those of its jobs."""
    body = JOBS[name, job]
    assert "uses" in body or 0 < int(body["timeout-minutes"]) <= 120


@jobs
def test_workflow_permissions_are_least(name: str, job: str) -> None:
    """Nothing by default, reading where a job says so, writing only where it is this job's purpose."""
    assert WORKFLOWS[name]["permissions"] == {}
    granted = JOBS[name, job]["permissions"]
    written = {what for what, level in granted.items() if level == "write"}
    assert written == MAY_WRITE.get((name, job), set())
    assert set(granted.values()) <= {"read", "write"}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_workflow_triggers(name: str) -> None:
    """Never the one that gives a stranger's pull request our token and secrets, nor one that such a run sets off."""
    assert (
        not {"pull_request_target", "workflow_run", "issue_comment", "repository_dispatch"}
        & WORKFLOWS[name]["on"].keys()
    )


def self_hosted() -> list[tuple[str, str]]:
    return [at for at, body in JOBS.items() if not str(body.get("runs-on", "ubuntu-24.04")).startswith("ubuntu-")]


def test_workflow_of_a_fork_reaches_no_gpu() -> None:
    """One job runs on machines of ours. Its file is only called, by a job that no pull request starts."""
    assert self_hosted() == [("measure-runner", "measure")]
    assert WORKFLOWS["measure-runner"]["on"].keys() == {"workflow_call"}
    callers = [at for at, body in JOBS.items() if "measure-runner" in body.get("uses", "")]
    assert callers == [("measure", "measure")]
    assert JOBS["measure", "measure"]["needs"] == "plan"
    condition = JOBS["measure", "plan"]["if"]
    assert "github.event_name == 'schedule'" in condition
    assert (
        "github.event_name == 'workflow_dispatch' && github.ref_name == github.event.repository.default_branch"
        in condition
    )
    assert "pull_request" not in condition


def test_workflow_label_only_asks() -> None:
    """The label of a maintainer dispatches the default branch's workflow for one exact commit, and no fork's."""
    request = JOBS["measure", "request"]
    assert WORKFLOWS["measure"]["on"]["pull_request"] == {"types": ["labeled"]}
    assert "github.event.label.name == 'measure'" in request["if"]
    assert "github.event.pull_request.head.repo.full_name == github.repository" in request["if"]
    assert [step.get("uses") for step in request["steps"]] == [None]
    assert request["steps"][0]["env"]["COMMIT"] == "${{ github.event.pull_request.head.sha }}"


def test_workflow_measures_only_commits_of_ours() -> None:
    """GitHub serves a fork's commits under our address: whatever is measured is on a branch of ours first."""
    (step,) = [step for step in JOBS["measure", "plan"]["steps"] if step.get("id") == "plan"]
    assert 'ci commit "$COMMIT"' in step["run"]
    for job in ("plan", "measure"):
        checkout = JOBS["measure-runner", job]["steps"][0]
        assert checkout["with"]["ref"] == "${{ inputs.commit }}"


def test_workflow_secret_stays_with_the_proposal() -> None:
    """The job on a GPU runner sees no secret; the one that does runs nothing on a machine of ours."""
    text = {name: (FOLDER / f"{name}.yml").read_text() for name in WORKFLOWS}
    assert "secrets: inherit" not in "".join(text.values())
    holding = {at for at, body in JOBS.items() if "secrets." in str(body)}
    assert holding == {("measure", "measure"), ("measure-runner", "propose")}
    assert JOBS["measure-runner", "propose"]["environment"] == "records"


def test_workflow_loses_one_snippet_with_a_runner() -> None:
    """A job a snippet, uploaded however it ends; the others go on; what came is proposed."""
    measure = JOBS["measure-runner", "measure"]
    upload = measure["steps"][-1]
    assert measure["strategy"]["fail-fast"] == "false"
    assert upload["if"] == "always()"
    assert upload["with"]["name"].endswith("${{ matrix.snippet }}")
    assert JOBS["measure-runner", "propose"]["if"].startswith("${{ !cancelled()")


def test_workflow_locks_each_runner() -> None:
    """One run at a time on a runner, and one snippet at a time within it; a run that is on is never cut off."""
    caller = JOBS["measure", "measure"]
    assert caller["concurrency"] == {"group": "measure-${{ matrix.runner }}", "cancel-in-progress": "false"}
    assert JOBS["measure-runner", "measure"]["strategy"]["max-parallel"] == 1


def test_workflow_site_waits_for_no_gpu() -> None:
    """Publishing needs tests and the build from committed records, daily too; what is overdue is told beside it."""
    assert "schedule" in WORKFLOWS["site"]["on"]
    assert JOBS["site", "deploy"]["needs"] == ["check", "build"]
    assert any("make publish" in step.get("run", "") for step in JOBS["site", "build"]["steps"])
    overdue = JOBS["site", "overdue"]
    assert overdue["if"] == "github.event_name == 'schedule'"
    assert any("build_tools age" in step.get("run", "") for step in overdue["steps"])
    assert any("ci waiting" in step.get("run", "") for step in overdue["steps"])


def test_workflow_deploys_the_default_branch_only() -> None:
    """Not a pull request, not another branch."""
    condition = JOBS["site", "deploy"]["if"]
    assert "github.ref_name == github.event.repository.default_branch" in condition
    assert "github.event_name != 'pull_request'" in condition


def test_workflow_works_for_forks() -> None:
    """What a pull request starts reads only: no comment, no token that writes, no secret."""
    started = [(name, job) for name, job in JOBS if name == "site" and "schedule" not in str(JOBS[name, job].get("if"))]
    assert ("site", "review") in started
    for name, job in started:
        assert set(JOBS[name, job]["permissions"].values()) == {"read"}
        assert "secrets." not in str(JOBS[name, job])


def test_workflow_weekly_fails_nobody() -> None:
    """No pull request starts it; it opens an issue."""
    assert WORKFLOWS["weekly"]["on"].keys() == {"schedule", "workflow_dispatch"}
    assert JOBS["weekly", "issue"]["if"] == "${{ failure() }}"
    assert {entry["versions"] for entry in JOBS["weekly", "versions"]["strategy"]["matrix"]["include"]} == {
        "newest",
        "lowest",
    }


@steps
def test_workflow_commands_exist(step: dict[str, Any]) -> None:
    """Every command of ours and every make target that a step names is there."""
    from build_tools.cli import parser

    makefile = (REPOSITORY / "Makefile").read_text()
    for command in re.findall(r"-m build_tools ((?:ci )?[a-z]+)", step.get("run", "")):
        with pytest.raises(SystemExit) as ended:
            parser().parse_args([*command.split(), "--help"])
        assert ended.value.code == 0
    for target in re.findall(r"\bmake ([^\s|]+)", step.get("run", "")):
        assert re.search(rf"^{re.escape(target.replace('.venv', '$(VENV)'))}:", makefile, re.M), target
