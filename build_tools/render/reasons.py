"""Why a number is missing, old or not comparable, as sentences."""

from __future__ import annotations

from collections.abc import Mapping

from build_tools.model import Caution, Language, Metric, Reason, Scalar
from build_tools.render import words
from build_tools.render.numbers import number
from build_tools.render.words import say


def profile_word(profile: str, language: Language) -> str:
    return say(words.PROFILES[profile], language) if profile in words.PROFILES else profile


def sentence(reason: Reason, language: Language) -> str:
    """A reason in words, its figures filled in; no full stop."""
    figures = {name: _shown(value) for name, value in reason.detail.items()}
    for name, known in (("kind", words.FAILURES), ("during", words.PASSES), ("device", words.DEVICES)):
        if name in figures and figures[name] in known:
            figures[name] = say(known[figures[name]], language)  # type: ignore[index]
    if "profile" in figures:
        figures["profile"] = profile_word(figures["profile"], language)
    return say(words.REASONS[_wording(reason)], language, **figures)


def sentences(reasons: tuple[Reason, ...], language: Language) -> str:
    return say(words.SEMICOLON, language).join(sentence(reason, language) for reason in reasons)


def seen_by(caution: Caution, metrics: Mapping[str, Metric], language: Language) -> str:
    """The figures of a warning kept with a record: `time 1.32–4.58` of a metric and its extremes."""
    detail = caution.detail
    metric, low, high = metrics.get(str(detail.get("metric"))), detail.get("low"), detail.get("high")
    if metric and isinstance(low, float) and isinstance(high, float):
        return f"{metric.label.in_(language)} {number(low, metric.decimals)}–{number(high, metric.decimals)}"
    known = [
        say(words.SEEN[name], language, value=_shown(value)) for name, value in detail.items() if name in words.SEEN
    ]
    return words.join(known, language)


def _wording(reason: Reason) -> str:
    """`needs_cuda` says as much as is asked for."""
    if reason.code != "needs_cuda" or not reason.detail.get("memory_gib"):
        return reason.code
    several = reason.detail.get("devices", 1) != 1
    return "needs_cuda_several" if several else "needs_cuda_memory"


def _shown(value: Scalar) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
