"""The way of a fresh number through CI, played in a scratch clone: `make rehearse-ci`.

Plan, measure, upload a snippet at a time, two lost runners and one that lies, validation, text of the pull request,
merge, publish. Every step is the shell line of the workflow itself, with GitHub's expressions filled in. The runner is
this machine at `quick`; no network, no token, nothing outside the scratch folder is written.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent)]

from ci.liars import deliver  # noqa: E402 - a script finds its neighbours first
from ci.steps import Place, RehearsalError, clone, git, settings_of  # noqa: E402

from build_tools.history import through_time  # noqa: E402
from build_tools.machine import cpu_machine  # noqa: E402
from build_tools.model import Record  # noqa: E402
from build_tools.store import read_record  # noqa: E402

RUNNER = "rehearsal"
GOOD, INSIDE, BETWEEN = "loop", "lost_inside", "never_begun"
LOST = """\
title = { zh = "走丢", en = "lost" }
repeats = { quick = 100 }
[profiles.quick]
[cases.plain]
"""
PROGRAM = """\
import time
from build_tools import measure

def run(p, meter):
    with meter.window(None, samples=1, optimizer_steps=0):
        time.sleep(0.2)
"""


def say(line: str) -> None:
    print(line, flush=True)


def expect(holds: object, what: str) -> None:
    if not holds:
        raise RehearsalError(what)
    say(f"    {what}")


class Rehearsal:
    """The whole story, in a folder of its own."""

    def __init__(self, scratch: Path) -> None:
        self.scratch, self.machine = scratch, cpu_machine()
        self.origin, self.artifacts = scratch / "origin.git", scratch / "artifacts"
        self.artifacts.mkdir()
        self.commit = ""

    def play(self) -> None:
        for scene in (
            self.begin,
            self.plan,
            self.measure,
            self.lie,
            self.propose,
            self.review,
            self.publish,
            self.daily,
        ):
            say(f"== {(scene.__doc__ or '').rstrip('.')}")
            scene()

    def begin(self) -> None:
        """A repository with the working tree as it is, this machine as its runner, and two snippets more."""
        repository, work = TESTS.parent, self.scratch / "work"
        git(repository, "clone", "-q", "--bare", str(repository), str(self.origin))
        git(self.scratch, "clone", "-q", str(self.origin), str(work))
        git(work, "checkout", "-q", "-B", "main")
        _bring_up_to_date(repository, work)
        settings = work / "pyproject.toml"
        head = "[tool.ledger.runners]"
        runner = f'{head}\n{RUNNER} = "{self.machine.slug}"\n#'
        settings.write_text(settings.read_text().replace(head, runner, 1))
        for name in (INSIDE, BETWEEN):
            folder = work / "snippets" / name
            folder.mkdir()
            (folder / "snippet.toml").write_text(LOST)
            (folder / "main.py").write_text(PROGRAM)
        git(work, "add", "-A")
        git(work, "commit", "-q", "-m", "The working tree")
        git(work, "push", "-q", "--force", "origin", "main")
        git(self.origin, "symbolic-ref", "HEAD", "refs/heads/main")
        self.commit = git(work, "rev-parse", "HEAD")
        say(f"    commit {self.commit[:12]}, runner {RUNNER} = {self.machine.slug}")

    def place(self, name: str, snippet: str = "", ref: str = "main") -> Place:
        """A fresh checkout with all that GitHub would fill in."""
        known = {
            "inputs.commit || github.sha": self.commit, "inputs.commit": self.commit, "github.ref_name": "main",
            "inputs.runner": RUNNER, "inputs.machine": self.machine.slug, "inputs.profile": "quick",
            "inputs.repeats": "2", "inputs.snippets": f"{GOOD} {INSIDE} {BETWEEN}", "matrix.snippet": snippet,
            "github.event.pull_request.base.sha": self.commit, "github.token": "none",
        }  # fmt: skip
        return Place(clone(self.origin, self.scratch / name, ref), known)

    def plan(self) -> None:
        """Which commit, which runners, which snippets."""
        place = self.place("plan")
        place.step("measure", "plan", "Check the commit")
        expect(place.outputs["commit"] == self.commit, "the commit is on a branch of ours")
        expect(
            {"runner": RUNNER, "machine": self.machine.slug} in json.loads(place.outputs["runners"]),
            "the runner is known",
        )
        place.step("measure-runner", "plan", "List the jobs")
        listed = [job["snippet"] for job in json.loads(place.outputs["jobs"])]
        expect(listed == [GOOD, INSIDE, BETWEEN], f"a job each for {', '.join(listed)}")

    def measure(self) -> None:
        """One job a snippet; the runner is lost inside the second, and the third never begins."""
        place = self.place(f"runner-{GOOD}", GOOD, self.commit)
        place.step("measure-runner", "measure", "Measure")
        uploaded = place.upload("measure-runner", "measure", self.artifacts)
        expect(any(uploaded.rglob("plain.json")), f"{GOOD} was measured and uploaded as {uploaded.name}")
        lost = self.place(f"runner-{INSIDE}", INSIDE, self.commit)
        record = lost.root / f"snippets/{INSIDE}/records/quick/{self.machine.slug}/plain.json"
        lost.lost_in("measure-runner", "measure", "Measure", record.exists)
        expect(
            len(read_record(record).samples["seconds"]) < 100,
            f"the runner was lost inside {INSIDE}: nothing of it came",
        )
        say(f"    the runner is gone: {BETWEEN} never begins")

    @property
    def good(self) -> Record:
        return read_record(self.artifacts / f"records-{RUNNER}-{GOOD}/quick/{self.machine.slug}/plain.json")

    def lie(self) -> None:
        """Another runner sends records that are not what they should be."""
        self.reasons = deliver(self.good, self.artifacts)
        say(f"    {len(self.reasons)} of them")

    def propose(self) -> None:
        """A job without a GPU believes nothing of it, stores what is good, and words the pull request."""
        place = self.place("propose")
        record = place.root / f"snippets/{GOOD}/records/quick/{self.machine.slug}/plain.json"
        before = read_record(record).run_id if record.exists() else None
        shutil.copytree(self.artifacts, place.root / ".build/received")
        said = place.step("measure-runner", "propose", "Store what is good, refuse the rest by name", code=1)
        for name, why in self.reasons.items():
            line = next((line for line in said.splitlines() if line.startswith(f"refused: {name}: ")), "")
            expect(why in line, line or f"{name} should be refused")
        landed = sorted(line.split(": ")[-1] for line in said.splitlines() if line.startswith("landed: "))
        changed = git(place.root, "ls-files", "-m", "-o", "--exclude-standard").splitlines()
        paths = sorted(path for path in changed if "/history/" not in path)
        expect(landed and landed == paths, f"landed, and nothing else is touched: {', '.join(landed)}")
        kept = [past.run_id for past in through_time(record)]
        expect(
            kept[-2:] == [*([before] if before else []), self.good.run_id], f"the case's history: {' → '.join(kept)}"
        )
        place.step("measure-runner", "propose", "Say what it changes")
        text = (place.root / ".build/pull-request.md").read_text()
        expect("#### Refused" in text and self.good.run_id in text, "the text tells what changes and what was refused")
        outside = re.sub("`[^`\n]*`", "", text)
        expect(
            "onerror" in text and "onerror" not in outside and "\x1b" not in text,
            "what is hostile in it is code, and not live",
        )
        (self.scratch / "pull-request.md").write_text(text)
        git(place.root, "checkout", "-q", "-b", f"records/{RUNNER}")
        git(place.root, "add", "--", settings_of("measure-runner", "propose", "Propose the records")["add-paths"])
        git(place.root, "commit", "-q", "-m", f"Records of {RUNNER}")
        git(place.root, "push", "-q", "origin", f"records/{RUNNER}")

    def review(self) -> None:
        """The checks of the pull request: what it does to the numbers. Then a person merges."""
        place = self.place("review", ref=f"records/{RUNNER}")
        said = place.step("site", "review", "Say which figures change or become stale")
        expect(self.good.run_id in said, "the summary names the run")
        git(place.root, "checkout", "-q", "main")
        git(place.root, "merge", "-q", "--no-ff", "-m", "Merge records", f"origin/records/{RUNNER}")
        git(place.root, "push", "-q", "origin", "main")

    def publish(self) -> None:
        """The site is built from what was merged, though two runners were lost."""
        place = self.place("publish")
        place.step("site", "build", "Build from committed records")
        shown = place.root / f"site/records/{GOOD}/quick/{self.machine.slug}/plain.json"
        expect(json.loads(shown.read_text())["run_id"] == self.good.run_id, "the published record is the fresh one")
        pages = [file for file in (place.root / "site").rglob("*.html") if self.good.run_id in file.read_text()]
        expect(pages, f"{len(pages)} page(s) show its run")

    def daily(self) -> None:
        """The next day's job tells the runner that never came, and lets the site be."""
        place = self.place("daily")
        place.path = str(_command_line_of_github(self.scratch / "bin"))
        said = place.step("site", "overdue", "Tell runs that no runner has taken", code=1)
        expect("is its runner there?" in said, said.splitlines()[0])
        say(f"    {place.step('site', 'overdue', 'Tell numbers that are too old').splitlines()[-1]}")


