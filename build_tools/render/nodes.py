"""From a node of a page to its HTML, and what is wrong with the names a page uses. One entry for each kind of node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from build_tools.errors import LedgerError, Place
from build_tools.figures.resolve import Ledger
from build_tools.render.html import Html
from build_tools.render.page import Page
from build_tools.render.plan import sheets
from build_tools.render.table import results
from build_tools.render.value import value
from build_tools.syntax import LineError, Node, parse

# The first tab set's number: beyond those that a page's own tabs get.
FIRST_TAB_SET = 90


class Renderer:
    """Renders the nodes of one page; counts tables, so that ids and tab sets are the page's own."""

    def __init__(self, ledger: Ledger, page: Page) -> None:
        self.ledger, self.page = ledger, page
        self._tables: Counter[str] = Counter()

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

    def value(self, node: Node) -> Html:
        return value(self.ledger, self.page, node)


RENDERERS: Mapping[str, Callable[[Renderer, Node], Html]] = {"results": Renderer.results, "value": Renderer.value}
# What raises LedgerError unless all names of a node exist.
CHECKS: Mapping[str, Callable[[Ledger, Node], object]] = {
    "results": sheets,
    "value": lambda ledger, node: ledger.figure(node.text),
}


def node_problem(ledger: Ledger, node: Node) -> LedgerError | None:
    """What is wrong with a node, or None."""
    if node.problem:
        return node.problem
    try:
        CHECKS[node.kind](ledger, node)
    except LedgerError as error:
        return error
    return None


def page_problems(path: Path, ledger: Ledger) -> list[LedgerError]:
    """Everything wrong with the fences and roles of a page's source, each with file and line; nothing is rendered."""
    try:
        source = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        return [LedgerError(f"cannot be read: {error}", place=Place(path))]
    found = [(node, node_problem(ledger, node)) for node in parse(source)]
    return [located(problem, node, path) for node, problem in found if problem]


def located(problem: LedgerError, node: Node, path: Path, *, line: int | None = None) -> LedgerError:
    """The problem at its line of the page, unless it lies in another file. `line`: where the node really stands."""
    if problem.place:
        return problem
    within = problem.line - node.line if isinstance(problem, LineError) else 0
    return problem.at(Place(path, (line or node.line) + within))
