"""Where two formulas are compared: a declared box, or the first of several in which both have values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput
from assay.formula.expression.program import FloatArray

__all__ = [
    "BOXES",
    "FEWEST",
    "POINTS",
    "Domain",
    "Points",
    "Sample",
    "by_name",
    "candidates",
    "check_domain",
    "parse_domain",
    "widened",
]

Domain: TypeAlias = Mapping[str, tuple[float, float]]
Order: TypeAlias = Literal["", "ascending", "descending"]
Points: TypeAlias = dict[str, FloatArray]

POINTS = 400
FEWEST = 50
# tried in this order where no domain is declared
BOXES: tuple[tuple[float, float], ...] = ((1.0, 5.0), (0.5, 3.0), (0.1, 1.0))
# a formula that exists on a small part of its box only: so many more draws are made
_PATIENCE = 16
_REJECTED = 4

_ENTRY = re.compile(r"\s*(?P<name>[^=]+?)\s*=\s*(?P<low>[^:]+?)\s*:\s*(?P<high>[^:]+?)\s*")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """Points, and where they come from in words."""

    points: Points
    box: str
    bounds: Domain | None = None  # where every point of the box may be asked for
    rejected: Points = field(default_factory=dict)  # some that lack a value

    def take(self, chosen: npt.NDArray[Any]) -> Points:
        """Some of the points."""
        return {name: values[chosen] for name, values in self.points.items()}


def parse_domain(text: str) -> dict[str, tuple[float, float]]:
    """A domain as the command line writes it.

    >>> parse_domain("x=0:5, y=-1:1")
    {'x': (0.0, 5.0), 'y': (-1.0, 1.0)}
    """
    domain: dict[str, tuple[float, float]] = {}
    for entry in text.split(","):
        match = _ENTRY.fullmatch(entry)
        if match is None:
            raise InvalidInput(f'domain: {entry.strip()!r} is not of the form name=low:high, as in "x=0:5,y=-1:1".')
        if match["name"] in domain:
            raise InvalidInput(f"domain: {match['name']!r} is given twice; keep one of its ranges.")
        try:
            domain[match["name"]] = (float(match["low"]), float(match["high"]))
        except ValueError:
            raise InvalidInput(
                f"domain: the bounds of {match['name']!r} must be numbers, got {entry.strip()!r}."
            ) from None
    return check_domain(domain)


def check_domain(domain: Domain, needed: Sequence[str] = ()) -> dict[str, tuple[float, float]]:
    """The domain, or an error that names what is wrong with it."""
    value: object = domain
    if isinstance(value, str):
        return parse_domain(value)
    if not isinstance(value, Mapping):
        raise InvalidInput(f"domain: must be a mapping of names to bounds, as {{'x': (0, 5)}}, got {domain!r:.60}.")
    box: dict[str, tuple[float, float]] = {}
    for name, bounds in domain.items():
        if not isinstance(bounds, Sequence | np.ndarray) or len(bounds) != 2 or isinstance(bounds, str):
            raise InvalidInput(f"domain: {name!r} needs two bounds, as {{{name!r}: (0, 5)}}, got {bounds!r:.60}.")
        try:
            low, high = map(float, bounds)
        except (TypeError, ValueError):
            raise InvalidInput(f"domain: the bounds of {name!r} must be numbers, got {bounds!r:.60}.") from None
        if not (np.isfinite(low) and np.isfinite(high) and low <= high):
            raise InvalidInput(f"domain: {name!r} needs two finite bounds, the lower one first, got {low}:{high}.")
        box[name] = (low, high)
    missing = [name for name in needed if name not in domain]
    if missing:
        raise InvalidInput(f"domain: there are no bounds for the variable {missing[0]!r}; give {missing[0]}=low:high.")
    return box


def candidates(
    names: Sequence[str], domain: Domain | None, exists: Callable[[Points], FloatArray], *, seed: int
) -> Iterator[Sample]:
    """Samples to try, best first; points where ``exists`` is false are replaced as far as patience goes."""
    rng = np.random.default_rng(seed)
    if domain is not None:
        text = ", ".join(f"{name} in {low:g}..{high:g}" for name, (low, high) in domain.items() if name in names)
        yield _draw({name: domain[name] for name in names}, "", exists, rng, text)
        return
    orders: tuple[Order, ...] = ("", "ascending", "descending") if len(names) > 1 else ("",)
    for low, high in BOXES:
        for order in orders:
            text = f"all variables in {low:g}..{high:g}" + (f", {order} in their order" if order else "")
            yield _draw(dict.fromkeys(names, (low, high)), order, exists, rng, text)


def _draw(
    box: Domain, order: Order, exists: Callable[[Points], FloatArray], rng: np.random.Generator, text: str
) -> Sample:
    accepted: list[FloatArray] = []
    rejected: list[FloatArray] = []
    count = 0
    low, high = np.array(list(box.values())).T
    for _ in range(_PATIENCE):
        rows = rng.uniform(low, high, size=(POINTS, len(box)))
        if order:
            rows = np.sort(rows, axis=1)
        if order == "descending":
            rows = rows[:, ::-1]
        has_value = np.broadcast_to(exists(by_name(rows, box)), (POINTS,)).astype(bool)
        good = rows[has_value]
        accepted.append(good)
        rejected.append(rows[~has_value][:_REJECTED])
        count += len(good)
        if count >= POINTS:
            break
    return Sample(
        points=by_name(np.concatenate(accepted)[:POINTS], box),
        box=text,
        bounds=None if order else box,
        rejected=by_name(np.concatenate(rejected)[:_REJECTED], box),
    )


def by_name(rows: FloatArray, names: Iterable[str]) -> Points:
    """The columns of a table under their names."""
    return {name: np.ascontiguousarray(rows[:, place]) for place, name in enumerate(names)}


def widened(points: Points) -> Domain:
    """A box three times as wide as the points, and with both signs: that is where roots and absolute values part.

    >>> widened({"x": np.array([1.0, 3.0])})
    {'x': (-3.0, 5.0)}
    """
    wide: dict[str, tuple[float, float]] = {}
    for name, values in points.items():
        low, high = float(values.min()), float(values.max())
        wide[name] = (min(low - (high - low), -high), max(high + (high - low), -low))
    return wide
