"""Numbers with a measurable unit, and words of comparison, in Chinese and English running text.

Only what somebody could have measured is found: time, memory, rates, computing speed and ratios. Counts of samples,
sizes of models (7B), versions, dates, times of day, ports and the names of cards (V100-SXM2-16GB) are none of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from build_tools.checks.wording import (
    BEFORE_CARD,
    BEHIND_CARD,
    CHINESE,
    DECADE,
    ENGLISH,
    FACTOR,
    IDENTIFIER,
    IDIOMS,
    IN_WORDS,
    NUMBER_UNIT,
    ORDINAL,
    PER_SECOND,
    PERCENT_OF,
    TENS,
    TIMES,
    UNITS,
    WHOLE_MULTIPLE,
    WORDS,
    Measure,
)


@dataclass(frozen=True)
class Quantity:
    """A number in a text. `span` are its offsets; `unit` is one that `figures.units` knows, None for what no figure
    has (computing speed). `value` is None where the words give no one number ("several times").

    `in_words`: a comparison without a digit, which `{about}` can bind.
    """

    span: tuple[int, int]
    text: str
    measure: Measure
    value: float | None
    unit: str | None
    in_words: bool = False


@lru_cache(maxsize=1024)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Everything in a running text that somebody could have measured, in its order and without overlaps."""
    kept: list[Quantity] = []
    for found in sorted(_all(text), key=lambda quantity: (quantity.span[0], -quantity.span[1])):
        if not kept or found.span[0] >= kept[-1].span[1]:
            kept.append(found)
    return tuple(kept)


def _all(text: str) -> Iterator[Quantity]:
    for found in NUMBER_UNIT.finditer(text):
        if (quantity := _with_unit(found)) and not _is_a_name(text, quantity):
            yield quantity
    for found in TIMES.finditer(text):
        value = _value(found["number"]) if found["number"] not in {"several", "many"} else None
        yield Quantity(found.span(), found[0], "ratio", value, "1", in_words=not found["number"][0].isdigit())
    for found in PER_SECOND.finditer(text):
        unit = "tokens/s" if "token" in found["what"] else "1/s" if found["what"] in {"步", "次"} else "samples/s"
        yield Quantity(found.span(), found[0], "rate", _value(found["number"]), unit)
    for found in PERCENT_OF.finditer(text):
        yield Quantity(found.span(), found[0], "percent", _value(found["number"]) / 100, "1")
    for found in FACTOR.finditer(text):
        yield Quantity(found.span(), found[0], "ratio", _value(found["number"]), "1")
    yield from _in_words(text)


def _with_unit(found: re.Match[str]) -> Quantity | None:
    position = next(position for position in range(len(UNITS)) if found[f"u{position}"] is not None)
    _, measure, unit, size = UNITS[position]
    number, written = found["number"], found[f"u{position}"]
    if not _fits(number, written, measure):
        return None
    in_words = measure == "ratio" and not number[0].isdigit()
    value = 2.0 if (number, measure) == ("一", "ratio") else _value(number) * size  # 慢一倍: twice as slow
    return Quantity(found.span(), found[0], measure, value, unit, in_words)


def _fits(number: str, unit: str, measure: Measure) -> bool:
    """A word is a number only before a word: `two seconds` but not `one s`; `one second` may be an ordinal's."""
    if number[0].isdigit():
        return True
    if number[0] in CHINESE or number[0] in TENS:
        return not unit.isascii() or unit[0].isupper()
    return (unit.isascii() and len(unit) > 2 and unit.endswith(("s", "fold", "cent"))) or unit in {"minute", "hour"}


def _is_a_name(text: str, quantity: Quantity) -> bool:
    """Part of an identifier, of a card's name, an ordinal, a multiple, or a decade."""
    start, end = quantity.span
    line = text[max(0, start - 60) : start]
    if quantity.measure == "memory" and (BEFORE_CARD.match(text, end) or BEHIND_CARD.search(line)):
        return True
    if quantity.text[0].isdigit() and (IDENTIFIER.search(line) or (line[-1:] in {".", ":"} and line[-2:-1].isdigit())):
        return True
    return bool(ORDINAL.search(line) or WHOLE_MULTIPLE.search(line) or DECADE.fullmatch(quantity.text))


def _in_words(text: str) -> Iterator[Quantity]:
    idioms = [found.span() for found in IDIOMS.finditer(text)]
    for found in IN_WORDS.finditer(text):
        if any(start <= found.start() and found.end() <= end for start, end in idioms):
            continue
        if WHOLE_MULTIPLE.search(text, 0, found.start()) and found[0].endswith("倍"):
            continue
        position = next(position for position in range(len(WORDS)) if found[f"w{position}"] is not None)
        value = WORDS[position][1]
        if found["doublings"]:
            value = 2 ** CHINESE[found["doublings"]]
        yield Quantity(found.span(), found[0], "ratio", value, "1", in_words=True)


def _value(number: str) -> float:
    """`1,024`, `二十五`, `twenty` as a number."""
    if number[0].isdigit():
        return float(number.replace(",", ""))
    if number[0] in CHINESE or number[0] in TENS:
        return _chinese(number)
    words = [word for word in re.split(r"[ -]", number.lower()) if word in ENGLISH]
    value = 1.0
    for word in words:
        value = value * ENGLISH[word] if word == "hundred" else ENGLISH[word]
    return value


def _chinese(number: str) -> float:
    total, digit = 0.0, 0.0
    for sign in number:
        if sign in TENS:
            total, digit = total + (digit or 1) * TENS[sign], 0.0
        else:
            digit = CHINESE[sign]
    return total + digit
