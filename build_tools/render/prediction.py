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
from build_tools.render.html import Html, tag, text
from build_tools.render.mark import home_of, linked, seal_of
from build_tools.render.notes import note, stopped
from build_tools.render.numbers import number, unit
from build_tools.render.page import Page
from build_tools.render.provenance import provenance
from build_tools.render.words import say
from build_tools.syntax import Node, example_of

CLOSE: Mapping[Device, float] = {"cuda": 0.03, "cpu": 0.01}  # what a prediction promises, as a share of it
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
    return number(100 * share, 2)


def _table(page: Page, device: Device, found: Sequence[Check]) -> Html:
    """A row for each case, the largest difference first: what does not fit is seen at once."""
    language, metric = page.language, METERS[PEAK_OF[device]]
    title = say(own.CHECKS_LABEL, language, metric=metric.label.in_(language))
    heads = [(own.MEASURED, metric.unit), (own.PREDICTED, metric.unit), (own.DIFFERENCE, "%")]
    head = tag(
        "tr", tag("th", title, scope="col"),
        *(tag("th", say(name, language), tag("span", unit(measure, language), class_="unit"), scope="col", class_="num")
          for name, measure in heads),
    )  # fmt: skip
    rows = [_row(page, check) for check in sorted(found, key=lambda check: -abs(check.off))]
    table = tag("table", tag("thead", head), tag("tbody", *rows), class_="ledger-table", aria_label=title)
    figures = [one for check in found for one in (check.measured, check.predicted)]
    return text(tag("div", table, class_="ledger-scroll"), provenance(page, figures))


def _row(page: Page, check: Check) -> Html:
    language, measured, predicted = page.language, check.measured, check.predicted
    name = measured.reference.rpartition("/")[0]
    place = measured.reference.partition("@")[2]
    cells = [
        (own.MEASURED, _cell(page, measured)),
        (own.PREDICTED, _cell(page, predicted)),
        (own.DIFFERENCE, text(_percent(check.off))),
    ]
    told = [tag("td", content, class_="num", data_label=say(label, language)) for label, content in cells]
    return tag("tr", tag("th", tag("code", name), tag("small", place, class_="ledger-parameters"), scope="row"), *told)


def _cell(page: Page, figure: Figure) -> Html:
    """Two decimals: what differs is small."""
    mark = linked(page, seal_of(figure, None, page.language), home_of(page, figure))
    return text(tag("span", number(figure.value, 2), class_="median"), " ", mark)


VIEWS: Mapping[str, Callable[[Ledger, Page], Html]] = {"checks": _checks, "limits": _limits}
