"""From a node of a page to its HTML, and what is wrong with the names a page uses. One entry for each kind of node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from build_tools.errors import LedgerError, Place
from build_tools.figures.case import case_figure
from build_tools.figures.number import about, claim_figure
from build_tools.figures.resolve import Ledger
from build_tools.metrics import declared
from build_tools.model import Figure
from build_tools.reading import MIB, read_text
from build_tools.render import value as roles
from build_tools.render.charts.chart import chart
from build_tools.render.charts.plan import chart_plan
from build_tools.render.choice import chosen
from build_tools.render.evidence import evidence
from build_tools.render.glossary import glossary
from build_tools.render.header_card import card_of
from build_tools.render.html import Html
from build_tools.render.mark import check_mark
from build_tools.render.output import output
from build_tools.render.page import Page
from build_tools.render.plan import sheets
from build_tools.render.prediction import prediction, prediction_figures
from build_tools.render.records import groups, records, snippets
from build_tools.render.table import results
from build_tools.render.untranslated import stub_problem, untranslated
from build_tools.syntax import LineError, Node, example_of, head_problem, parse

# The first tab set's number: beyond those that a page's own tabs get.
FIRST_TAB_SET = 90
LARGEST_PAGE = 64 * MIB
CHECK = "python -m build_tools check"


class Renderer:
    """Renders the nodes of one page; counts tables, so that ids and tab sets are the page's own."""

    def __init__(self, ledger: Ledger, page: Page) -> None:
        self.ledger, self.page = ledger, page
        self._tables: Counter[str] = Counter()
        self._charts: Counter[str] = Counter()

    def render(self, node: Node) -> Html:
        """Raises LedgerError for a node that is wrong."""
        if node.problem:
            raise node.problem
        return RENDERERS[node.kind](self, node)

    def results(self, node: Node) -> Html:
        snippet = node.text.partition("@")[0]
        tab_set = FIRST_TAB_SET + self._tables.total()
        self._tables[snippet] += 1
        identifier = f"results-{snippet}-{self._tables[snippet]}"
        return results(self.ledger, self.page, node, identifier=identifier, tab_set=tab_set)

    def chart(self, node: Node) -> Html:
        snippet = node.text.partition("@")[0]
        self._charts[snippet] += 1
        return chart(self.ledger, self.page, node, identifier=f"chart-{snippet}-{self._charts[snippet]}")


RENDERERS: Mapping[str, Callable[[Renderer, Node], Html]] = {
    "results": Renderer.results,
    "output": lambda on, node: output(on.ledger, on.page, node),
    "chart": Renderer.chart,
    "prediction": lambda on, node: prediction(on.ledger, on.page, node),
    "evidence": lambda on, node: evidence(on.ledger, on.page, node),
    "records": lambda on, node: records(on.ledger, on.page, node),
    "glossary": lambda on, node: glossary(on.ledger, on.page),
    "untranslated": lambda on, node: untranslated(on.page),
    "value": lambda on, node: roles.value(on.ledger, on.page, node),
    "about": lambda on, node: roles.about(on.ledger, on.page, node),
    "claim": lambda on, node: roles.claim(on.ledger, on.page, node),
    "at": lambda on, node: roles.at(on.page, node),
    "hypothetical": lambda on, node: roles.hypothetical(on.page, node),
    "mark": lambda on, node: roles.mark(on.page, node),
}
# What raises LedgerError unless all names of a node exist.
CHECKS: Mapping[str, Callable[[Ledger, Node], object]] = {
    "results": sheets,
    "output": lambda ledger, node: case_figure(ledger, node.text),
    "chart": chart_plan,
    "prediction": prediction_figures,
    "evidence": chosen,
    "records": snippets,
    "glossary": lambda ledger, node: None,
    "untranslated": lambda ledger, node: None,  # `stub_problem` needs the page
    "value": roles.number_of,
    "about": lambda ledger, node: about(ledger, node.text),
    "claim": lambda ledger, node: ledger.claim(node.text),
    "at": lambda ledger, node: None,  # the grammar has seen to it
    "hypothetical": lambda ledger, node: roles.supposed(node),
    "mark": lambda ledger, node: check_mark(node.text),
}
# The figures that a node shows, for the page's twin. Raises LedgerError as CHECKS do.
FIGURES: Mapping[str, Callable[[Ledger, Node], Iterable[Figure]]] = {
    "results": lambda ledger, node: [figure for sheet in sheets(ledger, node) for figure in sheet.shown],
    "output": lambda ledger, node: (),
    "chart": lambda ledger, node: chart_plan(ledger, node).figures,
    "prediction": prediction_figures,
    "evidence": lambda ledger, node: [claim_figure(ledger, claim) for claim in chosen(ledger, node)],
    "records": lambda ledger, node: _recorded(ledger, node),
    "glossary": lambda ledger, node: (),
    "untranslated": lambda ledger, node: (),
    "value": lambda ledger, node: [roles.number_of(ledger, node)],
    "about": lambda ledger, node: [about(ledger, node.text).figure],
    "claim": lambda ledger, node: [claim_figure(ledger, ledger.claim(node.text))],
    "at": lambda ledger, node: (),
    "hypothetical": lambda ledger, node: (),
    "mark": lambda ledger, node: (),
}


def _recorded(ledger: Ledger, node: Node) -> Iterator[Figure]:
    """Every number that the records listed hold."""
    for snippet in snippets(ledger, node):
        for spot, cases in groups(ledger, snippet):
            for record in (figure.record for figure in cases if figure.record):
                for metric in declared(snippet.metrics):
                    figure = ledger.figure_at(snippet, record.case, metric, spot)
                    if figure.value is not None:
                        yield figure


def node_problem(ledger: Ledger, node: Node) -> LedgerError | None:
    """What is wrong with a node, or None."""
    if node.problem:
        return node.problem
    try:
        CHECKS[node.kind](ledger, node)
    except LedgerError as error:
        return error
    return None


def read_page(path: Path) -> str:
    """A page's source. Raises LedgerError where it is no text."""
    return read_text(path, at_most=LARGEST_PAGE, example="# Title {#title}", next_command=CHECK)


def page_problems(path: Path, ledger: Ledger) -> list[LedgerError]:
    """Everything wrong with the fences and roles of a page's source, each with file and line; nothing is rendered."""
    try:
        source = read_page(path)
    except LedgerError as error:
        return [error]
    found = [(node, stub_problem(ledger.root, path, node) or node_problem(ledger, node)) for node in parse(source)]
    head = head_problem(source)
    above = [head.at(Place(path, head.line), next_command=CHECK)] if head else []
    above += card_of(path, source, ledger)[1]
    return above + [located(problem, node, path) for node, problem in found if problem]


def located(problem: LedgerError, node: Node, path: Path, *, line: int | None = None) -> LedgerError:
    """The problem at its line of the page, unless it lies in another file. `line`: where the node really stands."""
    if problem.place:
        return problem
    within = problem.line - node.line if isinstance(problem, LineError) else 0
    example = example_of(node.kind)
    return problem.at(Place(path, (line or node.line) + within), example=example, next_command=CHECK)
