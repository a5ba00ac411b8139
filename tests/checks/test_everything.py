"""All checks together: quick enough to be run at every commit."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest
from figures.bench import Bench

from build_tools.checks.everything import run_check

LONGEST_S = 3.0  # processor seconds of `check` on this project


@pytest.mark.slow
def test_whole_check_is_quick(pages: Path) -> None:
    """Processor time: how long it takes depends on who else uses the machine."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "build_tools", "check"], cwd=pages, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)

    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < LONGEST_S


@pytest.mark.parametrize("check", ["numbers", "parity", "prose"])
def test_large_page(bench: Bench, check: str) -> None:
    """Thousands of headings, tables, references and typed numbers; the English sentences end in a full-width mark."""
    for language, word in (("zh", "秒"), ("en", "seconds")):
        part = (
            "## 节 {{#s{0}}}\n\n用 {{value}}`toy/plain/seconds@quick` 和 {0} " + word + "。\n\n"
            "| 甲 | 乙 |\n|---|---|\n| 1 | [见](#s{0}) |\n\n"
        )
        (bench.root / f"docs/{language}").mkdir(parents=True)
        text = "# 页 {#page}\n\n" + "".join(part.format(number) for number in range(3000))
        (bench.root / f"docs/{language}/page.md").write_text(text)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    found = run_check(check, bench.root)

    assert len(found.problems) == {"numbers": 6000, "parity": 1, "prose": 3000}[check]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - before < 10
