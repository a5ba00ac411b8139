"""The steps of the workflows that are commands of ours, by hand."""

from __future__ import annotations

import http.server
import io
import json
import subprocess
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from figures.bench import SETTINGS, Bench

from build_tools import cli
from build_tools.ci.commit import own_commit
from build_tools.ci.external_links import dead_links, why_dead
from build_tools.ci.issue import issue_text
from build_tools.ci.jobs import jobs, runners
from build_tools.ci.lowest import lowest
from build_tools.ci.screenshots import changed_pages
from build_tools.ci.waiting import waiting
from build_tools.errors import LedgerError

RUNNERS = SETTINGS + '[tool.ledger.runners]\ngpu-h200 = "h200"\ngpu-a100 = "a100"\n'


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A project with the snippet `toy`, two runners, and the working directory in it."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    made = Bench(folder)
    (folder / "pyproject.toml").write_text(RUNNERS)
    return made


def test_workflow_matrix_of_runners(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """Labels and machines from pyproject.toml, as JSON on one line."""
    assert runners(bench.root) == [
        {"runner": "gpu-h200", "machine": "h200"}, {"runner": "gpu-a100", "machine": "a100"},
    ]  # fmt: skip
    assert cli.main(["ci", "jobs"]) == 0
    assert json.loads(capsys.readouterr().out) == runners(bench.root)


def test_workflow_matrix_of_snippets(bench: Bench) -> None:
    """One job a snippet that has the profile; only those asked for, where somebody asks."""
    bench.snippet("small", 'title = { zh = "小", en = "small" }\n[profiles.quick]\n[cases.one]\n')

    assert jobs(bench.root, "gpu-h200", [], "full") == [{"snippet": "toy"}]
    assert jobs(bench.root, "gpu-h200", ["small"], "quick") == [{"snippet": "small"}]
    for wrong, says in (
        (("gpu-h20", [], "full"), "no runner 'gpu-h20'; did you mean"),
        (("gpu-h200", ["toys"], "full"), "no snippet 'toys'"),
        (("gpu-h200", ["small"], "full"), "no profile 'full' in small"),
        (("gpu-h200", [], "huge"), "no snippet has the profile 'huge'"),
    ):
        with pytest.raises(LedgerError, match=says):
            jobs(bench.root, *wrong)


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    done = subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_workflow_commit_is_on_a_branch_of_ours(tmp_path: Path) -> None:
    """Of a fork one can fetch commits under our address; no branch of ours holds them."""
    ours, runner = tmp_path / "ours", tmp_path / "runner"
    git(tmp_path, "init", "-q", "-b", "main", str(ours))
    git(ours, "commit", "-q", "--allow-empty", "-m", "one")
    git(ours, "checkout", "-q", "-b", "topic")
    git(ours, "commit", "-q", "--allow-empty", "-m", "two")
    topic = git(ours, "rev-parse", "HEAD")
    git(ours, "checkout", "-q", "--detach", "main")
    git(ours, "commit", "-q", "--allow-empty", "-m", "a stranger's")
    foreign = git(ours, "rev-parse", "HEAD")
    git(ours, "update-ref", "refs/pull/1/head", foreign)
    git(tmp_path, "clone", "-q", str(ours), str(runner))
    git(runner, "fetch", "-q", "origin", "refs/pull/1/head")

    assert own_commit(runner, topic) == (topic, "topic")
    assert own_commit(runner, git(ours, "rev-parse", "main"))[1] == "main"
    assert own_commit(runner, git(ours, "rev-parse", "main"), "topic")[1] == "topic"
    for wrong in (foreign, "0" * 40, "--help", "no-such"):
        with pytest.raises(LedgerError, match="on no branch of origin"):
            own_commit(runner, wrong)


NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def listed(hours: float, status: str, conclusion: str | None = None) -> dict[str, object]:
    return {
        "createdAt": (NOW - timedelta(hours=hours)).isoformat(), "status": status, "conclusion": conclusion or "",
        "url": "https://example.org/1",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("run", "says"),
    [
        (listed(13, "queued"), "waiting: begun 13 hours ago and not ended; is its runner there? https://example.org/1"),
        (listed(13, "in_progress"), "waiting"),
        (listed(11, "queued"), None),
        (listed(20, "completed", "success"), None),
        (listed(20, "completed", "skipped"), None),
        (listed(24, "completed", "cancelled"), "no result: cancelled"),
        (listed(60, "completed", "cancelled"), None),
    ],
)
def test_workflow_run_that_nobody_takes(run: dict[str, object], says: str | None) -> None:
    """Told by the daily job; what ended before yesterday was told then."""
    lines = waiting(json.dumps([run]), NOW, timedelta(hours=12))

    assert (lines[0].startswith(says) if says else lines == []) is True


def test_workflow_waiting_reads_stdin(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `gh` pipes it in; nothing, or anything else, is an error of one line."""
    for text, code in (("[]", 0), (json.dumps([listed(1e4, "queued")]), 1), ("", 1), ("{", 1), ('[{"url": 1}]', 1)):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        assert cli.main(["ci", "waiting"]) == code
    assert "stdin is no list of runs" in capsys.readouterr().err


def test_workflow_lowest_versions(bench: Bench) -> None:
    """As pyproject.toml says; a package without a lower bound cannot be tried."""
    (bench.root / "pyproject.toml").write_text(
        RUNNERS + '[project]\ndependencies = ["mkdocs-material>=9.7"]\n'
        '[project.optional-dependencies]\nmeasure = ["torch[x] >= 2.6,<3", "transformers>=5.0"]\ndev = ["zensical"]\n'
    )

    assert [*lowest(bench.root, ["torch", "mkdocs-material"])] == ["torch==2.6", "mkdocs-material==9.7"]
    with pytest.raises(LedgerError, match=r"pyproject\.toml: there is no lower bound of 'zensical'"):
        list(lowest(bench.root))


def test_workflow_lowest_versions_of_this_project() -> None:
    """All that weekly.yml tries have one."""
    from projects import REPOSITORY

    assert [line.partition("==")[0] for line in lowest(REPOSITORY)] == [
        "torch",
        "transformers",
        "mkdocs-material",
        "zensical",
    ]


@pytest.fixture
def server() -> Iterator[str]:
    """Answers every path that is a number with that status."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(int(self.path.strip("/") or 200))
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    serving = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=serving.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{serving.server_port}"
    serving.shutdown()
    serving.server_close()
    thread.join()


@pytest.mark.parametrize(
    ("status", "dead"), [(200, False), (403, False), (404, True), (410, True), (429, False), (500, False)]
)
def test_workflow_link_that_is_dead(status: int, dead: bool, server: str) -> None:
    """Gone is gone; a server that refuses programs or is ill is still there."""
    assert bool(why_dead(f"{server}/{status}", 10)) is dead


def test_workflow_links_have_their_place(bench: Bench, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """File and line of the first that names a dead address; full-width punctuation ends one; nothing else is asked."""
    from build_tools.ci import external_links

    monkeypatch.setattr(external_links, "EXAMPLE_HOSTS", external_links.re.compile("https?://example.org"))
    page = bench.root / "docs/zh/index.md"
    page.parent.mkdir(parents=True)
    page.write_text(
        f"# 页\n见 [此处]({server}/200)，{server}/404。\n{server}/404 https://example.org/x\n", encoding="utf-8"
    )
    (error,) = dead_links(bench.root, 10)

    assert str(error).startswith(f"docs/zh/index.md:2: {server}/404 leads nowhere: 404 Not Found")


def test_workflow_issue_holds_the_ends_of_logs(tmp_path: Path) -> None:
    """Nothing of a log is live: the fence is longer than any in it; no page is longer than GitHub takes."""
    (tmp_path / "log-links").mkdir()
    (tmp_path / "log-links" / "links.log").write_text("\x1b[31mred\x1b[0m\n````\n@everyone <b>\n")
    (tmp_path / "newest.log").write_text("\n".join(f"line {number} " + "x" * 500 for number in range(1000)))
    text = issue_text(tmp_path, "https://example.org/run")

    assert "`````text\nred\n````\n@everyone <b>\n`````" in text
    assert "line 999" in text
    assert "line 900" not in text
    assert len(text) < 65_536
    with pytest.raises(LedgerError, match=r"holds no \*\.log"):
        issue_text(tmp_path / "log-none", "")


def test_workflow_screenshots_of_pages_that_differ(tmp_path: Path) -> None:
    """The article counts, and not what surrounds all pages; a new page counts, one that is gone cannot be shown."""
    pages = {"same": ("a", "a"), "differs": ("a", "b"), "new": (None, "a"), "gone": ("a", None)}
    for name, contents in pages.items():
        for side, content in zip(("old", "new"), contents, strict=True):
            if content is not None:
                file = tmp_path / side / name / "index.html"
                file.parent.mkdir(parents=True)
                file.write_text(f"<link href={side}.css><article class=x>{content}</article>{side}")

    assert changed_pages(tmp_path / "old", tmp_path / "new") == ["differs/index.html", "new/index.html"]
    with pytest.raises(LedgerError, match="holds no site"):
        changed_pages(tmp_path / "old", tmp_path / "nothing")


def test_workflow_screenshots_are_taken(tmp_path: Path) -> None:
    """At both widths, as long as the page, and only so much of one that never ends."""
    import os
    import shutil
    import struct

    from build_tools.ci.screenshots import SCROLLED, WIDTHS, take

    pytest.importorskip("playwright")
    if not os.environ.get("CI") and not (os.environ.get("CHROMIUM") or shutil.which("chromium")):
        pytest.skip("no browser: install chromium (apt install chromium) or set CHROMIUM to its path")
    page = tmp_path / "site" / "en" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text("<!doctype html><body style='margin:0'><article style='height:99999px'>long</article>")
    written = [*take(tmp_path / "site", ["en/index.html"], tmp_path / "out")]

    assert [path.name for path in written] == ["en.wide.png", "en.phone.png"]
    for path, width in zip(written, WIDTHS.values(), strict=True):
        assert struct.unpack(">II", path.read_bytes()[16:24]) == (width, SCROLLED)
