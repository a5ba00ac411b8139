"""A `prediction` fence as HTML: how predictions have been checked, or what the memory model leaves out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from build_tools.figures.predicted import Check, checks
from build_tools.figures.resolve import Ledger
from build_tools.memory_model import NOT_MODELLED, PEAK_OF
from build_tools.metrics import METERS
from build_tools.model import Device, Figure, Language, Text
from build_tools.names import unknown
from build_tools.render import prediction_words as own
from build_tools.render import words
from build_tools.render.html import Html, tag, text
from build_tools.render.notes import note, stopped
from build_tools.render.numbers import number, unit
from build_tools.render.page import Page
from build_tools.render.provenance import DOT, provenance
from build_tools.render.reasons import profile_word
from build_tools.render.words import say
from build_tools.syntax import Node, example_of

CLOSE: Mapping[Device, float] = {"cuda": 0.03, "cpu": 0.01}  # what a prediction promises, as a share of it
FOLDED_ABOVE = 8  # rows
DECIMALS = 2  # more than elsewhere: what differs is small
ORDER: tuple[Device, ...] = ("cuda", "cpu")
SUMMED_UP: Mapping[Device, Text] = {"cuda": own.ON_GPU, "cpu": own.ON_CPU}


def prediction(ledger: Ledger, page: Page, node: Node) -> Html:
    """The whole fence. Raises LedgerError for a view that does not exist."""
    return tag("div", VIEWS[_view(node)](ledger, page), class_="ledger-prediction")


def prediction_figures(ledger: Ledger, node: Node) -> list[Figure]:
    """The numbers that the fence shows. Raises LedgerError."""
    if _view(node) != "checks":
        return []
    return [one for device in ORDER for check in checks(ledger, device) for one in (check.measured, check.predicted)]


def _view(node: Node) -> str:
    if node.text not in VIEWS:
        raise unknown("view of predictions", node.text, VIEWS, example=example_of("prediction"))
    return node.text


def _limits(ledger: Ledger, page: Page) -> Html:
    return tag("ul", *(tag("li", stopped(one.in_(page.language), page.language)) for one in NOT_MODELLED))


def _checks(ledger: Ledger, page: Page) -> Html:
    """A sentence for each kind of device, then the cases of each."""
    found = {device: checks(ledger, device) for device in ORDER}
    told = [note(sentence) for sentence in state(found, page.language)]
    return text(*told, *(_table(page, device, found[device]) for device in ORDER if found[device]))


def state(found: Mapping[Device, Sequence[Check]], language: Language) -> list[str]:
    """How far measurements bear predictions out, by kind of device."""
    if not any(found.values()):
        return [say(own.NOTHING_CHECKED, language)]
    told = [] if found["cuda"] else [say(own.ON_CPU_ONLY, language)]
    return told + [_summed_up(device, found[device], language) for device in ORDER if found[device]]


def _summed_up(device: Device, found: Sequence[Check], language: Language) -> str:
    close = sum(abs(check.off) <= CLOSE[device] for check in found)
    off = max(abs(check.off) for check in found)
    return say(
        SUMMED_UP[device], language, n=len(found), close=close, percent=f"{100 * CLOSE[device]:g}", off=_percent(off)
    )


def _percent(share: float) -> str:
    return number(100 * share, DECIMALS)


def _table(page: Page, device: Device, found: Sequence[Check]) -> Html:
    """A row for each case, the largest difference first: what does not fit is seen at once. Long ones are folded."""
    language, metric = page.language, METERS[PEAK_OF[device]]
    label = metric.label.in_(language)
    columns = [(own.MEASURED, metric.unit), (own.PREDICTED, metric.unit), (own.DIFFERENCE, "%")]
    head = [tag("th", say(words.CASE, language), scope="col")]
    for name, measure in columns:
        measure_name = tag("span", unit(measure, language), class_="unit")
        head.append(tag("th", say(name, language), measure_name, scope="col", class_="num"))
    rows = [_row(page, check) for check in sorted(found, key=lambda check: -abs(check.off))]
    title = say(own.CHECKS_LABEL, language, metric=label)
    table = tag(
        "table", tag("thead", tag("tr", *head)), tag("tbody", *rows), class_="ledger-plain", aria_label=title,
    )  # fmt: skip
    figures = [one for check in found for one in (check.measured, check.predicted)]
    summary = tag("summary", say(own.EVERY_CASE, language, metric=label, n=len(found)))
    inside = text(tag("div", table, class_="ledger-scroll"), provenance(page, figures))
    return tag("details", summary, inside, class_="ledger-sources ledger-data", open=len(found) <= FOLDED_ABOVE)


def _row(page: Page, check: Check) -> Html:
    language, measured = page.language, check.measured
    record = measured.record
    assert record is not None
    place = DOT.join([profile_word(record.profile, language), record.machine.slug])
    name = tag("th", tag("code", f"{record.snippet}/{record.case}"), tag("small", place), scope="row")
    cells = [
        (own.MEASURED, number(measured.value, DECIMALS)),
        (own.PREDICTED, number(check.predicted.value, DECIMALS)),
        (own.DIFFERENCE, _percent(check.off)),
    ]
    told = [tag("td", content, class_="num", data_label=say(label, language)) for label, content in cells]
    return tag("tr", name, *told)


VIEWS: Mapping[str, Callable[[Ledger, Page], Html]] = {"checks": _checks, "limits": _limits}
