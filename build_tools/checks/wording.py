"""How people write numbers, units and comparisons in Chinese and English, as patterns."""

from __future__ import annotations

import re
from typing import Literal

Measure = Literal["time", "memory", "rate", "speed", "ratio", "percent"]

CHINESE = {"零": 0, "半": 0.5, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
TENS = {"十": 10, "百": 100, "千": 1000, "万": 10000}
ENGLISH = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "hundred": 100,
}  # fmt: skip

DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
HAN = r"[零半一二两三四五六七八九十百千万]+"
WORD = rf"\b(?:(?:a|one|two|three)[ -])?(?:{'|'.join(ENGLISH)})\b"
MARKUP = r"[*_]{0,3}"  # of **30** s
GAP = rf"{MARKUP}[ \t\u00a0\u202f]*(?:\n[ \t>]*)?{MARKUP}-?(?:个|余|多)?"
END = r"(?![A-Za-z0-9])"
MORE = "(?:fast|slow|larg|small|bigg|high|low|long|short|great|cheap|heavi|light)er"
COMPARED = rf"(?:as|more|less|fewer|the|its|that|what|too|over|better|worse|{MORE})\b"
A_SECOND = r"\s?(?:/|每|per )\s?(?:秒|s|sec|second)"

# Units as people write them, and what they are: measure, a unit of `figures.units`, and how many of that unit.
UNITS: tuple[tuple[str, Measure, str | None, float], ...] = (
    (rf"(?:samples?|sequences?|examples?|images?){A_SECOND}", "rate", "samples/s", 1),
    (rf"(?:条|样本|条样本|个样本|条序列|张){A_SECOND}", "rate", "samples/s", 1),
    (rf"(?:tokens?|tok|个 ?token){A_SECOND}", "rate", "tokens/s", 1),
    (rf"(?:it|its|iterations?|steps?|batch(?:es)?|步|次|个 ?batch){A_SECOND}", "rate", "1/s", 1),
    (rf"[KMGT]i?B{A_SECOND}|[KMGT]bps", "speed", None, 1),
    (r"[KMGTPE]FLOPS?(?:/s)?|[KMGTPE]FLOP/s|TOPS", "speed", None, 1),
    (r"毫秒|msecs?|ms|milliseconds?", "time", "ms", 1),
    (r"微秒|[µμu]s|microseconds?", "time", "ms", 1e-3),
    (r"纳秒|ns|nanoseconds?", "time", "ms", 1e-6),
    (r"秒钟?|s|secs?|seconds?", "time", "s", 1),
    (r"分钟|mins?|minutes?", "time", "min", 1),
    (r"小时|hrs?|hours?|h", "time", "h", 1),
    (r"KiB|[Kk][Bb]", "memory", "KiB", 1),
    (r"MiB|[Mm][Bb]|兆", "memory", "MiB", 1),
    (r"GiB|[Gg][Bb]|G", "memory", "GiB", 1),
    (r"TiB|[Tt][Bb]", "memory", "GiB", 1024),
    (r"[%％]|per ?cent(?!ile)|percentage points?|个百分点", "percent", "1", 0.01),
    (r"倍(?!数)", "ratio", "1", 1),
    (rf"[xX×](?!\s?[\w$√(])|[xX×](?= {COMPARED})", "ratio", "1", 1),
    (r"-?fold", "ratio", "1", 1),
)
NUMBER_UNIT = re.compile(
    rf"(?P<number>{DIGITS}|{HAN}|{WORD}){GAP}(?:"
    + "|".join(f"(?P<u{position}>{unit}){END}" for position, (unit, *_) in enumerate(UNITS))
    + ")",
)
TIMES = re.compile(rf"(?P<number>{DIGITS}|{WORD}|\bseveral|\bmany){GAP}times(?={MARKUP}\s+{COMPARED})")
PER_SECOND = re.compile(
    rf"每秒[^，。；\n\x00\d]{{0,6}}?(?P<number>{DIGITS})\s*(?P<what>条|个样本|样本|张|步|次|个 ?token|token)"
)
PERCENT_OF = re.compile(rf"百分之\s?(?P<number>{DIGITS}|{HAN})")
FACTOR = re.compile(rf"\bfactors? of (?:about |roughly |nearly )?{MARKUP}(?P<number>{DIGITS}|{WORD})")

# Comparisons without a digit, and the ratio they stand for (None: none in particular).
NEARLY = "(?:about|roughly|nearly|almost|around|over|than)"
WORDS: tuple[tuple[str, float | None], ...] = (
    (r"翻(?:了)?(?:一)?[倍番]|加倍|倍增", 2),
    (r"翻(?:了)?(?P<doublings>[两二三四])番", 2),
    (r"(?:几|数|好几|数十|几十|上百)倍|成倍(?!数)", None),
    (r"减半|折半|砍半|一半|半数", 0.5),
    (r"[二三四五六七八九十]分之[一二两三四五六七八九]", None),
    (r"(?:一|两|几|三|数)个数量级", None),
    (r"[二两三四五六七八九]成(?![员立为功果本了交分就长型形绩都语])", None),
    (rf"\btwice(?=\s+{COMPARED})|\b{NEARLY} twice\b", 2),
    (r"\bdoubl(?:es|ed|ing)\b(?!-)", 2),
    (r"\btripl(?:es|ed|ing)\b", 3),
    (r"\bquadrupl(?:es|ed|ing)\b", 4),
    (r"(?<!both )(?<!two )(?<!the )\bhalv(?:es|ed|ing|e)\b", 0.5),
    (rf"\bhalf(?=\s+(?:the|of|as|its|that|an?)\b)|\b(?:by|in|{NEARLY}) half\b", 0.5),
    (r"\b(?:one|a|two|three)[ -](?:third|quarter|fifth|tenth)s?(?=\s+(?:of|as|less|more|the|faster|slower)\b)", None),
    (r"\borders? of magnitude\b|\b(?:two|three|four|five|six|eight|ten)-?fold\b", None),
)
# Most signs of a page begin no such word, and are passed over by this alone.
FIRST_SIGN = r"(?=[翻加倍几数好上成减折砍一半二三四五六七八九十两]|\b[A-Za-z])"
IN_WORDS = re.compile(
    f"{FIRST_SIGN}(?:{'|'.join(f'(?P<w{position}>{word})' for position, (word, _) in enumerate(WORDS))})", re.I
)

# What only looks like one of these.
MAKES = "(?:RTX|GTX|Tesla|NVIDIA|GeForce|Quadro|A|V|H|B|L|T|P|MI)"
CARD = rf"{MAKES}[ -]?\d{{2,4}}[A-Za-z]{{0,3}}(?:[ -](?:SXM\d?|PCIe|NVL|Ti|SUPER))*"
BEFORE_CARD = re.compile(rf"\s?(?:的|of |显存的)?\s?{CARD}\b")
BEHIND_CARD = re.compile(rf"\b{CARD}(?:[ -]\(?| with )$")
IDENTIFIER = re.compile(r"[A-Za-z][\w.:/@+-]*$|[\w.]*/$")  # letters that a number is glued to
ORDINAL = re.compile(r"第\s?$")
IDIOMS = re.compile(
    r"(?:说|做|答|猜)?对了一半|一半一半|事半功倍|半斤八两|[前后另]一半|half (?:right|true|the truth)"
    r"|(?:first|second|latter|other|last|left|right|upper|lower) half"
)
WHOLE_MULTIPLE = re.compile(r"[整倍]$")
DECADE = re.compile(r"(?:1[89]|20)\d0s")
