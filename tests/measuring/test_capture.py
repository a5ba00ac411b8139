"""What a run printed and what of it is kept: one case for each behaviour, named for it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from build_tools.measuring import capture
from build_tools.measuring.capture import CUT, LIMIT, cleaned, leaks, masked

ROOT, WORK = Path("/srv/project"), Path("/tmp/ledger-x/work")
# Written apart, so that no scanner takes a test for a leak.
HF, GITHUB, OPENAI, AWS = "hf_" + "aB3" * 8, "ghp_" + "aB3" * 12, "sk-" + "proj-a1b2c3d4e5f6g7h8", "AKIA" + "A1" * 8
LONG = "aB3" * 10

KEPT: dict[str, tuple[str, str]] = {
    # text
    "chinese_and_emoji": ("显存 31.4 MiB 👩‍💻✅️\n", "显存 31.4 MiB 👩‍💻✅️"),
    "markup_is_text": ("<script>alert(1)</script> | `x`", "<script>alert(1)</script> | `x`"),
    "blank_lines_around_are_dropped": ("\n\n  a\n\nb  \n\n", "  a\n\nb"),
    "tabs": ("a\tb", "a\tb"),
    "windows_line_ends": ("a\r\nb\r\n", "a\nb"),
    "nothing": ("", ""),
    # terminal codes
    "colours": ("\x1b[1;31mred\x1b[0m \x1b[38;5;9mx\x1b[m", "red x"),
    "links_and_titles": ("\x1b]0;title\x07\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
    "character_sets_and_device_strings": ("\x1b(Ba\x1bPq#0\x1b\\b", "ab"),
    "code_cut_off": ("a\x1b[31", "a"),
    "control_characters": ("a\x00\x07b\x7fc\x9bd", "abcd"),
    "reversed_direction": ("a\u202eb\u2066c", "abc"),
    # frames
    "bar": ("0%|  |\r50%|█ |\r100%|██|\ndone", "100%|██|\ndone"),
    "bar_that_ends_with_a_return": ("50%\r100%\r\ndone", "100%\ndone"),
    "bar_that_is_erased": ("50%\r100%\r    \rdone", "done"),
    "bar_of_two_lines": ("\ra 0%\n\rb 0%\x1b[A\ra 9%\n\rb 9%\x1b[A\n\ndone", "a 9%\nb 9%\ndone"),
    "live_display": ("one\ntwo\x1b[1A\x1b[2K\x1b[2K\rONE\nTWO", "ONE\nTWO"),
    "spinner": ("|\b/\b-\b\\\bok", "ok"),
    "cleared_screen": ("a\nb\x1b[2Jc", "c"),
    # paths
    "below_the_project": ("/srv/project/snippets/x/main.py:3", "snippets/x/main.py:3"),
    "below_the_working_directory": ("/tmp/ledger-x/work/out", "out"),
    "home": ("cache in /home/alice/.cache/hf.", "cache in ‹path›."),
    "line_of_a_program": ("/usr/lib/python3/x.py:12: UserWarning", "‹path›:12: UserWarning"),
    "with_a_space_in_quotes": ('File "/Users/a b/c.py", line 3', 'File "‹path›", line 3'),
    "with_a_space_behind_a_backslash": ("/Users/a\\ b/c", "‹path›"),
    "list_of_paths": ("PATH=/opt/x/bin:/root/bin -I/opt/x/include", "PATH=‹path›:‹path› -I‹path›"),
    "behind_chinese": ("保存到/home/张三/模型，完成", "保存到‹path›，完成"),
    "address_of_a_file": ("file:///home/alice/x", "file://‹path›"),
    "windows": (r"C:\Users\alice\x 'D:/My Files/x' \\host\share\x", "‹path› '‹path›' ‹path›"),
    "no_paths": (
        "a/b ./a/b ../a/b ~/a/b 1/2 https://x.org/a/b samples/s </b> 显存/时间/速度 // x",
        "a/b ./a/b ../a/b ~/a/b 1/2 https://x.org/a/b samples/s </b> 显存/时间/速度 // x",
    ),
    # secrets
    "tokens": (f"{HF} {GITHUB} {OPENAI} {AWS}", "‹token› ‹token› ‹token› ‹token›"),
    "token_behind_chinese": (f"令牌{HF}", "令牌‹token›"),
    "assigned": (f"WANDB_API_KEY={'0a' * 20} 'secret': '{LONG}'", "WANDB_API_KEY=‹token› 'secret': '‹token›'"),
    "header": (f"Authorization: Bearer {LONG}", "Authorization: Bearer ‹token›"),
    "passwords": ("password: hunter2 https://me:pw@x.org/a", "password: ‹token› https://‹token›@x.org/a"),
    "private_key": ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nx", "‹token›\nx"),
    "no_secrets": (
        "pad_token: [PAD] tokens = 30522 key=encoder_layer_11_attention_weight hf-internal-testing/tiny-random-bert",
        "pad_token: [PAD] tokens = 30522 key=encoder_layer_11_attention_weight hf-internal-testing/tiny-random-bert",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("printed", "kept"), KEPT.values(), ids=KEPT)
def test_what_is_kept(printed: str, kept: str) -> None:
    """Of what is printed, this is stored; and nothing in it is a leak."""
    found = cleaned(printed.encode(), ROOT, WORK)

    assert kept == found
    assert list(leaks(found)) == []


def test_undecodable_bytes() -> None:
    """They are told as such; what stands around them is kept."""
    assert cleaned("显存".encode() + b"\xff!") == "显存\N{REPLACEMENT CHARACTER}!"


def test_long_output_is_cut_and_says_so() -> None:
    """A record stays small."""
    assert cleaned(b"x" * 10 * LIMIT) == "x" * LIMIT + CUT


def test_name_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is masked where it can be told from a word."""
    monkeypatch.setattr(capture.platform, "node", lambda: "gpu-17")
    assert masked("on gpu-17, gpu-170") == "on ‹host›, gpu-170"

    monkeypatch.setattr(capture.platform, "node", lambda: "main")
    assert masked("main") == "main"


def test_a_leak_is_named_without_being_repeated() -> None:
    """Whoever reads the report of a check learns what it is, not what it says."""
    assert list(leaks(f"x {HF} /home/alice/x")) == [("a token", "hf_a…"), ("an absolute path", "/hom…")]


HARD = ["x", "/", "/a", "'/a", "a-", ".", "\\", "\b", "\r.", "\n", "\x1b[m.", "\x1b[", "\x1bP", "\x1b]", "key ", "key=aa",
        "eyJ", "-----BEGIN ", "http://a:", "password", "C:\\"]  # fmt: skip


@pytest.mark.parametrize("piece", HARD, ids=ascii)
def test_no_output_takes_long(piece: str) -> None:
    """However often something is repeated that looks like the beginning of something else."""
    started = time.monotonic()
    cleaned(piece.encode() * (4 * LIMIT // len(piece)))

    assert time.monotonic() - started < 5


PIECES = st.lists(
    st.sampled_from([*HARD, HF, LONG, "/home/alice/x", ":", "=", '"', "'", "@", " ", "中", "‹path›", "token"])
)


@settings(deadline=None)
@given(PIECES)
def test_what_is_masked_has_no_leak_left(pieces: list[str]) -> None:
    """The check finds nothing in what the capture has let through."""
    found = cleaned("".join(pieces).encode())

    assert list(leaks(found)) == []
