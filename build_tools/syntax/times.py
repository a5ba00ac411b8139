"""Times in a video, `07:45` or `1:02:03`: within one section they do not go back, and none lies beyond the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from build_tools.errors import LedgerError, quoted
from build_tools.model.claim import TIME

EXAMPLE = "{at}`07:45`, or {at}`1:02:03` beyond the first hour"


@dataclass(frozen=True)
class Video:
    """What a page is about, by its front matter. `length` is in seconds; None where the page does not say."""

    url: str | None = None
    length: int | None = None

    def link(self, seconds: int) -> str | None:
        """The address of this moment, as YouTube and Bilibili read it."""
        if self.url is None:
            return None
        address, hash_sign, fragment = self.url.partition("#")
        return f"{address}{'&' if '?' in address else '?'}t={seconds}{hash_sign}{fragment}"


def seconds_of(text: str) -> int | None:
    """`07:45` is 465; None for what is no time."""
    found = TIME.fullmatch(text)
    return int(found["hours"] or 0) * 3600 + int(found["minutes"]) * 60 + int(found["seconds"]) if found else None


def time_problems(times: Iterable[tuple[int, str]], video: Video | None) -> Iterator[LedgerError | None]:
    """What is wrong with each of these: the number of its section, and its text."""
    last: tuple[int, int, str] | None = None  # section, seconds, as written
    for section, text in times:
        seconds = seconds_of(text)
        if seconds is None:
            yield LedgerError(f"{quoted(text)} is no time", example=EXAMPLE)
            continue
        if last and last[0] == section and seconds < last[1]:
            yield LedgerError(f"{text} stands behind {last[2]}: within a section, times go forward", example=EXAMPLE)
            continue
        last = section, seconds, text
        beyond = video is not None and video.length is not None and seconds > video.length
        yield LedgerError(f"{text} lies beyond the end of the video", example=EXAMPLE) if beyond else None
