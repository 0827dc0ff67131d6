"""The search: stages in turns, each in whole steps, until one formula is exact or the work or the time is up."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput, UnknownName
from assay.core.arrays import FloatArray
from assay.formula.discovery.exponents import tidied
from assay.formula.discovery.fitting import criterion, evaluate, fit_constants, without_weak_parts
from assay.formula.discovery.forms.symmetry import outliers
from assay.formula.discovery.forms.units import Dimension, by_units, dimension
from assay.formula.discovery.front import Entry, Front
from assay.formula.discovery.growth.grow import constant_model
from assay.formula.discovery.snapping import snapped
from assay.formula.discovery.stages.table import FIRST, SHARED, STAGES
from assay.formula.discovery.state import WAITING, State
from assay.formula.discovery.tape import WORK, Tape

__all__ = ["STAGES", "Outcome", "search"]

_TRAIN, _VALID = 600, 400  # rows that a search looks at; constants are fitted to more in the end
_STRANGE = 8.0  # times what the best formula leaves elsewhere: an outlier
_WORK = 0.9  # of the seconds, as work: an ordinary machine gets through, so equal seeds give equal formulas
_FINAL = 20_000  # rows that constants are fitted to in the end
_FRONT = 10  # models beside the first
_CONSIDERED = 4  # models that are simplified on all rows before one of them is chosen
_WHOLE = 3.0  # what a fitted number that is whole saves of its price
_ENDED = object()


class Outcome(NamedTuple):
    """Models, the one to stand by first; what was done, why it ended, what to know; squared errors on held-out rows."""

    models: list[Entry]
    log: list[str]
    stopped: str
    notes: list[str]
    valid_errors: FloatArray


def search(
    inputs: FloatArray,
    target: FloatArray,
    *,
    seconds: float,
    seed: int,
    stages: Sequence[str] = STAGES,
    units: Sequence[str] | None = None,
    target_unit: str | None = None,
) -> Outcome:
    """Formulas over the placeholders ``x0``, ``x1``, ... for the target; units, one for every column, reduce them."""
    dimensions = _dimensions(units, target_unit, inputs.shape[1])
    for name in stages:
        if name not in STAGES:
            raise UnknownName("stage", name, STAGES)
    with np.errstate(over="ignore"):
        if not np.isfinite(np.var(target)):
            raise InvalidInput("target: its squares are too large to compute with; divide it by a constant.")
    until = time.monotonic() + seconds
    rng = np.random.default_rng(seed)
    names = [f"x{place}" for place in range(inputs.shape[1])]
    order = rng.permutation(len(target))
    valid_count = min(max(len(target) // 4, 1), _VALID) if len(target) > 1 else 0
    valid, train = np.sort(order[:valid_count]), np.sort(order[valid_count : valid_count + _TRAIN])
    usable, notes = _usable(inputs, train)
    searched = np.concatenate([valid, train])
    odd = searched[outliers([inputs[searched, place] for place in usable], target[searched])]
    valid, train = np.setdiff1d(valid, odd), np.setdiff1d(train, odd)
    columns = {names[place]: np.ascontiguousarray(inputs[train, place]) for place in usable}
    unseen = {names[place]: np.ascontiguousarray(inputs[valid, place]) for place in usable}
    if len(valid) + len(train) < len(target):
        notes.append(
            f"searched on {len(train)} rows, chosen by {len(valid)} others; constants fitted to at most {_FINAL:,}"
        )
    variance = float(np.var(np.delete(target, odd)))
    front = Front(columns=unseen, target=target[valid], variance=variance or 1.0, fitted=len(train))
    state = State(
        columns=columns,
        target=target[train],
        front=front,
        until=until,
        work=WORK.spent + _WORK * seconds,
        rng=rng,
        notes=notes,
    )
    front.add(constant_model(state.target), "constant")
    if dimensions is not None and columns:
        chosen = [dimensions[place] for place in usable]
        state.by_units = by_units(state.whole(), chosen, dimensions[-1])
        if state.by_units is None:
            notes.append(
                "units were not used: no product of powers of the columns has the target's unit, or one is not positive"
            )
    with _one_thread():
        if variance > 0 and columns:
            _run(state, stages)
        else:
            state.stopped = "the target or every feature is constant"
        return _finished(state, inputs, target, names, odd)


def _one_thread() -> AbstractContextManager[Any]:
    """Small matrices gain nothing from threads, and sums keep their order: the same formula on any number of cores."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    return cast(AbstractContextManager[Any], threadpool_limits(1, user_api="blas"))


def _dimensions(units: Sequence[str] | None, target_unit: str | None, count: int) -> list[Dimension] | None:
    """Of the columns and then of the target."""
    if units is None and target_unit is None:
        return None
    if units is None or target_unit is None:
        raise InvalidInput("units: give both units, one for every column, and target_unit; '1' for a plain number.")
    if len(units) != count:
        raise InvalidInput(f"units: {len(units)} units for {count} columns; give one for every column, '1' for none.")
    return [dimension(unit) for unit in (*units, target_unit)]


