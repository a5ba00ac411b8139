"""The one grammar of our fences and roles, over the raw text of a page: the checks and the renderer both use it.

    ```results trainer@quick          a fence: its kind, one reference, options as YAML
    columns: [seconds, tensor_mib]
    ```
    Measured {value}`trainer/accumulate/peak_mib`.              a role: its kind, one text

Nothing is ours inside other fences, indented code, HTML comments, code spans or after a backslash, so that pages can
show the syntax. What looks like ours and is not quite right is a node with a `problem`.
To add a fence or a role, add an entry to FENCES or ROLES (and its renderer to `render.nodes`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from build_tools.errors import LedgerError, clipped
from build_tools.names import closest, unknown
from build_tools.syntax.blocks import HEADING, FenceBlock, TextBlock, blocks
from build_tools.syntax.front_matter import front_matter_problem, video_of
from build_tools.syntax.options import Option, OptionError, OptionKind, read_options
from build_tools.syntax.times import Video, time_problems


@dataclass(frozen=True)
class Fence:
    """A kind of fence: an example of a right one, and the options that may stand in it.

    `instead` is the option that may stand for the name behind the kind. `named`: such a name belongs there.
    """

    example: str
    options: Mapping[str, OptionKind]
    instead: str | None = None
    named: bool = True


@dataclass(frozen=True)
class Role:
    """A kind of role: an example of a right one."""

    example: str


FENCES: dict[str, Fence] = {
    "results": Fence("```results trainer", {"cases": "names", "columns": "names", "baseline": "name"}),
    "output": Fence("```output trainer/accumulate@quick", {}),
    "chart": Fence(
        "```chart trainer@quick\ny: seconds",
        {"y": "name or names", "x": "name", "series": "name", "cases": "names", "kind": "name"},
    ),
    "prediction": Fence("```prediction checks", {}),
    "evidence": Fence("```evidence all", {"claims": "names"}, instead="claims"),
    "records": Fence("```records all", {}),
    "glossary": Fence("```glossary", {}, named=False),
    "untranslated": Fence("```untranslated", {}, named=False),
}
ROLES: dict[str, Role] = {
    "value": Role("{value}`trainer/accumulate/peak_mib`"),
    "about": Role("{about}`about twice = trainer/accumulate/seconds / trainer/plain/seconds ≈ 2 ± 15 %`"),
    "claim": Role("{claim}`spoken-20gb`"),
    "at": Role("{at}`07:45`"),
    "hypothetical": Role("{hypothetical}`24 GB`"),
    "mark": Role("{mark}`spoken`"),
}
OTHER = "fence"  # the kind of a fence that is not ours, told only where it is never closed
NEARLY = 0.75  # two letters swapped in `value` still count; `where` does not
LONG_ENOUGH = 4  # letters of a role's name, for others to be taken for it: `cat` is not meant as `at`


@dataclass(frozen=True)
class Node:
    """One of our fences or roles. `line` and `column` count from 1 in the text that was parsed.

    `span` is where it stands: offsets for a role in the text it was found in, first and last line for a fence.
    """

    kind: str
    text: str
    line: int
    column: int
    span: tuple[int, int]
    options: Mapping[str, Option] = field(default_factory=dict)
    option_lines: Mapping[str, int] = field(default_factory=dict)
    body: str = ""
    problem: LedgerError | None = None

    @property
    def is_fence(self) -> bool:
        return self.kind in FENCES or self.kind == OTHER


def example_of(kind: str) -> str | None:
    """A right fence or role of this kind."""
    known = FENCES.get(kind) or ROLES.get(kind)
    return known.example if known else None


class LineError(LedgerError):
    """A LedgerError of one line of a page: that of an option in a fence."""

    def __init__(self, error: LedgerError, line: int) -> None:
        super().__init__(error.problem, place=error.place, example=error.example, next_command=error.next_command)
        self.line = line


def parse(source: str, *, front_matter: bool = True) -> list[Node]:
    """All nodes of a page, in its order. `front_matter`: the text may begin with some, which is skipped."""
    lines = split_lines(source)
    head, section = _front_matter_end(lines) if front_matter else 0, 0
    nodes: list[tuple[int, Node]] = []
    for block in blocks(lines, head, _is_ours):
        section += _is_heading(block)
        found = [_fence_node(block)] if isinstance(block, FenceBlock) else _role_nodes(block)
        nodes += [(section, node) for node in found]
    return _times_checked(nodes, video_of(lines, head))


def _is_heading(block: TextBlock | FenceBlock) -> bool:
    return isinstance(block, TextBlock) and HEADING.match(block.lines[0].lstrip("> \t")) is not None


def _times_checked(nodes: list[tuple[int, Node]], video: Video | None) -> list[Node]:
    """The nodes, each time with what only the whole page can tell of it."""
    times = [(section, node) for section, node in nodes if node.kind == "at" and not node.problem]
    problems = time_problems(((section, node.text) for section, node in times), video)
    wrong = {id(node): problem for (_, node), problem in zip(times, problems, strict=True) if problem}
    return [replace(node, problem=wrong[id(node)]) if id(node) in wrong else node for _, node in nodes]


def split_lines(source: str) -> list[str]:
    """Lines as Markdown counts them: a form feed or U+2028 ends none. Without a byte order mark."""
    return source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _front_matter_end(lines: list[str]) -> int:
    if lines[0].rstrip() != "---":
        return 0
    ends = (number for number, line in enumerate(lines[1:], 2) if line.rstrip() in {"---", "..."})
    return next(ends, 0)


def page_video(source: str) -> Video | None:
    """The video that a page's front matter names."""
    lines = split_lines(source)
    return video_of(lines, _front_matter_end(lines))


