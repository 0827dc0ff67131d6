"""The search: stages one after the other, each in whole steps, until one formula is exact or the time is up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.core import UnknownName
from assay.core.arrays import FloatArray
from assay.formula.discovery.fitting import evaluate, fit_constants, without_weak_parts
from assay.formula.discovery.front import EXACT, Found, Front
from assay.formula.discovery.growth import Plan, constant_model, grow
from assay.formula.discovery.library import Variable, make_library
from assay.formula.discovery.power_law import power_laws
from assay.formula.discovery.rational import exact_forms
from assay.formula.discovery.redundancy import redundant_features
from assay.formula.discovery.simplification import folded
from assay.formula.discovery.snapping import snapped
from assay.formula.discovery.subproblem import Subproblem, transformed
from assay.formula.discovery.symmetry import outliers, reductions_of
from assay.formula.discovery.tape import WORK
from assay.formula.expression.expression import Expression, Number, Symbol, add, multiply, symbols_of, to_text
from assay.formula.expression.parser import rename

__all__ = ["STAGES", "Outcome", "search"]

STAGES = ("power", "rational", "redundancy", "terms", "transforms", "symmetry", "operon", "inside")
_TRAIN, _VALID = 600, 400  # rows that a search looks at; constants are fitted to more in the end
_MOST_ACTIVE = 8
_OPERON_EVALUATIONS, _OPERON_SEEDS, _OPERON_SECONDS = 100_000, 4, 3.0
_STRANGE = 8.0  # times what the best formula leaves elsewhere: an outlier
_WORK = 0.5  # of the seconds, as work: an ordinary machine gets through, so equal seeds give equal formulas
_FINAL = 20_000  # rows that constants are fitted to in the end
_FRONT = 10  # models beside the first


class Outcome(NamedTuple):
    """Models, the one to stand by first; what was done, why it ended, what to know; squared errors on held-out rows."""

    found: list[Found]
    log: list[str]
    stopped: str
    notes: list[str]
    held_errors: FloatArray


@dataclass(slots=True, kw_only=True)
class State:
    """What the stages share: the rows, what was found, the clock and the log."""

    columns: Mapping[str, FloatArray]
    target: FloatArray
    front: Front
    until: float
    work: float
    rng: np.random.Generator
    log: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    dropped: frozenset[str] = frozenset()
    stopped: str = "every stage has run"
    notes: list[str] = field(default_factory=list)

    @property
    def variance(self) -> float:
        """Of the target."""
        return self.front.variance

    @property
    def rows(self) -> int:
        """Those that a model is chosen by."""
        return len(self.target) + len(self.front.target)

    def is_over(self) -> bool:
        """Whether the work or the time is up; the work comes first, unless the machine is slow or busy."""
        if WORK.done >= self.work:
            self.stopped = "the work that its seconds allow was done"
        elif time.monotonic() >= self.until:
            self.stopped = "the time was up before the work was: another run may end elsewhere"
        else:
            return False
        return True

    def offer(self, tree: Expression, stage: str, *, rounds: int = 20) -> Found | None:
        """Fit a tree to the target and keep it."""
        return self.front.add(fit_constants(tree, self.columns, self.target, rounds=rounds), stage)

    def note(self, text: str) -> None:
        """Into the log, with the seconds since the start."""
        self.log.append(f"{time.monotonic() - self.started:6.2f} s  {text}")


def search(
    inputs: FloatArray, target: FloatArray, *, seconds: float, seed: int, stages: Sequence[str] = STAGES
) -> Outcome:
    """Formulas over the placeholders ``x0``, ``x1``, ... for the target."""
    for name in stages:
        if name not in STAGES:
            raise UnknownName("stage", name, STAGES)
    until = time.monotonic() + seconds
    rng = np.random.default_rng(seed)
    names = [f"x{place}" for place in range(inputs.shape[1])]
    order = rng.permutation(len(target))
    held = min(max(len(target) // 4, 1), _VALID) if len(target) > 1 else 0
    valid, train = np.sort(order[:held]), np.sort(order[held : held + _TRAIN])
    usable, notes = _usable(inputs, train)
    seen = np.concatenate([valid, train])
    odd = seen[outliers([inputs[seen, place] for place in usable], target[seen])]
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
        work=WORK.done + _WORK * seconds,
        rng=rng,
        notes=notes,
    )
    front.add(constant_model(state.target), "constant")
    if variance > 0 and columns:
        _run(state, stages)
    else:
        state.stopped = "the target or every feature is constant"
    return _finished(state, inputs, target, names, odd)


def _usable(inputs: FloatArray, train: npt.NDArray[np.intp]) -> tuple[list[int], list[str]]:
    """The columns that say something of their own, and what is to be said of the others."""
    usable: list[int] = []
    notes: list[str] = []
    seen: dict[bytes, int] = {}
    for place in range(inputs.shape[1]):
        values = inputs[train, place]
        if not np.ptp(values):
            notes.append(f"column {place} is constant and was left out")
        elif (twin := seen.setdefault(values.tobytes(), place)) != place:
            notes.append(f"column {place} repeats column {twin} and was left out")
        else:
            usable.append(place)
    return usable, notes


def _run(state: State, stages: Sequence[str]) -> None:
    for name, stage in _sequence(stages):
        for _ in stage(state):
            if state.is_over():
                break
        best = state.front.best(state.rows)
        share = np.sqrt(max(best.valid_error, 0) / state.variance)
        state.note(f"{name}: best is {best.stage!r}, which leaves {share:.2g} sd on held-out rows")
        if state.front.is_exact():
            state.stopped = "exact up to rounding"
            return
        if state.is_over():
            return


def _final_rows(
    state: State, inputs: FloatArray, target: FloatArray, names: Sequence[str], odd: npt.NDArray[np.intp]
) -> npt.NDArray[np.intp]:
    """As many as constants are fitted to; outliers are among them where the best formula explains them after all."""
    rows = np.arange(len(target))
    if len(odd):
        best = state.front.best(state.rows)
        columns = {name: inputs[odd, place] for place, name in enumerate(names)}
        left = np.abs(evaluate(best.expression, columns, target[odd]).values - target[odd])
        usual = max(np.sqrt(max(best.error, best.valid_error)), 1e-9 * np.sqrt(state.variance))
        strange = odd[~(left < _STRANGE * usual)]
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
    final: list[Found] = []
    held = np.empty(0)
    for number, entry in enumerate(state.front.ordered(state.rows)):
        fit = fit_constants(entry.expression, columns, aim)
        if not np.isfinite(fit.error):
            fit = evaluate(entry.expression, columns, aim)
        if not np.isfinite(fit.error):
            continue
        if not final:
            held = np.square(
                evaluate(entry.expression, state.front.columns, state.front.target).values - state.front.target
            )
            floor = EXACT * 1e-3 * state.variance
            fit = snapped(without_weak_parts(fit, columns, aim, floor=floor), columns, aim)
        final.append(entry._replace(expression=fit.expression, error=fit.error))
        if number >= _FRONT:
            break
    return Outcome(final, state.log, state.stopped, state.notes, held)


def _sequence(stages: Sequence[str]) -> Iterator[tuple[str, Callable[[State], Iterator[None]]]]:
    yield "linear", _linear
    table: dict[str, Callable[[State], Iterator[None]]] = {
        "power": _power,
        "rational": _rational,
        "redundancy": _redundancy,
        "terms": _terms,
        "transforms": _transforms,
        "symmetry": _symmetry,
        "operon": _operon,
        "inside": _inside,
    }
    for name, stage in table.items():
        if name in stages:
            yield name, stage


def _variables(state: State) -> list[Variable]:
    return [Variable(Symbol(name), values) for name, values in state.columns.items()]


def _whole(state: State) -> Subproblem:
    return Subproblem(name="whole", variables=_variables(state), target=state.target)


def _linear(state: State) -> Iterator[None]:
    terms = [multiply(Number(1.0), Symbol(name)) for name in state.columns]
    if len(terms) + 2 < len(state.target):
        state.offer(add(*terms, Number(0.0)), "linear")
    yield


def _power(state: State) -> Iterator[None]:
    for tree in power_laws(_variables(state), state.target):
        state.offer(tree, "power law")
        yield


def _rational(state: State) -> Iterator[None]:
    yield from _exact(state, _whole(state))


def _exact(state: State, problem: Subproblem) -> Iterator[None]:
    for tree in exact_forms(problem.variables, problem.target):
        if tree is not None:
            state.offer(problem.back(tree), f"exact form ({problem.name})")
        yield


def _redundancy(state: State) -> Iterator[None]:
    """Find what the others predict; the next stages do without."""
    found = redundant_features(_variables(state))
    if found and len(found) < len(state.columns):
        state.dropped = frozenset(one.name for one in found)
        listed = ", ".join(f"{one.name} ({one.r_squared:.2f})" for one in found)
        state.note(f"features that others predict, with R²: {listed}")
    yield


def _active(state: State) -> list[Variable]:
    """The variables that matter, by what first models with all of them use."""
    variables = [one for one in _variables(state) if symbols_of(one.expression)[0] not in state.dropped]
    if len(variables) <= _MOST_ACTIVE:
        return variables
    library = make_library(variables, pairs=False, degree=1)
    counts: dict[str, float] = {}
    for fit in grow(
        [constant_model(state.target)], library, state.columns, state.target, Plan(width=2, tried=4, steps=8)
    ):
        for name in symbols_of(fit.expression):
            counts[name] = counts.get(name, 0.0) + 1
        state.front.add(fit, "first terms")
        if state.is_over():
            break
    chosen = sorted(counts, key=lambda name: -counts[name])[:_MOST_ACTIVE]
    return [variable for variable in variables if symbols_of(variable.expression)[0] in chosen]


def _grown(state: State, problem: Subproblem, plan: Plan, stage: str) -> Iterator[None]:
    """From few kinds of terms to all: functions of one variable, of two, times their own variables, times any."""
    degree = 3 if len(problem.variables) <= 5 else 2
    single = make_library(problem.variables, pairs=False, degree=degree)
    library = make_library(problem.variables, pairs=True, degree=degree)
    scale = float(np.var(problem.target))
    for some in (single.carried(), single, library.carried(), library):
        for fit in grow([constant_model(problem.target)], some, state.columns, problem.target, plan):
            found = state.offer(problem.back(fit.expression), f"{stage} ({problem.name})")
            yield
            if fit.error < EXACT * scale or (found is not None and found.error <= EXACT * state.variance):
                break
        if state.front.is_exact():
            return


def _terms(state: State) -> Iterator[None]:
    problem = Subproblem(name="whole", variables=_active(state), target=state.target)
    yield
    yield from _grown(state, problem, Plan(width=2, tried=5, steps=8), "terms")


def _transforms(state: State) -> Iterator[None]:
    problem = Subproblem(name="whole", variables=_active(state), target=state.target)
    others = list(transformed(problem))
    for other in others:
        yield from _exact(state, other)
        if state.front.is_exact():
            return
    for other in others:
        yield from _grown(state, other, Plan(width=1, tried=5, steps=6), "terms")
        if state.front.is_exact():
            return


def _symmetry(state: State) -> Iterator[None]:
    """Reduce as far as the surrogate agrees, the best two ways at every step, and solve what is left."""
    waiting = [Subproblem(name="whole", variables=_active(state), target=state.target)]
    seen: set[str] = set()
    while waiting:
        problem = waiting.pop(0)
        found = list(reductions_of(problem))[:2] if problem.variables else []
        yield
        for reduced in found:
            key = to_text(reduced.back(add(*(one.expression for one in reduced.variables), Number(1))))
            if key in seen:
                continue
            seen.add(key)
            waiting.append(reduced)
            for other in (reduced, *transformed(reduced)):
                for tree in power_laws(other.variables, other.target) if other.variables else [Number(1.0)]:
                    state.offer(other.back(tree), f"power law ({other.name})")
                yield from _exact(state, other)
                if state.front.is_exact():
                    return
            if reduced.variables:
                yield from _grown(state, reduced, Plan(width=1, tried=5, steps=5), "terms")
            if state.front.is_exact():
                return


def _operon(state: State) -> Iterator[None]:
    """PyOperon's front as seeds: fitted again, and rid of what they do not need."""
    from assay.formula.subjects.operon import Operon

    left = min(state.until - time.monotonic(), 2 * (state.work - WORK.done))
    if find_spec("pyoperon") is None or left < _OPERON_SECONDS:
        state.note("operon: left out, as it is not installed or little time is left")
        return
    yield
    variables = _active(state)
    rows = np.column_stack([one.values for one in variables])
    found = Operon(evaluations=_OPERON_EVALUATIONS).fit(rows, state.target, seconds=left / 2, seed=0)
    WORK.count(_OPERON_EVALUATIONS * (1e4 + 10.0 * len(rows)))
    names = {f"x{place}": symbols_of(one.expression)[0] for place, one in enumerate(variables)}
    kept = 0
    for candidate in found:
        fit = fit_constants(folded(rename(candidate.expression, names)), state.columns, state.target)
        if np.isfinite(fit.error) and kept < _OPERON_SEEDS:
            kept += 1
            floor = EXACT * 1e-3 * state.variance
            state.front.add(without_weak_parts(fit, state.columns, state.target, floor=floor), "operon")
            yield


def _inside(state: State) -> Iterator[None]:
    """From the best models, also inside of their functions."""
    library = make_library(_active(state), pairs=True)
    best = state.front.ordered(state.rows)[:2]
    starts = [evaluate(entry.expression, state.columns, state.target) for entry in best]
    starts.append(constant_model(state.target))
    for start in starts:
        for fit in grow([start], library, state.columns, state.target, Plan(width=2, tried=6, steps=10, inside=True)):
            state.front.add(fit, "growth inside")
            yield
            if state.front.is_exact():
                return