def _usable(inputs: FloatArray, train: npt.NDArray[np.intp]) -> tuple[list[int], list[str]]:
    """The columns that say something of their own, and what is to be said of the others."""
    usable: list[int] = []
    notes: list[str] = []
    first_places: dict[bytes, int] = {}
    for place in range(inputs.shape[1]):
        values = inputs[train, place]
        if not np.ptp(values):
            notes.append(f"column {place} is constant and was left out")
        elif (twin := first_places.setdefault(values.tobytes(), place)) != place:
            notes.append(f"column {place} repeats column {twin} and was left out")
        else:
            usable.append(place)
    return usable, notes


def _run(state: State, stages: Sequence[str]) -> None:
    """The quick stages one after the other, then the others in turns: the one with the least work for its weight."""
    for name, stage in FIRST.items():
        if (name == "linear" or name in stages) and _is_finished(state, name, stage(state)):
            return None
    allowed = max(state.work - WORK.spent, 1e-9)
    running = {name: stage(state) for name, (stage, _, _) in SHARED.items() if name in stages}
    used = {name: SHARED[name][2] * allowed / SHARED[name][1] for name in running}
    waiting: dict[str, int] = {}  # since which change of the front
    while ready := [name for name in running if waiting.get(name) != state.front.changes]:
        name = min(ready, key=lambda one: (used[one], STAGES.index(one)))
        before = WORK.spent
        step = next(running[name], _ENDED)
        used[name] += (WORK.spent - before) / SHARED[name][1]
        if step is WAITING:
            waiting[name] = state.front.changes
        if step is _ENDED:
            del running[name]
            _log(state, name)
        if state.front.is_exact():
            state.stopped = "exact up to rounding"
            return _log(state, name)
        if state.is_over():
            return _log(state, ", ".join(running))
    return None


def _is_finished(state: State, name: str, steps: Iterator[object]) -> bool:
    """Run a stage to its end; whether the search is over then."""
    for _ in steps:
        if state.is_over():
            break
    _log(state, name)
    if state.front.is_exact():
        state.stopped = "exact up to rounding"
        return True
    return state.is_over()


def _log(state: State, name: str) -> None:
    best = state.front.best(state.rows)
    share = np.sqrt(max(best.valid_error, 0) / state.front.variance)
    state.note(f"{name}: best is {best.stage!r}, which leaves {share:.2g} sd on held-out rows")


def _final_rows(
    state: State, inputs: FloatArray, target: FloatArray, names: Sequence[str], odd: npt.NDArray[np.intp]
) -> npt.NDArray[np.intp]:
    """As many as constants are fitted to; outliers are among them where the best formula explains them after all."""
    rows = np.arange(len(target))
    if len(odd):
        best = state.front.best(state.rows)
        columns = {name: inputs[odd, place] for place, name in enumerate(names)}
        residuals = np.abs(evaluate(best.expression, columns, target[odd]).values - target[odd])
        usual = max(np.sqrt(max(best.error, best.valid_error)), 1e-9 * np.sqrt(state.front.variance))
        strange = odd[~(residuals < _STRANGE * usual)]
        if len(strange):
            listed = ", ".join(map(str, strange[:10])) + (", ..." if len(strange) > 10 else "")
            state.notes.append(f"outliers that were left out, by row: {listed}")
            rows = np.setdiff1d(rows, strange)
    return rows if len(rows) <= _FINAL else np.sort(state.rng.choice(rows, _FINAL, replace=False))


def _finished(
    state: State, inputs: FloatArray, target: FloatArray, names: Sequence[str], odd: npt.NDArray[np.intp]
) -> Outcome:
    """Refit to all rows but outliers, delete what they do not need, snap constants."""
    rows = _final_rows(state, inputs, target, names, odd)
    columns = {name: np.ascontiguousarray(inputs[rows, place]) for place, name in enumerate(names)}
    aim = target[rows]
    final: list[tuple[float, Entry, Entry]] = []  # by what it costs as it is written in the end
    for number, entry in enumerate(state.front.ordered(state.rows)):
        fit = fit_constants(entry.expression, columns, aim)
        if not np.isfinite(fit.error):
            fit = evaluate(entry.expression, columns, aim)
        if not np.isfinite(fit.error):
            continue
        cost = np.inf
        if len(final) < _CONSIDERED and (not final or not state.front.is_exact()):
            fit = snapped(without_weak_parts(fit, columns, aim, floor=state.front.floor), columns, aim)
            fit = fit._replace(expression=tidied(fit.expression))
            cost = criterion(fit, len(aim), state.front.floor)
            cost -= _WHOLE * sum(float(one).is_integer() for one in Tape(fit.expression).constants)
        final.append((cost, entry, entry._replace(expression=fit.expression, error=fit.error)))
        if number >= _FRONT:
            break
    if not final:
        return Outcome([], state.log, state.stopped, state.notes, np.empty(0))
    final.sort(key=lambda one: one[0])
    chosen = evaluate(final[0][1].expression, state.front.columns, state.front.target)
    valid_errors = np.square(chosen.values - state.front.target)
    distinct = {one.expression: one for _, _, one in final}
    return Outcome(list(distinct.values()), state.log, state.stopped, state.notes, valid_errors)