def head_problem(source: str) -> LineError | None:
    """What is wrong with a page's front matter."""
    lines = split_lines(source)
    found = front_matter_problem(lines, _front_matter_end(lines))
    return LineError(found[1], found[0]) if found else None


# ---------------------------------------------------------------------------------------------- roles, within a block

INLINE = re.compile(
    r"""\\.                                                                   # an escaped character
      | <!--(?:(?!<!--|-->).)*-->                                             # as Python-Markdown pairs them
      | (?P<open>[{｛])\s*(?P<name>[^\W\d_][\w-]*)\s*(?P<shut>[}｝])(?P<gap>\s*)(?P<tick>[`｀]+)
      | (?P<code>`++)(?:.+?(?<!`)(?P=code)(?!`))?+                            # or backticks without a partner
    """,
    re.S | re.X,
)
ROLE_START = r"[{｛]\s*[^\W\d_][\w-]*\s*[}｝]\s*[`｀]"
CLOSING = re.compile(r"[^`｀]*(?P<tick>[`｀]+)?")
LATEX_COMMAND = re.compile(r"\\[A-Za-z]+$")


def roles_in(text: str) -> list[Node]:
    """The roles of one paragraph, heading or table row; lines and columns count from its beginning."""
    nodes, position = [], 0
    while found := INLINE.search(text, position):
        node = _role(found) if found["name"] else None
        nodes += [node] if node else []
        # Braces that are none of ours end at the brace: what follows may be a code span.
        position = node.span[1] if node else found.end("shut") if found["name"] else found.end()
    return nodes


def _role(found: re.Match[str]) -> Node | None:
    """The role that begins here, perhaps a misspelt one; None for braces that only look like one."""
    text, name = found.string, found["name"]
    exact = (found["open"], found["shut"], found["gap"], found["tick"]) == ("{", "}", "", "`")
    if not (exact and name in ROLES) and not _meant_as_role(found):
        return None
    closing = CLOSING.match(text, found.end())
    assert closing is not None  # it matches the empty string
    content = " ".join(text[found.end() : closing.start("tick") if closing["tick"] else closing.end()].split())
    line, column = _line_and_column(text, found.start())
    node = Node(name, content, line, column, (found.start(), closing.end()))
    return replace(node, problem=_role_problem(found, closing["tick"], content))


def _meant_as_role(found: re.Match[str]) -> bool:
    """A known name, or one like it, or half-width braces directly before a backtick, but no LaTeX command."""
    before = found.string[: found.start()]
    if LATEX_COMMAND.search(before) or before.endswith("{"):
        return False
    adjacent = found["open"] == "{" and found["shut"] == "}" and not found["gap"]
    known = [name for name in ROLES if len(name) >= LONG_ENOUGH]
    return adjacent or found["name"] in ROLES or closest(found["name"], known, NEARLY) is not None


