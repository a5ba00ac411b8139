"""All checks by name: the command runs them, the live preview asks what concerns the page that somebody is editing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from build_tools.checks.finding import Findings
from build_tools.checks.numbers import number_findings
from build_tools.checks.parity import parity_findings
from build_tools.checks.prose import prose_findings
from build_tools.checks.records import record_findings
from build_tools.checks.references import reference_problems
from build_tools.errors import LedgerError

CHECKS: Mapping[str, Callable[[Path], Findings]] = {
    "pages": lambda root: Findings(problems=reference_problems(root)),
    "records": record_findings,
    "parity": parity_findings,
    "numbers": number_findings,
    "prose": prose_findings,
}
OF_PAGES = ("parity", "numbers", "prose")  # an error in a fence or role is shown where it stands already


def run_check(name: str, root: Path) -> Findings:
    """What one check finds; where it cannot look, that is its finding."""
    try:
        return CHECKS[name](root)
    except LedgerError as error:
        return Findings([error])


def findings_by_page(root: Path) -> dict[Path, Findings]:
    """What there is to mend or to know on each page. Quick after the first call: a page is parsed again where it has
    changed."""
    found = Findings()
    for name in OF_PAGES:
        found.add(run_check(name, root))
    files = {error.place.file for error in (*found.problems, *found.notes) if error.place}
    return {file: found.of(file) for file in sorted(files) if file.suffix == ".md"}
