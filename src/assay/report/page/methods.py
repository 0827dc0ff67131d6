"""Definitions of metrics, versions, and the contents that were run."""

from __future__ import annotations

import inspect
import platform
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from assay.core import Aggregate, Goal, Metric
from assay.report.track_records import TrackRecords
from assay.report.wording import format_number
from assay.stats import RecordTable
from assay.stats.record_table import decode_label
from assay.version import __version__

__all__ = ["Content", "Definition", "contents", "definitions", "formula", "software"]

_FORMULA = re.compile(r"^\s*\$\$(.+?)\$\$", re.DOTALL | re.MULTILINE)  # those that stand on lines of their own
_PACKAGES = ("numpy", "scikit-learn")


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A metric or an aggregate as its docstring defines it; ``version`` is the one that scored the records."""

    name: str
    summary: str
    formula: str
    goal: Goal
    floor: str
    version: int


class Content(NamedTuple):
    """A problem or subject by name and digest: an edited one is another one."""

    name: str
    digest: str


def formula(definition: Callable[..., object]) -> str:
    r"""The formulas in a docstring, as TeX text, a line each; empty when there is none.

    >>> def half(x):
    ...     '''Half of it.
    ...
    ...     $$h = x / 2$$
    ...     '''
    >>> formula(half)
    'h = x / 2'
    """
    formulas = _FORMULA.findall(inspect.getdoc(definition) or "")
    return "\n".join(" ".join(text.split()) for text in formulas)


def definitions(results: TrackRecords) -> tuple[Definition, ...]:
    """Every metric of the track, then every aggregate."""
    used = {
        name: number
        for text in results.table.labels["versions"].values
        for name, number in decode_label("versions", text).items()
    }
    own = {facts.name: facts for facts in results.run.metrics if facts.source}

    def define(entry: Metric[Any] | Aggregate, function: Callable[..., object], floor: str, version: int) -> Definition:
        text, facts = entry.summary, own.get(entry.name)
        return Definition(
            name=entry.name,
            summary=text if facts is None else f"{text} (from {facts.text}, source {entry.source[:12]})".strip(),
            formula=formula(function),
            goal=entry.goal,
            floor=floor,
            version=version,
        )

    metrics, aggregates = results.track.metrics, results.track.aggregates
    floors = ["depends on the problem" if callable(entry.floor) else format_number(entry.floor) for entry in metrics]
    return (
        *(
            define(entry, entry.definition, floor, used.get(entry.name, entry.version))
            for entry, floor in zip(metrics, floors, strict=True)
        ),
        *(define(entry, entry.function, "none: it spans problems", entry.version) for entry in aggregates),
    )


def contents(results: TrackRecords) -> tuple[tuple[Content, ...], tuple[Content, ...]]:
    """The problems and the subjects behind the records, by name."""
    return _contents(results.table, "problem"), _contents(results.table, "subject")


def _contents(table: RecordTable, kind: str) -> tuple[Content, ...]:
    names, digests = table.labels[kind], table.labels[f"{kind}_digest"]
    pairs = set(zip(names.codes.tolist(), digests.codes.tolist(), strict=True))
    return tuple(sorted(Content(names.values[name], digests.values[digest]) for name, digest in pairs))


def software() -> dict[str, str]:
    """The versions of what computes the statistics and writes the report."""
    versions = {"Assay": __version__, "Python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions
