"""faults.toml as data, and the pages that are written from it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LIST: dict[str, Any] = tomllib.loads((HERE / "faults.toml").read_text(encoding="utf-8"))
FAULTS: dict[str, dict[str, Any]] = {fault["id"]: fault for fault in LIST["fault"]}
PAGES = {language: HERE.parents[1] / "docs" / language / "contributing" / "faults.md" for language in ("zh", "en")}

TITLE = {"zh": "会出什么错，出错之后怎样", "en": "What can go wrong, and what happens then"}
INTRO = {
    "zh": "每一行都有一个同名的测试，出处是同一份清单 `tests/faults/faults.toml`；本页由 `python tests/faults/write_pages.py` 写出，请改清单，不要改本页。",
    "en": "Every line has a test of the same name; both come from one list, `tests/faults/faults.toml`.\nThis page is written by `python tests/faults/write_pages.py`: change the list, not the page.",
}
HEAD = {"zh": "| 情形 | 结果 | 测试 |", "en": "| What happens | And then | Test |"}


def page(language: str) -> str:
    """The page of one language: a table a group."""
    parts = [f"# {TITLE[language]} {{#faults}}", INTRO[language]]
    for group, title in LIST["groups"].items():
        rows = [
            f"| {fault['what'][language]} | {fault['then'][language]} | `{fault['id']}`{_reason(fault, language)} |"
            for fault in FAULTS.values()
            if fault["group"] == group
        ]
        parts += [f"## {title[language]} {{#{group}}}", "\n".join([HEAD[language], "|---|---|---|", *rows])]
    return "\n\n".join(parts) + "\n"


def _reason(fault: dict[str, Any], language: str) -> str:
    """Why a size stands in the list without having been measured: `check numbers` asks for it."""
    reason = fault.get("typed", {}).get(language)
    return f" <!-- numbers: {reason} -->" if reason else ""
