"""Steps of the workflows, run here as a runner would: the same shell lines, with the expressions filled in."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workflows.read import JOBS

EXPRESSION = re.compile(r"\$\{\{\s*(.+?)\s*\}\}")
INSTALLED = (".venv/core.done", ".venv/measure.done", ".venv/review.done", ".venv/test.done")


class RehearsalError(AssertionError):
    """Something went another way than it has to."""


@dataclass
class Place:
    """A checkout on some runner. `known` holds what GitHub fills in, by the expression; outputs collect in a file."""

    root: Path
    known: Mapping[str, str]
    path: str = ""
    outputs: dict[str, str] = field(default_factory=dict)

    def filled(self, text: str) -> str:
        """With every expression's value. One that nobody knows is a mistake of the rehearsal."""
        return EXPRESSION.sub(lambda found: self.known[found[1]], text)

    def step(self, workflow: str, job: str, name: str, code: int = 0) -> str:
        """Run one step; returns what it said. Raises where it ends with another code."""
        process = self._start(workflow, job, name)
        said, _ = process.communicate(timeout=1200)
        if process.returncode != code:
            raise RehearsalError(f"{workflow}.{job}: {name}: exit code {process.returncode}, not {code}\n{said}")
        self._collect()
        return str(said)

    def lost_in(self, workflow: str, job: str, name: str, when: Callable[[], bool]) -> None:
        """Start a step and end the whole runner at once, as a power cut does, as soon as `when` says so."""
        process = self._start(workflow, job, name)
        deadline = time.monotonic() + 300
        while not when() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        if process.poll() is not None:
            raise RehearsalError(f"{name} ended before its runner was lost")
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def upload(self, workflow: str, job: str, to: Path) -> Path:
        """What `upload-artifact` takes, below the artefact's name."""
        import shutil

        body = next(s for s in JOBS[workflow, job]["steps"] if s.get("uses", "").startswith("actions/upload-artifact"))
        settings = body["with"]
        target = to / self.filled(settings["name"])
        shutil.copytree(self.root / self.filled(settings["path"]), target)
        return target

    def _start(self, workflow: str, job: str, name: str) -> subprocess.Popen[str]:
        step = next(step for step in JOBS[workflow, job]["steps"] if step.get("name") == name)
        given = {**JOBS[workflow, job].get("env", {}), **step.get("env", {})}
        environment = {key: self.filled(str(value)) for key, value in given.items()}
        return subprocess.Popen(
            ["bash", "-e", "-c", _installed(step["run"])], cwd=self.root, env={**self._around(), **environment},
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip

    def _around(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "OMP_NUM_THREADS") if name in os.environ}
        kept["PATH"] = f"{self.path}:{kept['PATH']}" if self.path else kept["PATH"]
        return {
            **kept, "CI": "true", "CUDA_VISIBLE_DEVICES": "", "PIP_NO_INDEX": "1",
            "GITHUB_OUTPUT": str(self.root / ".git/output"), "GITHUB_STEP_SUMMARY": str(self.root / ".git/summary.md"),
        }  # fmt: skip

    def _collect(self) -> None:
        file = self.root / ".git/output"
        for line in file.read_text().splitlines() if file.exists() else []:
            name, _, value = line.partition("=")
            self.outputs[name] = value


def settings_of(workflow: str, job: str, name: str) -> dict[str, str]:
    """What a step hands to the action it uses."""
    step = next(step for step in JOBS[workflow, job]["steps"] if step.get("name") == name)
    return dict(step["with"])


def _installed(script: str) -> str:
    """Here everything is installed: `make` takes what it would install for done."""
    old = " ".join(f"-o {name}" for name in INSTALLED)
    return re.sub(r"\bmake ", f"make {old} ", script)


def git(root: Path, *arguments: str) -> str:
    identity = [
        "-c",
        "user.name=rehearsal",
        "-c",
        "user.email=rehearsal@example.org",
        "-c",
        "advice.detachedHead=false",
    ]
    done = subprocess.run(["git", *identity, *arguments], cwd=root, capture_output=True, text=True)
    if done.returncode:
        raise RehearsalError(f"git {' '.join(arguments)}: {done.stderr}")
    return done.stdout.strip()


def clone(origin: Path, to: Path, ref: str) -> Path:
    """A fresh checkout with the environment that runs this rehearsal as its `.venv`."""
    git(origin, "clone", "-q", str(origin), str(to))
    git(to, "checkout", "-q", ref)
    (to / ".git/info/exclude").write_text(".venv\n")
    (to / ".venv").symlink_to(sys.prefix)
    return to
