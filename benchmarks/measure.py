"""What a measurement hands over: a figure, the peer's from the same run, and the ratio that the gate compares."""

from __future__ import annotations

import math
import os
import resource
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

__all__ = [
    "QUICK",
    "Cpu",
    "Fit",
    "Measured",
    "Row",
    "Rows",
    "Unmeasured",
    "beside",
    "counted",
    "cpu_seconds",
    "fitted",
    "folder_bytes",
    "growth",
    "row_from_json",
    "row_to_json",
    "shown",
    "sized",
]

QUICK = "ASSAY_BENCH_QUICK"  # set: small sizes, to see that everything runs

Better: TypeAlias = Literal["less", "more"]
SizeT = TypeVar("SizeT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One figure. ``ratio`` is free of the machine's speed; without one the figure is shown and never compared."""

    name: str
    value: float
    unit: str = ""
    peer: str = ""  # who was measured beside us
    theirs: float | None = None  # the same figure of the peer
    ratio: float | None = None
    better: Better = "less"
    tolerance: float | None = None  # share by which the ratio may worsen; None: what the gate is told


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmeasured:
    """A figure, or a group of them, that could not be taken here: a missing peer, missing data."""

    name: str  # the beginning of the names of the figures that are missing
    reason: str


Row: TypeAlias = Measured | Unmeasured
Rows: TypeAlias = Iterator[Row]


def beside(name: str, ours: float, unit: str, *, peer: str, theirs: float, tolerance: float | None = None) -> Measured:
    """Ours and a peer's in the same run; less is better.

    >>> beside("explaining", 0.4, "s", peer="case-explainer", theirs=8.0).ratio
    0.05
    """
    ratio = ours / theirs if theirs else math.nan
    return Measured(name=name, value=ours, unit=unit, peer=peer, theirs=theirs, ratio=ratio, tolerance=tolerance)


def counted(name: str, value: float, unit: str, *, better: Better = "less", tolerance: float | None = None) -> Measured:
    """A figure that does not depend on the machine's speed and can be compared itself: bytes, shares, counts."""
    return Measured(name=name, value=value, unit=unit, ratio=value, better=better, tolerance=tolerance)


def shown(name: str, value: float, unit: str) -> Measured:
    """A figure to look at, such as seconds."""
    return Measured(name=name, value=value, unit=unit)


class Fit(NamedTuple):
    """A line through logarithms: figures grow as size to the power of ``exponent``."""

    exponent: float
    at_one: float


def fitted(sizes: Sequence[float], figures: Sequence[float]) -> Fit:
    """Least squares on log-log scale.

    >>> round(fitted([10, 100, 1000], [3, 30, 300]).exponent, 6)
    1.0
    """
    pairs = [(size, figure) for size, figure in zip(sizes, figures, strict=True) if size > 0 and figure > 0]
    if len(pairs) < 2:
        return Fit(math.nan, math.nan)
    logs = np.log([pair[0] for pair in pairs]), np.log([pair[1] for pair in pairs])
    slope, start = np.polyfit(*logs, 1)
    return Fit(float(slope), float(np.exp(start)))


def growth(name: str, sizes: Sequence[float], figures: Sequence[float], *, tolerance: float | None = None) -> Measured:
    """The exponent of a curve; compared is the factor per doubling of the size, which also makes sense near 0.

    >>> round(growth("index", [1, 2, 4], [5, 10, 20]).ratio, 6)
    2.0
    """
    exponent = fitted(sizes, figures).exponent
    return Measured(name=name, value=exponent, unit="exponent", ratio=2.0**exponent, tolerance=tolerance)


def row_to_json(row: Row) -> dict[str, Any]:
    """Plain values; what is undefined is null."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in asdict(row).items()
    }


def row_from_json(body: dict[str, Any]) -> Row:
    """The inverse of :func:`row_to_json`; an undefined value is nan."""
    if "reason" in body:
        return Unmeasured(**body)
    return Measured(**{**body, "value": math.nan if body["value"] is None else body["value"]})


def sized(full: SizeT, quick: SizeT) -> SizeT:
    """The size of a measurement: the full one, or the small one of ``python -m benchmarks --quick``."""
    return quick if os.environ.get(QUICK) else full


def cpu_seconds() -> float:
    """Of this process and of all its children that have ended."""
    usages = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


class Cpu:
    """CPU seconds of a block, children that ended in it included."""

    seconds = math.nan

    def __enter__(self) -> Cpu:
        self._start = cpu_seconds()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = cpu_seconds() - self._start


def folder_bytes(folder: Path, *, apart: Sequence[str] = ()) -> int:
    """Bytes of all files below a folder, without some of its entries."""
    return sum(
        path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file() and path.relative_to(folder).parts[0] not in apart
    )