def _role_problem(found: re.Match[str], closing: str | None, content: str) -> LedgerError | None:
    name, written = found["name"], found[0]
    example = ROLES[name].example if name in ROLES else None
    if name not in ROLES:
        return unknown("role", name, ROLES, example=ROLES[closest(name, ROLES) or "value"].example)
    if (found["open"], found["shut"]) != ("{", "}"):
        return LedgerError(f"{written}: the braces of a role are half-width", example=example)
    if found["gap"]:
        return LedgerError(f"{written}: nothing stands between a role's }} and its backtick", example=example)
    if found["tick"] != "`" or closing not in {"`", None}:
        return LedgerError(f"{written}: the text of a role stands between single backticks", example=example)
    if closing is None:
        return LedgerError(f"{written}{content[:20]}: the closing backtick is missing", example=example)
    return None if content else LedgerError(f"{written}`: the role is empty", example=example)


def _line_and_column(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


TABLE_DELIMITER = re.compile(r"^[>\s]*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*$|^[>\s]*\|\s*:?-+:?\s*\|\s*$", re.M)


def _role_nodes(block: TextBlock) -> Iterator[Node]:
    """Roles of a block; the rows of a table are blocks of their own, as a code span never leaves its row."""
    text = "\n".join(block.lines)
    rows = list(enumerate(block.lines)) if TABLE_DELIMITER.search(text) else [(0, text)]
    for offset, row in rows:
        for node in roles_in(row):
            yield replace(node, line=node.line + block.first - 1 + offset)


# --------------------------------------------------------------------------------------------------------- our fences


NEVER_CLOSED = "is never closed, or its lines are indented less than it"


def _is_ours(info: str) -> bool:
    return _fence_kind(info) is not None


def _fence_kind(info: str) -> str | None:
    """The kind of fence that an info string means; near misses included."""
    first = (info.split() or [""])[0].strip("{}｛｝.")
    return first if first in FENCES else closest(first, FENCES, NEARLY)


def _fence_node(block: FenceBlock) -> Node:
    kind, words = _fence_kind(block.info) or OTHER, block.info.split()[1:]
    last = block.last or block.first
    node = Node(kind, " ".join(words), block.first, block.column, (block.first, last), body="\n".join(block.body))
    if problem := _info_problem(kind, block, words):
        return replace(node, problem=problem)
    return _with_options(node)


def _info_problem(kind: str, block: FenceBlock, words: list[str]) -> LedgerError | None:
    if kind == OTHER:
        problem = f"the fence {clipped(block.info) or 'without a name'} {NEVER_CLOSED}"
        return LedgerError(problem, example="```python … and a line ``` indented like it")
    written, example = block.info.split()[0], FENCES[kind].example
    if written != kind:
        return unknown("fence", written, FENCES, example=example)
    if block.last is None:
        return LedgerError(f"the fence {written} {NEVER_CLOSED}", example=example)
    if block.deep:
        return LedgerError(
            f"the fence {written} goes on a paragraph: no blank line above it, or indented too deep",
            example=example,
        )
    if not FENCES[kind].named and words:
        return LedgerError(f"behind {written} stands nothing, not {' '.join(words)!r}", example=example)
    if len(words) > 1 or not (words or FENCES[kind].instead or not FENCES[kind].named):
        problem = f"behind {written} stands one name" + (f", not {' '.join(words)!r}" if words else "")
        return LedgerError(problem, example=example)
    return None


def _with_options(node: Node) -> Node:
    """The node with its options read; a problem stands on the option's own line."""
    fence = FENCES[node.kind]
    if not fence.options:
        return _without_options(node, fence)
    try:
        read = {name: (line, value) for name, line, value in read_options(node.body, fence.options)}
    except OptionError as error:
        return replace(node, line=node.line + 1 + error.line, column=1, problem=error.problem)
    if fence.instead and bool(node.text) == (fence.instead in read):
        problem = f"{node.kind} takes either a name behind it or {fence.instead} in it"
        return replace(node, problem=LedgerError(problem, example=fence.example))
    lines = {name: node.line + 1 + line for name, (line, _) in read.items()}
    return replace(node, options={name: value for name, (_, value) in read.items()}, option_lines=lines)


def _without_options(node: Node, fence: Fence) -> Node:
    """The node of a fence that is written empty; a problem stands on the first line in it."""
    line = next((number for number, text in enumerate(node.body.split("\n"), 1) if text.strip()), None)
    if line is None:
        return node
    problem = LedgerError(f"nothing stands in the fence {node.kind}", example=fence.example + " ```")
    return replace(node, line=node.line + line, column=1, problem=problem)
