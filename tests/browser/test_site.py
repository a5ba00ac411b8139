"""What a visitor's browser shows and does. Names state the behaviour; pages come from the built site."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import expect

HAN = re.compile(r"[\u4e00-\u9fff]")
# Words a reader would type; the tests take those that stand only in the middle of titles or sentences.
CHINESE_WORDS = [
    "累积",
    "显存",
    "证据",
    "测量",
    "批次",
    "激活",
    "记录",
    "设计",
    "贡献",
    "数字",
    "类型",
    "循环",
    "窗口",
    "梯度",
    "模型",
    "样本",
    "仓库",
    "页面",
    "机器",
    "参数",
    "设备",
    "规模",
    "指标",
    "结果",
    "更新",
    "写法",
    "标题",
    "段落",
    "颜色",
    "工作",
    "时间",
    "版本",
    "依赖",
    "命令",
    "环境",
    "单位",
    "公式",
    "译文",
    "语言",
    "函数",
    "缓存",
    "内存",
    "程序",
    "进程",
    "权重",
    "优化",
    "序列",
    "实验",
    "分配",
]
ENGLISH_WORDS = ["accumulation", "evidence", "memory", "measured", "record", "contributing", "design"]


class Texts(HTMLParser):
    """Texts of headings and of paragraphs inside the article, without what opens only on asking."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.inside = False
        self.in_card = False
        self.tag: str | None = None
        self.found: dict[str, list[str]] = {"title": [], "sentence": []}
        self.anchors: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        names = dict(attributes)
        if tag == "article":
            self.inside = True
        if not self.inside:
            return
        self.in_card = self.in_card or tag == "ledger-card"
        if re.fullmatch(r"h[1-6]", tag) and names.get("id"):
            self.anchors.append(names["id"] or "")
        if tag in ("p", "h1", "h2", "h3"):
            self.tag = tag
            self.found["sentence" if tag == "p" else "title"].append("")
        elif tag == "a" and "headerlink" in (names.get("class") or ""):
            self.tag = None

    def handle_endtag(self, tag: str) -> None:
        if tag == "article":
            self.inside = False
        if tag == "ledger-card":
            self.in_card = False
        if tag == self.tag:
            self.tag = None

    def handle_data(self, data: str) -> None:
        if self.tag and not self.in_card:
            self.found["sentence" if self.tag == "p" else "title"][-1] += data


def texts(file: Path) -> Texts:
    parser = Texts()
    parser.feed(file.read_text(encoding="utf-8"))
    return parser


def word_in_the_middle(pages, language: str, place: str):
    """A word and the pages where it stands in a title (or sentence) and nowhere without a word before it.

    A page that also begins a sentence with the word would be found even if the search knew only beginnings.
    """
    for word in CHINESE_WORDS if language == "zh" else ENGLISH_WORDS:
        homes = set()
        for page in pages:
            if page.language != language:
                continue
            found = texts(page.file).found
            if any(word in text.lower() for text in found[place]) and all(
                HAN.match(before) if language == "zh" else before == " "
                for text in found["title"] + found["sentence"]
                for before in befores(text.lower(), word)
            ):
                homes.add(page.path)
        if homes:
            return word, homes
    raise AssertionError(f"none of the words stands only in the middle of a {place}: add words that these pages use")


def befores(text: str, word: str) -> list[str]:
    """The character before each occurrence; empty at the beginning of the text."""
    return [text[max(at - 1, 0) : at] for at in (match.start() for match in re.finditer(re.escape(word), text))]


def search(tab, word: str) -> set[str]:
    """Types the word as a reader does; the paths of the pages found."""
    if tab.locator("label.md-header__button[for=__search]").is_visible():
        tab.locator("label.md-header__button[for=__search]").click()
    else:
        tab.locator("input.md-search__input").click()
    tab.locator("input.md-search__input").press_sequentially(word, delay=20)
    tab.keyboard.press(
        "End"
    )  # Material listens for keyup, which Chinese characters typed by Playwright lack (an input method sends it)
    expect(tab.locator(".md-search-result__item mark").first).to_be_visible()
    links = everything_found(tab)
    return {urlsplit(link).path for link in links}


