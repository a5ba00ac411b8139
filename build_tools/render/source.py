"""Where a statement stands, in words and with a link: document, place in it, time in a video, date of reading."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from build_tools.figures.resolve import Ledger
from build_tools.model import Claim, Document, Language, SourceRun
from build_tools.render import ledger_words, words
from build_tools.render.html import Html, joined, tag, text
from build_tools.render.words import say


@dataclass(frozen=True)
class Origin:
    """What claims come from together: a key for links and filters, a title, and the document if one is declared."""

    key: str
    title: str
    url: str | None = None
    document: Document | None = None


def origin_of_claim(ledger: Ledger, claim: Claim, language: Language) -> Origin:
    """The document a claim names; else its notebook, its video or the site that its address is on."""
    source = claim.source
    if source.document is not None:
        document = ledger.claims.documents[source.document]
        return Origin(source.document, document.title.in_(language), document.url, document)
    name = (source.notebook or "").partition("@")[0] or source.video or urlsplit(source.url or "").netloc
    return Origin(_key(name), name)


def _key(name: str) -> str:
    return "".join(sign if sign.isalnum() else "-" for sign in name.lower()).strip("-")


def source_words(ledger: Ledger, claim: Claim, language: Language) -> Html:
    """Title, linked, and place on one line."""
    origin = origin_of_claim(ledger, claim, language)
    title = _link(origin.title, claim.source.url or origin.url)
    return joined(words.clauses(["", ""], language), [title, *_places(claim, language)])


def place_words(ledger: Ledger, claim: Claim, language: Language) -> Html:
    """The place alone, where the title stands above; it links to an address of its own."""
    source, places = claim.source, _places(claim, language)
    if source.url and source.url != origin_of_claim(ledger, claim, language).url:
        places[0] = tag("a", places[0], href=source.url)
    return joined(words.clauses(["", ""], language), places)


def _places(claim: Claim, language: Language) -> list[Html]:
    source = claim.source
    told = [source.item, source.cell and source.cell.in_(language), source.place and source.place.in_(language)]
    told += [say(ledger_words.IN_VIDEO, language, at=source.at)] if source.at else []
    return [text(one) for one in told if one] + ([read_on(claim, language)] if source.read else [])


def read_on(claim: Claim, language: Language) -> Html:
    before, _, after = say(ledger_words.READ_ON, language, date="\0").partition("\0")
    date = f"{claim.source.read:%Y-%m-%d}"
    return text(before, tag("time", date, datetime=date), after)


def _link(title: str, address: str | None) -> Html:
    return tag("a", title, href=address) if address else text(title)


def conditions(ledger: Ledger, claim: Claim, language: Language) -> str:
    """On what the number was read: the run's name, hardware, number of devices; empty where nothing is known."""
    run: SourceRun | None = ledger.claims.runs.get(claim.run or "")
    hardware = claim.hardware or (run.hardware if run else None)
    devices = claim.devices or (run.devices if run else None)
    parts = [run.title.in_(language)] if run else []
    parts += [hardware] if hardware else [say(ledger_words.HARDWARE_UNTOLD, language)] if devices else []
    if devices:
        counted = ledger_words.ONE_DEVICE if devices == 1 else ledger_words.DEVICES_USED
        parts.append(say(counted, language, n=devices))
    return words.clauses(parts, language) if claim.metric else ""
