"""Records of another machine: the good ones are stored, every other one is refused by its name and reason.

Part of what happens to a fresh number through time; `make rehearse-ci` plays it as a whole.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from figures.bench import NOON, Bench
from records import make_record

from build_tools import cli
from build_tools.comparing import land as landing_module
from build_tools.comparing.land import Demands, Landing, land, refused_markdown
from build_tools.key import key_of
from build_tools.measuring.shelf import ArchiveShelf
from build_tools.memory_model import MODEL
from build_tools.model import Machine, Record
from build_tools.store import committed_folder, load_snippet, read_record, write_record

EPYC = Machine(slug="epyc-2c", device="cpu", model="AMD EPYC", memory_gib=8.0, cores=2)
COMMIT = "a" * 40
RUN = "20261130-120000-0a1b"
ASKED = Demands(commit=COMMIT, machine="epyc-2c", origin="ci")


@pytest.fixture(autouse=True)
def after_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Today is the day after the records were made."""
    monkeypatch.setattr(landing_module, "utc_now", lambda: NOON + timedelta(days=1))


def fresh(bench: Bench, of: str = "plain", /, **changes: Any) -> Record:
    """A record as a CI runner makes one of the program here."""
    key = key_of(load_snippet(bench.root / "snippets/toy"), of, "quick", "epyc-2c", "cpu")
    made = make_record(
        snippet="toy", case=of, machine=EPYC, key=key, commit=COMMIT, clean=True, origin="ci", run_id=RUN
    )
    return made.model_copy(update={"started": NOON, **changes}).sealed()


def deliver(folder: Path, *records: Record) -> Path:
    """One file a record, named by its position: what counts is in the record."""
    folder.mkdir(exist_ok=True)
    for number, record in enumerate(records):
        (folder / f"{number}.json").write_text(record.model_dump_json(by_alias=True))
    return folder


def landed(bench: Bench, folder: Path, demands: Demands = ASKED) -> Landing:
    return land(bench.root, folder, demands)


def test_history_begins_with_a_good_record(bench: Bench, tmp_path: Path) -> None:
    """Stored where it belongs, with everything that it holds."""
    record = fresh(bench)
    result = landed(bench, deliver(tmp_path / "in", record))

    assert list(result.landed.values()) == [Path("snippets/toy/records/quick/epyc-2c/plain.json")]
    assert read_record(bench.root / "snippets/toy/records/quick/epyc-2c/plain.json") == record
    assert result.refused == {}


def test_a_failed_run_lands_beside_the_good_one(bench: Bench, tmp_path: Path) -> None:
    """Pages tell both."""
    from build_tools.model import Failure

    write_record(committed_folder(bench.root, "toy"), fresh(bench))
    why = Failure(kind="out_of_memory", during="time", message="no room")
    failed = fresh(bench, status="failed", reason=why, samples={}, run_id="20261130-130000-0a1b")
    landed(bench, deliver(tmp_path / "in", failed))

    assert {path.name for path in (bench.root / "snippets/toy/records/quick/epyc-2c").iterdir()} == {
        "plain.json", "plain.failed.json",
    }  # fmt: skip


Change = Callable[[Bench], dict[str, Any]]


def around(**changes: Any) -> Change:
    return lambda bench: {"environment": fresh(bench).environment.model_copy(update=changes)}


def of_machine(**changes: Any) -> Change:
    return lambda bench: {"machine": EPYC.model_copy(update=changes)}


