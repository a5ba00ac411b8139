"""Why a number is missing, old or not comparable, as sentences."""

from __future__ import annotations

from build_tools.metrics import METERS
from build_tools.model import Caution, Language, Reason, Scalar
from build_tools.render import words
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


def caution(of: Caution, language: Language) -> str:
    """A warning kept with a record, with the figures seen."""
    seen = words.join(_seen(of, language), language)
    return say(words.CAUTIONS[of.kind], language) + (words.in_brackets(seen, language) if seen else "")


def _seen(of: Caution, language: Language) -> list[str]:
    """`time 1–3` of a metric and its extremes; anything else by name."""
    detail = {name: _shown(value) for name, value in of.detail.items()}
    if {"metric", "low", "high"} != set(detail):
        return [f"{name} = {value}" for name, value in detail.items()]
    metric = detail["metric"]
    label = METERS[metric].label.in_(language) if metric in METERS else metric
    return [f"{label} {detail['low']}–{detail['high']}"]


def _wording(reason: Reason) -> str:
    """`needs_cuda` says as much as is asked for."""
    if reason.code != "needs_cuda" or not reason.detail.get("memory_gib"):
        return reason.code
    several = reason.detail.get("devices", 1) != 1
    return "needs_cuda_several" if several else "needs_cuda_memory"


def _shown(value: Scalar) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