def _bring_up_to_date(repository: Path, work: Path) -> None:
    """What is not committed yet belongs to the rehearsal, too; a clean checkout has nothing of it."""
    listed = git(repository, "ls-files", "-m", "-o", "--exclude-standard", "-z").split("\0")
    for name in filter(None, listed):
        if (repository / name).is_file():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(repository / name, work / name)
        else:
            (work / name).unlink(missing_ok=True)


def _command_line_of_github(folder: Path) -> Path:
    """A `gh` that knows of one run, which has been waiting for days."""
    folder.mkdir()
    run = [
        {"createdAt": "2026-01-01T00:00:00Z", "status": "queued", "conclusion": "", "url": "https://example.org/run"}
    ]
    (folder / "gh").write_text(f"#!/bin/sh\necho '{json.dumps(run)}'\n")
    (folder / "gh").chmod(0o755)
    return folder


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--keep", type=Path, metavar="DIR", help="play in this new folder and leave it")
    keep = options.parse_args().keep
    scratch = keep or Path(tempfile.mkdtemp(prefix="ledger-rehearsal-"))
    scratch.mkdir(parents=True, exist_ok=keep is None)
    try:
        Rehearsal(scratch.resolve()).play()
    except RehearsalError as error:
        print(f"FAILED: {error}", file=sys.stderr)
        return 1
    finally:
        if keep is None:
            shutil.rmtree(scratch, ignore_errors=True)
    say("== Rehearsed: every good record was published, every other one refused by name")
    return 0


if __name__ == "__main__":
    sys.exit(main())
