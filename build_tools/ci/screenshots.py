"""Pictures of the pages that a change makes different, wide and on a phone, for whoever reviews it."""

from __future__ import annotations

import functools
import http.server
import os
import re
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from build_tools.errors import LedgerError, Place

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ARTICLE = re.compile(r"<article\b.*?</article>", re.S)
MOST_PAGES = 20
WIDTHS = {"wide": 1280, "phone": 390}  # CSS pixels
HEIGHT, SCROLLED = 900, 12_000  # pixels; of a longer page the beginning
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
]
SERVED = "127.0.0.1"


def changed_pages(old: Path, new: Path) -> list[str]:
    """Paths of pages, relative to the site, whose article differs. What surrounds it changes on all at once."""
    pages = [file.relative_to(new).as_posix() for file in sorted(new.rglob("index.html"))]
    if not pages:
        raise LedgerError("holds no site", place=Place(new), example="site, as `build` writes it")
    return [page for page in pages if _article(old / page) != _article(new / page)][:MOST_PAGES]


def _article(file: Path) -> str | None:
    if not file.is_file():
        return None
    text = file.read_text(encoding="utf-8")
    found = ARTICLE.search(text)
    return found[0] if found else text


def take(site: Path, pages: Sequence[str], out: Path) -> Iterator[Path]:
    """A picture of each page at each width, into `out`. Raises LedgerError where there is no browser."""
    if not pages:
        return
    out.mkdir(parents=True, exist_ok=True)
    with _served(site) as address, _browser() as browser:
        for page in pages:
            for name, width in WIDTHS.items():
                path = out / f"{_name(page)}.{name}.png"
                _take(browser, f"{address}/{page}", width, path)
                yield path


def _name(page: str) -> str:
    return re.sub(r"[^a-z0-9-]+", "-", page.removesuffix("index.html").strip("/").lower()) or "home"


def _take(browser: Browser, url: str, width: int, path: Path) -> None:
    page = browser.new_page(viewport={"width": width, "height": HEIGHT}, reduced_motion="reduce")
    page.goto(url, wait_until="load")
    height = min(SCROLLED, page.evaluate("document.documentElement.scrollHeight"))
    page.screenshot(path=path, full_page=True, clip={"x": 0, "y": 0, "width": width, "height": height})
    page.close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def _served(site: Path) -> Iterator[str]:
    handler = functools.partial(_Quiet, directory=str(site))
    server = http.server.ThreadingHTTPServer((SERVED, 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://{SERVED}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def _browser() -> Iterator[Browser]:
    names = ("chromium", "chromium-browser", "google-chrome")
    executable = os.environ.get("CHROMIUM") or next((path for name in names if (path := shutil.which(name))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        executable = None
    if not executable:
        raise LedgerError("no browser", example="CHROMIUM=/usr/bin/chromium", next_command="make .venv/test.done")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS, timeout=180_000)
        try:
            yield browser
        finally:
            browser.close()
