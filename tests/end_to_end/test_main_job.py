"""The main job with everything real: measure the Trainer, publish it in two languages, edit, look again."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from build_tools.machine import cpu_machine
from build_tools.measuring.plan import Request, make_plan
from build_tools.model import Record
from build_tools.store import load_snippets, local_folder, read_record

CASES = ("plain", "accumulate", "plain_micro1")
LECTURE = Path("lectures/gradient-accumulation")


def tool(root: Path, *arguments: str, code: int = 0) -> str:
    """Run the command line as a person would; CUDA is hidden, so that `quick` runs wherever the test does."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": str(root)}
    command = [sys.executable, "-m", "build_tools", *arguments]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, env=environment, timeout=600)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def measured(copy_project: Callable[[], Path]) -> Path:
    """A copy of this project in which the real snippets have just been measured once, and both sites built."""
    root = copy_project()
    tool(root, "measure", "trainer", "loop", "--force", "--repeats", "1")
    tool(root, "build", "--no-measure", "--strict")
    return root


def record(root: Path, case: str, snippet: str = "trainer") -> Record:
    return read_record(local_folder(root, snippet) / "quick" / cpu_machine().slug / f"{case}.json")


def page(root: Path, language: str) -> str:
    return (root / "site" / ("en" if language == "en" else "") / LECTURE / "index.html").read_text(encoding="utf-8")


def due(root: Path) -> list[str]:
    """What a `measure` would run."""
    plan = make_plan(root, load_snippets(root), Request(targets=(), machine=cpu_machine()))
    return [f"{group.snippet.name}@{group.profile}" for group in plan.groups]


