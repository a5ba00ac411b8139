"""Whatever a page holds: it is rendered, each mistake stands in its place, and `check` names file and line."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator

import pytest
from faults.bad import FEW, SCRIPT, shaped
from figures.bench import Bench
from hypothesis import given
from hypothesis import strategies as st
from render.test_markdown_ext import body, markdown

from build_tools.errors import LedgerError
from build_tools.render.nodes import page_problems
from build_tools.syntax import parse

TEXT, EDITOR, HEAD = "page-not-text", "page-other-editor", "page-front-matter"
FENCE, NEAR, FORMULA = "page-open-fence", "page-near-miss", "page-formula"
VALUE = "{value}`toy/plain/seconds@quick`"
TABLE = "```results toy@quick\n```"
LATER = f"\n\n{VALUE}\n\n{TABLE}\n"  # what must be there whatever went wrong above it


@pytest.fixture
def toy(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """Work in a project with a record of `toy/plain` at `quick`; errors are not printed."""
    monkeypatch.chdir(bench.root)
    bench.record()
    logging.disable(logging.CRITICAL)
    yield bench
    logging.disable(logging.NOTSET)


def checked(bench: Bench, content: str | bytes) -> list[LedgerError]:
    """What `check` says of a page with this content."""
    path = bench.root / "page.md"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return page_problems(path, bench.ledger())


def indented(text: str, by: str = "    ") -> str:
    return "\n".join(by + line if line else line for line in text.split("\n"))


# name: (fault, page, line, what is said, how often it is said)
MISTAKES: dict[str, tuple[str, str, int, str]] = {
    "ours never closed": (FENCE, "a\n\n```results toy\ncases: [plain]", 3, "the fence results is never closed"),
    "another never closed": (FENCE, "a\n\n```python\nx = 1", 3, "the fence python is never closed"),
    "tildes never closed": (FENCE, "~~~\nx = 1", 1, "never closed"),
    "closed by fewer": (FENCE, "````python\nx = 1\n```", 1, "the fence python is never closed"),
    "never closed in a list": (FENCE, f"- a\n\n{indented('```results toy')}", 3, "never closed"),
    "never closed in a numbered list": (FENCE, f"1. a\n\n{indented('```results toy')}", 3, "never closed"),
    "never closed in a tab": (FENCE, f'=== "A"\n\n{indented("```results toy")}', 3, "never closed"),
    "never closed in an admonition": (FENCE, f"!!! note\n\n{indented('```results toy')}", 3, "never closed"),
    "never closed in a quote": (FENCE, "> ```results toy\n> x", 1, "never closed"),
    "closed outside its list": (FENCE, f"- a\n\n{indented('```results toy')}\n```", 3, "never closed"),
    "deep in a paragraph": (FENCE, f"a\n{indented('```results toy')}\n{indented('```')}", 2, "goes on a paragraph"),
    "in one line of a table": (NEAR, "| a | b |\n|---|---|\n| {vaule}`x` | ` |", 3, "did you mean value?"),
    "another name": (FENCE, "```result toy\n```", 1, "did you mean results?"),
    "two names": (FENCE, "```results toy trainer\n```", 1, "one name"),
    "wrong option": (FENCE, "```results toy\ncolums: [seconds]\n```", 2, "did you mean columns?"),
    "hostile name": (NEAR, f"```results {SCRIPT.replace(' ', '')}\n```", 1, "does not name a snippet"),
    "swapped letters": (NEAR, "a {vaule}`toy/plain/seconds`", 1, "did you mean value?"),
    "space before the backtick": (NEAR, "a {value} `toy/plain/seconds`", 1, "nothing stands between"),
    "full-width braces": (NEAR, "实测｛value｝`toy/plain/seconds`", 1, "half-width"),
    "full-width backtick": (NEAR, "{value}｀toy/plain/seconds｀", 1, "single backticks"),
    "space behind @": (NEAR, "{value}`toy/plain/seconds@ quick`", 1, "is no reference"),
    "space before @": (NEAR, "{value}`toy/plain/seconds @quick`", 1, "is no reference"),
    "backtick never closed": (NEAR, "{value}`toy/plain/seconds", 1, "closing backtick is missing"),
    "hostile reference": (NEAR, "{value}`" + SCRIPT + "`", 1, "is no reference"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("source", "line", "says"),
    [pytest.param(*rest, marks=pytest.mark.fault(fault), id=name) for name, (fault, *rest) in MISTAKES.items()],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["unix", "windows"])
def test_a_mistake_stands_in_its_place(ends: str, source: str, line: int, says: str, toy: Bench) -> None:
    """On the page and in `check`; what comes after it is rendered."""
    source += LATER if "`" in source.rsplit("\n", 1)[-1] or "```" not in source else f"\n\n{VALUE}\n"
    error, *_ = checked(toy, source.replace("\n", ends))
    told = shaped(error)
    html = markdown().convert(body(source.replace("\n", ends)))

    assert told["line"] == str(line)
    assert says in told["problem"]
    assert 'class="ledger-error"' in html
    assert "<script" not in html
    assert "node=" not in html
    if "never closed" not in says and "closing backtick" not in says:
        assert '<span class="number">1.75 s</span>' in html


@pytest.mark.fault(FENCE)
@pytest.mark.parametrize("above", ["```python\nx = 1", "~~~\nx = 1", "```results toy", "- a\n\n    ```results toy"])
def test_a_table_below_an_open_fence_is_there(above: str, toy: Bench) -> None:
    """SuperFences would take everything below for code."""
    html = markdown().convert(f"{above}\n\ntext{LATER}")

    assert "never closed" in html
    assert "1.75 s" in html
    assert 'class="ledger-results"' in html


NESTED = {
    "in a longer fence": f"````md\n{TABLE}\n````",
    "in tildes": f"~~~md\n{TABLE}\n~~~",
    "in a comment": f"<!--\n{TABLE}\n-->",
    "in indented code": f"a\n\n{indented(TABLE)}",
    "near misses in code": "```text\n{vaule}`x`\n```\n\n`` {vaule}`x` ``",
}


@pytest.mark.fault(FENCE)
@pytest.mark.parametrize("source", NESTED.values(), ids=NESTED)
def test_syntax_that_is_shown_is_no_mistake(source: str, toy: Bench) -> None:
    """Within a longer fence, a comment or code."""
    assert checked(toy, source + LATER) == []
    assert "ledger-error" not in markdown().convert(source + LATER)


WHEREVER = {
    "list": f"- a\n\n{indented(TABLE)}", "tab": f'=== "A"\n\n{indented(TABLE)}', "quote": "> ```results toy@quick\n> ```",
    "admonition": f"!!! note\n\n{indented(TABLE)}", "list in a list": f"- a\n    - b\n\n{indented(TABLE, ' ' * 8)}",
    "tabs for spaces": f"- a\n\n{indented(TABLE, chr(9))}",
}  # fmt: skip


@pytest.mark.fault(FENCE)
@pytest.mark.parametrize("source", WHEREVER.values(), ids=WHEREVER)
def test_a_table_works_wherever_a_fence_does(source: str, toy: Bench) -> None:
    """In every container, and with Windows line ends."""
    assert checked(toy, source.replace("\n", "\r\n")) == []
    assert 'class="ledger-results"' in markdown().convert(source)


@pytest.mark.fault(EDITOR)
@pytest.mark.parametrize(
    ("content", "line"),
    [
        pytest.param(b"", None, id="empty"),
        pytest.param(b"\n\n", None, id="blank"),
        pytest.param("\ufeff{vaule}`x`".encode(), 1, id="byte order mark"),
        pytest.param(b"---\r\ntitle: x\r\n---\r\n\r\n{vaule}`x`\r\n", 5, id="windows"),
        pytest.param(b"a\r\r{vaule}`x`\r", 3, id="old mac"),
        pytest.param(b"a\x0cb\x00\x02\x03\n{vaule}`x`", 2, id="control characters"),
    ],
)
def test_what_other_editors_write_is_read(content: bytes, line: int | None, toy: Bench) -> None:
    """And lines are counted as they count them."""
    found = checked(toy, content)
    html = markdown().convert(body(content.decode("utf-8-sig")))

    assert [shaped(error)["line"] for error in found] == ([str(line)] if line else [])
    assert html.count("ledger-error") == len(found)


@pytest.mark.fault(TEXT)
@pytest.mark.parametrize(
    "content", [bytes(range(256)), "# 显存".encode("utf-16"), "显存".encode("gbk"), b"\xed\xa0\x80"]
)
def test_a_page_that_is_no_text_is_told(content: bytes, toy: Bench) -> None:
    """With the line of the first byte that is not UTF-8."""
    (error,) = checked(toy, content)

    assert shaped(error)["line"]
    assert "is not UTF-8" in str(error)


@pytest.mark.fault(HEAD)
@pytest.mark.parametrize(
    ("head", "line"), [("title: [x", 2), ("- a\n- b", 3), ("a: b: c", 2), ("title: x\n\tb: c", 3), ("just text", 3)]
)
def test_front_matter_that_is_none_is_told(head: str, line: int, toy: Bench) -> None:
    """MkDocs would show it as text."""
    (error,) = checked(toy, f"---\n{head}\n---\n{VALUE}\n")

    assert shaped(error)["line"] == str(line)
    assert "front matter" in str(error)


FORMULAS = {
    r"\frac{a}": "not a formula", r"\frac{a": "not a formula", "a^b^": "not a formula", r"\nosuch": "which is not known",
    r"\text{<script>window.hacked=1</script>}": "<script>", r"\href{javascript:x}{y}": "formulas have no href",
    r"\text{a < b}": "not a formula", "a\x01b": "not a formula",
}  # fmt: skip


@pytest.mark.fault(FORMULA)
@pytest.mark.parametrize("latex", FORMULAS)
def test_a_wrong_formula_stands_in_its_place(latex: str, toy: Bench) -> None:
    """The page is there, and no markup comes out of a formula."""
    html = markdown().convert(f"a ${latex}$ b\n\n$$\n{latex}\n$${LATER}")

    assert html.count('class="ledger-error"') == 2
    assert "1.75 s" in html
    assert "<script" not in html
    assert "javascript:x&quot;" not in html
    assert 'href="javascript' not in html


PIECES = [
    "```results toy@quick\n", "```results toy\n", "```\n", "````\n", "~~~\n", "```python\n", "````md\n", "cases: [plain]\n",
    "- ", "1. ", "    ", "\t", "> ", "\n", "\n\n", "| a | b |\n|---|---|\n", "| ", "!!! note\n", '=== "T"\n', VALUE,
    "{vaule}`x`", "{value} `x`", "｛value｝`x`", "`", "text ", "# H\n", "<!-- ", "-->", "<div>\n", "\r\n", "\\", "$x$", "$$\n",
    "[^1]: ", "\ufeff", "\x00", "\x02", SCRIPT,
]  # fmt: skip


@pytest.mark.fault(FENCE)
def test_any_mixture_is_rendered(toy: Bench) -> None:
    """Property: no page makes the renderer fail, and nothing of its own bookkeeping is seen unless `check` complains."""

    @FEW
    @given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
    def holds(source: str) -> None:
        html = markdown().convert(body(source))
        assert "wzxhzdk" not in html
        assert 'node="' not in html or any(node.problem for node in parse(source))
        for error in checked(toy, source):
            shaped(error)

    holds()


HUGE = {
    "prose": "word " * 40 + "\n\n", "Chinese": "显存账本，" * 20 + "\n\n", "roles": f"text {VALUE}\n\n", "one paragraph": "word word\n",
    "backticks": "`", "comments never closed": "<!-- ", "fences never closed": "```x\n" + "word " * 40 + "\n", "quotes": "> > > x\n",
    "a table": "| a | b |\n", "braces": "{", "front matter never closed": "a: b\n",
}  # fmt: skip


@pytest.mark.fault("page-huge")
@pytest.mark.parametrize("piece", HUGE)
def test_a_huge_page_is_checked_in_seconds(piece: str) -> None:
    """5 MB of anything: the grammar takes time in proportion. (Twenty seconds stand for a busy machine.)"""
    source = "---\n" + HUGE[piece] * (5_000_000 // len(HUGE[piece]))
    started = time.monotonic()
    parse(source)

    assert time.monotonic() - started < 20
