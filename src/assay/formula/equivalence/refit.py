"""Whether a model has the truth's form: its constants, freed, must reach the truth without moving far."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.formula.equivalence.comparison import unit_of
from assay.formula.expression.program import FloatArray, Program

__all__ = ["FARTHEST", "MAX_CONSTANTS", "NO_EFFECT", "SAME_FORM", "Refit", "refit"]

SAME_FORM = 1e-8
# how far a constant may move: as a share of itself, or with this much of an effect, in standard deviations of the truth
FARTHEST = 0.05
NO_EFFECT = 0.003
_SMALLEST_UNIT = 0.05
# a constant this small may rule all values when it moves by that unit; beyond so many times their spread it has its own
_TINY_CONSTANT, _RULING = 1e-6, 1e6
# beyond these sizes the squares of values leave the range of doubles
_SMALL_VALUES, _LARGE_VALUES = 1e-100, 1e100
MAX_CONSTANTS = 64
_ROUNDS = 120
_STEP = 1e-6
_PATIENCE = 12
# removing a term moves its constant by 1; farther away lies no copy of the truth, only its limits
_HORIZON = 3.0
_ROUNDED, _EXACT = 1e-15, 1e-10
_MOST_VALUES = 4_000_000


Evaluate: TypeAlias = Callable[[FloatArray], FloatArray]


class Refit(NamedTuple):
    """The constants that fit best, how far each moved, and what they leave in standard deviations of the truth."""

    residual: float
    constants: tuple[float, ...]
    moved: tuple[float, ...]
    offset: float
    factor: float
    rounds: int
    finished: bool

    @property
    def farthest(self) -> float:
        """The largest move."""
        return max(self.moved, default=0.0)


class _OutOfTime(Exception):
    """The time was up in the middle of a pass."""


class _Fitted(NamedTuple):
    residual: float
    residuals: FloatArray
    values: FloatArray
    offset: float
    factor: float


def _project(truth: FloatArray, values: FloatArray, scale: float, *, scaled: bool) -> _Fitted | None:
    """The best shift and scale for these constants: they are free and do not count as moves."""
    if not np.isfinite(values).all():
        return None
    mean, centre = float(values.mean()), float(truth.mean())
    centred = values - mean
    size = float(np.dot(centred, centred))
    if not (0 < size < np.inf):
        return None
    factor = float(np.dot(centred, truth)) / size if scaled else 1.0
    residuals = (truth - centre - factor * centred) / scale
    residual = float(np.sqrt(np.mean(residuals * residuals)))
    offset = centre - factor * mean
    left = residual * scale if residual < _EXACT else 0.0
    if abs(offset) <= left + _ROUNDED * (abs(centre) + abs(factor * mean)):
        offset = 0.0  # rounding, or what an exact fit leaves: it would bury values that are far smaller
    return _Fitted(residual, residuals, values, offset, factor)


def refit(
    program: Program,
    points: Mapping[str, FloatArray],
    truth: FloatArray,
    *,
    until: float,
    evaluate: Evaluate | None = None,
    scaled: bool = True,
) -> Refit | None:
    """Levenberg-Marquardt over the constants of a model, with shift and scale solved for at every step.

    ``until`` is a moment of ``time.thread_time``; ``None`` when the model has no constants, too many, or no value.
    ``evaluate`` computes the model where doubles cannot: from one column of constants per variant, one row of values.
    Without ``scaled`` only the shift is free.
    """
    start = np.array(program.constants)
    if not 0 < len(start) <= MAX_CONSTANTS:
        return None
    unit = np.maximum(np.abs(start), _SMALLEST_UNIT)
    model_size = 1.0

    def run(moves: FloatArray) -> FloatArray:
        # one column of moves per variant; as many variants are computed in one pass as memory and time allow
        constants = start[:, None] + unit[:, None] * moves
        width = 1 if evaluate is not None else max(1, _MOST_VALUES // (len(program.steps) * len(truth)))
        parts: list[FloatArray] = []
        for first in range(0, moves.shape[1], width):
            if parts and time.thread_time() >= until:
                raise _OutOfTime
            chosen = constants[:, first : first + width]
            if evaluate is not None:
                parts.append(evaluate(chosen))
                continue
            values = program.real(points, [row[:, None] for row in chosen])
            parts.append(np.broadcast_to(np.asarray(values, dtype=np.float64), (chosen.shape[1], len(truth))))
        computed = np.concatenate(parts)
        return computed if model_size == 1.0 else computed / model_size

    moves = np.zeros(len(start))
    values = run(moves[:, None])[0]
    truth_size = _size_of(truth) if scaled else 1.0
    model_size = _size_of(values) if scaled else 1.0
    truth = truth / truth_size
    scale = float(np.std(truth)) or 1.0
    best = _project(truth, values / model_size, scale, scaled=scaled)
    if best is None:
        return None
    if (np.abs(start) < _TINY_CONSTANT).any():
        with suppress(_OutOfTime):  # then the loop below does not begin either
            unit = _own_units(run, start, unit, best.values)
    damping, rounds, stuck = 1e-6, 0, 0
    identity = np.eye(len(start)) * _STEP
    while rounds < _ROUNDS and best.residual > 1e-13 and time.thread_time() < until:
        try:
            slopes = _slopes(run, moves, identity, best, scale, scaled=scaled)
        except _OutOfTime:
            break
        accepted = None
        while damping < 1e12 and rounds < _ROUNDS and time.thread_time() < until:
            rounds += 1
            step = _solve(slopes, best.residuals, damping)
            near = bool(np.isfinite(step).all()) and float(np.abs(moves + step).max()) <= _HORIZON
            tried = _project(truth, run((moves + step)[:, None])[0], scale, scaled=scaled) if near else None
            if tried is not None and tried.residual < best.residual:
                accepted = tried
                break
            damping *= 8.0
        if accepted is None:
            break
        gain = accepted.residual / best.residual
        moves, best, damping = moves + step, accepted, max(damping / 10.0, 1e-15)
        stuck = stuck + 1 if gain > 0.9 else 0
        if stuck >= _PATIENCE or (best.residual < SAME_FORM and gain > 0.5):
            break
    # stopped by a limit on the way down to zero: whether it would have reached it is unknown
    arriving = best.residual < 1e-5 and stuck == 0 and rounds >= _ROUNDS
    finished = not (best.residual >= SAME_FORM and (arriving or time.thread_time() >= until))
    constants = tuple(float(value) for value in start + unit * moves)
    moved = _moved(run, moves, unit, start, best, scale, _switching(program))
    offset, factor = best.offset * truth_size, best.factor / model_size * truth_size
    return Refit(best.residual, constants, moved, offset, factor, rounds, finished)


def _size_of(values: FloatArray) -> float:
    """What values are divided by before they are squared: 1 unless the squares would leave the range of doubles."""
    largest = float(np.abs(values).max())
    return (
        1.0 if largest == 0 or not np.isfinite(largest) or _SMALL_VALUES < largest < _LARGE_VALUES else unit_of(values)
    )


def _own_units(
    run: Callable[[FloatArray], FloatArray], start: FloatArray, unit: FloatArray, values: FloatArray
) -> FloatArray:
    """The units, those of tiny constants lowered until a step changes the values by no more than their spread.

    Otherwise the rounding errors of one factor such as 1e-23 would hide what the other constants change.
    """
    steps = np.eye(len(start)) * _STEP
    with np.errstate(all="ignore"):
        effects = np.abs(run(steps) - run(-steps)).max(axis=1) / (2 * _STEP)
        ratios = effects / np.ptp(values)
    ruling = (np.abs(start) < _TINY_CONSTANT) & np.isfinite(ratios) & (ratios > _RULING)
    return np.where(ruling, unit / np.where(ruling, ratios, 1.0), unit)


def _switching(program: Program) -> npt.NDArray[np.bool_]:
    """Which constants stand in a maximum or minimum themselves."""
    places = {place for operation, inputs, _ in program.steps if operation in ("max", "min") for place in inputs}
    slots = {
        content
        for place, (operation, _, content) in enumerate(program.steps)
        if operation == "slot" and place in places
    }
    return np.array([number in slots for number in range(len(program.constants))])


def _moved(
    run: Callable[[FloatArray], FloatArray],
    moves: FloatArray,
    unit: FloatArray,
    start: FloatArray,
    best: _Fitted,
    scale: float,
    switching: npt.NDArray[np.bool_],
) -> tuple[float, ...]:
    """How far each constant moved: as a share of itself, or by what its move alone changes, whichever is less.

    Those that set where a formula switches count by their share alone.
    """
    with np.errstate(all="ignore"):
        shares = np.where(moves == 0, 0.0, np.abs(moves) * unit / np.abs(start))
    far = np.flatnonzero(~(shares <= FARTHEST) & ~switching)
    if len(far):
        back = np.repeat(moves[:, None], len(far), axis=1)
        back[far, np.arange(len(far))] = 0.0
        try:
            changes = np.abs(best.factor) * (run(back) - best.values) / scale
        except _OutOfTime:
            return tuple(shares.tolist())
        effects = np.sqrt(np.mean(np.square(changes), axis=1))
        shares[far] = np.fmin(shares[far], effects * (FARTHEST / NO_EFFECT))
    return tuple(shares.tolist())


def _slopes(
    run: Callable[[FloatArray], FloatArray],
    moves: FloatArray,
    identity: FloatArray,
    best: _Fitted,
    scale: float,
    *,
    scaled: bool,
) -> FloatArray:
    both = run(np.concatenate([moves[:, None] + identity, moves[:, None] - identity], axis=1))
    count = len(moves)
    slopes = ((both[:count] - both[count:]) / (2 * _STEP)).T
    # a constant whose smallest step turns all values over, as that of a fast oscillation, stays where it is
    bend = np.linalg.norm(both[:count] + both[count:] - 2 * best.values, axis=1)
    wild = bend > np.maximum(np.linalg.norm(both[:count] - both[count:], axis=1), 1e-3 * np.linalg.norm(best.values))
    slopes = np.where(np.isfinite(slopes) & ~wild, slopes, 0.0)
    # what a shift or a scale could do is taken out: both are solved for already
    centred = best.values - best.values.mean()
    slopes = slopes - slopes.mean(axis=0)
    if scaled:
        slopes = slopes - np.outer(centred, centred @ slopes) / float(np.dot(centred, centred))
    projected: FloatArray = slopes * (best.factor / scale)
    return projected


def _solve(slopes: FloatArray, residuals: FloatArray, damping: float) -> FloatArray:
    """The next step; nan where slopes leave the range of doubles."""
    try:
        u, singular, v = np.linalg.svd(slopes, full_matrices=False)
    except np.linalg.LinAlgError:  # what values that overflow come to
        return np.full(slopes.shape[1], np.nan)
    largest = singular[0] if len(singular) else np.float64(0.0)
    if largest == 0 or not np.isfinite(largest * largest):
        return np.full(slopes.shape[1], np.nan)
    significant = singular > 1e-11 * largest  # directions that change nothing are not walked
    weights = np.where(significant, singular / (singular**2 + damping * largest**2), 0.0)
    step: FloatArray = v.T @ (weights * (u.T @ residuals))
    return step
