"""docs/glossary.toml: every term once, in both languages, with one line on what it means.

    [[term]]
    zh = "梯度累积"
    en = "gradient accumulation"
    means = { zh = "…", en = "…" }
    also = { zh = ["累积"], en = ["accumulation", "accumulate"] }     other right words for it in running text
    avoid = { en = ["micro batch"] }                                  words that are not used for it

The check of both languages and the renderer find terms in a text with `mentions`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, StringConstraints, model_validator

from build_tools.errors import LedgerError, MisfitError, Place, quoted
from build_tools.model import Data, Language, Text
from build_tools.names import unknown
from build_tools.reading import MIB, read_text
from build_tools.toml_source import NEXT, line_of, read_toml, validated

GLOSSARY = Path("docs/glossary.toml")
TERM = '[[term]] with zh = "梯度累积", en = "gradient accumulation" and means = { zh = "…", en = "…" }'
EXAMPLES = {
    "": TERM,
    "means": 'means = { zh = "…", en = "…" }',
    "also": 'also = { en = ["accumulation"] }',
    "avoid": 'avoid = { en = ["micro batch"] }',
}
HAN = re.compile(r"[一-鿿]")
ONE_LINE = 200  # characters of a definition: a phone shows no more in a hover card

Form = Annotated[str, StringConstraints(min_length=1, strip_whitespace=False)]
Forms = Annotated[tuple[Form, ...], Field(strict=False)]


class Wordings(Data):
    """Words of a term by language."""

    zh: Forms = ()
    en: Forms = ()

    def in_(self, language: Language) -> tuple[str, ...]:
        return self.zh if language == "zh" else self.en


class Term(Data):
    """One entry. `means` is one line, read in a hover card and on the glossary page."""

    zh: Form
    en: Form
    means: Text
    also: Wordings = Wordings()
    avoid: Wordings = Wordings()

    @model_validator(mode="after")
    def reads_well(self) -> Term:
        for language in ("zh", "en"):
            text = self.means.in_(language)
            if not text.strip() or "\n" in text or len(text) > ONE_LINE:
                problem = f"means.{language} is one line of at most {ONE_LINE} characters"
                raise MisfitError(problem, path=("means", language), example=EXAMPLES["means"])
        if not HAN.search(self.zh) and self.zh != self.en:
            raise MisfitError(f"zh is {quoted(self.zh)}, which is not Chinese", path=("zh",), example='zh = "梯度累积"')
        if HAN.search(self.en):
            raise MisfitError(
                f"en is {quoted(self.en)}, which is not English", path=("en",), example='en = "gradient accumulation"'
            )
        return self

    @property
    def id(self) -> str:
        """The anchor on the glossary page, the same in both languages: `gradient-accumulation`."""
        return re.sub(r"[^a-z0-9]+", "-", self.en.lower()).strip("-")

    def word(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en

    def forms(self, language: Language) -> tuple[str, ...]:
        """Every right way to write it, the agreed one first."""
        return (self.word(language), *self.also.in_(language))


class GlossaryFile(Data):
    """docs/glossary.toml as a whole, for editors; what its entries mean together, `load_glossary` checks."""

    term: tuple[Term, ...] = Field(default=(), strict=False)


@dataclass(eq=False)  # one object for one state of the file: results are kept by it
class Glossary:
    """All terms in the order of the file. `problems` holds what is wrong with an entry, which then is left out."""

    path: Path
    terms: list[Term] = field(default_factory=list)
    problems: list[LedgerError] = field(default_factory=list)

    def term(self, identifier: str) -> Term:
        """Raises LedgerError with the terms that there are."""
        for term in self.terms:
            if term.id == identifier:
                return term
        raise unknown("term", identifier, [term.id for term in self.terms])

    def place(self, term: Term) -> Place:
        """Where an entry stands in the file."""
        text = _text(self.path) if self.path.is_file() else ""
        return Place(self.path, line_of(text, ("term", str(self.terms.index(term)))))


@dataclass(frozen=True)
class Mention:
    """A term in a text. `form` is how it was written there, `agreed` whether that is the agreed word itself."""

    term: Term
    span: tuple[int, int]
    form: str
    agreed: bool


@dataclass(frozen=True)
class Entry:
    """A line of the glossary page in one language."""

    id: str
    word: str
    other: str
    means: str


def load_glossary(root: Path) -> Glossary:
    """The glossary of a project; empty where there is no file. What is wrong becomes a problem in the list."""
    path = root / GLOSSARY
    if not path.exists():
        return Glossary(path)
    mark = path.stat()
    return _load(path, mark.st_mtime_ns, mark.st_size)


@lru_cache(maxsize=16)
def _load(path: Path, changed_ns: int, size: int) -> Glossary:
    found = Glossary(path)
    try:
        tables = read_toml(path)
    except LedgerError as error:
        found.problems.append(error)
        return found
    text = _text(path)
    for name in tables.keys() - {"term"}:
        found.problems.append(
            unknown("table", name, ["term"]).at(Place(path, line_of(text, (name,))), example=TERM, next_command=NEXT)
        )
    entries = tables.get("term", [])
    for position, table in enumerate(entries if isinstance(entries, list) else [entries]):
        _add(found, table, position, text)
    return found


def _add(found: Glossary, table: Any, position: int, text: str) -> None:
    prefix = ("term", str(position))
    try:
        term = validated(Term, table, found.path, examples=EXAMPLES, prefix=prefix)
    except LedgerError as error:
        found.problems.append(error)
        return
    for other in found.terms:
        for language in ("zh", "en"):
            if shared := {form.lower() for form in term.forms(language)} & {
                form.lower() for form in other.forms(language)
            }:
                problem = f"{sorted(shared)[0]!r} is a word for {other.en!r} already"
                place = Place(found.path, line_of(text, prefix))
                found.problems.append(LedgerError(problem, place=place, example=TERM, next_command=NEXT))
                return
    found.terms.append(term)


def _text(path: Path) -> str:
    return read_text(path, at_most=MIB, example=TERM, next_command=NEXT)


# ------------------------------------------------------------------------------------------------ terms in a text


def mentions(terms: Sequence[Term], language: Language, text: str) -> list[Mention]:
    """Every term in a running text, in its order; of two that overlap the longer one. Line ends count as spaces."""
    finder, found, position = _finder(tuple(terms), language), [], 0
    while start := finder.start.search(text, position):
        position = start.end()
        for term, form, pattern in finder.by_sign[start[0].lower()]:
            if match := pattern.match(text, start.start()):
                found.append(Mention(term, match.span(), match[0], form == term.word(language)))
                position = match.end()
                break
    return found


def avoided(terms: Sequence[Term], language: Language, text: str) -> Iterator[Mention]:
    """Words that a term is not to be called by."""
    for term in terms:
        for form in term.avoid.in_(language):
            for match in _pattern(form, language).finditer(text):
                yield Mention(term, match.span(), match[0], agreed=False)


def entries(glossary: Glossary, language: Language) -> list[Entry]:
    """The glossary page of a language, in its alphabet: English by letters, Chinese in the order of the file."""
    other: Language = "en" if language == "zh" else "zh"
    found = [Entry(term.id, term.word(language), term.word(other), term.means.in_(language)) for term in glossary.terms]
    return found if language == "zh" else sorted(found, key=lambda entry: entry.word.lower())


@dataclass(frozen=True)
class _Finder:
    """Where a term may begin, and the terms that begin with a sign, the longest word first."""

    start: re.Pattern[str]
    by_sign: dict[str, list[tuple[Term, str, re.Pattern[str]]]]


@lru_cache(maxsize=64)
def _finder(terms: tuple[Term, ...], language: Language) -> _Finder:
    by_sign: dict[str, list[tuple[Term, str, re.Pattern[str]]]] = {}
    for term, form in sorted(((t, f) for t in terms for f in t.forms(language)), key=lambda pair: -len(pair[1])):
        by_sign.setdefault(form[0].lower(), []).append((term, form, _pattern(form, language)))
    signs = "".join(re.escape(sign) + re.escape(sign.upper()) for sign in by_sign)
    return _Finder(re.compile(rf"(?<![A-Za-z0-9_.])[{signs}]|[{signs}](?<=[一-鿿])" if signs else r"(?!)"), by_sign)


@lru_cache(maxsize=2048)
def _pattern(form: str, language: Language) -> re.Pattern[str]:
    """A Chinese word as it stands; an English one in the singular or plural, also across a line end, and in any case
    unless its capitals make it what it is: `ZeRO` is not zero."""
    if language == "zh" and HAN.search(form):
        return re.compile(re.escape(form))
    words = r"\s+".join(re.escape(word) for word in form.split())
    singular = words[:-1] if len(words) > 4 and words.endswith("s") and not words.endswith("ss") else words
    plural = rf"{singular[:-1]}(?:y|ies)" if singular.endswith("y") else rf"{singular}(?:s|es)?"
    case = "" if any(sign.isupper() for sign in form[1:]) else "i:"
    return re.compile(rf"(?<![A-Za-z0-9_.])(?{case or ':'}{plural})(?![A-Za-z0-9_])")
