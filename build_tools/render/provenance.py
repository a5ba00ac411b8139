"""Where the numbers of a table come from, told from their records."""

from __future__ import annotations

from collections.abc import Iterable

from build_tools.figures.freshness import worst
from build_tools.memory_model import MODELS
from build_tools.model import Figure, Freshness, Kind, Language, Machine, Record, Text
from build_tools.render import prediction_words, words
from build_tools.render.html import Html, joined, tag, text
from build_tools.render.mark import legend_mark
from build_tools.render.page import Page
from build_tools.render.words import say

DOT = " · "
SHORT_COMMIT = 7

Term = tuple[Text, Html | str | None]


def provenance(page: Page, figures: list[Figure]) -> Html:
    """One line for each run and environment behind the figures, with the rest folded below it."""
    groups = _by_run(figure for figure in figures if figure.value is not None and figure.record)
    return text(*(_group(page, group, alone=len(groups) == 1) for group in groups))


def _by_run(figures: Iterable[Figure]) -> list[list[Figure]]:
    groups: dict[str, list[Figure]] = {}
    for figure in figures:
        record = figure.record
        assert record is not None
        groups.setdefault(_same(record), []).append(figure)
    return list(groups.values())


def _same(record: Record) -> str:
    """Equal for records that one line tells of. When and with which command a prediction was made changes nothing."""
    if is_prediction(record):
        return f"{record.machine.slug} {record.key.meters} {record.environment.packages} {record.origin}"
    return f"{record.run_id} {record.environment.model_dump_json()} {record.origin} {record.commit} {record.command}"


def _group(page: Page, figures: list[Figure], *, alone: bool) -> Html:
    records = list({(r.snippet, r.case): r for figure in figures if (r := figure.record)}.values())
    first, language = records[0], page.language
    freshness = worst([figure.freshness for figure in figures])
    told = [
        text(_mark(page, freshness, first), machine_words(first.machine, language)),
        *([] if alone else [_cases(records, language)]),
        *_made_with(page, records),
        text(say(words.RECORDS, language), say(words.COLON, language), _links(page, records, language)),
    ]
    line = tag("p", joined(DOT, told), class_="ledger-provenance")
    return text(line, _more(records, language))


def _made_with(page: Page, records: list[Record]) -> list[Html]:
    """Versions and date; of measurements also how often, and in which run."""
    first, language = records[0], page.language
    if is_prediction(first):
        version = text(say(prediction_words.VERSION, language, version=max(first.key.meters.values())))
        return [version, text(versions(first)), date(page, max(records, key=lambda record: record.started))]
    run = text(say(words.RUN, language), " ", tag("code", first.run_id))
    return [text(versions(first)), date(page, first), text(_repeats(records, language)), run]


def _more(records: list[Record], language: Language) -> Html:
    """Nothing of the machine that a prediction was made on matters to it, but for the packages."""
    first = records[0]
    terms = environment_terms(first, language)
    if not is_prediction(first):
        return folded(words.MORE, [*terms, *_run_terms(first, language)], language)
    packages = [(name, content) for name, content in terms if name == words.PACKAGES]
    commands = joined(" ", [tag("code", one) for one in dict.fromkeys(record.command for record in records)])
    more: list[Term] = [(words.COMMAND, commands), (words.ORIGIN, _origin(first, language))]
    return folded(prediction_words.MORE, [*packages, *more], language)


def is_prediction(record: Record) -> bool:
    return record.machine.slug in MODELS


def _mark(page: Page, freshness: Freshness, record: Record) -> Html:
    kind: Kind = "predicted" if is_prediction(record) else "measured"
    return text(legend_mark(page, kind, freshness, origin_of(record, page.language)), " ")


def origin_of(record: Record, language: Language) -> str:
    """Who measured or computed it with what and when, for a mark's title."""
    machine = machine_words(record.machine, language) if is_prediction(record) else record.machine.model
    return DOT.join([machine, f"{record.started:%Y-%m-%d}", _origin(record, language)])


