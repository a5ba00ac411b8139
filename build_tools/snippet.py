"""What `snippet.toml` declares: parameters, profiles, cases and metrics, checked against each other."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, PrivateAttr, StringConstraints, model_validator

from build_tools.errors import MisfitError, clipped, quoted
from build_tools.metrics import METERS, declared
from build_tools.model import Data, Metric, Name, Needs, Parameters, Pass, Scalar, Text, merged

ALL_PASSES: tuple[Pass, ...] = ("time", "memory", "tensors")
PARAMETER = re.compile(r"[a-z_][a-z0-9_]*")
A_WEEK = 7 * 24 * 3600

# What is right, by the keys of snippet.toml; shown with every error.
EXAMPLES: Mapping[str, str] = {
    "": '[cases.plain], and so on as in snippets/trainer/snippet.toml',
    "title": 'title = { zh = "手写的循环", en = "A hand-written loop" }',
    "preload": 'preload = ["torch", "transformers.trainer"]',
    "timeout_s": "timeout_s = 300",
    "baseline": 'baseline = "plain"',
    "repeats": "repeats = { quick = 5, full = 3 }",
    "parameters": "layers = 24 below [parameters]",
    "profiles": "[profiles.quick]",
    "cases": "[cases.plain]",
    "cases.*.like": 'like = "plain"',
    "cases.*.profiles": 'profiles = ["full"]',
    "metrics": '[metrics.loss] with unit = "1", decimals = 4, label = { zh = "训练损失", en = "training loss" }',
} | {
    f"{table}.*.{key}": example
    for table in ("profiles", "cases")
    for key, example in {
        "needs": 'needs = { device = "cuda", memory_gib = 16 }',
        "baseline": 'baseline = "plain"',
        "short": "short = { samples = 32 }",
        "passes": 'passes = ["time", "memory", "tensors"]',
    }.items()
}  # fmt: skip


def _each_once(passes: tuple[Pass, ...] | None) -> tuple[Pass, ...] | None:
    """A check comes first whatever is asked for; a report stands alone, as it opens no window."""
    given = passes or ()
    if len(set(given)) != len(given) or "check" in given or ("report" in given and len(given) > 1):
        raise ValueError('passes are some of "time", "memory" and "tensors", each once, or "report" alone')
    return passes


Module = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$")]
Passes = Annotated[tuple[Pass, ...] | None, AfterValidator(_each_once)]


class Layer(Data):
    """A profile or a case: some reserved keys, and parameters that replace earlier ones."""

    needs: Needs | None = None
    baseline: Name | None = None
    short: Parameters = {}
    passes: Passes = Field(default=None, strict=False, min_length=1)
    parameters: Parameters = {}

    @model_validator(mode="before")
    @classmethod
    def sort_keys(cls, table: Any) -> Any:
        """In the file, parameters stand beside the reserved keys; here they get a table of their own."""
        if not isinstance(table, dict):
            return table
        reserved = set(cls.model_fields) - {"parameters"}
        own = {key: value for key, value in table.items() if key in reserved}
        return {**own, "parameters": {key: value for key, value in table.items() if key not in reserved}}


class Profile(Layer):
    """A scale at which all cases run."""


class Case(Layer):
    """One configuration. `like` names the case it starts from; `profiles` limits where it runs."""

    like: Name | None = None
    profiles: tuple[Name, ...] | None = Field(default=None, strict=False, min_length=1)


class Snippet(Data):
    """A folder below `snippets/`: one program and the cases it is run in."""

    title: Text
    preload: tuple[Module, ...] = Field(default=(), strict=False)
    timeout_s: float = Field(default=300, gt=0, le=A_WEEK)
    baseline: Name | None = None
    repeats: dict[Name, Annotated[int, Field(ge=1, le=1000)]] = {}
    parameters: Parameters = {}
    profiles: dict[Name, Profile] = Field(min_length=1)
    cases: dict[Name, Case] = Field(min_length=1)
    metrics: dict[Name, Metric] = {}
    _folder: Path = PrivateAttr(default=Path())

    def in_folder(self, folder: Path) -> Snippet:
        """The same snippet, and where it was read."""
        snippet = self.model_copy()
        snippet._folder = folder
        return snippet

    @property
    def folder(self) -> Path:
        return self._folder

    @property
    def name(self) -> str:
        return self.folder.name

    def lineage(self, case: str) -> list[Case]:
        """The case and those it is like, oldest first."""
        chain = [self.cases[case]]
        while chain[0].like is not None:
            chain.insert(0, self.cases[chain[0].like])
        return chain

    def parameters_of(self, case: str, profile: str, *, short: bool = False) -> Parameters:
        """`p`: the snippet's parameters, then the profile's, then the case's; later wins."""
        layers: list[Layer] = [self.profiles[profile], *self.lineage(case)]
        cut = [layer.short for layer in layers] if short else []
        return merged(self.parameters, *(layer.parameters for layer in layers), *cut)

    def short_of(self, case: str, profile: str) -> Parameters:
        """What memory and tensor passes replace, so that they need not last as long as the timed ones."""
        return merged(*(layer.short for layer in [self.profiles[profile], *self.lineage(case)]))

    def needs_of(self, case: str, profile: str) -> Needs:
        asked = [layer.needs for layer in [self.profiles[profile], *self.lineage(case)] if layer.needs]
        return asked[-1] if asked else Needs()

    def passes_of(self, case: str, profile: str) -> tuple[Pass, ...]:
        asked = [layer.passes for layer in [self.profiles[profile], *self.lineage(case)] if layer.passes]
        return asked[-1] if asked else ALL_PASSES

    def baseline_of(self, case: str) -> str | None:
        asked = [layer.baseline for layer in self.lineage(case) if layer.baseline]
        return asked[-1] if asked else self.baseline

    def repeats_of(self, profile: str) -> int:
        return self.repeats.get(profile, 5)

    def cases_in(self, profile: str) -> list[str]:
        """The cases that run at a profile, in the file's order."""
        return [name for name, case in self.cases.items() if case.profiles is None or profile in case.profiles]

    def metric(self, name: str) -> Metric | None:
        return declared(self.metrics).get(name)

    @model_validator(mode="after")
    def agree(self) -> Snippet:
        """Names that tables use of each other exist, and values keep the type of the parameter's default."""
        self._check_names()
        self._check_parameter_names()
        for table, layers in (("profiles", self.profiles), ("cases", self.cases)):
            for name, layer in layers.items():
                self._check_parameters((table, name), layer.parameters)
                self._check_parameters((table, name, "short"), layer.short)
        return self

    def _check_names(self) -> None:
        for name, case in self.cases.items():
            self._known("case", case.like, self.cases, ("cases", name, "like"))
            self._known("case", case.baseline, self.cases, ("cases", name, "baseline"))
            for profile in case.profiles or ():
                self._known("profile", profile, self.profiles, ("cases", name, "profiles"))
            self._check_circle(name)
        self._known("case", self.baseline, self.cases, ("baseline",))
        for profile in self.repeats:
            self._known("profile", profile, self.profiles, ("repeats", profile))
        for metric in set(self.metrics) & set(METERS):
            raise MisfitError(f"{metric!r} is a built-in meter", path=("metrics", metric), example="[metrics.loss]")

    def _check_parameter_names(self) -> None:
        """A program reads `p.name`, and a case sets `name` beside its reserved keys."""
        reserved = set(Case.model_fields)
        for name in self.parameters:
            if name in reserved or keyword.iskeyword(name) or not PARAMETER.fullmatch(name):
                raise MisfitError(
                    f"{quoted(name)} cannot be a parameter: programs read it as p.{clipped(name)}",
                    path=("parameters", name), example="micro_batch = 4",
                )  # fmt: skip

    def _check_circle(self, name: str) -> None:
        seen, at = {name}, self.cases[name].like
        while at is not None and at in self.cases:
            if at in seen:
                raise MisfitError(f"case {name!r} is like itself", path=("cases", name, "like"))
            seen.add(at)
            at = self.cases[at].like

    def _known(self, what: str, name: str | None, among: dict[str, Any], path: tuple[str, ...]) -> None:
        if name is not None and name not in among:
            raise MisfitError(f"there is no {what} {quoted(name)} here; there are {', '.join(among)}", path=path)

    def _check_parameters(self, path: tuple[str, ...], given: Parameters) -> None:
        for name, value in given.items():
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise MisfitError(
                    f"{quoted(name)} is not a parameter of this snippet; there are: {known}",
                    path=(*path, name),
                    example=clipped(f"[parameters] {name} = {shown(value)}"),
                )
            if not same_type(self.parameters[name], value):
                default = self.parameters[name]
                raise MisfitError(
                    f"{name} is {kind_of(default)}, not {kind_of(value)}", path=(*path, name),
                    example=clipped(f"{name} = {shown(default)}"),
                )  # fmt: skip


def same_type(default: Scalar, value: Scalar) -> bool:
    """Whether a value may stand for a default: the same type, or a whole number for a real one."""
    return type(default) is type(value) or (type(default) is float and type(value) is int)


def kind_of(value: Scalar) -> str:
    return {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}[type(value)]


def shown(value: Scalar) -> str:
    """A scalar as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
