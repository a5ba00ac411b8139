"""Hostile text wherever we show what others wrote: a real browser sees text, and no script runs."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browser.conftest import FLAGS, missing
from records import ENVIRONMENT, make_record

from build_tools.key import key_of
from build_tools.model import Caution, Failure, Machine
from build_tools.store import committed_folder, load_snippet, write_record

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[dev]'")


def hostile(where: str) -> str:
    """Markup in an element, in an attribute and in a link; a mark of Python-Markdown's own; a template."""
    script = f"window.hacked = (window.hacked || '') + ' {where}'"
    return (
        f'<script>{script}</script>"><img src=x onerror="{script}"><svg onload="{script}">'
        f'<a href="javascript:{script}">{where}</a> [x](javascript:alert) \x02wzxhzdk:0\x03 {{{{ 7 * 7 }}}}'
    )


def toml(text: str) -> str:
    return (
        '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\x02", "\\u0002").replace("\x03", "\\u0003") + '"'
    )


TITLE, LABEL, UNIT = toml(hostile("title")), toml(hostile("label")), toml(hostile("unit"))
TOML = f"""\
title = {{ zh = {TITLE}, en = {TITLE} }}
[parameters]
words = "plain"
[profiles.quick]
[cases.plain]
[cases.other]
words = {toml(hostile("parameter"))}
[cases.stale]
[cases.failed]
[metrics.loss]
unit = {UNIT}
decimals = 2
label = {{ zh = {LABEL}, en = {LABEL} }}
"""
MACHINE = Machine(slug="hostile", device="cpu", model=hostile("model"), memory_gib=8.0, cores=2)
ELSEWHERE = ENVIRONMENT.model_copy(
    update={
        "host_cpu": hostile("host"), "system": hostile("system"), "python": hostile("python"),
        "allocator": hostile("allocator"), "packages": {"torch": hostile("version"), hostile("package"): "1"},
    }
)  # fmt: skip
ONE_LINE = hostile("reference").replace("`", "").replace("\x02", "").replace("\x03", "")
PAGE = f"""\
# Page {{#page}}

{{value}}`hostile/plain/seconds@quick:hostile` and {{value}}`hostile/stale/loss@quick:hostile` and {{value}}`hostile/failed/loss@quick:hostile`

```results hostile
columns: [seconds, loss]
baseline: plain
```

```output hostile/plain@quick:hostile
```

{{value}}`{ONE_LINE}` and {{value}}`hostile/{ONE_LINE}/seconds`

```results {ONE_LINE.replace(" ", "")}
```

```results hostile
cases: ["{ONE_LINE.replace(chr(34), "'")}"]
```

```{ONE_LINE.replace(" ", "")}
never closed

$\\text{{<script>window.hacked = 1</script>}}$ and $\\href{{javascript:window.hacked=1}}{{x}}$
"""


def write_records(root: Path) -> None:
    """Good, stale, failed: each with hostile text in every field that a person or a program fills."""
    snippet = load_snippet(root / "snippets" / "hostile")
    for case in snippet.cases:
        key = key_of(snippet, case, "quick", "hostile", "cpu")
        fields = {
            "snippet": "hostile", "case": case, "machine": MACHINE, "environment": ELSEWHERE, "key": key,
            "run_id": hostile("run"), "command": hostile("command"), "commit": hostile("commit"), "clean": False,
            "output": hostile("output") * 3, "samples": {"seconds": (1.0,), "loss": (2.0,)},
            "warnings": (Caution(kind="load", detail={hostile("warning"): hostile("detail")}),),
        }  # fmt: skip
        if case == "stale":
            fields["key"] = key.model_copy(update={"parameters": {"words": hostile("was"), hostile("name"): 1}})
        if case == "failed":
            reason = Failure(kind="exception", during="time", message=hostile("reason"))
            fields |= {"status": "failed", "reason": reason, "samples": {}}
        write_record(committed_folder(root, "hostile"), make_record(**fields))


@pytest.fixture(scope="module")
def hostile_site(copy_project: Callable[[], Path]) -> Path:
    """This project with a hostile snippet, hostile records, and a page in both languages that shows them."""
    root = copy_project()
    folder = root / "snippets" / "hostile"
    folder.mkdir()
    (folder / "snippet.toml").write_text(TOML, encoding="utf-8")
    (folder / "main.py").write_text("x = 1\n")
    write_records(root)
    for language in ("zh", "en"):
        (root / "docs" / language / "index.md").write_text(PAGE, encoding="utf-8")
    command = [sys.executable, "-m", "build_tools", "build", "--no-measure"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert all(line.isprintable() for line in done.stdout.splitlines())
    return root / "site"


@pytest.fixture(scope="module")
def address(hostile_site: Path) -> Iterator[str]:
    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments: object) -> None:
            pass

    handler = functools.partial(Handler, directory=str(hostile_site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def chromium() -> Iterator[sync_api.Browser]:
    executable = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not executable or not Path(executable).exists():
        missing("no browser: install chromium (apt install chromium) or set CHROMIUM to its path")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, headless=True, args=FLAGS, timeout=180_000)
        yield browser
        browser.close()


# What would be there if any of it had become live.
LIVE = """() => [
  ...document.querySelectorAll('img[src="x"], svg[onload], script:not([src])'),
].filter(e => e.tagName != 'SCRIPT' || /hacked/.test(e.textContent)).map(e => e.outerHTML)
 .concat([...document.querySelectorAll('*')].flatMap(e => [...e.attributes])
   .filter(a => /^on/i.test(a.name) || (/href$/i.test(a.name) && /^\\s*javascript:/i.test(a.value)))
   .map(a => a.name + '=' + a.value))"""
SHOWN = ("label", "unit", "parameter", "model", "host", "system", "version", "run", "command", "output",
         "reference")  # fmt: skip


@pytest.mark.fault("hostile-text")
@pytest.mark.parametrize("path", ["", "en/"], ids=["zh", "en"])
def test_hostile_text_stays_text(path: str, address: str, chromium: sync_api.Browser) -> None:
    """All of it is on the page, to be read; nothing of it runs, also not in a tooltip or a search result."""
    tab = chromium.new_page()
    tab.goto(address + path, wait_until="load")
    for mark in tab.locator(".md-content [title]").all():
        if mark.is_visible():
            mark.hover(force=True)
            tab.wait_for_timeout(300)  # a tooltip takes a moment to appear
    for details in tab.locator("details").all():
        details.evaluate("element => { element.open = true }")
    tab.locator("input.md-search__input").click()
    tab.locator("input.md-search__input").press_sequentially("onerror", delay=20)
    tab.keyboard.press("End")
    tab.wait_for_selector(".md-search-result__item mark", timeout=30_000)

    text = tab.locator("article.md-content__inner").text_content() or ""
    titles = " ".join(element.get_attribute("title") or "" for element in tab.locator(".md-content [title]").all())
    assert tab.evaluate("window.hacked") is None
    assert tab.evaluate(LIVE) == []
    assert "49" not in titles
    assert [where for where in SHOWN if f"(window.hacked || '') + ' {where}'" not in text + titles] == []
    tab.close()


@pytest.mark.fault("hostile-text")
def test_no_markup_of_a_record_is_in_the_source(hostile_site: Path) -> None:
    """Also what a browser would forgive: not in any page, and not in the 404."""
    for page in [hostile_site / "index.html", hostile_site / "en/index.html", hostile_site / "404.html"]:
        html = page.read_text(encoding="utf-8")
        assert "<script>window.hacked" not in html
        assert "<img src=x" not in html
        assert "\x02" not in html
        assert "wzxhzdk:0\x03" not in html
