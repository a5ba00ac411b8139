"""Live preview: both languages on one port, rebuilt and reloaded when what they are made from changes."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from mkdocs.commands.build import build as build_with_mkdocs
from mkdocs.config import load_config
from mkdocs.livereload import LiveReloadServer

from build_tools.checks.on_page import show_findings
from build_tools.checks.references import reference_problems
from build_tools.errors import LedgerError
from build_tools.figures.resolve import current_ledger
from build_tools.model import Language
from build_tools.render.untranslated import original
from build_tools.site.build import compose
from build_tools.site.settings import CONFIGS, check_settings
from build_tools.translations import SOURCE, TRANSLATION, stale_sections

# What both languages are made from; each language's own pages come on top.
SHARED = ("snippets", "docs/evidence.toml", "docs/glossary.toml", "docs/translations.toml", "docs/theme",
          ".ledger/records", "mkdocs.yml", "mkdocs.en.yml", "constraints.txt", "pyproject.toml")  # fmt: skip


class Preview:
    """Builds what has changed since the last call; a page that cannot be built leaves the last good one standing."""

    def __init__(self, root: Path, tell: Callable[[str], None]) -> None:
        self.root, self.tell = root, tell
        self.folder = root / ".build" / "preview"
        self._built: dict[Language, int] = {}
        self._told: set[str] = set()

    def rebuild(self) -> None:
        started, marks = time.monotonic(), {language: self._mark(language) for language in CONFIGS}
        due = [language for language, mark in marks.items() if self._built.get(language) != mark]
        try:
            for language in due:
                self._build(language)
            compose(self.root, current_ledger(self.root), self.folder)
            self._tell_findings()
            self._built = marks
            self.tell(f"built {', '.join(due)} in {time.monotonic() - started:.1f} s")
        except (Exception, SystemExit) as error:  # whatever a page or a setting provokes, the server lives on
            self.tell(f"not built: {error}")

    def _tell_findings(self) -> None:
        """What is wrong with a fence or role stands on its page already; what the checks find is put there. A terminal
        says again only what has come since."""
        problems = [str(problem) for problem in reference_problems(self.root)]
        found = [*problems, *show_findings(self.root, self.folder)]
        for line in dict.fromkeys(found):
            if line in problems or line not in self._told:
                self.tell(line)
        self._told = set(found)

    def _build(self, language: Language) -> None:
        check_settings(self.root, language)
        config = load_config(str(self.root / CONFIGS[language]))
        build_with_mkdocs(config)

    def _mark(self, language: Language) -> int:
        """Changes when anything does that this language is made from."""
        places = [self.root / "docs" / language, *(self.root / name for name in SHARED)]
        files = [f for place in places for f in ([place] if place.is_file() else place.rglob("*"))]
        marks = tuple(sorted((str(f), f.stat().st_mtime_ns) for f in files if f.is_file()))
        return hash((marks, self._shown_of_chinese() if language == "en" else ()))

    def _shown_of_chinese(self) -> tuple[object, ...]:
        """What English pages show of the Chinese ones: which sections have moved on, and untranslated text. A Chinese
        page that is edited further does not have the English site built again."""
        shown: list[object] = []
        with suppress(LedgerError):  # the checks tell it
            for source in sorted((self.root / SOURCE).rglob("*.md")):
                name = source.relative_to(self.root / SOURCE).as_posix()
                shown += [(stale.name, stale.accepted) for stale in stale_sections(self.root, name)]
                if original(self.root, self.root / TRANSLATION / name) == source:
                    shown.append((name, source.stat().st_mtime_ns))
        return tuple(shown)


def serve(root: Path, port: int, tell: Callable[[str], None]) -> None:
    """Serve until interrupted. Raises LedgerError where the port is taken."""
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    os.chdir(root)
    logging.getLogger("mkdocs").setLevel(logging.WARNING)
    (root / ".ledger" / "records").mkdir(parents=True, exist_ok=True)
    preview = Preview(root, tell)
    preview.rebuild()
    server = LiveReloadServer(preview.rebuild, "127.0.0.1", port, str(preview.folder), polling_interval=0.3)
    server.error_handler = lambda code: _page(preview.folder / f"{code}.html")
    for place in ("docs", *SHARED):
        if (root / place).exists():
            server.watch(str(root / place))
    tell(f"http://127.0.0.1:{port}/ (中文)  http://127.0.0.1:{port}/en/ (English); Ctrl-C ends it")
    try:
        server.serve()  # type: ignore[no-untyped-call]
    except OSError as error:
        problem = f"port {port}: {error.strerror}"
        raise LedgerError(problem, next_command=f"python -m build_tools serve --port {port + 1}") from None
    finally:
        server.shutdown()


def _page(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
