"""A verdict in words: its reasons, the numbers a claim was held against, and what would settle it."""

from __future__ import annotations

from collections.abc import Iterator

from build_tools.figures.reference import REFERENCE
from build_tools.figures.resolve import Ledger
from build_tools.figures.verdict import Judged
from build_tools.model import Figure, Language, Reason
from build_tools.render import ledger_words, words
from build_tools.render.html import Html, tag, text
from build_tools.render.page import Page
from build_tools.render.reasons import sentence
from build_tools.render.words import say

NAMED = "\0"  # where the name goes, while a sentence is taken apart


def reasons_of(ledger: Ledger, page: Page, found: Judged) -> list[Html]:
    """One sentence a reason, its condition before it and the names in it as code or links."""
    return [
        text(condition, reason_words(ledger, page, reason))
        for reason, condition in zip(found.reasons, _conditions(found, page.language), strict=True)
    ]


def _conditions(found: Judged, language: Language) -> list[str]:
    """The words of each reason's condition: expectations come behind the tested number and before the limits."""
    claim = found.claim
    told = [""] if claim.tests else []
    if isinstance(claim.expect, tuple):
        told += [one.when.in_(language) + say(words.COLON, language) for one in claim.expect]
    return [*told, *[""] * (len(found.reasons) - len(told))]


def reason_words(ledger: Ledger, page: Page, reason: Reason) -> Html:
    """The sentence of a reason; the name of a number is code, and a link where it is a claim's."""
    name = reason.detail.get("name")
    if not isinstance(name, str):
        return text(sentence(reason, page.language))
    told = sentence(reason.model_copy(update={"detail": {**reason.detail, "name": NAMED}}), page.language)
    before, _, after = told.partition(NAMED)
    return text(before, _named(ledger, page, name), after)


def _named(ledger: Ledger, page: Page, name: str) -> Html:
    code = tag("code", name)
    return tag("a", code, href=page.evidence(name)) if name in ledger.claims.by_id else code


def held_against(found: Judged) -> list[Figure]:
    """The numbers that decided, without the claim's own."""
    others = {one.reference: one for one in found.tested if one.claim is None or one.claim.id != found.claim.id}
    return list(others.values())


def settling(found: Judged, language: Language) -> str:
    """What the verdict waits for; empty where it waits for nothing that we could measure."""
    if found.verdict == "pending":
        wanted = [step for figure in held_against(found) for step in _missing(figure, language)]
    else:
        wanted = list(_alike(found, language)) if found.verdict == "not comparable" else []
    return say(words.SEMICOLON, language).join(dict.fromkeys(wanted))


def _missing(figure: Figure, language: Language) -> Iterator[str]:
    """What to measure for the numbers that lack, or may no longer hold."""
    for leaf in _leaves(figure):
        if leaf.kind != "measured" or leaf.freshness in {"fresh", "older-versions", "failed"}:
            continue
        snippet = leaf.reference.partition("/")[0]
        needs = next((reason for reason in leaf.reasons if reason.code == "needs_cuda"), None)
        if needs:
            yield say(ledger_words.MEASURE_ON, language, snippet=snippet, device=_device(needs, language))
        else:
            again = ledger_words.MEASURE if leaf.value is None else ledger_words.MEASURE_AGAIN
            yield say(again, language, snippet=snippet)


def _leaves(figure: Figure) -> list[Figure]:
    return [leaf for one in figure.inputs for leaf in _leaves(one)] if figure.inputs else [figure]


def _device(needs: Reason, language: Language) -> str:
    memory, devices = needs.detail.get("memory_gib"), needs.detail.get("devices", 1)
    if not memory:
        return say(ledger_words.CUDA_DEVICE, language)
    told = ledger_words.CUDA_MEMORY if devices == 1 else ledger_words.CUDA_SEVERAL
    return say(told, language, memory_gib=f"{memory:g}", devices=devices)


def _alike(found: Judged, language: Language) -> Iterator[str]:
    """The experiment on hardware like the source's, where the source names it."""
    claim = found.claim
    snippets = [one.reference.partition("/")[0] for one in held_against(found) if REFERENCE.fullmatch(one.reference)]
    for snippet in snippets:
        if claim.hardware:
            device = say(ledger_words.SAME_HARDWARE, language, hardware=claim.hardware)
        elif (claim.devices or 1) > 1:
            device = say(ledger_words.SAME_DEVICES, language, devices=claim.devices)
        else:
            return
        yield say(ledger_words.MEASURE_ON, language, snippet=snippet, device=device)