# name: (what is changed in a good record before it is sealed, what is said)
WRONG: dict[str, tuple[Change, str]] = {
    "another commit": (lambda bench: {"commit": "b" * 40}, "of commit bbbbbbbbbbbb, and aaaaaaaaaaaa was to be measured"),
    "no commit": (lambda bench: {"commit": None}, "of commit none"),
    "uncommitted changes": (lambda bench: {"clean": False}, "in a working tree with changes"),
    "another machine": (of_machine(slug="xeon-2c", model="Intel Xeon"), "measured on xeon-2c"),
    "other hardware under the name": (of_machine(model="Intel Xeon"), "Intel Xeon is not called 'epyc-2c'"),
    "more cores than the name says": (of_machine(cores=64), "is not called 'epyc-2c'"),
    "another program": (lambda bench: {"key": fresh(bench).key.model_copy(update={"program": "0" * 16})}, "not of the program here"),
    "other parameters": (lambda bench: {"key": fresh(bench).key.model_copy(update={"parameters": {}})}, "not of the program here"),
    "another origin": (lambda bench: {"origin": "contributor"}, "measured by contributor, not by ci"),
    "a prediction": (lambda bench: {"machine": MODEL}, "a prediction is no measurement"),
    "a rehearsal": (lambda bench: {"origin": "rehearsal"}, "a rehearsal is no measurement"),
    "an unknown snippet": (lambda bench: {"snippet": "toys"}, "there is no snippet 'toys' here"),
    "an unknown case": (lambda bench: {"case": "other"}, "toy has no case 'other' at 'quick'"),
    "a case of another profile": (lambda bench: {"case": "sdpa"}, "toy has no case 'sdpa' at 'quick'"),
    "more devices": (lambda bench: {"devices": 2}, "measured on 2 device(s), and the case asks for 1"),
    "tomorrow": (lambda bench: {"started": NOON + timedelta(days=3)}, "measured in the future"),
    "implausible": (lambda bench: {"samples": {"seconds": (-1.0,)}}, "implausible: a clock that stood still"),
    "no sample": (lambda bench: {"samples": {}}, "implausible: it holds no sample"),
    "an odd run id": (lambda bench: {"run_id": "<script>alert(1)</script>"}, "run_id = '<script>alert(1)</script>' has not the form of one"),
    "markup in the model": (of_machine(model='EPYC"><img src=x>'), "machine.model ="),
    "markup in the host": (around(host_cpu="`@everyone`"), "host_cpu ="),
    "markup in a version": (around(packages={"torch": "<b>2</b>"}), "packages.torch ="),
    "a package nobody asked for": (around(packages={"<img src=x>": "1"}), "packages names '<img src=x>'"),
    "a driver with a line": (around(driver="1\n2"), "driver ="),
    "a token in the output": (lambda bench: {"output": "hf_" + "a1" * 12}, "record.output holds a token"),
    "a path in the command": (lambda bench: {"command": "python /home/somebody/x.py"}, "record.command holds an absolute path"),
    "control codes in the output": (lambda bench: {"output": "\x1b[31mred"}, "record.output holds control codes"),
    "text that runs backwards": (lambda bench: {"output": "\u202eevil"}, "record.output holds control codes"),
    "a command of two lines": (lambda bench: {"command": "a\nb"}, "command is more than one line"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_record_is_refused_by_name(name: str, bench: Bench, tmp_path: Path) -> None:
    """Sealed, whole, and still not stored; the good one beside it is, and nothing else is touched."""
    change, says = WRONG[name]
    result = landed(bench, deliver(tmp_path / "in", fresh(bench, **change(bench)), fresh(bench, "accumulate")))

    assert [*result.refused] == ["0.json"]
    assert says in result.refused["0.json"]
    assert [path.name for path in result.landed.values()] == ["accumulate.json"]
    assert all(line.isprintable() for line in result.lines())


# name: (what is done to the file of a good record, what is said)
SPOILED: dict[str, tuple[Callable[[str], str], str]] = {
    "edited": (lambda text: text.replace("[1.0]", "[0.5]"), "does not match its digest"),
    "NaN": (lambda text: text.replace("[1.0]", "[NaN]"), "finite number"),
    "infinite": (lambda text: text.replace("[1.0]", "[1e999]"), "finite number"),
    "cut off": (lambda text: text[:200], "not valid JSON"),
    "a name with ..": (lambda text: text.replace('"case":"plain"', '"case":"../../x"'), "case: is no name"),
    "a name with markup": (lambda text: text.replace('"snippet":"toy"', '"snippet":"<img src=x onerror=1>"'), "snippet: is no name"),
    "a key of its own": (lambda text: text.replace('"case"', '"more":1,"case"'), "more: extra inputs"),
    "another schema": (lambda text: text.replace('"schema":1', '"schema":2'), "written by a newer version"),
}  # fmt: skip


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_file_is_refused_by_name(name: str, bench: Bench, tmp_path: Path) -> None:
    """What is no record, or no longer the one that was sealed."""
    spoil, says = SPOILED[name]
    folder = deliver(tmp_path / "in", fresh(bench), fresh(bench, "accumulate"))
    text = (folder / "0.json").read_text()
    assert spoil(text) != text
    (folder / "0.json").write_text(spoil(text))
    result = landed(bench, folder)

    assert says in result.refused["0.json"]
    assert len(result.landed) == 1


def test_a_newer_record_is_not_replaced_by_an_older_one(bench: Bench, tmp_path: Path) -> None:
    """A runner that was away for long comes back with old numbers."""
    write_record(
        committed_folder(bench.root, "toy"),
        fresh(bench, run_id="20261201-000000-0000", started=NOON + timedelta(hours=12)),
    )
    result = landed(bench, deliver(tmp_path / "in", fresh(bench)))

    assert "older than the record that is here, of run 20261201-000000-0000" in result.refused["0.json"]


def test_another_model_under_a_known_name_is_refused(bench: Bench, tmp_path: Path) -> None:
    """`epyc-2c` is the machine that it has always been: `AMD EPYC`, and no `AMD EPYC Processor`."""
    write_record(committed_folder(bench.root, "toy"), fresh(bench, "accumulate"))
    other = EPYC.model_copy(update={"model": "AMD EPYC Processor"})
    result = landed(bench, deliver(tmp_path / "in", fresh(bench, machine=other)))

    assert "epyc-2c is AMD EPYC here, and not AMD EPYC Processor" in result.refused["0.json"]


def test_what_is_here_already_is_left_alone(bench: Bench, tmp_path: Path) -> None:
    """A delivery is a whole folder: it holds other machines' records too, and those are no news."""
    path = bench.record()
    before = path.read_bytes()
    (folder := tmp_path / "in").mkdir()
    (folder / "other.json").write_bytes(before)
    result = landed(bench, folder)

    assert (result.kept, result.landed, result.refused) == (["other.json"], {}, {})
    assert path.read_bytes() == before


def test_another_machines_record_is_never_overwritten(bench: Bench, tmp_path: Path) -> None:
    """Not by one that is whole either: a delivery is of one machine."""
    path = bench.record()
    forged = read_record(path).model_copy(
        update={"samples": {"seconds": (0.1,)}, "run_id": RUN, "commit": COMMIT, "origin": "ci"}
    )
    result = landed(bench, deliver(tmp_path / "in", forged.sealed()))

    assert "measured on cpu-2c" in result.refused["0.json"]
    assert read_record(path).run_id == "r1"


def test_two_records_for_one_place(bench: Bench, tmp_path: Path) -> None:
    """Neither is stored: whichever came last would win."""
    result = landed(bench, deliver(tmp_path / "in", fresh(bench), fresh(bench, samples={"seconds": (9.0,)})))

    assert result.landed == {}
    assert set(result.refused.values()) == {"one of 2 records for the same place"}


def test_an_archive(bench: Bench, tmp_path: Path) -> None:
    """As `measure --out` writes it; what somebody slipped in is refused and never unpacked."""
    shelf = ArchiveShelf(tmp_path / "in")
    shelf.put(fresh(bench))
    with tarfile.open(shelf.path, "a") as archive:
        add(archive, "../../escaped.json", b"{}")
        add(archive, "toy/records/run.sh", b"rm -rf /")
        link = tarfile.TarInfo("toy/records/quick/epyc-2c/accumulate.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    result = landed(bench, shelf.path)

    assert [*result.landed] == ["toy/records/quick/epyc-2c/plain.json"]
    assert result.refused["toy/records/run.sh"] == "no record"
    assert result.refused["toy/records/quick/epyc-2c/accumulate.json"] == "no regular file"
    assert "../../escaped.json" in result.refused
    assert not (tmp_path.parent / "escaped.json").exists()


def add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))


def test_a_folder_with_anything_in_it(bench: Bench, tmp_path: Path) -> None:
    """Links, broken archives, names that could command a terminal: all told, none followed."""
    folder = deliver(tmp_path / "in", fresh(bench))
    (folder / "link.json").symlink_to("/etc/passwd")
    (folder / "broken.tar").write_bytes(b"x" * 1000)
    (folder / "a\x1b[31m\n.json").write_text("{}")
    (folder / "history").mkdir()
    (folder / "history" / "plain.jsonl").write_text("forged")
    result = landed(bench, folder)

    assert len(result.landed) == 1
    assert {"link.json", "broken.tar"} < result.refused.keys()
    assert all(line.isprintable() for line in result.lines())
    assert not (bench.root / "snippets/toy/records/quick/epyc-2c/history").exists()


def test_by_hand(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same without a workflow: nothing need be demanded; the text of what was refused is no markup."""
    monkeypatch.chdir(bench.root)
    folder = deliver(tmp_path / "in", fresh(bench, commit=None, clean=None, origin="contributor"))
    assert cli.main(["land", str(folder), "--text", "refused.md"]) == 0
    assert (bench.root / "refused.md").read_text() == ""
    (folder / "`@all` <b>.json").write_text("{}")
    assert cli.main(["land", str(folder), "--text", "refused.md"]) == 1
    assert "ʼ@allʼ <b>.json" in (bench.root / "refused.md").read_text()
    assert cli.main(["land", "nowhere"]) == 1
    assert "nowhere: is missing" in capsys.readouterr().err


def test_refused_as_markdown() -> None:
    """Nothing refused, nothing said."""
    assert refused_markdown(Landing()) == ""
    assert json.dumps(refused_markdown(Landing(refused={"a|b": "x\ny"}))) == json.dumps(
        "\n#### Refused\n\n* `aʼb`: `x y`\n"
    )