def everything_found(tab) -> list[str]:
    """Addresses of all results: the theme shows ten, and some more whenever somebody scrolls to the end."""
    shown: list[str] = []
    while True:
        links = tab.locator(".md-search-result__link").evaluate_all("links => links.map(link => link.href)")
        if len(links) == len(shown):
            return links
        shown = links
        wrap = tab.locator(".md-search__scrollwrap")
        wrap.evaluate("wrap => { wrap.scrollTop = 0; }")
        wrap.evaluate("wrap => { wrap.scrollTop = wrap.scrollHeight; }")
        tab.wait_for_timeout(300)


def path_of(site_url: str, page_path: str) -> str:
    return urlsplit(urljoin(site_url, page_path)).path


# ------------------------------------------------------------------ languages


def test_every_page_exists_in_both_languages_and_says_so(pages, built_site, site_url):
    problems = []
    for page in pages:
        html = page.file.read_text(encoding="utf-8")
        if not (built_site / page.other / "index.html").is_file():
            problems.append(f"{page.path}: no {page.other}")
        language = re.search(r'<html lang="([^"]+)"', html)
        if not language or language[1] != {"zh": "zh-CN", "en": "en"}[page.language]:
            problems.append(f"{page.path}: <html lang> is {language and language[1]}")
        here = urljoin(site_url, page.path)
        alternates = dict(re.findall(r'<link rel="alternate ?" hreflang="([^"]+)" href="([^"]*)"', html))
        chinese, english = (page.path, page.other) if page.language == "zh" else (page.other, page.path)
        for code, path in (("zh-CN", chinese), ("en", english), ("x-default", chinese)):
            if not urljoin(here, alternates.get(code, "missing")).endswith("/" + path):
                problems.append(f"{page.path}: hreflang {code} leads to {alternates.get(code)}")
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_language_switch_keeps_page_and_heading(language, pages, visit, site_url):
    tab = visit().open("")
    problems = []
    for page in (page for page in pages if page.language == language):
        anchors = texts(page.file).anchors
        for anchor in {anchors[-1], anchors[len(anchors) // 2]} if anchors else {None}:
            tab.goto(urljoin(site_url, page.path) + (f"#{anchor}" if anchor else ""))
            tab.locator("a[data-ledger-language]").click()
            tab.wait_for_load_state()
            wanted = urljoin(site_url, page.other) + (f"#{anchor}" if anchor else "")
            if tab.url != wanted:
                problems.append(f"{page.path}#{anchor}: led to {tab.url}, not to {wanted}")
            elif anchor and not tab.locator(f"[id='{anchor}']").count():
                problems.append(f"{page.other}: has no heading {anchor}")
    assert not problems, "\n".join(problems)


def test_language_switch_follows_the_reader_who_scrolled(pages, visit):
    page = max((page for page in pages if page.language == "zh"), key=lambda page: page.file.stat().st_size)
    tab = visit(height=500).open(page.path)
    anchor = tab.evaluate(
        """() => { const headings = [...document.querySelectorAll("article :is(h2, h3, h4)[id]")], top = e => e.getBoundingClientRect().top;
                   // A section long enough to be the one that is read.
                   const all = headings.filter((h, at) => h.matches("h2") && (!headings[at + 1] || top(headings[at + 1]) - top(h) > 300));
                   const it = all[Math.floor(all.length / 2)];
                   window.scrollTo(0, it.getBoundingClientRect().top + scrollY - 100); return it.id; }"""
    )
    tab.locator("a[data-ledger-language]").click()
    tab.wait_for_load_state()
    assert urlsplit(tab.url).fragment == anchor


def test_language_switch_works_without_javascript(pages, visit, site_url):
    visitor = visit(javascript=False)
    for page in pages:
        tab = visitor.open(page.path)
        tab.locator("a[data-ledger-language]").click()
        assert tab.url == urljoin(site_url, page.other)
    assert not visitor.complaints, "\n".join(visitor.complaints)


# --------------------------------------------------------------------- search


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("place", ["title", "sentence"])
def test_search_finds_a_word_inside_a_title_and_inside_a_sentence(language, place, pages, visit, site_url):
    word, homes = word_in_the_middle(pages, language, place)
    tab = visit().open("" if language == "zh" else "en/")
    found = search(tab, word)
    missed = {home for home in homes if path_of(site_url, home) not in found}
    assert not missed, f"searching for {word!r} does not find {sorted(missed)}, only {sorted(found)}"


def test_search_stays_in_its_language(visit, site_url):
    found = search(visit().open(""), "accumulation")
    assert not any(path.startswith(path_of(site_url, "en/")) for path in found)


# ----------------------------------------------------------------------- tabs


@pytest.mark.parametrize("javascript", [True, False], ids=["javascript", "no-javascript"])
def test_tabs_switch(javascript, pages, visit):
    seen = 0
    for page in pages:
        if "tabbed-set" not in page.file.read_text(encoding="utf-8"):
            continue
        tab = visit(javascript=javascript).open(page.path)
        for tabbed in tab.locator(".tabbed-set").all():
            if not tabbed.is_visible():
                continue
            labels = tabbed.locator("> .tabbed-labels > label")
            blocks = tabbed.locator("> .tabbed-content > .tabbed-block")
            for index in range(labels.count() - 1, -1, -1):
                labels.nth(index).click()
                expect(blocks.nth(index)).to_be_visible()
                for other in range(blocks.count()):
                    if other != index:
                        expect(blocks.nth(other)).to_be_hidden()
                seen += 1
    if not seen:
        pytest.skip("no page has tabs")


# ---------------------------------------------------------------------- phone


@pytest.mark.parametrize("scheme", ["light"])
def test_nothing_scrolls_the_page_sideways_on_a_phone(scheme, pages, visit):
    visitor = visit(width=390, height=844, scheme=scheme)
    problems = []
    for page in pages:
        tab = visitor.open(page.path)
        for tabbed in tab.locator(".tabbed-set").all():  # hidden tabs must fit, too
            for label in tabbed.locator("> .tabbed-labels > label").all():
                if label.is_visible():
                    label.click()
                    wide = overflow(tab)
                    if wide:
                        problems.append(f"{page.path}, tab {label.inner_text()!r}: {wide}")
        wide = overflow(tab)
        if wide:
            problems.append(f"{page.path}: {wide}")
    assert not problems, "\n".join(problems)


def overflow(tab) -> str:
    return tab.evaluate(
        """() => {
          const width = document.documentElement.clientWidth;
          const wide = document.documentElement.scrollWidth > width ? `page is ${document.documentElement.scrollWidth}px wide` : "";
          const cut = [...document.querySelectorAll("article .ledger-table, article .ledger-value, article .ledger-error, article .ledger-provenance, article .ledger-entry, article .ledger-findings, article .ledger-filter")]
            .filter(e => !e.closest(".md-typeset__scrollwrap") && e.getClientRects().length && (e.getBoundingClientRect().right > width + 1 || e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display != "inline"))
            .map(e => e.className + ": " + e.textContent.trim().slice(0, 40));
          return [wide, ...cut].filter(Boolean).join("; ");
        }"""
    )


def test_measurement_cells_name_their_column_on_a_phone(pages, visit):
    visitor = visit(width=390, height=844)
    for page in pages:
        if "ledger-table" not in page.file.read_text(encoding="utf-8"):
            continue
        tab = visitor.open(page.path)
        labels = tab.locator(".ledger-table td.num").evaluate_all(
            "cells => cells.filter(c => c.getClientRects().length).map(c => [c.dataset.label || '', getComputedStyle(c, '::before').content])"
        )
        assert all(label and label in shown for label, shown in labels), f"{page.path}: {labels}"


# ------------------------------------------------------------ hosts, console


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_no_request_leaves_for_another_host_and_the_console_stays_silent(scheme, pages, visit):
    visitor = visit(scheme=scheme)
    for page in pages:
        tab = visitor.open(page.path)
        tab.wait_for_load_state("networkidle")
    search(visitor.open(""), "显存")
    search(visitor.open("en/"), "memory")
    assert not visitor.foreign, "\n".join(visitor.foreign)
    assert not visitor.complaints, "\n".join(visitor.complaints)


def test_no_page_names_another_host_as_a_source(pages):
    """Also what no browser asked for today: a srcset, a preload, a style of a rare state."""
    problems = []
    for page in pages:
        html = page.file.read_text(encoding="utf-8")
        for tag in re.findall(r"<(?:script|img|iframe|source|video|audio|embed|object|link)\b[^>]*>", html):
            if re.search(r'rel="?(?:canonical|alternate|prev|next)\b', tag):
                continue
            if re.search(r'(?:src|href|srcset|data)="?(?:https?:)?//', tag):
                problems.append(f"{page.path}: {tag}")
    assert not problems, "\n".join(problems)


# --------------------------------------------------------- without JavaScript


def test_page_is_complete_without_javascript(pages, visit):
    plain, scripted = visit(javascript=False), visit()
    problems = []
    for page in pages:
        tab = plain.open(page.path)
        article = tab.locator("article")
        expect(article).to_be_visible()
        for anchor in texts(page.file).anchors:
            if not tab.locator(f"[id='{anchor}']").is_visible():
                problems.append(f"{page.path}: heading {anchor} is hidden")
        words = re.findall(r"\w+", article.inner_text())
        # The copy of the page that JavaScript worked on must not say more: only ages of dates and controls may come on top.
        other = scripted.open(page.path)
        other.evaluate(
            "document.querySelectorAll('.ledger-age, .md-annotation, .ledger-filter').forEach(e => e.remove())"
        )
        more = set(re.findall(r"\w+", other.locator("article").inner_text())) - set(words)
        if more:
            problems.append(f"{page.path}: only with JavaScript: {sorted(more)[:10]}")
        if "arithmatex" in page.file.read_text(encoding="utf-8") and not tab.locator(".arithmatex math").count():
            problems.append(f"{page.path}: a formula is still source text")
    assert not problems, "\n".join(problems)


# -------------------------------------------------------------- accessibility


def violations(tab) -> list[str]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    return [
        f"{found['id']} ({found['impact']}): {node['html'][:160]} {node.get('failureSummary', '').splitlines()[-1:]}"
        for found in axe.run(tab).response["violations"]
        if found["impact"] in ("serious", "critical")
        for node in found["nodes"][:5]
    ]


SLOW = pytest.mark.slow  # every page in every look takes minutes; each look and width is seen by the quick ones, too


@pytest.mark.parametrize(
    ("scheme", "width"),
    [("light", 1440), pytest.param("light", 390, marks=SLOW), pytest.param("dark", 1440, marks=SLOW),
     pytest.param("dark", 390, marks=SLOW)],
)  # fmt: skip
def test_axe_finds_nothing_serious(scheme, width, pages, visit):
    visitor = visit(width=width, scheme=scheme)
    problems = []
    for page in pages:
        tab = visitor.open(page.path)
        assert (
            tab.locator("body").get_attribute("data-md-color-scheme") == {"light": "default", "dark": "slate"}[scheme]
        )
        problems += [f"{page.path}: {problem}" for problem in violations(tab)]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_an_open_search(scheme, visit):
    tab = visit(scheme=scheme).open("")
    search(tab, "显存")
    problems = violations(tab)
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_scheme_toggle_has_a_name_in_the_page_s_language(language, visit):
    tab = visit().open("" if language == "zh" else "en/")
    titles = tab.locator("form[data-md-component=palette] label").evaluate_all("labels => labels.map(l => l.title)")
    assert len(titles) == 2
    assert all(bool(HAN.search(title)) == (language == "zh") for title in titles), titles
    tab.locator("form[data-md-component=palette] label:not([hidden])").click()
    expect(tab.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
