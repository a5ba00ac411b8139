"""`snippet.toml` with one thing wrong: file, line, what is wrong, what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import NAP_TOML, Write

from build_tools.errors import LedgerError
from build_tools.store import load_snippet, load_snippets

# behaviour: (text to find in the file, its replacement, pattern of the message)
WRONG = {
    "unknown key": ("timeout_s = 20", "timeout = 20", r"snippet\.toml:2: unknown key timeout"),
    "unknown parameter in a case": (
        "[cases.short]", "[cases.short]\nsecond = 1.0",
        r"snippet\.toml:8: 'second' is not a parameter of this snippet; there are: seconds; for example: \[parameters\]",
    ),
    "another type than the default": (
        "[cases.short]", '[cases.short]\nseconds = "1"', r"snippet\.toml:8: seconds is a number, not a string"
    ),
    "a boolean is no number": ("[cases.short]", "[cases.short]\nseconds = true", r":8: seconds is a number, not true"),
    "unknown parameter in a profile": ("[profiles.quick]", "[profiles.quick]\nx = 1", r":7: 'x' is not a parameter"),
    "unknown short parameter": ("[cases.short]", "[cases.short]\nshort = { x = 1 }", r":8: 'x' is not a parameter"),
    "a case like none": ("[cases.short]", '[cases.short]\nlike = "long"', r":8: there is no case 'long' here"),
    "a case like itself": ("[cases.short]", '[cases.short]\nlike = "short"', r":8: case 'short' is like itself"),
    "unknown baseline": ("timeout_s = 20", 'baseline = "x"', r":2: there is no case 'x' here; there are short"),
    "unknown profile of a case": ("[cases.short]", '[cases.short]\nprofiles = ["full"]', r":8: there is no profile 'full'"),
    "unknown profile of repeats": ("quick = 2", "full = 2", r":3: there is no profile 'full' here"),
    "title in one language": (', en = "nap"', "", r":1: title\.en is missing"),
    "no case": ("[cases.short]\n", "", r"cases is missing"),
    "a timeout that is none": ("timeout_s = 20", "timeout_s = 0", r":2: timeout_s = 0: input should be greater than 0"),
    "not TOML": ("[profiles.quick]", "[profiles.quick", r":6: not valid TOML"),
    "a case that is no name": ("[cases.short]", '[cases."Short Case"]', r":7: cases\.Short Case: 'Short Case' is no name"),
    "a built-in meter declared again": (
        "[cases.short]", '[metrics.seconds]\nunit = "s"\ndecimals = 1\nlabel = { zh = "秒", en = "s" }\n[cases.short]',
        r":7: 'seconds' is a built-in meter",
    ),
    "an unknown pass": ("[cases.short]", '[cases.short]\npasses = ["speed"]', r":8: cases\.short\.passes = 'speed'"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", WRONG)
def test_a_mistake_is_told_with_its_line(mistake: str, write_snippet: Write) -> None:
    """One line that names file, line and problem."""
    find, replacement, pattern = WRONG[mistake]
    assert find in NAP_TOML
    folder = write_snippet(toml=NAP_TOML.replace(find, replacement))

    with pytest.raises(LedgerError, match=pattern) as caught:
        load_snippet(folder)

    assert "\n" not in str(caught.value)


def test_later_layers_win(write_snippet: Write) -> None:
    """Parameters, then profile, then the case it is like, then the case itself, then what is cut short."""
    toml = NAP_TOML.replace("seconds = 0.01", "seconds = 1.0\ndepth = 1\nwidth = 1")
    toml = toml.replace("[profiles.quick]", "[profiles.quick]\ndepth = 2\nwidth = 2\nshort = { depth = 9 }")
    toml += "[cases.other]\nlike = 'short'\nwidth = 3\n"
    snippet = load_snippet(write_snippet(toml=toml))

    assert snippet.parameters_of("short", "quick") == {"seconds": 1.0, "depth": 2, "width": 2}
    assert snippet.parameters_of("other", "quick") == {"seconds": 1.0, "depth": 2, "width": 3}
    assert snippet.parameters_of("other", "quick", short=True) == {"seconds": 1.0, "depth": 9, "width": 3}


def test_a_folder_without_a_program_is_told(project: Path, write_snippet: Write) -> None:
    """`snippet.toml` alone is no snippet."""
    (write_snippet() / "main.py").unlink()

    with pytest.raises(LedgerError, match=r"main\.py: the program is missing"):
        load_snippets(project)
