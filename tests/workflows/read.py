"""The workflows as data, in terms of GitHub: jobs, steps, triggers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from projects import REPOSITORY

FOLDER = REPOSITORY / ".github/workflows"
FILES = sorted(FOLDER.glob("*.yml"))


class _Loader(yaml.SafeLoader):
    """YAML 1.2 as GitHub reads it: `on` is a word and no truth value."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:bool"]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def workflow(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    return loaded


WORKFLOWS = {path.stem: workflow(path) for path in FILES}
JOBS = {(name, job): body for name, whole in WORKFLOWS.items() for job, body in whole["jobs"].items()}
STEPS = [
    (f"{name}.{job}.{number}", step)
    for (name, job), body in JOBS.items()
    for number, step in enumerate(body.get("steps", []), 1)
]
