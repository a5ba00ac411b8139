"""What somebody asks to be predicted: cases, parameters that differ, the memory to fit into."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from build_tools.errors import LedgerError, clipped, quoted
from build_tools.model import Parameters, Scalar
from build_tools.names import unknown
from build_tools.snippet import Snippet, kind_of, same_type, shown

WORDS = {"true": True, "false": False}
SIZE = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>GiB|MiB)")
GIB_OF = {"GiB": 1.0, "MiB": 1 / 1024}


def checked_case(snippet: Snippet, case: str, profile: str) -> None:
    """Raises LedgerError unless the snippet has this case at this profile."""
    if case not in snippet.cases:
        example = f"predict {snippet.name}/{next(iter(snippet.cases))}"
        raise unknown("case", case, snippet.cases, where=f" in {snippet.name}", example=example)
    if profile not in snippet.profiles:
        example = f"--profile {next(iter(snippet.profiles))}"
        raise unknown("profile", profile, snippet.profiles, where=f" in {snippet.name}", example=example)
    if case not in snippet.cases_in(profile):
        there = [name for name in snippet.profiles if case in snippet.cases_in(name)]
        raise LedgerError(f"{snippet.name}/{case} does not run at {profile}", example=f"--profile {' or '.join(there)}")


def overridden(snippet: Snippet, case: str, profile: str, overrides: Mapping[str, Scalar]) -> Parameters:
    """The parameters that the memory pass runs with, `overrides` on top. Raises LedgerError for one that misfits."""
    for name, value in overrides.items():
        default = _default(snippet, name)
        if not same_type(default, value):
            raise LedgerError(f"{name} is {kind_of(default)}, not {kind_of(value)}", example=_example(name, default))
    return {**snippet.parameters_of(case, profile, short=True), **overrides}


def settings(snippet: Snippet, texts: Iterable[str]) -> Parameters:
    """Overrides from `name=value`, as a command line gives them. Raises LedgerError for one that misfits."""
    return dict(_setting(snippet, text) for text in texts)


def _setting(snippet: Snippet, text: str) -> tuple[str, Scalar]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        example = " ".join(_example(*item) for item in list(snippet.parameters.items())[-1:])
        raise LedgerError(f"{quoted(text)} sets nothing", example=example or "micro_batch=8")
    default = _default(snippet, name)
    try:
        return name, _read(value, default)
    except (ValueError, KeyError):
        raise LedgerError(
            f"{name} is {kind_of(default)}, not {quoted(value)}", example=_example(name, default)
        ) from None


def _read(value: str, default: Scalar) -> Scalar:
    return WORDS[value] if isinstance(default, bool) else type(default)(value)


def _default(snippet: Snippet, name: str) -> Scalar:
    if name not in snippet.parameters:
        example = " ".join(_example(*item) for item in list(snippet.parameters.items())[-1:])
        where = f" in {snippet.name}"
        raise unknown("parameter", clipped(name), snippet.parameters, where=where, example=example or None)
    return snippet.parameters[name]


def _example(name: str, default: Scalar) -> str:
    return f"{name}={default if isinstance(default, str) else shown(default)}"


def memory_gib(text: str) -> float:
    """`24GiB` or `24576MiB` as a number of GiB. Raises LedgerError for anything else, `24GB` among it."""
    found = SIZE.fullmatch(text.strip())
    if not found or not float(found["number"]):
        raise LedgerError(f"{quoted(text)} is no memory in GiB or MiB (powers of 1024)", example="--fit 24GiB")
    return float(found["number"]) * GIB_OF[found["unit"]]
