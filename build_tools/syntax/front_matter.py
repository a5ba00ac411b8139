"""What stands between `---` and `---` at a page's beginning. MkDocs shows it as text where it is not right.

video: {url: "https://www.bilibili.com/video/BV…?p=11", length: "08:40"}     what `at` on this page refers to
card:                                                                         see `header_card`
"""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from build_tools.errors import LedgerError, quoted
from build_tools.names import unknown
from build_tools.syntax.times import Video, seconds_of

EXAMPLE = "title: 梯度累积"
VIDEO = 'video: {url: "https://…", length: "08:40"}'

Found = tuple[int, LedgerError]  # line within the front matter, from 0


def front_matter_problem(lines: list[str], end: int) -> Found | None:
    """The line in the page and what is wrong with it. `end` is the number of its last line, 0 where a page has none."""
    root = composed(lines, end)
    found = root if isinstance(root, tuple) else next(_video_problems(_video_node(root)), None)
    return (found[0] + 2, found[1]) if found else None


def video_of(lines: list[str], end: int) -> Video | None:
    """The video of a page; None where it names none, or where what it says is wrong."""
    root = composed(lines, end)
    node = None if isinstance(root, tuple) else _video_node(root)
    if node is None or next(_video_problems(node), None):
        return None
    values = {str(key.value): str(value.value) for key, value in node.value}
    return Video(values.get("url"), seconds_of(values.get("length", "")))


def composed(lines: list[str], end: int) -> yaml.MappingNode | Found | None:
    """The front matter as nodes, which know their lines; what is wrong with it; None where a page has none."""
    line, problem = 1, "settings are lines of the form `name: value`"
    try:
        root = yaml.compose("\n".join(lines[1 : end - 1]), Loader=yaml.SafeLoader) if end else None
        if root is None or isinstance(root, yaml.MappingNode):
            return root
    except yaml.MarkedYAMLError as error:
        line, problem = error.problem_mark.line if error.problem_mark else 0, str(error.problem)
    except (yaml.YAMLError, RecursionError) as error:
        line, problem = 0, str(error)
    return line, LedgerError(f"front matter: not valid YAML: {problem}", example=EXAMPLE)


def _video_node(root: yaml.MappingNode | None) -> yaml.Node | None:
    return next((value for key, value in root.value if key.value == "video"), None) if root else None


def _video_problems(node: yaml.Node | None) -> Iterator[Found]:
    """Nodes instead of values: YAML takes an unquoted 12:40 for the number 760."""
    if node is None:
        return
    if not isinstance(node, yaml.MappingNode):
        yield node.start_mark.line, LedgerError("front matter: video holds url, length or both", example=VIDEO)
        return
    for key, value in node.value:
        name, written = str(key.value), str(value.value)
        if name not in {"url", "length"}:
            yield key.start_mark.line, unknown("setting", name, ["url", "length"], where=" in video", example=VIDEO)
        elif name == "length" and seconds_of(written) is None:
            yield value.start_mark.line, LedgerError(f"front matter: {quoted(written)} is no time", example=VIDEO)
        elif name == "url" and not written.startswith(("https://", "http://")):
            yield value.start_mark.line, LedgerError(f"front matter: {quoted(written)} is no address", example=VIDEO)
