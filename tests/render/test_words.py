"""Words, numbers and formulas."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from build_tools.errors import LedgerError
from build_tools.model import (
    Device,
    FailureKind,
    Freshness,
    Kind,
    Language,
    Origin,
    Pass,
    Reason,
    Text,
    Verdict,
    WarningKind,
)
from build_tools.render import ledger_words, prediction_words, words
from build_tools.render.charts import words as chart_words
from build_tools.render.formula import mathml
from build_tools.render.html import Html, tag
from build_tools.render.numbers import number
from build_tools.render.reasons import sentence

CODES = get_args(Reason.model_fields["code"].annotation)
COMPLETE = {
    "kinds": (words.KINDS, get_args(Kind)),
    "freshness": (words.FRESHNESS, get_args(Freshness)),
    "verdicts": (words.VERDICTS, get_args(Verdict)),
    "devices": (words.DEVICES, get_args(Device)),
    "origins": (words.ORIGINS, get_args(Origin)),
    "passes": (words.PASSES, get_args(Pass)),
    "failures": (words.FAILURES, get_args(FailureKind)),
    "cautions": (words.CAUTIONS, get_args(WarningKind)),
    "reasons": (words.REASONS, (*CODES, "needs_cuda_memory", "needs_cuda_several")),
}
EVERY_TEXT = [
    text
    for module in (words, ledger_words, prediction_words, chart_words)
    for value in vars(module).values()
    for text in (value.values() if isinstance(value, dict) else [value])
    if isinstance(text, Text)
]


@pytest.mark.parametrize(("table", "names"), COMPLETE.values(), ids=COMPLETE)
def test_every_name_has_words(table: dict[str, Text], names: tuple[str, ...]) -> None:
    """A name that the model can hold is never shown raw."""
    assert set(names) == set(table)


@pytest.mark.parametrize("text", EVERY_TEXT, ids=lambda text: text.en[:40] or "empty")
def test_both_languages(text: Text) -> None:
    """Both fill in the same figures; Chinese keeps a space between Han and Latin, and full-width punctuation."""
    assert sorted(re.findall(r"{(\w+)}", text.zh)) == sorted(re.findall(r"{(\w+)}", text.en))
    assert not re.search(r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u4e00-\u9fff]|[\u4e00-\u9fff][,;:!?()]", text.zh)
    assert not re.search(r"[\u3000-\u9fff\uff00-\uffef]", text.en)


SENTENCES: dict[str, tuple[Reason, Language, str]] = {
    "no_memory_asked": (Reason(code="needs_cuda"), "en", "not measured yet: needs a CUDA device"),
    "memory": (
        Reason(code="needs_cuda", detail={"memory_gib": 16.0, "devices": 1}), "en",
        "not measured yet: needs a CUDA device with 16 GiB",
    ),
    "several": (
        Reason(code="needs_cuda", detail={"memory_gib": 24.0, "devices": 2}), "zh",
        "尚未测量：需要 2 块显存各 24 GiB 以上的 CUDA 设备",
    ),
    "failure": (
        Reason(code="run_failed", detail={"kind": "time_limit", "during": "time", "message": "300 s"}), "zh",
        "最近一次测量失败：超时（计时）：300 s",
    ),
    "profile": (
        Reason(code="not_in_profile", detail={"case": "sdpa", "profile": "quick"}), "zh", "sdpa 不在快速规模下运行",
    ),
    "meter": (
        Reason(code="meter_absent", detail={"metric": "peak_mib", "device": "cpu"}), "en", "a CPU cannot measure this",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("reason", "language", "said"), SENTENCES.values(), ids=SENTENCES)
def test_sentence(reason: Reason, language: Language, said: str) -> None:
    """Reasons are told in words, with their figures."""
    assert said == sentence(reason, language)


@pytest.mark.parametrize(
    ("value", "decimals", "written"),
    [
        (1024, 0, "1,024"), (1e21, 0, "1,000,000,000,000,000,000,000"), (1e-9, 2, "0.00"), (-1e-9, 2, "0.00"),
        (-1234.5, 1, "−1,234.5"), (31.44, 1, "31.4"), (None, 1, "—"), (float("nan"), 1, "—"), (float("inf"), 1, "∞"),
    ],
)  # fmt: skip
def test_number(value: float | None, decimals: int, written: str) -> None:
    """Fixed decimals, separators, no exponent, no negative zero."""
    assert written == number(value, decimals)


def test_tag_escapes() -> None:
    """Only what is HTML already stays HTML."""
    assert tag("td", "<b>", Html("<b>x</b>"), data_label='"<') == '<td data-label="&quot;&lt;">&lt;b&gt;<b>x</b></td>'


def test_formula() -> None:
    """Chinese in a formula stays text; inline and block differ."""
    assert "<mtext>有效</mtext>" in mathml(r"B_{\text{有效}}", "inline")
    assert 'display="block"' in mathml("a", "block")


@pytest.mark.parametrize("latex", ["x^", r"\frac{a}", "{a", "a}", r"\nosuch{a}", ""])
def test_wrong_formula(latex: str) -> None:
    """A formula that would be shown wrongly is an error."""
    with pytest.raises(LedgerError, match="formula"):
        mathml(latex, "inline")
