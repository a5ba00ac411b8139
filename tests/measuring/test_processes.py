"""Real processes: what they measure is what happened. (How they fail is tried in tests/faults.)"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import psutil
import pytest
from projects import NAP, NAP_TOML, Write

from build_tools.machine import cpu_machine
from build_tools.measuring.session import Summary, Wishes, measure
from build_tools.model import Record
from build_tools.store import local_folder, read_record

HEAD = "import os, signal, subprocess, sys, time\nfrom build_tools import measure\n"
WINDOW = "    with meter.window(None, samples=1, optimizer_steps=0):\n        "
RUN = "def run(p, meter):\n"


def run(project: Path, **wishes: object) -> tuple[Summary, list[str]]:
    said: list[str] = []
    summary = measure(project, Wishes(device="cpu", **wishes), tell=said.append)  # type: ignore[arg-type]
    return summary, said


def stored(project: Path, name: str) -> Record:
    return read_record(local_folder(project, "nap") / "quick" / cpu_machine().slug / name)


def test_a_sleep_of_half_a_second_is_half_a_second(project: Path, write_snippet: Write) -> None:
    """Within 2 %, on both clocks, in a process that is there at once."""
    write_snippet(toml=NAP_TOML.replace("0.01", "0.5"))
    run(project)

    for seconds in stored(project, "short.json").samples["seconds"]:
        assert seconds == pytest.approx(0.5, rel=0.02)


def test_memory_that_is_touched_is_seen_by_both_meters(project: Path, write_snippet: Write) -> None:
    """64 MiB: within 5 % in the resident set, exactly in the count of live tensors."""
    program = "import torch\n" + NAP.replace("time.sleep(p.seconds)", "torch.ones(64, 1024, 256)")
    write_snippet(program=program, toml='preload = ["torch"]\n' + NAP_TOML)
    run(project)

    samples = stored(project, "short.json").samples
    assert samples["tensor_mib"] == (64.0,)
    assert samples["rss_mib"][0] == pytest.approx(64.0, rel=0.05)


def test_a_peak_counts_what_lives_together(project: Path, write_snippet: Write) -> None:
    """Freed tensors leave the count, views add nothing, a resized storage counts at its new size."""
    body = """\
        for _ in range(3):
            a = torch.ones(8, 1024, 256)
            b = a.view(-1)[::2]
            del a, b
        c = torch.ones(1024, 256)
        c.resize_(4, 1024, 256)
        d = c + 1
"""
    program = "import torch\nfrom build_tools import measure\n" + RUN + WINDOW.rstrip(" ") + body
    write_snippet(program=program, toml='preload = ["torch"]\n' + NAP_TOML)
    run(project)

    assert stored(project, "short.json").samples["tensor_mib"] == (8.0,)


MISCOUNTED = """\
import torch
from build_tools import measure

def run(p, meter):
    model = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters())
    with meter.window(model, samples=SAMPLES, optimizer_steps=STEPS):
        for _ in range(3):
            model(torch.ones(4, 2)).sum().backward()
            optimizer.step()
"""


@pytest.mark.parametrize(
    ("samples", "steps", "message"),
    [
        (12, 3, None),
        (12, 4, "declared 12 samples and 4 optimiser steps, counted 12 and 3"),
        (16, 3, "counted 12 and 3"),
    ],
)
def test_samples_and_steps_are_counted(
    samples: int, steps: int, message: str | None, project: Path, write_snippet: Write
) -> None:
    """A run that did something else than it declared is refused, whatever its clock says."""
    program = MISCOUNTED.replace("SAMPLES", str(samples)).replace("STEPS", str(steps))
    write_snippet(program=program, toml='preload = ["torch"]\n' + NAP_TOML)
    run(project)

    if message is None:
        assert stored(project, "short.json").counted
    else:
        reason = stored(project, "short.failed.json").reason
        assert reason
        assert (reason.kind, message in reason.message) == ("implausible", True)


def test_output_is_captured_as_text(project: Path, write_snippet: Write) -> None:
    """Terminal codes, progress frames and paths do not get into a record; Chinese does."""
    noise = r"""    print("\x1b[31m显存\x1b[0m", os.path.abspath("pages"), __file__, flush=True)
    os.write(1, b"10 %\r50 %\r100 %\n\xff no end of line")
"""
    write_snippet(program=HEAD + RUN + noise + WINDOW + "pass", toml=NAP_TOML)
    run(project)

    assert (
        stored(project, "short.json").output
        == "显存 pages snippets/nap/main.py\n100 %\n\N{REPLACEMENT CHARACTER} no end of line"
    )


def test_the_reason_of_a_failure_names_no_path_and_no_secret(project: Path, write_snippet: Write) -> None:
    """What an exception says is as public as what a program prints."""
    program = HEAD + RUN + "    raise ValueError(f'cannot open {os.path.abspath(chr(120))} with hf_' + 'a' * 34)\n"
    write_snippet(program=program, toml=NAP_TOML)
    run(project)

    reason = stored(project, "short.failed.json").reason
    assert reason
    assert reason.message == "ValueError: cannot open x with ‹token› (main.py:4)"


def test_a_second_call_finds_nothing_to_measure(project: Path, write_snippet: Write) -> None:
    """And says of how many."""
    write_snippet()
    run(project)

    _, said = run(project)

    assert said == ["nothing to measure: 0 of 1 cases"]


def test_nothing_is_left_of_a_call(
    project: Path, write_snippet: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No process, no temporary folder."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))  # ours alone: other tests run beside this one
    write_snippet()
    others = set(psutil.Process().children(recursive=True))
    run(project)
    time.sleep(0.1)

    assert set(psutil.Process().children(recursive=True)) <= others
    assert not list(temporary.glob("ledger-*"))


def test_a_rehearsal_plans_for_the_card_and_is_not_stored(project: Path, write_snippet: Write, tmp_path: Path) -> None:
    """It runs `quick` on the CPU, marks its records, and touches nothing but its archive."""
    import tarfile

    full = "[profiles.full]\nneeds = { device = 'cuda', memory_gib = 100 }\n[cases.short]"
    write_snippet(toml=NAP_TOML.replace("[cases.short]", full))
    _, said = run(project, rehearse=("H200", 141.0), out=tmp_path / "out")

    assert said[0] == "to measure: 1 of 1 cases on h200"
    with tarfile.open(tmp_path / "out" / "records.tar") as archive:
        member = archive.getmembers()[0]
        content = archive.extractfile(member)
        assert content
        record = Record.model_validate_json(content.read())
    assert (member.name, record.origin) == (f"nap/records/quick/{cpu_machine().slug}/short.json", "rehearsal")
    assert not (project / ".ledger").exists()
