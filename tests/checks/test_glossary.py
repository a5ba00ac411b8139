"""The glossary: what an entry may say, and which words of a text are terms."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import REPOSITORY

from build_tools.errors import LedgerError
from build_tools.ledger.glossary import Glossary, entries, load_glossary, mentions

TERM = '[[term]]\nzh = "微批次"\nen = "micro-batch"\nmeans = { zh = "样本。", en = "Samples." }\n'
MORE = '[[term]]\nzh = "有效批大小"\nen = "effective batch size"\nmeans = { zh = "总数。", en = "All." }\nalso = { zh = ["批"], en = ["batch", "entry"] }\n'
ZERO = '[[term]]\nzh = "零冗余优化器"\nen = "ZeRO"\nmeans = { zh = "分片。", en = "Shards." }\n'


@pytest.fixture
def glossary(tmp_path: Path) -> Glossary:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/glossary.toml").write_text(TERM + MORE + ZERO)
    return load_glossary(tmp_path)


def test_real_one_is_sound() -> None:
    """Every entry of the project's glossary can be read, and has an anchor of its own."""
    found = load_glossary(REPOSITORY)
    identifiers = [term.id for term in found.terms]

    assert found.problems == []
    assert len(identifiers) >= 40
    assert len(set(identifiers)) == len(identifiers)


def test_no_file(tmp_path: Path) -> None:
    """A project without one has no terms."""
    assert load_glossary(tmp_path).terms == []


WRONG = {
    "unknown_key": (TERM + 'english = "x"\n', "unknown key english"),
    "missing": ('[[term]]\nzh = "微批次"\n', "en is missing"),
    "one_language_of_the_meaning": (
        '[[term]]\nzh = "微"\nen = "m"\nmeans = { zh = "样本。" }\n',
        "means.en is missing",
    ),
    "empty_meaning": (TERM.replace("样本。", " "), "means.zh is one line"),
    "long_meaning": (TERM.replace("Samples.", "x" * 201), "means.en is one line"),
    "no_chinese": (TERM.replace("微批次", "batch"), "which is not Chinese"),
    "no_english": (TERM.replace("micro-batch", "批次"), "which is not English"),
    "same_word_twice": (TERM + TERM, "is a word for 'micro-batch' already"),
    "another_table": ("[terms]\n" + TERM, "there is no table 'terms'"),
    "no_toml": ("[[term]\n", "not valid TOML"),
}


@pytest.mark.parametrize(("text", "words"), WRONG.values(), ids=WRONG)
def test_wrong_entry(tmp_path: Path, text: str, words: str) -> None:
    """One line with its place; the other entries count."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/glossary.toml").write_text(text)
    problem, *others = load_glossary(tmp_path).problems

    assert words in str(problem)
    assert not others
    assert problem.place
    assert problem.place.line


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Micro-batches and micro-batch's", ["micro-batch", "micro-batch"]),
        ("the effective\nbatch  sizes", ["effective batch size"]),
        ("entries, batches", ["effective batch size", "effective batch size"]),
        ("zero, non-zero, ZeRO", ["ZeRO"]),
        ("batchnorm, minibatch, x.batch, micro-batched", []),
    ],
)
def test_english_mentions(glossary: Glossary, text: str, found: list[str]) -> None:
    """Singular or plural, across line ends, and not within other words."""
    assert [mention.term.en for mention in mentions(glossary.terms, "en", text)] == found


def test_longer_term_wins(glossary: Glossary) -> None:
    """And what it covers is no other term. Only the first word of an entry is the agreed one."""
    found = mentions(glossary.terms, "zh", "有效批大小和一批微批次")

    assert [(mention.form, mention.agreed) for mention in found] == [
        ("有效批大小", True),
        ("批", False),
        ("微批次", True),
    ]
    assert [mention.span for mention in found] == [(0, 5), (7, 8), (8, 11)]


def test_entries(glossary: Glossary) -> None:
    """English by letters, Chinese in the order of the file, with the same anchors."""
    zh, en = entries(glossary, "zh"), entries(glossary, "en")

    assert [entry.word for entry in zh] == ["微批次", "有效批大小", "零冗余优化器"]
    assert [entry.word for entry in en] == ["effective batch size", "micro-batch", "ZeRO"]
    assert {entry.id for entry in zh} == {entry.id for entry in en}
    assert (en[1].id, en[1].other, en[1].means) == ("micro-batch", "微批次", "Samples.")


def test_term_by_name(glossary: Glossary) -> None:
    """An unknown one is told with those that there are."""
    assert glossary.term("micro-batch").zh == "微批次"
    with pytest.raises(LedgerError, match="did you mean micro-batch"):
        glossary.term("mico-batch")
