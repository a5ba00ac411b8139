"""Which claims an `evidence` fence shows: all, those of a run or a document, one, or a list."""

from __future__ import annotations

from build_tools.errors import LedgerError
from build_tools.figures.resolve import Ledger
from build_tools.model import Claim
from build_tools.names import unknown
from build_tools.syntax import LineError, Node

ALL = "all"


def chosen(ledger: Ledger, node: Node) -> list[Claim]:
    """The claims in the order of the ledger; listed ones as listed. Raises LedgerError with the names there are."""
    if "claims" in node.options:
        return _listed(ledger, node)
    claims, name = ledger.claims, node.text
    if name == ALL:
        return list(claims.by_id.values())
    if name in claims.by_id:
        return [claims.by_id[name]]
    if name in claims.runs:
        return claims.of_run(name)
    if name in claims.documents:
        return [claim for claim in claims.by_id.values() if claim.source.document == name]
    raise unknown("claim, run or document", name, [ALL, *claims.documents, *claims.runs, *claims.by_id])


def _listed(ledger: Ledger, node: Node) -> list[Claim]:
    given = node.options["claims"]
    try:
        return [ledger.claim(name) for name in ([given] if isinstance(given, str) else given)]
    except LedgerError as error:
        raise LineError(error, node.option_lines["claims"]) from None


def runs_shown(ledger: Ledger, node: Node) -> list[str]:
    """The runs whose figures are held against each other below the list: all, or the one that was asked for."""
    if node.text == ALL:
        return list(ledger.claims.runs)
    return [node.text] if node.text in ledger.claims.runs and node.text not in ledger.claims.by_id else []
