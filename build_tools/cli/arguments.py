"""What commands share: exit codes, and types of arguments that say in one line what would be right."""

from __future__ import annotations

import argparse
import math
import re
from typing import TYPE_CHECKING, Any

from build_tools.errors import quoted

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[Any]  # what `add_subparsers` returns has no public name
else:
    Commands = object

FAILED, WRONG_USE = 1, 2
A_WEEK_S = 7 * 24 * 3600


def _number(text: str, example: str, low: float, high: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is no number from {low:g} to {high:g}, for example {example}")
    return value


def positive(text: str) -> float:
    return _number(text, "300", 1e-3, 1e9)


def seconds(text: str) -> float:
    return _number(text, "300", 1e-3, A_WEEK_S)


def _whole(text: str, example: str, high: int) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{quoted(text)} is no whole number above 0, for example {example}")
    return int(_number(text, example, 1, high))


def repeats(text: str) -> int:
    return _whole(text, "5", 1000)


def port(text: str) -> int:
    return _whole(text, "8000", 65535)


def card(text: str) -> tuple[str, float]:
    name, colon, memory = text.partition(":")
    if not (colon and re.search("[A-Za-z0-9]", name)):
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not NAME:GIB, for example H200:141")
    return name, _number(memory, "H200:141", 1e-3, 1e6)
