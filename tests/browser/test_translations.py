"""Pages that are not translated, and translations that are behind, as both builders show them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from browser.test_site import violations
from playwright.sync_api import expect

from build_tools.translations import accept

STUB = "lectures/gradient-accumulation"
BEHIND, SECTION = "legend", "kinds"
NOTICE = ".ledger-translation"


@pytest.fixture(scope="module", params=["mkdocs", "zensical"])
def built_site(request, copy_project) -> Path:
    """A lecture without a translation, and a page with one section whose Chinese has moved on."""
    if request.param == "zensical":
        pytest.importorskip("zensical", reason="zensical is not installed: pip install -e '.[dev]'")
    root = copy_project()
    accept(root, "all")
    (root / f"docs/en/{STUB}.md").write_text("# Not translated {#gradient-accumulation}\n\n```untranslated\n```\n")
    page = root / f"docs/zh/{BEHIND}.md"
    heading = re.search(rf"^##.*{{#{SECTION}}}\n", page.read_text(), re.M)[0]
    page.write_text(page.read_text().replace(heading, f"{heading}\n多了一句。\n"))
    command = [sys.executable, "-m", "build_tools", "build", "--no-measure", "--builder", request.param]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return root / "site"


def test_a_stub_shows_the_chinese_page_under_a_notice(visit):
    """Its title is English, all else as on the Chinese page: sections, code, tables, marks, formulas."""
    chinese = visit().open(f"{STUB}/").locator("article")
    shape = {name: chinese.locator(name).count() for name in ("h2[id]", ".highlight", "table", ".ledger-mark", "math")}
    visitor = visit()
    tab = visitor.open(f"en/{STUB}/")
    text = tab.locator("article div[lang=zh-CN]")

    expect(tab.locator("article h1")).to_contain_text("Not translated")
    expect(tab.locator(NOTICE)).to_be_visible()
    assert {name: text.locator(name).count() for name in shape} == shape
    assert all(shape.values())
    assert not tab.locator(".ledger-error").count()
    assert not visitor.complaints


def test_the_notice_of_a_stub_leads_to_the_chinese_page(visit):
    tab = visit().open(f"en/{STUB}/")
    tab.locator(f"{NOTICE} a").click()
    tab.wait_for_url(f"**/ledger/{STUB}/")
    assert tab.locator("html").get_attribute("lang") == "zh-CN"


def test_every_link_of_a_stub_leads_somewhere(visit, site_url, built_site):
    """Those of its marks and terms too, which are the Chinese site's."""
    tab = visit().open(f"en/{STUB}/")
    links = tab.locator("article div[lang=zh-CN] a[href]").evaluate_all("all => all.map(a => a.href)")
    here = {link for link in links if link.startswith(site_url)}
    files = {link: built_site / unquote(urlsplit(link).path.removeprefix(urlsplit(site_url).path)) for link in here}
    broken = [link for link, file in files.items() if not (file / "index.html").is_file() and not file.is_file()]
    assert len(here) > 10
    assert not broken


def test_the_twin_of_a_stub_has_the_figures_that_it_shows(built_site):
    """In the words of the Chinese page, as it stands there."""
    chinese, shown = (
        json.loads((built_site / place / STUB / "figures.json").read_text(encoding="utf-8")) for place in ("", "en")
    )
    assert shown["figures"] == chinese["figures"] != []


def test_a_section_that_is_behind_says_so(visit, site_url):
    """Below its heading, with a link to the Chinese section; no other section says it."""
    tab = visit().open(f"en/{BEHIND}/")
    notice = tab.locator(f"article {NOTICE}")
    expect(notice).to_have_count(1)
    assert notice.evaluate("notice => notice.previousElementSibling.id") == SECTION
    notice.locator("a").click()
    assert tab.url == urljoin(site_url, f"{BEHIND}/#{SECTION}")
    expect(tab.locator(f"[id='{SECTION}']")).to_be_in_viewport()


def test_notices_are_no_part_of_the_text(built_site):
    """No search finds them, and the contents do not name them."""
    indexes = [path for path in built_site.rglob("search*.json") if "en" in path.relative_to(built_site).parts]
    assert indexes
    for path in indexes:
        assert "has changed since it was translated" not in path.read_text(encoding="utf-8")
        assert "What follows is the Chinese original" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", [f"{STUB}/", f"{BEHIND}/", "en/measurements/"])
def test_a_page_whose_translation_is_complete_has_no_notice(path, visit):
    """Neither have the Chinese pages."""
    assert not visit().open(path).locator(NOTICE).count()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_notices(scheme, visit):
    """At a phone's width, where the theme leaves the least room."""
    visitor = visit(width=390, scheme=scheme)
    problems = [problem for page in (STUB, BEHIND) for problem in violations(visitor.open(f"en/{page}/"))]
    assert not problems, "\n".join(problems)
