"""What both questions say alike: ages, devices, reasons, and lines that keep to the width of a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from build_tools.model import Figure, Needs, Reason
from build_tools.render.reasons import sentence
from build_tools.store import LOCAL, SNIPPETS

NO_BREAK = "\N{NO-BREAK SPACE}"
UNITS = ((timedelta(days=1), "day"), (timedelta(hours=1), "hour"), (timedelta(minutes=1), "minute"))


def age(started: datetime, now: datetime) -> str:
    """`2 days ago`. A clock that was set back is told, not hidden."""
    passed = now - started
    if passed < -UNITS[-1][0]:
        return "in the future"
    for unit, name in UNITS:
        if passed >= unit:
            count = passed // unit
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    return "just now"


def dated(started: datetime, now: datetime) -> str:
    return f"{started:%Y-%m-%d}, {age(started, now)}"


def device_words(needs: Needs) -> str:
    """`a CUDA device with 16 GiB`."""
    device = {"cuda": "CUDA device", "cpu": "CPU", "any": "device"}[needs.device]
    count = f"{needs.devices} {device}s" if needs.devices > 1 else f"a {device}"
    memory = f" with {needs.memory_gib:g} GiB" if needs.memory_gib else ""
    return count + memory + (" each" if memory and needs.devices > 1 else "")


def sentences(reasons: Sequence[Reason]) -> tuple[str, ...]:
    return tuple(sentence(reason, "en") for reason in reasons)


def brief(reasons: Sequence[Reason]) -> str:
    """Reasons in one go; of package versions only what was and what is: `torch 2.12.0 → 2.13.0`."""
    told = []
    for reason in reasons:
        if reason.code == "package_differs":
            told.append("{name} {was} → {now}".format(**reason.detail))
        else:
            told.append(sentence(reason, "en"))
    return "; ".join(told)


def record_file(figure: Figure) -> str | None:
    """The record's path below the project."""
    if figure.source is None:
        return None
    return figure.source if is_local(figure) else f"{SNIPPETS}/{figure.source}"


def is_local(figure: Figure) -> bool:
    """Whether the record is this machine's own, not a committed one."""
    return figure.source is not None and figure.source.startswith(f"{LOCAL.as_posix()}/")


Fact = tuple[str, str]


def one_below_the_other(name: str, facts: Iterable[str]) -> Iterator[Fact]:
    """Several facts under one name."""
    for fact in facts:
        yield name, fact
        name = ""


def fact_lines(title: str, facts: Iterable[Fact], width: int) -> list[str]:
    """A title, then one fact a line."""
    return [title, *(line for name, fact in facts for line in columns(f"  {name:<11} ", fact, width))]


def columns(first: str, rest: str, width: int) -> list[str]:
    """`rest` behind `first`, its further lines below its beginning."""
    if not rest:
        return [first.rstrip()]
    wrapped = textwrap.wrap(
        rest, max(width, len(first) + 20), initial_indent=first, subsequent_indent=" " * len(first),
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return [line.replace(NO_BREAK, " ") for line in wrapped]


def unbroken(text: str) -> str:
    """What `columns` shall keep on one line."""
    return text.replace(" ", NO_BREAK)