def _origin(record: Record, language: Language) -> str:
    origins = prediction_words.COMPUTED if is_prediction(record) else words.ORIGINS
    return say(origins[record.origin], language)


def date(page: Page, record: Record) -> Html:
    """The day of a measurement; a browser adds its age, and that it is old where it is."""
    started = record.started
    return tag(
        "time", f"{started:%Y-%m-%d}", datetime=f"{started:%Y-%m-%dT%H:%M:%SZ}",
        data_old_days=str(page.old_days), data_old_word=say(words.OLD, page.language),
    )  # fmt: skip


def machine_words(machine: Machine, language: Language) -> str:
    """`AMD EPYC (2 cores, 8 GiB of memory)`; of a prediction, the model that made it."""
    if machine.slug in MODELS:
        return say(prediction_words.MODELS[machine.device], language)
    memory = f"{machine.memory_gib:g}"
    if machine.cores:
        size = say(words.CORES, language, cores=machine.cores, memory=memory)
    else:
        size = say(words.DEVICE_MEMORY, language, memory=memory)
    name = machine.model + (f" {machine.mig}" if machine.mig else "")
    return name + words.in_brackets(size, language)


def versions(record: Record) -> str:
    packages = record.environment.packages
    leading = [f"{name} {packages[name]}" for name in ("torch", "transformers") if name in packages]
    return DOT.join([f"Python {record.environment.python}", *leading])


def _repeats(records: list[Record], language: Language) -> str:
    counts = sorted({max((len(samples) for samples in record.samples.values()), default=1) for record in records})
    shown = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]}–{counts[-1]}"
    return say(words.REPEATS, language, n=shown)


def _cases(records: list[Record], language: Language) -> Html:
    return joined(words.join(["", ""], language), [tag("code", name) for name in _names(records)])


def _names(records: list[Record]) -> list[str]:
    """The cases, with their snippets where there are several."""
    several = len({record.snippet for record in records}) > 1
    return [f"{record.snippet}/{record.case}" if several else record.case for record in records]


def _links(page: Page, records: list[Record], language: Language) -> Html:
    named = zip(_names(records), records, strict=True)
    return joined(words.join(["", ""], language), [tag("a", name, href=page.record(one)) for name, one in named])


def folded(title: Text, terms: list[Term], language: Language) -> Html:
    """What a reader seldom asks for: one term a line, folded under a title."""
    told = [text(tag("dt", say(name, language)), tag("dd", content)) for name, content in terms if content]
    return tag("details", tag("summary", say(title, language)), tag("dl", *told), class_="ledger-sources")


def environment_terms(record: Record, language: Language) -> list[Term]:
    """What surrounded the device."""
    around, host = record.environment, record.environment.host_cpu
    return [
        (words.SYSTEM, around.system),
        (words.HOST_CPU, host if host != record.machine.model else None),
        (words.DEVICES_IN_BOX, str(around.devices_in_box) if record.machine.device == "cuda" else None),
        (words.DRIVER, around.driver),
        (words.CUDA, around.cuda),
        (words.PACKAGES, words.join([f"{name} {version}" for name, version in around.packages.items()], language)),
        (words.THREADS, str(around.threads)),
        (words.ALLOCATOR, around.allocator),
        (words.TF32, None if around.tf32 is None else str(around.tf32).lower()),
    ]


def _run_terms(record: Record, language: Language) -> list[Term]:
    return [
        (words.COMMAND, tag("code", record.command)),
        (words.COMMIT, _commit(record, language)),
        (words.ORIGIN, _origin(record, language)),
    ]


def _commit(record: Record, language: Language) -> Html | None:
    if record.commit is None:
        return None
    state = words.in_brackets(say(words.NOT_CLEAN, language), language) if record.clean is False else ""
    return text(tag("code", record.commit[:SHORT_COMMIT]), state)
