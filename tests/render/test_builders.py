"""MkDocs and Zensical build the same numbers, errors and links with the extension."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from figures.bench import Bench

CONFIG = """\
site_name: Test
docs_dir: docs
site_dir: site
theme: {name: material, font: false}
plugins: []
markdown_extensions:
  attr_list: {}
  pymdownx.arithmatex: {generic: true}
  pymdownx.superfences:
    custom_fences:
      - name: results
        class: results
        validator: !!python/name:build_tools.markdown_ext.validate
        format: !!python/name:build_tools.markdown_ext.fence
      - name: output
        class: output
        validator: !!python/name:build_tools.markdown_ext.validate
        format: !!python/name:build_tools.markdown_ext.fence
  build_tools.markdown_ext: {lang: en}
"""
PAGE = "# Page {#page}\n\nMeasured {value}`toy/plain/seconds@quick`, $a < b$.\n\n```results toy@quick\n```\n\n```output toy/plain@quick\n```\n"
PRINTED = "<script>x</script> | {{ x }} `y` \x1b[0m\n\n# z"
WRONG = "---\ntitle: x\n---\n# Wrong {#wrong}\n\n{value}`toy/plain/secnds@quick`\n"
# Where each page lies, and how far its links must climb to the root of its site.
PAGES = {"index.md": ("index.html", ""), "a/index.md": ("a/index.html", "../"), "a/b.md": ("a/b/index.html", "../../")}

BUILDERS = [
    pytest.param("mkdocs", id="mkdocs"),
    pytest.param(
        "zensical",
        id="zensical",
        marks=pytest.mark.skipif(not importlib.util.find_spec("zensical"), reason="Zensical is not installed"),
    ),
]


def build(root: Path, builder: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", builder, "build", "-f", "mkdocs.yml", *options]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=120)


@pytest.fixture
def site(bench: Bench) -> Path:
    """A project with pages at three depths."""
    bench.record(output=PRINTED)
    (bench.root / "mkdocs.yml").write_text(CONFIG)
    for name in PAGES:
        page = bench.root / "docs" / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(PAGE)
    return bench.root


@pytest.mark.parametrize("builder", BUILDERS)
def test_pages(site: Path, builder: str) -> None:
    """Numbers, formulas and tables are there, and every link leads to the root it means."""
    done = build(site, builder)

    assert done.returncode == 0, done.stderr
    for address, climb in PAGES.values():
        html = (site / "site" / address).read_text(encoding="utf-8")
        assert '<span class="number">1.75 s</span>' in html
        assert "<mo>&#x0003C;</mo>" in html
        assert 'id="results-toy-1"' in html
        assert "&lt;script&gt;x&lt;/script&gt; | {{ x }} `y` ␛[0m\n\n# z</code></pre>" in html
        assert set(re.findall(r'class="ledger-mark"[^>]* href="([^"]*)"', html)) == {
            f"{climb}measurements/#toy-quick-cpu-2c",
            f"{climb}legend/#measured",
        }
        assert f'href="{climb}../records/toy/quick/cpu-2c/plain.json"' in html


@pytest.mark.parametrize("builder", BUILDERS)
def test_wrong_page(site: Path, builder: str) -> None:
    """The page is there with the error on it; the log names the line of the source, front matter and all."""
    (site / "docs" / "wrong.md").write_text(WRONG)
    done = build(site, builder)

    assert "docs/wrong.md:6: there is no metric 'secnds'" in done.stdout + done.stderr
    assert 'class="ledger-error"' in (site / "site/wrong/index.html").read_text(encoding="utf-8")


def test_strict_mkdocs_fails(site: Path) -> None:
    """`mkdocs build --strict` counts our errors."""
    (site / "docs" / "wrong.md").write_text(WRONG)

    assert build(site, "mkdocs", "--strict").returncode != 0
