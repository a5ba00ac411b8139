"""What a reader should know besides the numbers of a table, in sentences above and below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from build_tools.memory_model import PARTS
from build_tools.metrics import declared
from build_tools.model import Language, Reason
from build_tools.render import prediction_words, words
from build_tools.render.html import Html, joined, tag, text
from build_tools.render.page import Page
from build_tools.render.plan import Sheet
from build_tools.render.reasons import profile_word, seen_by, sentence, sentences
from build_tools.render.words import say


def notes_above(page: Page, sheet: Sheet) -> list[Html]:
    """That nothing is measured yet, and that `quick` is not the experiment."""
    notes = []
    if not sheet.has_numbers:
        told = dict.fromkeys(sentence(figure.reasons[0], page.language) for figure in sheet.figures)
        notes += [note(stopped(said, page.language)) for said in told]
    if sheet.spot.profile == "quick":
        notes.append(note(say(words.QUICK_NOTE, page.language)))
    return notes


def notes_below(page: Page, sheet: Sheet) -> list[Html]:
    """What was left out, what is not fresh and why, what is missing, and what the runner warned of."""
    language = page.language
    return [
        *_left_out(sheet, language),
        *grouped(_not_fresh(sheet, language), language),
        *grouped(_missing(sheet, language) if sheet.has_numbers else (), language),
        *grouped(_not_compared(sheet, language), language),
        *grouped(_cautions(sheet, language), language),
        *([predicted_note(page)] if any(figure.kind == "predicted" for figure in sheet.shown) else []),
    ]


def _left_out(sheet: Sheet, language: Language) -> Iterator[Html]:
    if sheet.left_out_columns:
        names = words.join([metric.label.in_(language) for metric in sheet.left_out_columns], language)
        device = say(words.DEVICES[sheet.device], language)
        yield note(say(words.LEFT_OUT_COLUMNS, language, device=device, names=names))
    if sheet.left_out_cases:
        names, profile = words.join(list(sheet.left_out_cases), language), profile_word(sheet.spot.profile, language)
        yield note(say(words.LEFT_OUT_CASES, language, profile=profile, names=names))


Told = Iterable[tuple[str, Html]]  # a sentence, and what it is about


def _not_fresh(sheet: Sheet, language: Language) -> Iterator[tuple[str, Html]]:
    for row in sheet.rows:
        for figure in (one for cell in row.cells for one in (cell.figure, cell.predicted)):
            if figure and figure.value is not None and figure.freshness != "fresh":
                word = say(words.FRESHNESS[figure.freshness], language) + say(words.DASH, language)
                yield word + sentences(figure.reasons, language), tag("code", row.case)


def _missing(sheet: Sheet, language: Language) -> Iterator[tuple[str, Html]]:
    for row in sheet.rows:
        lacking = [cell.figure for cell in row.cells if cell.figure.value is None]
        for figure in (one for one in lacking if one.metric not in PARTS):  # those nobody measures
            # A case without any number is named once; otherwise each number that lacks.
            column = [] if len(lacking) == len(row.cells) else [" ", figure.label.in_(language)]
            yield sentence(figure.reasons[0], language), text(tag("code", row.case), *column)


def _not_compared(sheet: Sheet, language: Language) -> Iterator[tuple[str, Html]]:
    for row in sheet.rows:
        for cell in row.cells:
            if isinstance(cell.relative, Reason) and cell.figure.value is not None:
                about = text(tag("code", row.case), f" ÷ {sheet.baseline}")
                yield sentence(cell.relative, language), about


def _cautions(sheet: Sheet, language: Language) -> Iterator[tuple[str, Html]]:
    metrics = declared(sheet.snippet.metrics)
    for row in sheet.rows:
        for kind in dict.fromkeys(caution.kind for caution in row.cautions):
            seen = [seen_by(caution, metrics, language) for caution in row.cautions if caution.kind == kind]
            figures = words.join([figure for figure in seen if figure], language)
            about = text(tag("code", row.case), words.in_brackets(figures, language) if figures else None)
            yield say(words.CAUTIONS[kind], language), about


def grouped(told: Told, language: Language) -> Iterator[Html]:
    """One note a sentence, all it is about in front of it."""
    groups: dict[str, dict[Html, None]] = {}
    for said, about in told:
        groups.setdefault(said, {})[about] = None
    for said, about_all in groups.items():
        subjects = joined(words.join(["", ""], language), list(about_all))
        yield note(subjects, say(words.COLON, language), stopped(said, language))


def stopped(said: str, language: Language) -> str:
    """As a sentence of its own: a capital letter is left to the words, a full stop is added."""
    return said if said.endswith((".", "。", "!", "?")) else said + say(words.FULL_STOP, language)


def predicted_note(page: Page) -> Html:
    """What a predicted number is, and where to read how far to trust it."""
    before, _, after = say(prediction_words.PREDICTED_NOTE, page.language, page="\0").partition("\0")
    title = say(prediction_words.PREDICTION_PAGE, page.language)
    return note(before, tag("a", title, href=page.memory("prediction")), after)


def note(*content: str) -> Html:
    """A sentence beside numbers."""
    return tag("p", *content, class_="ledger-note")