def edit(path: Path, find: str, replacement: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert find in text, f"{path} has no {find!r}"
    path.write_text(text.replace(find, replacement, 1), encoding="utf-8")


def test_the_trainer_really_ran(measured: Path) -> None:
    """Samples and steps were counted, every meter of a CPU was read, the loss is that of two random classes."""
    trainer = load_snippets(measured)["trainer"]
    for case in CASES:
        found, p = record(measured, case), trainer.parameters_of(case, "quick")
        samples = p["samples"]
        assert (found.status, found.damaged, found.origin) != ("failed", True, "rehearsal")
        assert found.counted
        assert found.counted.samples == samples
        assert found.counted.optimizer_steps == samples / (p["micro_batch"] * p["accumulation_steps"])
        assert set(found.samples) == {"seconds", "samples_per_second", "tensor_mib", "rss_mib", "loss"}
        assert found.samples["loss"][0] == pytest.approx(0.69, abs=0.05)


def test_accumulation_lowers_the_tensor_peak(measured: Path) -> None:
    """And a micro-batch of one without accumulation lies below: accumulation itself keeps a gradient buffer."""
    plain, accumulate, micro1 = (record(measured, case).samples["tensor_mib"][0] for case in CASES)

    assert micro1 < accumulate < plain / 2


@pytest.mark.parametrize("language", ["zh", "en"])
def test_both_pages_show_the_numbers_of_the_records(language: str, measured: Path) -> None:
    """One record, two languages: the same digits, with a mark that says how they are known."""
    html = page(measured, language)
    for case in CASES:
        assert f'<span class="median">{record(measured, case).samples["tensor_mib"][0]:.1f}</span>' in html
    assert 'data-kind="measured" data-freshness="fresh"' in html
    assert record(measured, "plain").run_id in html
    assert "<math" in html
    assert "ledger-error" not in html


def test_the_record_a_page_links_to_is_there(measured: Path) -> None:
    """The composed site carries it, and it is the one that was measured."""
    links = set(re.findall(r'href="([^"]*records/trainer/quick/[^"]+)"', page(measured, "en")))
    assert links
    for link in links:
        target = (measured / "site" / "en" / LECTURE / link).resolve()
        assert json.loads(target.read_text())["snippet"] == "trainer"


def test_a_second_call_has_nothing_to_measure(measured: Path) -> None:
    """0 of all that this machine could measure."""
    assert re.search(r"^nothing to measure: 0 of [1-9]\d* cases$", tool(measured, "measure"), re.M)


def test_prose_costs_no_measurement_and_changes_the_page(measured: Path) -> None:
    """An edit in Markdown is on the page after a build that measures nothing."""
    source = measured / "docs" / "en" / f"{LECTURE}.md"
    source.write_text(source.read_text(encoding="utf-8") + "\nA sentence that was not there.\n", encoding="utf-8")

    said = tool(measured, "build")

    assert "nothing to measure" in said
    assert "A sentence that was not there." in page(measured, "en")


def test_a_reworded_comment_costs_no_measurement_and_changes_the_code_shown(measured: Path) -> None:
    """The page shows the program as it stands."""
    edit(
        measured / "snippets" / "loop" / "main.py",
        '"""One optimiser step per window',
        '"""REWORDED: one step per window',
    )

    assert due(measured) == []
    tool(measured, "build", "--no-measure")
    assert "REWORDED" in page(measured, "zh")


def test_a_changed_statement_makes_only_its_snippet_due(measured: Path) -> None:
    """The neighbour keeps its numbers."""
    program = measured / "snippets" / "loop" / "main.py"
    edit(program, "nn.GELU()", "nn.ReLU()")
    assert due(measured) == ["loop@quick"]
    assert 'data-freshness="stale"' not in page(measured, "en")
    tool(measured, "build", "--no-measure")
    assert 'data-freshness="stale"' in page(measured, "en")
    edit(program, "nn.ReLU()", "nn.GELU()")


def test_a_strict_build_fails_on_what_this_machine_owes(measured: Path) -> None:
    """And tells what another machine would have to measure, without failing on it."""
    program = measured / "snippets" / "loop" / "main.py"
    assert "degraded: trainer at full: 6 cases need a CUDA device with 16 GiB" in tool(
        measured, "build", "--no-measure"
    )
    edit(program, "nn.GELU()", "nn.ReLU()")

    said = tool(measured, "build", "--no-measure", "--strict", code=1)

    assert "owed: loop/plain at quick: " in said
    edit(program, "nn.ReLU()", "nn.GELU()")


def test_a_changed_parameter_makes_only_its_snippet_and_profile_due(measured: Path) -> None:
    """One case at one profile is enough; what `full` knows stays."""
    settings = measured / "snippets" / "trainer" / "snippet.toml"
    edit(settings, "[cases.plain_micro1]\nmicro_batch = 1", "[cases.plain_micro1]\nmicro_batch = 2")
    assert due(measured) == ["trainer@quick"]
    edit(settings, "[cases.plain_micro1]\nmicro_batch = 2", "[cases.plain_micro1]\nmicro_batch = 1")


def test_a_broken_reference_fails_a_strict_build_and_leaves_the_last_site(measured: Path) -> None:
    """With file and line; what was published stays whole."""
    source = measured / "docs" / "zh" / f"{LECTURE}.md"
    before, text = page(measured, "zh"), source.read_text(encoding="utf-8")
    source.write_text(text + "\n{value}`trainer/plane/seconds@quick`\n", encoding="utf-8")
    line = len(text.splitlines()) + 2

    said = tool(measured, "build", "--no-measure", "--strict", code=1)

    assert f"docs/zh/{LECTURE}.md:{line}" in said
    assert "there is no case 'plane'" in said
    assert page(measured, "zh") == before
    source.write_text(text, encoding="utf-8")


def test_the_gpu_script_can_be_rehearsed_without_a_gpu(measured: Path, tmp_path: Path) -> None:
    """All six cases in order of importance, one archive, nothing stored."""
    import tarfile

    order = ("plain", "accumulate")
    targets = [f"trainer/{case}" for case in order]
    command = ["measure", *targets, "--profile", "full", "--repeats", "1", "--rehearse", "H200:141"]
    said = tool(measured, *command, "--out", str(tmp_path), "--commit", "0" * 40)

    assert "to measure: 2 of 2 cases on h200" in said
    with tarfile.open(tmp_path / "records.tar") as archive:
        names = archive.getnames()
        content = archive.extractfile(names[0])
        assert content
        assert json.load(content)["commit"] == "0" * 40
    assert [Path(name).stem for name in names] == list(order)


def test_a_page_is_rendered_without_torch(measured: Path) -> None:
    """Contributors preview from records after a small install."""
    block = "import sys; sys.modules['torch'] = sys.modules['transformers'] = None\n"
    script = block + "from build_tools.cli import main; raise SystemExit(main(['check']))"
    environment = {**os.environ, "PYTHONPATH": str(measured)}
    done = subprocess.run([sys.executable, "-c", script], cwd=measured, capture_output=True, text=True, env=environment)

    assert (done.returncode, "no problem found" in done.stdout) == (0, True), done.stdout + done.stderr
