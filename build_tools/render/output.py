"""An `output` fence as HTML: what a run printed, as text and nothing else."""

from __future__ import annotations

from build_tools.figures.case import case_figure
from build_tools.figures.resolve import Ledger
from build_tools.model import Figure, Language, Record
from build_tools.render import words
from build_tools.render.html import Html, tag, text
from build_tools.render.notes import note, stopped
from build_tools.render.page import Page
from build_tools.render.provenance import DOT, provenance
from build_tools.render.reasons import profile_word, sentences
from build_tools.render.words import say
from build_tools.syntax import Node

FOLDED_ABOVE = 20  # lines: about what a page shows at once
# Records are cleaned when they are written; should one still hold a control character, a reader sees a picture of it.
PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"} | {0x7F: 0x2421}
REPLACED = dict.fromkeys([*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD)


def output(ledger: Ledger, page: Page, node: Node) -> Html:
    """The whole fence: the text with a title, what is wrong with its record, and where it comes from."""
    figure = case_figure(ledger, node.text)
    record = figure.record
    if record is None or record.damaged:
        return tag("div", note(_said(figure, page.language)), class_="ledger-output")
    stale = note(_state(figure, page.language)) if figure.freshness != "fresh" else None
    return tag("div", _printed(record, page.language), stale, provenance(page, [figure]), class_="ledger-output")


def _said(figure: Figure, language: Language) -> str:
    return stopped(sentences(figure.reasons, language), language)


def _state(figure: Figure, language: Language) -> str:
    return say(words.FRESHNESS[figure.freshness], language) + say(words.DASH, language) + _said(figure, language)


def _printed(record: Record, language: Language) -> Html:
    """The text, folded where it is long, under a title that says how long."""
    if not record.output.strip():
        return note(stopped(say(words.NOTHING_PRINTED, language), language))
    lines = record.output.strip("\n").translate(PICTURES | REPLACED).split("\n")
    # Reachable with the keyboard, because a line may be wider than the page.
    content = tag("pre", tag("code", "\n".join(lines)), tabindex="0")
    title = _title(record, len(lines), language)
    if len(lines) > FOLDED_ABOVE:
        return tag("details", tag("summary", title), content, class_="ledger-sources")
    return text(tag("p", title, class_="ledger-output-title"), content)


def _title(record: Record, lines: int, language: Language) -> Html:
    length = say(words.LINE, language) if lines == 1 else say(words.LINES, language, n=lines)
    where = DOT.join([profile_word(record.profile, language), record.machine.slug, length])
    name = tag("code", f"{record.snippet}/{record.case}")
    return text(say(words.PRINTED, language), say(words.COLON, language), name, DOT, where)
