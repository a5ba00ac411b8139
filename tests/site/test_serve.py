"""The preview: both languages on one port, fresh within two seconds of an edit, alive whatever a page does."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from build_tools.translations import accept


@dataclass
class Served:
    """A running preview of a copy of this project, and what it has said."""

    root: Path
    port: int
    said: list[str] = field(default_factory=list)

    def get(self, path: str) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=60) as answer:
            return str(answer.read().decode())

    def seconds_until(self, holds: Callable[[], bool], limit_s: float = 60.0) -> float:
        started = time.monotonic()
        while not holds():
            assert time.monotonic() - started < limit_s, self.said
            time.sleep(0.05)
        return time.monotonic() - started


@pytest.fixture(scope="module")
def served(copy_project: Callable[[], Path]) -> Iterator[Served]:
    root = copy_project()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "build_tools", "serve", "--port", str(port)]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, cwd=root, env=environment, text=True, **pipes) as process:
        preview = Served(root, port)

        def listen() -> None:
            for line in process.stdout or ():
                preview.said.append(line.rstrip())

        listener = threading.Thread(target=listen)
        listener.start()
        preview.seconds_until(lambda: any("127.0.0.1" in line for line in preview.said), 60)
        yield preview
        process.terminate()
        listener.join(timeout=20)


def test_both_languages_are_on_one_port(served: Served) -> None:
    """And the language switch of each leads to the other."""
    assert 'lang="zh-CN"' in served.get("lectures/gradient-accumulation/")
    assert 'href="../../en/lectures/gradient-accumulation/"' in served.get("lectures/gradient-accumulation/")
    assert 'lang="en"' in served.get("en/lectures/gradient-accumulation/")


def test_every_page_has_its_twin(served: Served) -> None:
    """With the figures it shows, in each language."""
    for place in ("", "en/"):
        page = served.get(f"{place}lectures/gradient-accumulation/")
        twin = json.loads(served.get(f"{place}lectures/gradient-accumulation/figures.json"))

        assert 'href="figures.json"' in page
        assert "trainer/plain/tensor_mib@quick" in {figure["written"] for figure in twin["figures"]}


@pytest.mark.parametrize(
    ("file", "path"),
    [("docs/zh/index.md", ""), ("docs/en/index.md", "en/")],
)
def test_an_edit_is_on_the_page_within_seconds(file: str, path: str, served: Served) -> None:
    """Of either language: one or two on a quiet machine; a busy one may need tens of them."""
    word = f"edited-{time.time_ns()}"
    page = served.root / file
    page.write_text(page.read_text(encoding="utf-8") + f"\n{word}\n", encoding="utf-8")

    served.seconds_until(lambda: word in served.get(path))


def test_an_edit_of_a_snippet_is_on_the_page(served: Served) -> None:
    """The code shown, and that its numbers are stale now."""
    program = served.root / "snippets" / "loop" / "main.py"
    program.write_text(program.read_text(encoding="utf-8").replace("history, seen = [], 0", "seen, history = 0, []"))

    served.seconds_until(lambda: "seen, history" in text_of(served.get("lectures/gradient-accumulation/")))
    assert 'data-freshness="stale"' in served.get("en/lectures/gradient-accumulation/")


def text_of(html: str) -> str:
    return re.sub(r"<[^>]+>", "", html)


def test_a_mistake_is_told_on_the_page_and_in_the_terminal_and_the_server_lives_on(served: Served) -> None:
    """With file and line; mended, it is gone."""
    page = served.root / "docs" / "en" / "index.md"
    good = page.read_text(encoding="utf-8")
    page.write_text(good + "\n{value}`trainer/plane/seconds@quick`\n", encoding="utf-8")
    line = len(good.splitlines()) + 2

    served.seconds_until(lambda: "ledger-error" in served.get("en/"))
    served.seconds_until(
        lambda: any(f"docs/en/index.md:{line}: there is no case 'plane'" in said for said in served.said)
    )
    page.write_text(good, encoding="utf-8")
    served.seconds_until(lambda: "ledger-error" not in served.get("en/"))


def test_what_the_checks_find_is_on_the_page_and_told_once(served: Served) -> None:
    """With line and column; the other language's page is left as it is, and mended, the finding is gone."""
    page = served.root / "docs" / "zh" / "index.md"
    good = page.read_text(encoding="utf-8")
    page.write_text(good + "\n用了 38 秒。\n", encoding="utf-8")
    line = len(good.splitlines()) + 2

    served.seconds_until(lambda: f"{line}:4: &#x27;38 秒&#x27; is typed" in served.get(""))
    assert "38 秒" not in served.get("en/")
    page.write_text(f"{good}\n用了 38 秒。\n\n还有一句。\n", encoding="utf-8")
    served.seconds_until(lambda: "还有一句" in served.get(""))
    page.write_text(good, encoding="utf-8")
    served.seconds_until(lambda: "38 秒" not in served.get(""))
    assert sum(f"docs/zh/index.md:{line}:4: '38 秒' is typed" in said for said in served.said) == 1


def test_looking_at_a_translation_takes_the_notice_off_the_page(served: Served) -> None:
    """docs/translations.toml is a part of what the English pages are made from."""
    accept(served.root, "legend.md")
    served.seconds_until(lambda: "ledger-translation" not in served.get("en/legend/"))
    page = served.root / "docs" / "zh" / "legend.md"
    page.write_text(page.read_text(encoding="utf-8").replace("{#kinds}\n", "{#kinds}\n\n多一句。\n"), encoding="utf-8")

    served.seconds_until(lambda: "ledger-translation" in served.get("en/legend/"))


def test_a_setting_that_breaks_the_build_leaves_the_last_page(served: Served) -> None:
    """The server says so and waits for the next edit."""
    config = served.root / "mkdocs.en.yml"
    good = config.read_text(encoding="utf-8")
    config.write_text(good + "\nnav: [\n", encoding="utf-8")

    served.seconds_until(lambda: any(said.startswith("not built:") for said in served.said))
    assert "<h1" in served.get("en/")
    config.write_text(good, encoding="utf-8")
    served.seconds_until(lambda: served.said[-1].startswith("built"))
