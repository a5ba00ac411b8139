"""What a program printed, on a page: as text, whatever it is."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
from figures.bench import GPU, NOON, Bench
from projects import REPOSITORY
from render.test_markdown_ext import markdown

from build_tools.model import Language
from build_tools.render.nodes import Renderer, node_problem
from build_tools.render.page import Page
from build_tools.syntax import FENCES, parse


def rendered(bench: Bench, reference: str = "toy/plain@quick", language: Language = "en") -> str:
    (node,) = parse(f"```output {reference}\n```")
    return Renderer(bench.ledger(), Page(language, "../../")).render(node)


def lines(count: int) -> str:
    return "\n".join(f"step {number}" for number in range(1, count + 1))


class TestText:
    def test_short(self, bench: Bench) -> None:
        """The text in full, what it is and how long, and where it comes from."""
        bench.record(output="显存 🙂\n  done")
        html = rendered(bench, language="zh")

        assert html.startswith(
            '<div class="ledger-output"><p class="ledger-output-title">程序输出：<code>toy/plain</code>'
            ' · 快速规模 · cpu-2c · 2 行</p><pre tabindex="0"><code>显存 🙂\n  done</code></pre>'
            '<p class="ledger-provenance"><a class="ledger-mark" data-kind="measured" data-freshness="fresh"'
        )
        assert 'href="../../records/toy/quick/cpu-2c/plain.json"' in html

    @pytest.mark.parametrize(("count", "said"), [(1, "1 line"), (20, "20 lines")])
    def test_not_folded(self, bench: Bench, count: int, said: str) -> None:
        """What a page shows at once stands open."""
        bench.record(output=lines(count))
        html = rendered(bench)

        assert f"cpu-2c · {said}</p><pre tabindex" in html
        assert "<details" not in html.partition("ledger-provenance")[0]

    @pytest.mark.parametrize(("language", "said"), [("zh", "21 行"), ("en", "21 lines")])
    def test_folded(self, bench: Bench, language: Language, said: str) -> None:
        """What is longer is folded, with its length in the page's language, and is whole all the same."""
        bench.record(output=lines(21) + "\n")
        html = rendered(bench, language=language)

        assert re.search(rf'<details class="ledger-sources"><summary>[^\n]* · {said}</summary><pre tabindex', html)
        assert "step 21</code></pre></details>" in html


class TestNoText:
    def test_nothing_printed(self, bench: Bench) -> None:
        """A run without output says so, and which run it was."""
        bench.record()
        html = rendered(bench)

        assert '<p class="ledger-note">The program printed nothing.</p><p class="ledger-provenance">' in html
        assert "<pre" not in html

    def test_no_record(self, bench: Bench) -> None:
        """Nothing measured: a sentence with what it needs."""
        assert rendered(bench, "toy/plain") == (
            '<div class="ledger-output"><p class="ledger-note">not measured yet: needs a CUDA device with 16 GiB.</p></div>'
        )
        assert "尚未测量。" in rendered(bench, language="zh")

    def test_damaged_record(self, bench: Bench) -> None:
        """What somebody has edited is not shown."""
        path = bench.record(output="good")
        path.write_text(path.read_text().replace("good", "evil"))
        html = rendered(bench)

        assert "evil" not in html
        assert "does not match its own digest" in html

    def test_only_a_failed_run(self, bench: Bench) -> None:
        """Why there is none."""
        bench.record(status="failed", samples={}, output="Traceback")
        html = rendered(bench, "toy/plain@quick:cpu-2c")

        assert "the latest run failed: the program raised an exception (time pass): boom." in html


def test_stale(bench: Bench) -> None:
    """What another program printed is marked, with the reason."""
    bench.record(output="x")
    bench.snippet("toy", program="x = 2\n")
    html = rendered(bench)

    assert '<p class="ledger-note">stale — the program has changed since.</p>' in html
    assert 'data-freshness="stale"' in html


def test_case_without_the_usual_meters(bench: Bench) -> None:
    """A case that only reports numbers of its own is as fresh as its record."""
    bench.record(samples={"loss": (0.5,)}, output="x")

    assert "<code>x</code>" in rendered(bench)
    assert "ledger-note" not in rendered(bench)


