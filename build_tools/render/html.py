"""Elements from Python: whatever is not HTML already is escaped, so that a record can never write markup."""

from __future__ import annotations

import html
import re

VOID = {"input"}
# HTML has no such characters, and Python-Markdown takes two of them for marks of its own.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def escape(words: str) -> str:
    """Text as HTML, in an element or an attribute."""
    return html.escape(CONTROL.sub("\ufffd", words))


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


Child = str | Html | None
Attribute = str | bool | None


def tag(name: str, /, *children: Child, **attributes: Attribute) -> Html:
    """`tag("td", "1 < 2", class_="num", data_label="x")`: a trailing `_` is dropped, others become `-`.

    True writes the attribute alone; None and False leave it out.
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    return Html(f"<{name}{written}>" + ("" if name in VOID else f"{text(*children)}</{name}>"))


def text(*children: Child) -> Html:
    """Children one after another; plain strings escaped."""
    return Html("".join(child if isinstance(child, Html) else escape(child) for child in children if child))


def joined(separator: str, parts: list[Html]) -> Html:
    return Html(escape(separator).join(parts))


def _attribute(key: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    if isinstance(value, str) and name == "title":
        # Material's tooltips (content.tooltips) take a title for HTML: no tag can begin without this sign.
        value = value.replace("<", "‹")
    return f' {name}="{name if value is True else escape(value)}"'
