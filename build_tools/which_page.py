"""Which page a Markdown instance is converting: MkDocs and Zensical tell it in their own ways."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from markdown import Markdown

from build_tools.render.page import page_address


@dataclass(frozen=True)
class Where:
    """The page's source file, None for a text that is no page; where it is from the root of its language's site, and
    how many folders a link must climb to that root."""

    path: Path | None = None
    address: str = ""
    depth: int = 0


def where(md: Markdown) -> Where:
    """MkDocs leaves the file with its tree processor, Zensical a context among the preprocessors."""
    if (file := _mkdocs_file(md)) is not None:
        address = str(file.url).removeprefix("./")
        return Where(Path(file.abs_src_path).resolve(), address, address.count("/"))
    # A registry has no `get`.
    context: Any = md.preprocessors["rendering_context"] if "rendering_context" in md.preprocessors else None  # noqa: SIM401
    if context is None:
        return Where()
    # Zensical takes links for relative to the source file and rewrites them, also those in HTML.
    source = str(context.page.path)
    return Where(Path(context.config["docs_dir"], source).resolve(), page_address(PurePath(source)), source.count("/"))


def _mkdocs_file(md: Markdown) -> Any:
    return getattr(md.treeprocessors["relpath"], "file", None) if "relpath" in md.treeprocessors else None
