"""What `new` writes: a lecture in both languages, or a snippet, that pass every check as they are.

Each place where somebody has to write says FILL; `check` notes the places that are left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from build_tools.errors import LedgerError, Place, quoted
from build_tools.model import NAME, Language
from build_tools.store import SNIPPETS, load_snippet
from build_tools.translations import SOURCE, TRANSLATION, accept, read

HERE = Path(__file__).parent
FOLDERS: Mapping[Language, Path] = {"zh": SOURCE, "en": TRANSLATION}
CONFIGS: Mapping[Language, str] = {"zh": "mkdocs.yml", "en": "mkdocs.en.yml"}
TITLES: Mapping[Language, str] = {"zh": "FILL：题目", "en": '"FILL: title"'}
LECTURE_IN_NAV = re.compile(r"^(?P<indent>[ ]*)-[ ]+.*\blectures/[\w-]+\.md[ ]*(?:#.*)?$", re.M)
SECTION = re.compile(r"-{1,}8<-{1,}\s*\[start:(?P<name>[^\]]+)\]")
ANNOTATION = re.compile(r"#\s*\((?P<number>\d+)\)!")
WITH_SNIPPET = re.compile(r"^%% with a snippet\n(?P<some>.*?)(?:^%% without\n(?P<none>.*?))?^%% end\n", re.M | re.S)


def new_lecture(root: Path, name: str, snippet: str | None = None) -> Iterator[str]:
    """Write both pages, put them into both navigations, and record the translation; yields what was done.

    With `snippet`, the lecture shows its code and its results. Raises LedgerError for a name that will not do, for a
    page that exists, and for a snippet that does not.
    """
    page = f"lectures/{_named(name)}.md"
    pages = {language: root / folder / page for language, folder in FOLDERS.items()}
    for path in pages.values():
        _must_be_new(path, f"new lecture {name}-2")
    words = {"NAME": name, **(_of_snippet(root, snippet) if snippet else {})}
    for language, path in pages.items():
        yield _write(path, _filled(read(HERE / f"lecture.{language}.md"), words))
    for language in CONFIGS:
        yield _into_navigation(root / CONFIGS[language], f"{TITLES[language]}: {page}")
    accept(root, page)


def new_snippet(root: Path, name: str) -> Iterator[str]:
    """Write a program and its settings; yields what was done. Raises LedgerError as above."""
    folder = root / SNIPPETS / _named(name)
    _must_be_new(folder, f"new snippet {name}-2")
    for template, file in (("snippet.toml", "snippet.toml"), ("main.py.txt", "main.py")):
        yield _write(folder / file, read(HERE / template).replace("NAME", name))


def _named(name: str) -> str:
    if not re.fullmatch(NAME, name):
        problem = f"{quoted(name)} is no name; names are lower-case letters, digits, - and _"
        raise LedgerError(problem, example="gradient-checkpointing", next_command="python -m build_tools new --help")
    return name


def _must_be_new(path: Path, other: str) -> None:
    if path.exists():
        raise LedgerError("is there already", place=Place(path), next_command=f"python -m build_tools {other}")


def _of_snippet(root: Path, name: str) -> dict[str, str]:
    """What a lecture shows of a snippet: its first section, with as many explanations as it has marks, and a number."""
    folder = root / SNIPPETS / name
    if not (folder / "snippet.toml").is_file():
        raise LedgerError(f"there is no snippet {name!r}", next_command=f"python -m build_tools new snippet {name}")
    snippet, program = load_snippet(folder), read(folder / "main.py")
    section = SECTION.search(program)
    shown = program[section.end() :].split("[end:")[0] if section else program
    return {
        "SNIPPET": name,
        "SHOWN": f"{name}/main.py:{section['name']}" if section else f"{name}/main.py",
        "MARKS": str(len(ANNOTATION.findall(shown))),
        "CASE": next(iter(snippet.cases)),
        "PROFILE": next(iter(snippet.profiles)),
    }


def _filled(template: str, words: Mapping[str, str]) -> str:
    """The template with its words, and with the parts that a snippet needs or those for a lecture without one."""
    text = WITH_SNIPPET.sub(lambda found: found["some" if "SNIPPET" in words else "none"] or "", template)
    text = re.sub(r"^%% mark (?P<line>.*)\n", lambda found: _marks(found["line"], words), text, flags=re.M)
    for key, value in words.items():
        text = text.replace(f"%{key}%", value)
    return text


def _marks(line: str, words: Mapping[str, str]) -> str:
    """A numbered explanation for each mark in the code."""
    return "".join(f"{number}. {line}\n" for number in range(1, int(words.get("MARKS", "0")) + 1))


def _write(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return f"written: {Place(path)}"


def _into_navigation(config: Path, entry: str) -> str:
    """Behind the last lecture that the navigation has, in its indentation; comments and order stay."""
    text = read(config) if config.is_file() else ""
    lectures = list(LECTURE_IN_NAV.finditer(text))
    if not lectures:
        return f"to do: `- {entry}` belongs into nav of {Place(config)}"
    last = lectures[-1]
    config.write_text(f"{text[: last.end()]}\n{last['indent']}- {entry}{text[last.end() :]}", encoding="utf-8")
    return f"in the navigation: {Place(config, text.count(chr(10), 0, last.end()) + 2)}"
