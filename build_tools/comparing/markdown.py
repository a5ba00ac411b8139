"""A difference as GitHub's Markdown: what matters first, tables, charts, and nothing that a record can make live."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from build_tools.comparing.difference import Beside, CaseDiff, Chart, Diff, Flip, MadeStale, Row
from build_tools.errors import clipped, one_line

LONGEST = 60_000  # characters; GitHub takes 65,536 in a pull request
MOST_CHARTS = 12
ARROW = " → "


def code(text: str) -> str:
    """Anything as a code span of one line that also fits a table: no mention, link, HTML or markup comes of it."""
    clean = re.sub(r"[`|]", "ʼ", one_line(clipped(text, 200)))
    return f"`{clean or ' '}`"


def markdown(found: Diff) -> str:
    """The whole text. What makes it too long for a pull request is cut off, and that is said."""
    text = "\n".join(_lines(found)) + "\n"
    if len(text) <= LONGEST:
        return text
    kept = text[:LONGEST].rpartition("\n")[0]
    return f"{kept}\n\nCut off here: `python -m build_tools diff` prints the rest.\n"


def _lines(found: Diff) -> Iterator[str]:
    yield f"### Numbers: {code(found.old)}{ARROW}{code(found.new)}"
    yield ""
    yield _summary(found)
    parts = (
        _flips(found.flips), _problems(found), _drift(found.cases), _beside(found.beside), _stale(found.stale),
        _plain(found.cases), _charts(found.charts),
    )  # fmt: skip
    for part in parts:
        lines = list(part)
        if lines:
            yield from ("", *lines)


def _summary(found: Diff) -> str:
    bad = sum(case.outcome in ("failed", "damaged", "implausible") for case in found.cases) + len(found.problems)
    drifted = sum(case.drifted for case in found.cases)
    counts = {
        f"{len(found.flips)} verdict(s) flip": found.flips,
        f"{bad} record(s) failed, damaged or implausible": bad,
        f"{drifted} case(s) differ beyond noise": drifted,
        f"{sum(len(item.cases) for item in found.stale)} case(s) become stale": found.stale,
        f"{len(found.cases)} new record(s) in all": found.cases,
    }
    told = [words for words, count in counts.items() if count]
    return (", ".join(told) or "No number changes") + "."


def table(head: list[str], rows: Iterable[list[str]], *, right: int = 0) -> Iterator[str]:
    """A table whose last `right` columns hold numbers."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * (len(head) - right)}{'--:|' * right}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _flips(flips: tuple[Flip, ...]) -> Iterator[str]:
    if flips:
        yield "#### Verdicts that flip"
        yield ""
        rows = [[code(f.claim), f.was or "untested", f.now or "untested", _why(f.why)] for f in flips]
        yield from table(["claim", "was", "is", "why"], rows)


def _why(reasons: Iterable[str]) -> str:
    return "; ".join(code(reason) for reason in reasons)


def _problems(found: Diff) -> Iterator[str]:
    bad = [case for case in found.cases if case.outcome in ("failed", "damaged", "implausible")]
    if bad or found.problems:
        yield "#### Not to be merged as it is"
        yield ""
    yield from (f"* {case.outcome}: {code(case.name)}: {_why(case.why)}" for case in bad)
    yield from (f"* {code(problem)}" for problem in found.problems)


def _drift(cases: tuple[CaseDiff, ...]) -> Iterator[str]:
    drifted = [case for case in cases if case.drifted]
    if drifted:
        yield "#### Beyond noise"
        yield from _tables(drifted, lambda row: row.judgement != "unchanged")


def _plain(cases: tuple[CaseDiff, ...]) -> Iterator[str]:
    """The rest, folded: what was compared in full, and what could not be compared."""
    compared = [case for case in cases if case.outcome == "compared"]
    others = [case for case in cases if case.outcome in ("new", "gone", "not comparable")]
    if others:
        yield "#### Not compared"
        yield ""
        yield from (f"* {case.outcome}: {code(case.name)}: {_why(case.why)}" for case in others)
    if compared:
        yield from (("",) if others else ())
        yield "<details><summary>All compared numbers</summary>"
        yield from _tables(compared, lambda row: True)
        yield ""
        yield "</details>"


