"""Points that chance does not draw: the corners and edges of a box, and both sides of where a formula switches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.formula.equivalence.sampling import Domain, Points, by_name
from assay.formula.expression.functions import NEARLY_ZERO, RELATIONS
from assay.formula.expression.program import FloatArray, Program

__all__ = ["edge_points", "is_protected_here", "switch_points"]

_CORNERS = 64
_DEPTHS = 10.0 ** -np.arange(1, 7)
_ASIDE = 10.0 ** -np.array([1, 2, 3, 4, 5, 6, 8, 10, 12, 14])
_MOST_SWITCHES = 12
_PAIRS = 6
_HALVINGS = 50
_MOST_PEAKS = 4
_HIDDEN = -5.0
_ROUNDS = 16
_BEST, _STEPS = 6, 8
# where their first argument changes its sign the value turns, jumps or explodes
_TURNING = frozenset(
    ("abs", "sign", "sqrt", "cbrt", "log", "log2", "log10", "tanh", "erf", "atan", "inv", "protected_sqrt", "asinh")
)


def edge_points(box: Domain, *, seed: int) -> Points:
    """Corners of a box, and points ever nearer to each of its sides and to zero.

    >>> sorted(edge_points({"x": (0.0, 1.0)}, seed=0)["x"].tolist())[:3]
    [0.0, 0.0, 0.0]
    """
    rng = np.random.default_rng(seed)
    width = len(box)
    low, high = np.array(list(box.values())).T
    if 2**width <= _CORNERS:
        corners = np.array(list(product((0.0, 1.0), repeat=width)))
    else:
        corners = rng.integers(0, 2, size=(_CORNERS, width)).astype(float)
    depths = np.repeat(_DEPTHS, 4)
    sides = np.tile(np.arange(4), len(_DEPTHS))[:, None]  # near the low side, the high side, zero from above and below
    near = np.choose(
        sides,
        [
            low + (high - low) * depths[:, None],
            high - (high - low) * depths[:, None],
            np.clip(depths[:, None] * np.abs(high), low, high),
            np.clip(-depths[:, None] * np.abs(low), low, high),
        ],
    )
    table = rng.uniform(low, high, size=(width * len(near), width))
    for place in range(width):  # one variable near a side, the others anywhere
        table[place * len(near) : (place + 1) * len(near), place] = near[:, place]
    rows = np.concatenate([low + (high - low) * corners, near, table]) + 0.0  # no zero with a sign
    return by_name(rows, box)


def switch_points(programs: Sequence[Program], points: Points, *, seed: int) -> Points:
    """Points on both sides of where a maximum, a condition, an absolute value, a root or a denominator turns.

    They are looked for between the given points; where all lie on one side there is none to be found. The peaks of
    exponentials that vanish at all these points are among them, as narrow as they may be.
    """
    rng = np.random.default_rng(seed)
    names = list(points)
    table = np.stack(list(points.values()), axis=1)
    rows = [np.empty((0, len(names)))]
    for program in programs:
        heights = _switches(program, points)[:_MOST_SWITCHES]
        pairs = [_pairs(height, rng) for height in heights]
        if any(len(above) for above, _ in pairs):
            owner = np.concatenate([np.full(len(above), number) for number, (above, _) in enumerate(pairs)])
            first = table[np.concatenate([above for above, _ in pairs])]
            second = table[np.concatenate([below for _, below in pairs])]
            rows.append(_beside(program, owner, first, second, names))
        tops = [height.max() for height in _peaks(program, points)]
        hidden = [number for number, top in enumerate(tops) if top < _HIDDEN]
        rows.extend(_climb(program, number, table, names, rng) for number in hidden)
    return by_name(np.concatenate(rows), names)


def _pairs(height: FloatArray, rng: np.random.Generator) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    above, below = np.flatnonzero(height > 0), np.flatnonzero(height < 0)
    count = min(_PAIRS, len(above), len(below))
    return rng.choice(above, count, replace=False), rng.choice(below, count, replace=False)


def _beside(
    program: Program, owner: npt.NDArray[Any], first: FloatArray, second: FloatArray, names: Sequence[str]
) -> FloatArray:
    """Halve the way between two points on different sides, then step aside to both."""
    low, high = np.zeros(len(first)), np.ones(len(first))
    everyone = np.arange(len(first))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        heights = _switches(program, by_name(first + (second - first) * middle[:, None], names))
        above = np.stack(heights)[owner, everyone] > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    ways = [low * (1 - aside) for aside in _ASIDE] + [high + (1 - high) * aside for aside in _ASIDE]
    return np.concatenate([first + (second - first) * way[:, None] for way in ways])


def _climb(
    program: Program, number: int, table: FloatArray, names: Sequence[str], rng: np.random.Generator
) -> FloatArray:
    """The way to the top of a height, by ever smaller steps from the best points so far."""
    low, high = table.min(axis=0), table.max(axis=0)
    tried, step = table, (high - low) / 4
    best = np.empty((0, len(names)))
    for _ in range(_ROUNDS):
        height = _peaks(program, by_name(tried, names))[number]
        best = tried[np.argsort(-np.nan_to_num(height, nan=-np.inf))[:_BEST]]
        steps = rng.normal(size=(_BEST * _STEPS, len(names))) * step
        tried = np.concatenate(
            [best, np.clip(np.repeat(best, _STEPS, axis=0)[: len(steps)] + steps[: len(best) * _STEPS], low, high)]
        )
        step = step / 2
    return best


def _peaks(program: Program, points: Mapping[str, FloatArray]) -> list[FloatArray]:
    """What is raised to the power of e: the exponential may be large where no point lies."""
    if not any(operation == "exp" for operation, _, _ in program.steps):
        return []
    results = program.results(points)
    heights = [np.real(results[inputs[0]]) for operation, inputs, _ in program.steps if operation == "exp"]
    shape = np.broadcast_shapes(*(column.shape for column in points.values()))
    return [np.broadcast_to(height, shape) for height in heights if np.ndim(height)][:_MOST_PEAKS]


def _switches(program: Program, points: Mapping[str, FloatArray]) -> list[FloatArray]:
    """For each switch of a program, numbers that change their sign where it switches."""
    shape = np.broadcast_shapes(*(column.shape for column in points.values()))
    heights = (np.asarray(height) for height in _heights(program, points))
    real = (np.real(height).astype(np.float64) for height in heights)
    return [np.broadcast_to(height, shape) for height in real]


def _heights(program: Program, points: Mapping[str, FloatArray]) -> Iterator[Any]:
    results = program.results(points)
    for operation, inputs, _ in program.steps:
        parts = [results[place] for place in inputs]
        if operation in ("max", "min"):
            yield from (one - other for one, other in pairwise(parts))
        elif operation in RELATIONS:
            yield parts[0] - parts[1]
        elif operation in _TURNING:
            yield parts[0]
        elif operation in ("div", "pow"):
            yield parts[1] if operation == "div" else parts[0]


def is_protected_here(program: Program, points: Mapping[str, FloatArray]) -> FloatArray:
    """Where a protected operation gives its stand-in instead of the formula's value."""
    shape = np.broadcast_shapes(*(column.shape for column in points.values()))
    active = np.zeros(shape, dtype=bool)
    results = program.results(points)
    for operation, inputs, _ in program.steps:
        if operation in ("protected_div", "protected_log", "protected_inv"):
            active |= np.abs(results[inputs[-1]]) <= NEARLY_ZERO
    return active