def test_machine(bench: Bench) -> None:
    """Profile and machine are found as those of numbers are."""
    bench.record(profile="full", machine=GPU, output="on the card")

    for reference in ("toy/plain", "toy/plain@full", "toy/plain@full:h200"):
        assert "on the card" in rendered(bench, reference)
    assert "on the card" not in rendered(bench, "toy/plain@quick")


WRONG = {
    "no_case": ("toy", "'toy' does not name a case; for example: trainer/accumulate@quick"),
    "a_number": ("toy/plain/seconds", "does not name a case"),
    "unknown_snippet": ("tiy/plain", "no snippet 'tiy'; did you mean toy?"),
    "unknown_case": ("toy/plian@quick", "no case 'plian' in toy; did you mean plain?"),
    "unknown_profile": ("toy/plain@quik", "no profile 'quik' in toy; did you mean quick?"),
    "unknown_machine": ("toy/plain@quick:gpu", "no machine 'gpu'"),
}


@pytest.mark.parametrize(("reference", "problem"), WRONG.values(), ids=WRONG)
def test_wrong_reference(bench: Bench, reference: str, problem: str) -> None:
    """The check and the page say the same, with the names there are."""
    (node,) = parse(f"```output {reference}\n```")

    assert problem in str(node_problem(bench.ledger(), node))


def test_nothing_stands_in_it() -> None:
    """The fence has no options; what stands in it is an error on its line."""
    (node,) = parse("text\n\n```output toy/plain\n\ncases: [x]\n```")

    assert node.line == 5
    assert "nothing stands in the fence output; for example: ```output trainer/accumulate@quick ```" in str(
        node.problem
    )


HOSTILE = {
    "script": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "closes_what_is_around_it": "</code></pre></details></div><h1>x</h1>",
    "table": "| a | b |\n|---|---|\n| 1 | 2 |",
    "backticks": "```\n# x\n```\n`` ` ``",
    "markdown": "# title\n\n**bold** [x](javascript:alert(1)) <b>b</b>",
    "our_syntax": "{value}`toy/plain/seconds@quick`\n```results toy\n```",
    "formula": "$a < b$ \\(a\\)",
    "abbreviation_and_footnote": "*[HTML]: x\n[^1]: y",
    "entities": "&lt;script&gt; &amp; &#60;",
    "template": "{{ config }} {% raw %}",
    "terminal_codes": "\x1b[31mred\x1b[0m\x07\x9b",
    "place_of_stashed_html": "\x02wzxhzdk:0\x03 \x02klzzwxh:0000\x03",
    "reversed_direction": "a\u202eb",
    "many_lines": "<i>\n" * 30,
}
PAGES = {
    "page": "text\n\n```output toy/plain@quick\n```\n\nmore",
    "list": "- item\n\n    ```output toy/plain@quick\n    ```\n",
    "tab": '=== "CPU"\n\n    ```output toy/plain@quick\n    ```\n',
    "admonition": "!!! note\n\n    ```output toy/plain@quick\n    ```\n",
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_hostile_output_is_text(bench: Bench, hostile: str, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing a program prints becomes an element, a role, a formula or a terminal code, wherever the fence stands."""
    monkeypatch.chdir(bench.root)
    bench.record(output=hostile)
    html = markdown().convert(page)
    shown = re.search(r'<pre tabindex="0"><code>(.*?)</code></pre>', html, re.S)

    assert shown is not None
    assert "<" not in shown[1]
    assert re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", html) is None
    assert shown[1].count("\n") == hostile.strip("\n").count("\n")
    if hostile.isprintable():
        assert unescape(shown[1]) == hostile


def test_both_configurations_know_the_fence() -> None:
    """mkdocs.yml, which the English configuration inherits, names every fence of the grammar."""
    settings = (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8")
    assert [name for name in FENCES if f"- name: {name}\n        class: {name}\n" not in settings] == []


def test_failed_attempt_keeps_the_last_good_output(bench: Bench) -> None:
    """The text of the last good run stands, with why the newest failed."""
    bench.record(output="good")
    bench.record(status="failed", samples={}, output="bad", started=NOON + timedelta(days=1))
    html = rendered(bench)

    assert ">good</code>" in html
    assert "re-run failed — the latest run failed" in html
