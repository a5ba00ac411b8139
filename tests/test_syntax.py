"""The grammar: what on a page is ours, where it stands, and what is said of what nearly is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_tools.syntax import FENCES, ROLES, head_problem, page_video, parse, roles_in
from build_tools.syntax.times import Video

REF = "trainer/plain/seconds"
ROLE = f"{{value}}`{REF}`"
RESULTS = "```results trainer\n```"


def indented(text: str, by: str = "    ") -> str:
    return "\n".join(by + line for line in text.split("\n"))


OURS = {
    "role_in_a_paragraph": f"Measured {ROLE}.",
    "role_beside_chinese": f"实测{ROLE}，",
    "role_in_a_heading": f"# Title {ROLE} {{#id}}",
    "role_in_emphasis": f"**{ROLE}**",
    "role_in_a_table_cell_beside_a_stray_backtick": f"| a | b |\n|---|---|\n| ` | x |\n| {ROLE} | ` |",
    "role_in_a_list_item_after_a_stray_backtick": f"- a ` b\n- {ROLE} `",
    "role_in_an_admonition_title": f'!!! note "{ROLE}"\n    text',
    "role_in_a_quote": f"> {ROLE}",
    "role_after_an_inline_comment": f"<!-- x --> {ROLE}",
    "role_after_an_escaped_backslash": f"\\\\{ROLE}",
    "role_after_a_code_span": f"`a` {ROLE}",
    "role_after_a_comment_of_two_lines": f"<!-- a\nb -->\n\n{ROLE}",
    "role_on_a_lazy_line_of_a_list_item": f"- item\n{ROLE}",
    "role_deep_in_a_paragraph": f"text\n        {ROLE}",
    "role_in_a_footnote": f"[^1]: note\n\n    {ROLE}",
    "fence": RESULTS,
    "fence_of_tildes": "~~~results trainer\n~~~",
    "fence_of_four": "````results trainer\n````",
    "fence_with_a_space": "``` results trainer\n```",
    "fence_in_a_list": f"- item\n\n{indented(RESULTS)}",
    "fence_in_a_numbered_list": f"1. item\n\n{indented(RESULTS)}",
    "fence_in_a_list_in_a_list": f"- a\n    - b\n\n{indented(RESULTS, ' ' * 8)}",
    "fence_in_a_list_after_a_quote": f"- a\n\n    > q\n\n{indented(RESULTS)}",
    "fence_in_a_tab": f'=== "CPU"\n\n{indented(RESULTS)}',
    "fence_in_an_admonition_without_blank_line": f"!!! note\n{indented(RESULTS)}",
    "fence_in_details_in_a_list": f"- a\n\n    ??? note\n\n{indented(RESULTS, ' ' * 8)}",
    "fence_indented_with_a_tab": f"- item\n\n{indented(RESULTS, chr(9))}",
    "fence_in_a_quote": "> ```results trainer\n> ```",
    "fence_behind_another": f"```python\nx\n```\n{RESULTS}",
    "fence_after_windows_line_ends": f"a\r\n\r\n{RESULTS}".replace("\n```", "\r\n```"),
    "fence_after_a_byte_order_mark": f"\ufeff{RESULTS}",
    "fence_after_front_matter": f"---\ntitle: {ROLE}\n---\n{RESULTS}",
    "rule_is_no_front_matter": f"---\n\n{RESULTS}",
}
NOT_OURS = {
    "nothing": "",
    "role_in_a_code_span": f"`` {ROLE} ``",
    "role_in_a_code_span_over_two_lines": f"`` a\n{ROLE} ``",
    "role_after_a_backslash": f"\\{ROLE}",
    "role_in_indented_code": f"text\n\n    {ROLE}",
    "role_in_indented_code_in_a_list": f"- a\n\n        {ROLE}",
    "role_in_indented_code_after_a_heading": f"# T\n    {ROLE}",
    "role_in_a_fence": f"```text\n{ROLE}\n```",
    "role_in_an_inline_comment": f"a <!-- {ROLE} --> b",
    "role_in_a_comment_over_paragraphs": f"<!--\n\n{ROLE}\n\n-->",
    "role_in_raw_pre": f"<pre>\n{ROLE}\n</pre>",
    "role_in_front_matter": f"---\ntitle: {ROLE}\n---\n",
    "fence_in_a_longer_fence": f"````md\n{RESULTS}\n````",
    "fence_in_a_fence_of_tildes": f"~~~md\n{RESULTS}\n~~~",
    "fence_in_indented_code": f"text\n\n{indented(RESULTS)}",
    "fence_in_indented_code_in_a_list": f"- a\n\n{indented(RESULTS, ' ' * 8)}",
    "fence_in_indented_code_after_a_list_has_ended": f"- a\n\ntext\n\n{indented(RESULTS)}",
    "fence_in_indented_code_after_an_admonition": f"!!! note\n    a\nb\n\n{indented(RESULTS)}",
    "fence_in_a_comment": f"<!--\n{RESULTS}\n-->",
    "fence_of_another_language": "```python\nresults trainer\n```",
    "fence_on_one_line": "```results trainer```",
    "braces_without_a_backtick": "the set {value} of {x} and {{ page.title }}",
    "jinja_before_a_code_span": "{{ value }}`code`",
    "latex_before_a_code_span": "$\\text{value} `x`$ and \\frac{a}`b`",
    "another_word_with_a_space": "the set {numbers} `x`",
    "attribute_list": "*a*{.value}`b`",
}


@pytest.mark.parametrize("source", OURS.values(), ids=OURS)
def test_ours(source: str) -> None:
    """One node is found, without a problem, where its text begins."""
    (node,) = parse(source)

    assert node.problem is None
    assert node.text == ("trainer" if node.is_fence else REF)
    line = source.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")[node.line - 1]
    assert line[node.column - 1 :].startswith(("```", "~~~") if node.is_fence else "{value}`")


@pytest.mark.parametrize("source", NOT_OURS.values(), ids=NOT_OURS)
def test_not_ours(source: str) -> None:
    """A page can show the syntax, and use braces for other things."""
    assert parse(source) == []


PROBLEMS = {
    "misspelt_role": ("a\n{vaule}`x`", 2, "there is no role 'vaule'; did you mean value?"),
    "unknown_role": ("{foo}`x`", 1, "there is no role 'foo'"),
    "unknown_chinese_role": ("{数值}`x`", 1, "there is no role '数值'"),
    "role_in_capitals": ("{Value}`x`", 1, "did you mean value?"),
    "space_before_the_backtick": ("{value} `x`", 1, "nothing stands between"),
    "line_break_before_the_backtick": ("{value}\n`x`", 1, "nothing stands between"),
    "misspelt_with_a_space": ("{vaule} `x`", 1, "did you mean value?"),
    "full_width_braces": ("｛value｝`x`", 1, "half-width"),
    "full_width_closing_brace": ("{value｝`x`", 1, "half-width"),
    "full_width_backtick": ("{value}｀x｀", 1, "single backticks"),
    "double_backtick": ("{value}``x``", 1, "single backticks"),
    "role_never_closed": ("{value}`x\n\n`", 1, "closing backtick is missing"),
    "empty_role": ("{value}` `", 1, "empty"),
    "misspelt_fence": ("\n```reslts trainer\n```", 2, "there is no fence 'reslts'; did you mean results?"),
    "fence_in_braces": ("```{results} trainer\n```", 1, "there is no fence '{results}'; did you mean results?"),
    "fence_without_a_name": ("```results\n```", 1, "behind results stands one name"),
    "fence_with_two_names": ("```results a b\n```", 1, "not 'a b'"),
    "fence_never_closed": ("```results trainer\ntext", 1, "never closed"),
    "other_fence_never_closed": ("a\n\n```python\nx = 1\n", 3, "the fence python is never closed"),
    "nameless_fence_never_closed": ("~~~\nx", 1, "the fence without a name is never closed"),
    "fence_closed_by_another_length": ("```results trainer\n````", 1, "never closed"),
    "fence_whose_lines_leave_its_list": ("- a\n\n    ```results trainer\n  cases: [x]\n    ```", 3, "never closed"),
    "unknown_option": (
        "```results trainer\ncases: [a]\ncolums: [x]\n```",
        3,
        "no option 'colums'; did you mean columns?",
    ),
    "option_twice": ("```results trainer\nbaseline: a\nbaseline: b\n```", 3, "set twice"),
    "name_for_a_list": ("```results trainer\ncases: plain\n```", 2, "cases takes a list of names"),
    "list_for_a_name": ("```results trainer\nbaseline: [a]\n```", 2, "baseline takes one name"),
    "list_in_a_list": ("```results trainer\ncases: [[a]]\n```", 2, "cases takes a list of names"),
    "empty_list": ("```results trainer\n\ncases: []\n```", 3, "cases takes a list of names"),
    "text_for_options": ("```results trainer\nplain\n```", 2, "of the form `name: value`"),
    "full_width_colon": ("```results trainer\ncases：[a]\n```", 2, "of the form `name: value`"),
    "evidence_without_a_name": ("```evidence\n```", 1, "either a name behind it or claims in it"),
    "evidence_with_both": ("```evidence all\nclaims: [a]\n```", 1, "either a name behind it or claims in it"),
    "something_in_records": ("```records all\nx\n```", 2, "nothing stands in the fence records"),
    "something_behind_untranslated": ("```untranslated page\n```", 1, "behind untranslated stands nothing, not 'page'"),
    "something_in_a_glossary": ("```glossary\na\n```", 2, "nothing stands in the fence glossary"),
    "no_time": ("a\n{at}`7.45`", 2, "'7.45' is no time"),
    "full_width_colon_in_a_time": ("{at}`07：45`", 1, "is no time"),
    "time_of_no_clock": ("{at}`07:75`", 1, "is no time"),
    "broken_yaml": ("```results trainer\ncases: [a\n```", 2, "not valid YAML"),
}


@pytest.mark.parametrize(("source", "line", "problem"), PROBLEMS.values(), ids=PROBLEMS)
def test_problem(source: str, line: int, problem: str) -> None:
    """What is nearly ours is an error on its line, with an example of what would be right."""
    node, *_ = parse(source)  # what should have closed a fence opens another

    assert node.problem is not None
    assert problem in str(node.problem)
    assert node.problem.example
    assert line == node.line


# A page, and the lines on which a time is wrong.
TIMES = {
    "forward": ("{at}`07:45` {at}`07:45` and\n\n{at}`1:02:03`", {}),
    "back": ("{at}`07:45` {at}`05:10`", {1: "05:10 stands behind 07:45"}),
    "back_in_a_later_paragraph": ("{at}`07:45`\n\na\n\n- {at}`05:10`", {5: "05:10 stands behind 07:45"}),
    "back_in_the_next_section": ("{at}`07:45`\n\n## next\n\n{at}`05:10`", {}),
    "one_that_is_no_time_between": ("{at}`07:45` {at}`x`\n{at}`05:10`", {1: "no time", 2: "stands behind 07:45"}),
    "one_that_goes_back_does_not_count": (
        "{at}`07:45`\n{at}`05:10`\n{at}`06:00`",
        {2: "behind 07:45", 3: "behind 07:45"},
    ),
    "within_the_video": ("---\nvideo: {length: 08:40}\n---\n{at}`08:40`", {}),
    "beyond_the_video": ("---\nvideo: {length: 12:40}\n---\n{at}`12:41`", {4: "beyond the end"}),
    "length_not_told": ("---\nvideo: {url: 'https://x.org'}\n---\n{at}`99:00:00`", {}),
}


@pytest.mark.parametrize(("source", "wrong"), TIMES.values(), ids=TIMES)
def test_times(source: str, wrong: dict[int, str]) -> None:
    """Within a section they go forward, and none lies beyond the end of the video."""
    found = {node.line: str(node.problem) for node in parse(source) if node.problem}

    assert found.keys() == wrong.keys()
    assert all(words in found[line] for line, words in wrong.items())


HEADS = {
    "unknown_setting": ("video: {ulr: 'https://x.org'}", 2, "no setting 'ulr' in video; did you mean url?"),
    "no_mapping": ("title: x\nvideo: https://x.org", 3, "video holds url, length or both"),
    "no_length": ("video:\n  length: long", 3, "'long' is no time"),
    "no_address": ("video:\n  url: www.x.org", 3, "'www.x.org' is no address"),
}


@pytest.mark.parametrize(("head", "line", "words"), HEADS.values(), ids=HEADS)
def test_video_in_front_matter(head: str, line: int, words: str) -> None:
    """What is wrong with it is told with its line; nothing of it is used then."""
    source = f"---\n{head}\n---\ntext"
    problem = head_problem(source)

    assert problem is not None
    assert (problem.line, words in str(problem)) == (line, True)
    assert page_video(source) is None


@pytest.mark.parametrize(
    ("url", "link"),
    [
        ("https://x.org/v", "https://x.org/v?t=465"),
        ("https://x.org/v?p=11", "https://x.org/v?p=11&t=465"),
        ("https://x.org/v#a", "https://x.org/v?t=465#a"),
        (None, None),
    ],
)
def test_link_into_a_video(url: str | None, link: str | None) -> None:
    """As YouTube and Bilibili read it."""
    assert link == Video(url).link(465)


def test_every_example_is_right() -> None:
    """The examples that errors show are themselves without a problem."""
    fences = [fence.example + "\n```" for fence in FENCES.values()]
    nodes = [node for example in [*fences, *(role.example for role in ROLES.values())] for node in parse(example)]

    assert [*FENCES, *ROLES] == [node.kind for node in nodes]
    assert [node.problem for node in nodes] == [None] * len(nodes)


def test_options() -> None:
    """Options keep what was written, whatever YAML would make of it, and the line it stands on."""
    (node,) = parse("\n```results trainer@quick\n# why\ncases: [8, no, 8x1]\nbaseline: 08\n```")

    assert dict(node.options) == {"cases": ("8", "no", "8x1"), "baseline": "08"}
    assert dict(node.option_lines) == {"cases": 4, "baseline": 5}
    assert node.span == (2, 6)


def test_order_and_places() -> None:
    """Nodes come in the page's order; a role's text may go over a line."""
    nodes = parse(f"a {ROLE} b {{value}}`x\ny`\n\n{RESULTS}\n")

    assert [(n.kind, n.line, n.column) for n in nodes] == [("value", 1, 3), ("value", 1, 36), ("results", 4, 1)]
    assert nodes[1].text == "x y"


def test_roles_in_give_their_place() -> None:
    """The renderer replaces exactly what the grammar found."""
    text = f"`a` {ROLE} b"
    (node,) = roles_in(text)

    assert text[slice(*node.span)] == ROLE


@given(st.text(alphabet='`~{}｛value results:\\<!->#\n \t|="*1.', max_size=80))
def test_any_text_can_be_parsed(source: str) -> None:
    """No text makes the grammar fail, and every node stands within the text."""
    for node in parse(source):
        assert 1 <= node.line <= source.count("\n") + 1
        assert node.problem or node.text
