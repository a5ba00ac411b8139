"""Faults planted into a copy of the real pages: each rule finds its own, wherever the pages have got to by then."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from build_tools.checks.everything import run_check

LECTURE = "lectures/gradient-accumulation.md"
ZH, EN = f"docs/zh/{LECTURE}", f"docs/en/{LECTURE}"
SHOWN = "snippets/loop/main.py"  # the lecture shows parts of it

Change = Callable[[str], str]


def add(text: str) -> Change:
    """A paragraph at the end."""
    return lambda page: f"{page.rstrip()}\n\n{text}\n"


def swap(pattern: str, replacement: str | Callable[[re.Match[str]], str]) -> Change:
    """The first place that fits, changed; there must be one."""

    def change(page: str) -> str:
        changed, times = re.subn(pattern, replacement, page, count=1, flags=re.M | re.S)
        assert times, f"nothing on the page fits {pattern}"
        return changed

    return change


def swapped_order(pattern: str) -> Change:
    """The first two different things that fit, each in the place of the other."""

    def change(page: str) -> str:
        found = list(re.finditer(pattern, page))
        one, other = next((a, b) for a, b in pairwise(found) if a[0] != b[0])
        return f"{page[: one.start()]}{other[0]}{page[one.end() : other.start()]}{one[0]}{page[other.end() :]}"

    return change


@dataclass(frozen=True)
class Fault:
    """Where something is planted, and the words in which a check tells of it. Without a change, the file is removed."""

    check: str
    file: str
    change: Change | None
    told: str
    note: bool = False


VALUE = r"\{value\}`[^`\n]+`"
ROW = r"(?<=---\|\n)\|[^\n]*\|\n"
FAULTS: dict[str, Fault] = {
    # numbers
    "typed_in_chinese": Fault("numbers", ZH, add("对照运行用了 38.02 秒。"), "'38.02 秒' is typed"),
    "typed_in_english": Fault("numbers", EN, add("The control run took 38.02 s."), "'38.02 s' is typed"),
    "typed_instead_of_a_reference": Fault("numbers", ZH, swap(VALUE, "13,166 MB"), "'13,166 MB' is typed"),
    "typed_rate": Fault("numbers", EN, add("It reads 26.9 samples/s."), "'26.9 samples/s'"),
    "factor_in_words": Fault("numbers", ZH, add("累积慢了约两倍。"), "'两倍' compares without a figure"),
    "factor_in_words_in_english": Fault("numbers", EN, add("It is twice as slow."), "'twice' compares without a figure"),
    "percentage": Fault("numbers", "docs/zh/index.md", add("省下 38% 的显存。"), "'38%' is typed"),
    "typed_in_a_table": Fault("numbers", ZH, add("| 甲 | 乙 |\n|---|---|\n| 用时 | 38 s |"), "'38 s' is typed"),
    "typed_in_alternative_text": Fault("numbers", EN, add("![a peak of 20 GB](x.svg)"), "'20 GB' is typed"),
    "typed_in_front_matter": Fault("numbers", ZH, lambda page: f"---\ndescription: 20 GB 就够\n---\n{page}", "'20 GB' is typed"),
    "typed_in_a_drawing": Fault("numbers", "docs/theme/assets/ledger.svg", swap("</svg>", "<text>20 GB</text></svg>"), "'20 GB' is typed"),
    "typed_in_a_script": Fault("numbers", "docs/theme/assets/ledger.js", add('say("It is 30% faster");'), "'30%' is typed"),
    "typed_in_evidence": Fault("numbers", "docs/evidence.toml", swap(r'note\.zh = "', 'note.zh = "约 20 GB。'), "'20 GB' is typed"),
    "typed_in_a_definition": Fault("numbers", "docs/glossary.toml", swap(r'means\.en = "', 'means.en = "Saves 5 GiB. '), "'5 GiB' is typed"),
    "typed_in_a_docstring": Fault("numbers", SHOWN, swap('"""', '"""Takes 3 s. '), "'3 s' is typed"),
    "typed_in_the_readme": Fault("numbers", "README.md", add("A build takes 30 s."), "'30 s' is typed"),
    "words_without_their_number": Fault("numbers", ZH, add("{about}`约三倍 = trainer/accumulate/seconds@quick / trainer/plain/seconds@quick ≈ 1 ± 90 %`"), "'约三倍' says 3"),
    "reason_that_is_none": Fault("numbers", ZH, add("用了 38 秒。<!-- numbers: x -->"), "'x' is no reason"),
    "reason_that_nothing_needs": Fault("numbers", ZH, add("没有数字。<!-- numbers: 在 snippet.toml 里声明 -->"), "nothing here needs this reason"),
    # parity
    "page_gone_from_english": Fault("parity", EN, None, f"there is no docs/en/{LECTURE}"),
    "page_gone_from_chinese": Fault("parity", ZH, None, f"there is no docs/zh/{LECTURE}"),
    "navigation": Fault("parity", "mkdocs.en.yml", swap(rf"^ *- [^\n]*: {LECTURE}\n", ""), f"nav: {LECTURE}"),
    "heading_gone": Fault("parity", EN, swap(r"^## [^\n]*\{#provenance\}\n", ""), "## … {#provenance} of"),
    "heading_level": Fault("parity", EN, swap(r"^## ([^\n]*\{#memory\})", r"### \1"), "### … {#memory}"),
    "heading_id": Fault("parity", EN, swap(r"\{#memory\}", "{#memories}"), "{#memories}"),
    "another_reference": Fault("parity", EN, swap(VALUE, "{value}`trainer/plain/rss_mib@quick`"), "{value}`trainer/plain/rss_mib@quick`, in"),
    "reference_gone": Fault("parity", EN, swap(VALUE, "much"), "is missing; zh has"),
    "order_of_references": Fault("parity", EN, swapped_order(VALUE), "; the same, in another order"),
    "another_comparison": Fault("parity", EN, swap(r"(\{about\}`[^`\n]*?[≈<>] )[\d.]+", r"\g<1>77"), " 77"),
    "options_of_a_fence": Fault("parity", EN, swap(r"(?<=columns: \[)seconds, ", ""), "the fence `results"),
    "row_of_a_table": Fault("parity", EN, swap(ROW, ""), "table: zh has"),
    "include_of_another_section": Fault("parity", EN, swap(r"(?<=main\.py:)\w+", "other"), "main.py:other"),
    "language_of_a_fence": Fault("parity", EN, swap("^```python$", "```text"), "a fence `text`"),
    "time": Fault("parity", EN, swap(r"\{at\}`[^`]+`", "{at}`00:01`"), "{at}`00:01`"),
    "explanation_gone": Fault("parity", EN, swap(r"^3\. [^\n]*\n", ""), "numbered items, en has"),
    "formula": Fault("parity", EN, swap(r"^\$\$", "$$x + "), "$$x + "),
    "link_gone": Fault("parity", EN, swap(r"\]\([\w/-]+\.md(?:#[\w-]+)?\)", "](#memory)"), "a link to "),
    "note_of_one_language": Fault("parity", ZH, add('??? question "问"\n\n    答'), "`??? question`"),
    "front_matter": Fault("parity", ZH, lambda page: f"---\nhide: [toc]\n---\n{page}", "front matter: hide"),
    "word_to_avoid": Fault("parity", EN, swap("micro-batch", "micro batch"), "the agreed word is 'micro-batch'"),
    "term_translated_otherwise": Fault("parity", EN, lambda page: page.replace("gradient buffer", "gradient memory"), "has no 'gradient buffer'"),
    "typo_in_a_source_section": Fault("parity", ZH, swap(r"(?<=\{#memory\}\n\n)", "错字。"), "the translation of #memory may be behind", note=True),
    # prose
    "no_space_beside_latin": Fault("prose", ZH, add("用GPU训练。"), "Chinese typography"),
    "half_width_comma": Fault("prose", ZH, add("先验证,后计时。"), "Chinese typography"),
    "typography_in_evidence": Fault("prose", "docs/evidence.toml", swap(r'note\.zh = "', 'note.zh = "用GPU训练。'), "Chinese typography"),
    "full_width_comma_in_english": Fault("prose", EN, add("First this，then that."), "is full-width"),
    "heading_without_id": Fault("prose", EN, swap(r" \{#memory\}", ""), "has no id"),
    "id_twice": Fault("prose", EN, swap(r"\{#loops\}", "{#memory}"), "two headings have the id 'memory'"),
    "image_without_words": Fault("prose", ZH, add(f"![]({Path(LECTURE).name})"), "an image without alternative text"),
    "link_to_no_page": Fault("prose", ZH, add("[见](nowhere.md)"), "the link nowhere.md leads nowhere"),
    "link_to_no_heading": Fault("prose", EN, swap(r"(?<=\.md#)[\w-]+(?=\))", "no-such-heading"), "has no heading #no-such-heading"),
    "code_of_a_snippet_too_wide": Fault("prose", SHOWN, swap(r"(--8<-- \[start:windows\]\n)", rf"\1# {'w' * 100}\n"), "102 columns"),
    "code_of_a_page_too_wide": Fault("prose", ZH, add(f"```python\n{'w' * 100}\n```"), "100 columns"),
    "fence_without_a_name": Fault("prose", EN, add("```\nx\n```"), "does not say what it holds"),
}  # fmt: skip


@pytest.fixture(scope="module")
def sound(pages: Path) -> dict[str, set[str]]:
    """What the checks find before anything is planted."""
    return {check: told(pages, check) for check in ("numbers", "parity", "prose")}


def told(root: Path, check: str) -> set[str]:
    """Problems, and notes marked as such; without line numbers, which a planted paragraph shifts."""
    with contextlib.chdir(root):
        found = run_check(check, root)
        lines = [f"note: {note}" for note in found.notes] + [str(problem) for problem in found.problems]
    return {re.sub(r":\d+(?::\d+)?(?=[:) ;,])", "", line) for line in lines}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_planted_fault_is_found(pages: Path, sound: dict[str, set[str]], fault: Fault) -> None:
    """It is told, and the file it is in is named."""
    path = pages / fault.file
    before = path.read_text(encoding="utf-8")
    try:
        if fault.change is None:
            path.unlink()
        else:
            path.write_text(fault.change(before), encoding="utf-8")
        new = told(pages, fault.check) - sound[fault.check]
    finally:
        path.write_text(before, encoding="utf-8")

    assert [line for line in new if fault.told in line and line.startswith("note: ") == fault.note], new


def test_a_typo_marks_its_section_alone(pages: Path, sound: dict[str, set[str]]) -> None:
    """And no other section of the page, in no language."""
    path = pages / ZH
    before = path.read_text(encoding="utf-8")
    try:
        path.write_text(FAULTS["typo_in_a_source_section"].change(before), encoding="utf-8")  # type: ignore[misc]
        new = told(pages, "parity") - sound["parity"]
    finally:
        path.write_text(before, encoding="utf-8")

    assert len([line for line in new if "may be behind" in line]) == 1
