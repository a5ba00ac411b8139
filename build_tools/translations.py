"""docs/translations.toml: of which text of a Chinese section each English one is the translation.

    ["lectures/gradient-accumulation.md"]
    memory = "3f2a9c01d4e7"          section id = digest of the Chinese section as the translator saw it

`check parity --accept` writes it. A page whose Chinese has moved on shows a notice at the sections concerned; a page
that is not translated yet is a stub: its title, and the fence `untranslated`, which shows the Chinese text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from build_tools.errors import LedgerError, Place
from build_tools.reading import MIB, read_text
from build_tools.syntax import split_lines
from build_tools.syntax.blocks import FenceBlock, blocks
from build_tools.syntax.sections import Section, sections
from build_tools.toml_source import line_of, read_toml

FILE = Path("docs/translations.toml")
SOURCE, TRANSLATION = Path("docs/zh"), Path("docs/en")
STUB = "untranslated"  # the info string of the fence that makes a page a stub
EXAMPLE = 'memory = "3f2a9c01d4e7" below ["lectures/gradient-accumulation.md"]'
LARGEST = 64 * MIB
HEADER = """\
# Written by `python -m build_tools check parity --accept PAGE#SECTION`: by page and section, the digest of the Chinese
# text that the English one translates.
"""

Recorded = Mapping[str, Mapping[str, str]]  # page -> section id -> digest


@dataclass(frozen=True)
class Stale:
    """A section whose Chinese text has changed since a translator looked at it, or at which nobody has looked.

    `accepted` is the digest that was recorded, None where there is none. `source` is the Chinese section as it stands.
    """

    page: str
    source: Section
    accepted: str | None

    @property
    def name(self) -> str:
        """`lectures/x.md#memory`, as `--accept` takes it."""
        return f"{self.page}#{self.source.id}"


def read_recorded(root: Path) -> Recorded:
    """What translators have recorded; empty where there is no file. Raises LedgerError where it is none of ours."""
    path = root / FILE
    if not path.exists():
        return {}
    found: dict[str, dict[str, str]] = {}
    for page, digests in read_toml(path).items():
        if not isinstance(digests, dict) or not all(isinstance(digest, str) for digest in digests.values()):
            place = Place(path, line_of(read(path), (page,)))
            raise LedgerError(f"{page}: here stand digests by section id", place=place, example=EXAMPLE)
        found[page] = digests
    return found


def stale_sections(root: Path, page: str, recorded: Recorded | None = None) -> list[Stale]:
    """The sections of one page, such as `lectures/x.md`, that a translator should look at; none for a stub.

    Raises LedgerError where a file cannot be read.
    """
    source, translation = root / SOURCE / page, root / TRANSLATION / page
    if not source.is_file() or not translation.is_file() or is_stub(read(translation)):
        return []
    known = (read_recorded(root) if recorded is None else recorded).get(page, {})
    return [
        Stale(page, section, known.get(section.id))
        for section in sections(read(source))
        if section.id and known.get(section.id) != section.digest
    ]


def is_stub(translation: str) -> bool:
    """Whether a page says that it is not translated yet."""
    fences = blocks(split_lines(translation), 0, lambda info: info.strip() == STUB)
    return STUB in translation and any(isinstance(block, FenceBlock) and block.info == STUB for block in fences)


def untranslated(root: Path, page: str) -> str:
    """What the fence `untranslated` of a page shows: the Chinese Markdown, without front matter and title.

    Relative links hold, since both trees mirror each other. Raises LedgerError where there is no such page.
    """
    found = sections(read(root / SOURCE / page))
    return "\n".join(section.text.split("\n", 1)[-1] if section.level == 1 else section.text for section in found)


def accept(root: Path, name: str) -> list[str]:
    """Record that a translator has looked: at `PAGE#SECTION`, at a whole `PAGE`, or at `all`. Returns what is new.

    Entries of sections that are gone go with it. Raises LedgerError for a page or section that does not exist.
    """
    recorded = {page: dict(digests) for page, digests in read_recorded(root).items()}
    pages = translated_pages(root) if name == "all" else [_page(root, name)]
    accepted = []
    for page in pages:
        now = {section.id: section.digest for section in sections(read(root / SOURCE / page)) if section.id}
        looked_at = _section_ids(name, page, now)
        before = recorded.get(page, {})
        recorded[page] = {
            key: now[key] if key in looked_at else before[key] for key in now if key in looked_at or key in before
        }
        accepted += [f"{page}#{key}" for key in looked_at if before.get(key) != now[key]]
    standing = set(translated_pages(root))
    write_recorded(root, {page: digests for page, digests in recorded.items() if page in standing})
    return accepted


def translated_pages(root: Path) -> list[str]:
    """Pages that exist in both languages and are no stubs."""
    both = (path.relative_to(root / SOURCE).as_posix() for path in sorted((root / SOURCE).rglob("*.md")))
    return [
        page for page in both if (root / TRANSLATION / page).is_file() and not is_stub(read(root / TRANSLATION / page))
    ]


def _page(root: Path, name: str) -> str:
    """`docs/en/lectures/x.md#memory`, `lectures/x.md` and `lectures/x` are one page."""
    page = name.partition("#")[0].removeprefix("docs/").removeprefix("zh/").removeprefix("en/")
    page = page if page.endswith(".md") else f"{page}.md"
    for folder in (SOURCE, TRANSLATION):
        if not (root / folder / page).is_file():
            example = next(iter(translated_pages(root)), "lectures/gradient-accumulation.md")
            raise LedgerError(f"there is no page {folder / page}", example=f"--accept {example}#memory")
    return page


def _section_ids(name: str, page: str, now: Mapping[str, str]) -> list[str]:
    _, sign, section = name.partition("#")
    if not sign or name == "all":
        return list(now)
    if section not in now:
        raise LedgerError(
            f"{page} has no section {section!r}; there are: {', '.join(now)}",
            example=f"--accept {page}#{next(iter(now), '')}",
        )
    return [section]


def write_recorded(root: Path, recorded: Recorded) -> None:
    """The whole file anew: pages by name, sections in the order of the page."""
    text = HEADER + "".join(_table(page, digests) for page, digests in sorted(recorded.items()))
    (root / FILE).parent.mkdir(exist_ok=True)
    (root / FILE).write_text(text, encoding="utf-8")


def _table(page: str, digests: Mapping[str, str]) -> str:
    lines = [f'{_key(section)} = "{digest}"\n' for section, digest in digests.items()]
    return "".join([f'\n["{page}"]\n', *lines])


def _key(section: str) -> str:
    return section if re.fullmatch(r"[A-Za-z0-9_-]+", section) else f'"{section}"'


def read(path: Path) -> str:
    """A page's source. Raises LedgerError where it is no text."""
    return read_text(path, at_most=LARGEST, example="# Title {#title}", next_command="python -m build_tools check")
