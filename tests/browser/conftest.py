"""A composed site behind a subpath, built once; a browser for each file of tests, as tests of processes count children.

Everything is local: a server on 127.0.0.1 with a random port, Debian's Chromium, no other host.
"""

from __future__ import annotations

import functools
import http.server
import importlib.util
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn
from urllib.parse import urljoin, urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Request, Response
    from playwright.sync_api import Page as Tab

if importlib.util.find_spec("playwright") is None:
    collect_ignore_glob = ["test_*.py"]  # pip install -e '.[dev]' brings it

ROOT = Path(__file__).resolve().parents[2]
SUBPATH = "/ledger/"  # sites live under subpaths; a link that starts at the host's root breaks here
TIMEOUT_MS = 60_000
FLAGS = [
    "--no-sandbox",  # containers
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


@dataclass(frozen=True)
class Page:
    """One page of the built site."""

    path: str  # "en/lectures/gradient-accumulation/", relative to the site's root
    file: Path

    @property
    def language(self) -> str:
        return "en" if self.path.startswith("en/") else "zh"

    @property
    def other(self) -> str:
        """Path of the same page in the other language."""
        return self.path.removeprefix("en/") if self.language == "en" else "en/" + self.path


def missing(what: str) -> NoReturn:
    """Skips on somebody's own machine, fails where the tests are the gate."""
    if os.environ.get("CI"):
        pytest.fail(what, pytrace=False)
    pytest.skip(what)


@pytest.fixture(scope="session")
def built_site(copy_project: Callable[[], Path]) -> Path:
    """The composed site: Chinese at its root, English below en/. Built here, unless LEDGER_SITE names one."""
    if not (named := os.environ.get("LEDGER_SITE")):
        root = copy_project()
        subprocess.run([sys.executable, "-m", "build_tools", "build", "--publish"], cwd=root, check=True)
        named = str(root / "site")
    folder = Path(named).resolve()
    if not (folder / "index.html").is_file() or not (folder / "en" / "index.html").is_file():
        missing(f"no built site in {folder}: run `make site` first (or set LEDGER_SITE)")
    return folder


@pytest.fixture(scope="session")
def pages(built_site: Path) -> list[Page]:
    """Every page that the build wrote, the 404 pages excepted."""
    found = [
        Page(
            path="" if (relative := file.parent.relative_to(built_site).as_posix()) == "." else relative + "/",
            file=file,
        )
        for file in sorted(built_site.rglob("index.html"))
    ]
    assert {page.language for page in found} == {"zh", "en"}
    return found


@pytest.fixture(scope="module")
def site_url(built_site: Path) -> Iterator[str]:
    """Serves the site under http://127.0.0.1:PORT/ledger/ and nothing elsewhere."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            if not path.startswith(SUBPATH):
                return str(built_site / "outside-the-subpath")
            return super().translate_path("/" + path.removeprefix(SUBPATH))

        def log_message(self, *arguments: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(built_site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}{SUBPATH}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    executable = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not executable or not Path(executable).exists():
        missing("no browser: install chromium (apt install chromium) or set CHROMIUM to its path")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, headless=True, args=FLAGS, timeout=180_000
        )  # the first start is slow
        yield browser
        browser.close()


class Visit:
    """A tab that notes what it asked for and what it complained about."""

    def __init__(self, context: BrowserContext, site_url: str) -> None:
        self.site_url = site_url
        self.tab = context.new_page()
        self.foreign: list[str] = []
        self.complaints: list[str] = []
        self.tab.on("request", self._request)
        self.tab.on("response", self._response)
        self.tab.on("console", self._console)
        self.tab.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != urlsplit(self.site_url).netloc:
            self.foreign.append(request.url)

    def _response(self, response: Response) -> None:
        if response.status >= 400:
            self.complaints.append(f"{response.status} {response.url}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"console {message.type}: {message.text}")

    def open(self, path: str) -> Tab:
        self.tab.goto(urljoin(self.site_url, path), wait_until="load")
        return self.tab


@pytest.fixture
def visit(browser: Browser, site_url: str) -> Iterator[Callable[..., Visit]]:
    """visit(width=…, scheme=…, javascript=…, touch=…): a fresh visitor each time."""
    contexts: list[BrowserContext] = []

    def new(
        width: int = 1440,
        height: int = 900,
        scheme: Literal["light", "dark"] = "light",
        javascript: bool = True,
        touch: bool = False,
    ) -> Visit:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            java_script_enabled=javascript,
            has_touch=touch,
            reduced_motion="reduce",
        )
        context.set_default_timeout(TIMEOUT_MS)
        contexts.append(context)
        return Visit(context, site_url)

    yield new
    for context in contexts:
        context.close()