def _tables(cases: list[CaseDiff], wanted: Callable[[Row], bool]) -> Iterator[str]:
    """One table for each snippet, profile and machine, with what else differs between the runs above it."""
    for (snippet, profile, machine), group in groupby(cases, key=lambda c: (c.snippet, c.profile, c.machine)):
        of_group = list(group)
        yield ""
        yield f"**{snippet}** at {profile} on {machine}: {_runs(of_group)}"
        yield ""
        rows = [_row(case.case, row) for case in of_group for row in case.rows if wanted(row)]
        head = ["case", "metric", "judgement", "old", "new", "change", "95 %", "n"]
        yield from table(head, rows, right=5)


def _runs(cases: list[CaseDiff]) -> str:
    first = cases[0]
    runs = f"{code(first.old_run or 'none')}{ARROW}{code(first.new_run or 'none')}"
    changed = [f"{v.name} {code(v.was)}{ARROW}{code(v.now)}" for v in first.versions]
    return ", ".join([runs, *changed]) if changed else f"{runs}, same versions"


def _row(case: str, row: Row) -> list[str]:
    interval = f"{_percent(row.interval[0])} to {_percent(row.interval[1])}" if row.interval else ""
    judgement = f"**{row.judgement}**" if row.judgement not in ("unchanged", "not comparable") else row.judgement
    why = f" ({row.why})" if row.judgement == "not comparable" else ""
    return [
        case, row.metric, judgement + why, _number(row.old, row), _number(row.new, row), _percent(row.change),
        interval, f"{row.n_old}, {row.n_new}",
    ]  # fmt: skip


def _number(value: float | None, row: Row) -> str:
    unit = "" if row.unit == "1" else f" {row.unit}"
    return "none" if value is None else f"{value:,.{row.decimals}f}{unit}"


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:+.1f} %"


def _beside(items: tuple[Beside, ...]) -> Iterator[str]:
    """Values of unlike hardware, each machine a column; a percentage between them would mean nothing."""
    if items:
        yield "#### Other hardware, side by side"
    for (snippet, profile), group in groupby(items, key=lambda item: (item.snippet, item.profile)):
        of_group = list(group)
        machines = list(dict.fromkeys(reading.machine for item in of_group for reading in item.readings))
        yield ""
        yield f"**{snippet}** at {profile}"
        yield ""
        yield from table(
            ["case", "metric", *machines], [_beside_row(item, machines) for item in of_group], right=len(machines)
        )


def _beside_row(item: Beside, machines: list[str]) -> list[str]:
    values = {r.machine: f"{r.value:,.{item.decimals}f} {item.unit} (n {r.n})" for r in item.readings}
    return [item.case, item.metric, *(values.get(machine, "") for machine in machines)]


def _stale(items: tuple[MadeStale, ...]) -> Iterator[str]:
    if items:
        yield "#### Made stale by this change"
        yield ""
        rows = [
            [f"{i.snippet}@{i.profile}:{i.machine}", ", ".join(i.cases), _why(i.why), str(i.figures)] for i in items
        ]
        yield from table(["snippet", "cases", "why", "figures"], rows, right=1)


def _charts(charts: tuple[Chart, ...]) -> Iterator[str]:
    """Mermaid draws them where the text is read; every word in them is a name or a number of ours."""
    for chart in charts[:MOST_CHARTS]:
        values = [f"{point.value:.{chart.decimals + 2}f}" for point in chart.points]
        dates = [f'"{point.started:%m-%d} {number}"' for number, point in enumerate(chart.points, 1)]
        unit = "" if chart.unit == "1" else f" ({chart.unit})"
        yield "```mermaid"
        yield "xychart-beta"
        yield f'  title "{chart.snippet}/{chart.case}@{chart.profile}:{chart.machine}, medians"'
        yield f"  x-axis [{', '.join(dates)}]"
        yield f'  y-axis "{chart.metric}{unit}"'
        yield f"  line [{', '.join(values)}]"
        yield "```"
    if len(charts) > MOST_CHARTS:
        yield f"{len(charts) - MOST_CHARTS} more charts are left out."
