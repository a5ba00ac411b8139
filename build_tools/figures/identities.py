"""What must be true of one run's figures, whoever reports it: arithmetic that needs no device, and no trust.

Each identity is a product of quantities on either side. Where a source gives all of them it is checked, where it leaves
one out that one follows. Printed figures are rounded, so both are as exact as the last digit printed allows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, prod

from build_tools.figures.claimed import claimed
from build_tools.figures.derive import printed, weakest
from build_tools.figures.units import one_of
from build_tools.ledger.claims import Claims
from build_tools.metrics import METERS, QUANTITIES
from build_tools.model import Figure, Metric, Text

Quantities = dict[str, Figure]


@dataclass(frozen=True)
class Identity:
    """`product(left) = product(right)`, by the names of metrics."""

    name: str
    label: Text
    left: tuple[str, ...]
    right: tuple[str, ...]

    @property
    def quantities(self) -> tuple[str, ...]:
        return (*self.left, *self.right)


IDENTITIES = (
    Identity(
        "throughput", Text(zh="吞吐量 × 用时 = 样本数", en="throughput × time = samples"),
        ("samples_per_second", "seconds"), ("samples",),
    ),
    Identity(
        "steps", Text(zh="每秒步数 × 用时 = 优化器步数", en="steps per second × time = optimizer steps"),
        ("steps_per_second", "seconds"), ("optimizer_steps",),
    ),
    # Where the last window is short, it holds for the mean of the windows.
    Identity(
        "batch", Text(zh="优化器步数 × 有效批大小 = 样本数", en="optimizer steps × effective batch = samples"),
        ("optimizer_steps", "effective_batch"), ("samples",),
    ),
    Identity(
        "devices",
        Text(
            zh="微批次 × 累积步数 × 设备数 = 有效批大小",
            en="micro-batch × accumulation steps × devices = effective batch",
        ),
        ("micro_batch", "accumulation_steps", "devices"), ("effective_batch",),
    ),
)  # fmt: skip
STEPS = Identity(
    "step-count",
    Text(
        zh="优化器步数 = ⌈⌈样本数 ÷（微批次 × 设备数）⌉ ÷ 累积步数⌉",
        en="optimizer steps = ⌈⌈samples ÷ (micro-batch × devices)⌉ ÷ accumulation steps⌉",
    ),
    ("optimizer_steps",), ("samples", "micro_batch", "devices", "accumulation_steps"),
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """One identity of one run. `agrees` is None where a quantity followed from it, and there was nothing to check."""

    identity: Identity
    agrees: bool | None
    figures: tuple[Figure, ...]


def consistency(claims: Claims, run: str) -> tuple[Finding, ...]:
    """What the figures of a run say of each other. Raises LedgerError for an unknown run."""
    known, findings = _worked_out(claims, run)
    return (*findings, *_step_count(known))


def quantities(claims: Claims, run: str) -> Mapping[str, Figure]:
    """What a run's source reports, and what follows from it, by metric. Raises LedgerError for an unknown run."""
    return _worked_out(claims, run)[0]


def _worked_out(claims: Claims, run: str) -> tuple[Quantities, list[Finding]]:
    """All quantities of the run, and each identity that they are enough for. What is derived is used further."""
    known = {claim.metric: claimed(claim) for claim in claims.of_run(run) if claim.metric and claim.value is not None}
    findings, waiting, before = [], list(IDENTITIES), None
    while waiting != before:
        before = list(waiting)
        for identity in before:
            missing = [name for name in identity.quantities if name not in known]
            if len(missing) > 1:
                continue
            if missing:
                known[missing[0]] = _solved(identity, missing[0], known, run)
            figures = tuple(known[name] for name in identity.quantities)
            findings.append(Finding(identity, None if missing else _agree(identity, known), figures))
            waiting.remove(identity)
    return known, sorted(findings, key=lambda finding: IDENTITIES.index(finding.identity))


def _agree(identity: Identity, known: Mapping[str, Figure]) -> bool:
    left, right = (prod(_base(known[name]) for name in side) for side in (identity.left, identity.right))
    return abs(left - right) <= _slack([known[name] for name in identity.quantities]) * abs(right)


def _solved(identity: Identity, missing: str, known: Mapping[str, Figure], run: str) -> Figure:
    """The one quantity left out, with the arithmetic that gives it."""
    here, there = (
        (identity.left, identity.right) if missing in identity.left else (identity.right, identity.left)
    )  # fmt: skip
    divisors = tuple(name for name in here if name != missing)
    inputs = tuple(known[name] for name in (*there, *divisors))
    value = prod(_base(known[name]) for name in there) / (prod(_base(known[name]) for name in divisors) or 1.0)
    metric: Metric = QUANTITIES.get(missing) or METERS[missing]
    return Figure(
        reference=f"{run}/{missing}", metric=missing, unit=metric.unit, label=metric.label,
        decimals=metric.decimals, kind="derived", freshness="fresh", value=value / one_of(metric.unit).value, n=1,
        inputs=inputs, weakest=weakest(inputs), arithmetic=_arithmetic(there, divisors, known),
    )  # fmt: skip


def _arithmetic(factors: tuple[str, ...], divisors: tuple[str, ...], known: Mapping[str, Figure]) -> str:
    above, below = (" × ".join(printed(known[name]) for name in names) for names in (factors, divisors))
    if not divisors:
        return above
    return f"{above} / {f'({below})' if len(divisors) > 1 else below}"


def _base(figure: Figure) -> float:
    assert figure.value is not None
    return figure.value * one_of(figure.unit).value


def _slack(figures: list[Figure]) -> float:
    """Relative: half a unit in the last digit printed, of every figure that a rounding could have touched.

    Rounding errors of factors add up to first order (JCGM 100:2008, 5.1.6, with the errors at their bounds).
    """
    rounded = [figure for figure in figures if figure.value and not _whole(figure)]
    return sum(0.5 * 10.0**-figure.decimals / abs(figure.value or 1.0) for figure in rounded)


def _whole(figure: Figure) -> bool:
    """Samples, steps and devices are counted: as claims they are exact."""
    return figure.metric in QUANTITIES and figure.claim is not None and float(figure.value or 0).is_integer()


def _step_count(known: Quantities) -> list[Finding]:
    """Windows end with the epoch, so the steps of one epoch are rounded up, twice."""
    if any(name not in known for name in STEPS.quantities):
        return []
    epochs = known["epochs"].value if "epochs" in known else 1
    samples, micro_batch, devices, window = (round(known[name].value or 0) for name in STEPS.right)
    if not all((samples, micro_batch, devices, window)):
        return []
    steps = (epochs or 1) * ceil(ceil(samples / (micro_batch * devices)) / window)
    agrees = round(known["optimizer_steps"].value or 0) == steps
    return [Finding(STEPS, agrees, tuple(known[name] for name in STEPS.quantities))]
