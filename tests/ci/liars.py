"""What a runner that is out of date, another machine, ill or hostile sends: each with what has to be said of it."""

from __future__ import annotations

import json
from pathlib import Path

from build_tools.model import Machine, Record

HOSTILE = '"><img src=x onerror="alert(1)">'


def deliver(good: Record, to: Path) -> dict[str, str]:
    """Write every wrong record into a folder of its own; returns the reasons by the names the files will be told by."""
    around, machine = good.environment, good.machine
    other = Machine(slug="xeon-64c", device="cpu", model="Intel Xeon", memory_gib=64.0, cores=64)
    cases: dict[str, tuple[Record, str]] = {
        "another-commit": (_sealed(good, commit="b" * 40), "of commit bbbbbbbbbbbb"),
        "other-hardware": (
            _sealed(good, machine=other, key=good.key.model_copy(update={"machine": other.slug})), "measured on xeon-64c",
        ),
        "other-hardware-by-that-name": (
            _sealed(good, machine=machine.model_copy(update={"model": "Intel Xeon"})), "of other hardware",
        ),
        "another-program": (_sealed(good, key=good.key.model_copy(update={"program": "0" * 16})), "not of the program"),
        "impossible": (_sealed(good, samples={**good.samples, "tensor_mib": (-1.0,)}), "implausible"),
        "hostile-version": (
            _sealed(good, environment=around.model_copy(update={"packages": {"torch": HOSTILE}})), "packages.torch",
        ),
        "hostile-run": (_sealed(good, run_id="$(touch /tmp/x)"), "run_id"),
        "hostile-output": (_sealed(good, output="\x1b]0;title\x07"), "control codes"),
    }  # fmt: skip
    reasons = {}
    for name, (record, why) in cases.items():
        reasons[_write(to, name, record.model_dump_json(by_alias=True))] = why
    text = good.model_dump_json(by_alias=True)
    number = json.dumps(good.samples["seconds"][0])
    reasons[_write(to, "edited", text.replace(number, json.dumps(good.samples["seconds"][0] / 2)))] = "digest"
    reasons[_write(to, "nan", text.replace(number, "NaN"))] = "finite number"
    reasons[_write(to, "hostile-name", text.replace(f'"snippet":"{good.snippet}"', '"snippet":"../../evil"'))] = (
        "no name"
    )
    reasons[_write(to, "cut-off", text[: len(text) // 2])] = "not valid JSON"
    return reasons


def _sealed(good: Record, **changes: object) -> Record:
    """As a forger would: the digest fits."""
    return good.model_copy(update=changes).sealed()


def _write(to: Path, name: str, text: str) -> str:
    path = to / f"records-rehearsal-{name}" / "plain.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path.relative_to(to).as_posix()
