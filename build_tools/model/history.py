"""What stays of a good record once a newer one has taken its place: one line of a history."""

from __future__ import annotations

import hashlib
import statistics

from pydantic import AwareDatetime

from build_tools.model.base import Data, canonical_json
from build_tools.model.record import Key, Origin, Record


class Past(Data):
    """One run of a case on one machine. `samples` are the raw ones in their metrics' units; `last` ends of series.

    `key` is a digest of the record's: points with equal keys measured the same. `digest` detects damage.
    """

    run_id: str
    started: AwareDatetime
    commit: str | None = None
    origin: Origin
    key: str
    devices: int = 1
    python: str
    packages: dict[str, str]
    driver: str | None = None
    cuda: str | None = None
    samples: dict[str, tuple[float, ...]] = {}
    last: dict[str, float] = {}
    digest: str = ""

    @classmethod
    def of(cls, record: Record) -> Past:
        """What is kept of a record."""
        around = record.environment
        return cls(
            run_id=record.run_id, started=record.started, commit=record.commit, origin=record.origin,
            key=key_digest(record.key), devices=record.devices, python=around.python, packages=around.packages,
            driver=around.driver, cuda=around.cuda, samples=record.samples,
            last={name: series.y[-1] for name, series in record.series.items() if series.y},
        ).sealed()  # fmt: skip

    def median(self, metric: str) -> float | None:
        """The centre of a metric's samples, or the last value of a series; None where there is neither."""
        if values := self.samples.get(metric):
            return statistics.median(values)
        return self.last.get(metric)

    def content_digest(self) -> str:
        content = self.model_dump(mode="json", exclude={"digest"}, exclude_defaults=True)
        return hashlib.sha256(canonical_json(content).encode()).hexdigest()[:16]

    def sealed(self) -> Past:
        return self.model_copy(update={"digest": self.content_digest()})

    @property
    def damaged(self) -> bool:
        return self.digest != self.content_digest()


def key_digest(key: Key) -> str:
    """16 hex digits that differ where two results are not of the same program, parameters, machine and meters."""
    return hashlib.sha256(canonical_json(key.model_dump(mode="json")).encode()).hexdigest()[:16]
