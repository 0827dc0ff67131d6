"""The stages of a search, each a generator that pauses after every step so that others can have their turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from itertools import islice
from types import MappingProxyType

import numpy as np

from assay.formula.discovery.exponents import simple_exponents, tidied
from assay.formula.discovery.fitting import Fit, evaluate, fit_constants, price_of, without_weak_parts
from assay.formula.discovery.forms.couples import ROWS, Catalogue, couples_in, views_of
from assay.formula.discovery.forms.power_law import power_laws
from assay.formula.discovery.forms.products import product_models
from assay.formula.discovery.forms.quotients import noisy_quotients
from assay.formula.discovery.forms.rational import MOST_MONOMIALS, exact_forms
from assay.formula.discovery.forms.redundancy import redundant_features
from assay.formula.discovery.forms.subproblem import Subproblem, transformed
from assay.formula.discovery.forms.symmetry import reductions_of
from assay.formula.discovery.front import EXACT
from assay.formula.discovery.growth import Plan, constant_model, exchanged, grow
from assay.formula.discovery.library import Variable, make_library
from assay.formula.discovery.simplification import folded
from assay.formula.discovery.state import State
from assay.formula.discovery.tape import WORK
from assay.formula.discovery.variation import improved
from assay.formula.expression.expression import Expression, Number, Symbol, add, multiply, symbols_of, to_text
from assay.formula.expression.parser import rename

__all__ = ["FIRST", "SHARED", "STAGES", "Stage"]

_OPERON_EVALUATIONS, _OPERON_SEEDS, _OPERON_SECONDS = (50_000, 500_000), 6, 2.0  # at least and at most
_PRODUCTS, _FINISHED = 10, 2  # products whose exponents are freed; those of every kind that are fitted in full

_FEW_MONOMIALS = 60  # of exact forms of reduced problems
_COUPLES = 4  # couples of every view that are fitted in full
_LARGEST_QUOTIENT = 70  # nodes
_SMALL = 20  # nodes of what growth inside of functions starts from
_VARIED = 2  # models of the front that variations start from
_STARTS, _SECONDS, _TURNS = 3, 8, 3  # first products of a sum of two; second ones for each; how often they change

Stage = Callable[[State], Iterator[None]]


def _linear(state: State) -> Iterator[None]:
    terms = [multiply(Number(1.0), Symbol(name)) for name in state.columns]
    if len(terms) + 2 < len(state.target):
        state.offer(add(*terms, Number(0.0)), "linear")
    yield


def _power(state: State) -> Iterator[None]:
    for tree in power_laws(state.variables(), state.target):
        state.offer(tree, "power law")
        yield


def _rational(state: State) -> Iterator[None]:
    yield from _exact(state, state.whole())


def _exact(state: State, problem: Subproblem, *, most: int = MOST_MONOMIALS) -> Iterator[None]:
    for tree in exact_forms(problem.variables, problem.target, most=most):
        if tree is not None:
            state.offer(problem.back(tree), f"exact form ({problem.name})")
        yield


def _products(state: State) -> Iterator[None]:
    """Of the target, and of its exponential where it may be a logarithm."""
    problem = state.reduced()
    yield from _multiplied(state, problem)
    for other in transformed(problem):
        if other.name.endswith(" exp of the target"):
            yield from _multiplied(state, other, deep=False)


def _multiplied(state: State, problem: Subproblem, *, deep: bool = True, count: int = _PRODUCTS) -> Iterator[None]:
    """Products with free exponents, fitted to the whole, their exponents made simple; the best also with a constant."""
    rows, floor = len(state.target), EXACT * 1e-3 * state.variance

    def criterion(fit: Fit) -> float:
        return float(rows * np.log(max(fit.error, floor))) + price_of(fit.expression)

    fits: dict[tuple[int, bool], list[Fit]] = {(factors, free): [] for factors in (1, 2) for free in (False, True)}
    for number, one in enumerate(product_models(problem.variables, problem.target, deep=deep)):
        fit = fit_constants(tidied(problem.back(one.simple)), state.columns, state.target, rounds=6)
        fits[one.factors, False].append(fit)
        if len(fits[one.factors, True]) < count:
            freed = fit_constants(problem.back(one.free), state.columns, state.target, rounds=8)
            fits[one.factors, True].append(freed)
        if number % 4 == 3:
            yield
    best = [fit for some in fits.values() for fit in sorted(some, key=criterion)[:_FINISHED]]
    for number, fit in enumerate(sorted((fit for fit in best if np.isfinite(fit.error)), key=criterion)):
        options = [fit.expression]
        if number < 2 and symbols_of(fit.expression):
            options.append(add(fit.expression, Number(0.0)))
        for tree in options:
            full = fit_constants(tree, state.columns, state.target, rounds=30)
            simple = simple_exponents(full, state.columns, state.target, floor=floor)
            shorter = without_weak_parts(simple, state.columns, state.target, floor=floor)
            for model in (simple, shorter):
                state.front.add(model, f"products ({problem.name})")
            yield
        if state.front.is_exact():
            return


def _pairs(state: State) -> Iterator[None]:
    """A constant and a product, then sums of two products: each in turn for what the other leaves."""
    problem = state.reduced()
    columns, target, rows = state.columns, state.target, len(state.target)
    floor = EXACT * 1e-3 * state.variance

    def criterion(fit: Fit) -> float:
        return float(rows * np.log(max(fit.error, floor))) + price_of(fit.expression)

    fits = []
    for number, one in enumerate(islice(product_models(problem.variables, target, deep=False), _STARTS * 4)):
        fits.append(fit_constants(one.simple, columns, target, rounds=6))
        if number % 4 == 3:
            yield
    best = sorted((fit for fit in fits if np.isfinite(fit.error)), key=criterion)[:_STARTS]
    low, high, beyond = float(target.min()), float(target.max()), 0.02 * float(np.ptp(target))
    starts: list[tuple[Expression, int]] = [(Number(low - beyond), 1), (Number(high + beyond), 1)]
    for start, turns in [*starts, *((fit.expression, _TURNS) for fit in best)]:
        kept = start
        for _ in range(turns):
            left = target - evaluate(kept, columns, target).values
            found: list[tuple[float, Fit, Expression]] = []
            for one in islice(product_models(problem.variables, left, deep=False), _SECONDS):
                for tree in (one.simple,) if turns > 1 else (one.simple, one.free):
                    fit = fit_constants(add(kept, tree), columns, target, rounds=8)
                    if np.isfinite(fit.error):
                        found.append((criterion(fit), fit, tree))
            yield
            if not found:
                break
            _, fit, second = min(found, key=lambda entry: entry[0])
            full = simple_exponents(fit_constants(fit.expression, columns, target), columns, target, floor=floor)
            state.front.add(full, "two products")
            state.front.add(without_weak_parts(full, columns, target, floor=floor), "two products")
            yield
            if state.front.is_exact():
                return
            kept = fit_constants(second, columns, left, rounds=8).expression


def _quotients(state: State) -> Iterator[None]:
    yield from _divided(state, state.reduced())


def _divided(state: State, problem: Subproblem) -> Iterator[None]:
    """Quotients of polynomials with noise, of few variables, for the target and for functions of it."""
    floor = EXACT * 1e-3 * state.variance
    for view in views_of(problem.target, problem.weights):
        for tree in noisy_quotients(problem.variables, view.target, view.weights):
            if tree is None or tree.nodes > _LARGEST_QUOTIENT:
                continue
            fit = fit_constants(problem.back(view.back(tree)), state.columns, state.target, rounds=15)
            if state.front.add(fit, f"quotient ({problem.name}, {view.name})") is not None:
                shorter = without_weak_parts(fit, state.columns, state.target, floor=floor)
                state.front.add(shorter, f"quotient ({problem.name}, {view.name})")
            yield
        yield


def _couples(state: State) -> Iterator[None]:
    yield from _coupled(state, state.reduced())


def _coupled(state: State, problem: Subproblem) -> Iterator[None]:
    """Sums of two to four library terms, all couples at once, for the target and for functions of it."""
    some = np.linspace(0, len(problem.target) - 1, min(ROWS, len(problem.target))).astype(int)
    variables = [Variable(one.expression, one.values[some]) for one in problem.variables]
    weights = None if problem.weights is None else problem.weights[some]
    catalogue = Catalogue(make_library(variables, pairs=True, degree=2, rich=True))
    rows, floor = len(state.target), EXACT * 1e-3 * state.variance
    yield

    def criterion(fit: Fit) -> float:
        return float(rows * np.log(max(fit.error, floor))) + price_of(fit.expression)

    for view in views_of(problem.target[some], weights):
        fits = []
        for tree in couples_in(catalogue, view):
            fit = fit_constants(problem.back(tidied(tree)), state.columns, state.target, rounds=4)
            if np.isfinite(fit.error):
                fits.append(fit)
        yield
        for fit in sorted(fits, key=criterion)[:_COUPLES]:
            full = fit_constants(fit.expression, state.columns, state.target, rounds=30)
            shorter = without_weak_parts(full, state.columns, state.target, floor=floor)
            for model in (full, shorter):
                state.front.add(model, f"couples ({problem.name}, {view.name})")
            yield
        if state.front.is_exact():
            return


def _vary(state: State) -> Iterator[None]:
    """Variations of the best models and of the best of every stage, again where there are better ones by then."""
    tried: set[str] = set()
    floor = EXACT * 1e-3 * state.variance
    names = [symbols_of(one.expression)[0] for one in state.reduced().variables]
    while True:
        leaders = sorted(state.front.leaders.values(), key=lambda one: state.front.criterion(one, state.rows))
        starts = [*state.front.ordered(state.rows)[:_VARIED], *leaders]
        entry = next((one for one in starts if to_text(one.expression) not in tried), None)
        if entry is None:
            return
        tried.add(to_text(entry.expression))
        start = evaluate(entry.expression, state.columns, state.target)
        for fit in improved(start, names, state.columns, state.target, floor=floor, rng=state.rng):
            if fit is not None:
                tried.add(to_text(fit.expression))
                state.front.add(fit, f"variation ({entry.stage.removeprefix('variation (').removesuffix(')')})")
            yield
            if state.front.is_exact():
                return


def _units(state: State) -> Iterator[None]:
    """In groups without a unit, where units are given."""
    problem = state.by_units
    if problem is None:
        return
    for tree in power_laws(problem.variables, problem.target) if problem.variables else [Number(1.0)]:
        state.offer(problem.back(tree), f"power law ({problem.name})")
        yield
    if problem.variables:
        yield from _exact(state, problem)
        if not state.front.is_exact():
            yield from _multiplied(state, problem)


def _redundancy(state: State) -> Iterator[None]:
    """Find what the others predict; the next stages do without."""
    found = redundant_features(state.variables())
    if found and len(found) < len(state.columns):
        state.dropped = frozenset(one.name for one in found)
        listed = ", ".join(f"{one.name} ({one.r_squared:.2f})" for one in found)
        state.note(f"features that others predict, with R²: {listed}")
    yield


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


def _sums(state: State, problem: Subproblem) -> Iterator[None]:
    """Few terms of one variable each, for a target under a function: a root of a sum, the inverse of a sum."""
    library = make_library(problem.variables, pairs=False, degree=2).carried()
    plan = Plan(width=1, tried=4, steps=5, inside=True)
    for fit in grow([constant_model(problem.target)], library, state.columns, problem.target, plan):
        state.offer(problem.back(fit.expression), f"terms ({problem.name})")
        yield
        if state.front.is_exact():
            return


def _terms(state: State) -> Iterator[None]:
    problem = state.reduced()
    yield
    yield from _grown(state, problem, Plan(width=2, tried=5, steps=8), "terms")


def _transforms(state: State) -> Iterator[None]:
    problem = state.reduced()
    others = list(transformed(problem))
    for other in others:
        yield from _exact(state, other)
        if state.front.is_exact():
            return
    for other in others:
        yield from _sums(state, other)
    for other in others:
        yield from _grown(state, other, Plan(width=1, tried=5, steps=6), "terms")
        if state.front.is_exact():
            return


def _symmetry(state: State) -> Iterator[None]:
    """Reduce as far as the surrogate agrees, the best two ways at every step; quick forms first, then terms.

    What has the fewest variables has its turn first.
    """
    waiting = [*([] if state.by_units is None else [state.by_units]), state.reduced()]
    seen: set[str] = set()
    reduced: list[Subproblem] = []
    while waiting:
        problem = waiting.pop(0)
        found = list(reductions_of(problem))[:2] if problem.variables else []
        yield
        for place, one in enumerate(found):
            key = to_text(one.back(add(*(part.expression for part in one.variables), Number(1))))
            if key not in seen:
                seen.add(key)
                waiting.insert(place, one)  # the best way is followed to its end
                reduced.append(one)
    reduced.sort(key=lambda one: len(one.variables))
    for form in (_quick_forms, _slow_forms):
        for one in reduced:
            yield from form(state, one)
            if state.front.is_exact():
                return


def _slow_forms(state: State, problem: Subproblem) -> Iterator[None]:
    """Couples, and terms of the target."""
    if not problem.variables:
        return
    yield from _coupled(state, problem)
    if state.front.is_exact():
        return
    yield from _grown(state, problem, Plan(width=1, tried=5, steps=5), "terms")


def _quick_forms(state: State, problem: Subproblem) -> Iterator[None]:
    """Power laws, exact forms and short sums, also of the target under functions, and products."""
    for other in (problem, *transformed(problem)):
        for tree in power_laws(other.variables, other.target) if other.variables else [Number(1.0)]:
            state.offer(other.back(tree), f"power law ({other.name})")
        yield from _exact(state, other, most=_FEW_MONOMIALS)
        if state.front.is_exact():
            return
    if not problem.variables:
        return
    for other in transformed(problem):
        yield from _sums(state, other)
        if state.front.is_exact():
            return
    yield from _divided(state, problem)
    yield from _multiplied(state, problem)


def _operon(state: State) -> Iterator[None]:
    """PyOperon's front as seeds: fitted again, and rid of what they do not need."""
    from assay.formula.subjects.operon import Operon

    left = min(state.until - time.monotonic(), 2 * (state.work - WORK.done))
    if find_spec("pyoperon") is None or left < _OPERON_SECONDS:
        state.note("operon: left out, as it is not installed or little time is left")
        return
    yield
    variables = state.reduced().variables
    rows = np.column_stack([one.values for one in variables])
    cost = 1e4 + 10.0 * len(rows)  # of an evaluation
    evaluations = int(np.clip(0.33 * (state.work - WORK.done) * 1e9 / cost, *_OPERON_EVALUATIONS))
    found = Operon(evaluations=evaluations).fit(rows, state.target, seconds=left, seed=0)
    WORK.count(evaluations * cost)
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
    """From the best models, also inside of their functions; again where there are better ones by then."""
    library = make_library(state.reduced().variables, pairs=True)
    tried: set[str] = set()
    while True:
        texts = {to_text(one.expression): one.expression for one in state.front.ordered(state.rows)[:3]}
        tree = next((one for text, one in texts.items() if text not in tried), None)
        if tree is None:
            return
        tried.add(to_text(tree))
        start = evaluate(tree, state.columns, state.target)
        yield
        for fit in grow([start], library, state.columns, state.target, Plan(width=2, tried=6, steps=10, inside=True)):
            state.front.add(fit, "growth inside")
            yield
            if state.front.is_exact():
                return


def _swaps(state: State) -> Iterator[None]:
    """The best models and the best of every stage, their terms exchanged for better ones, also inside of functions."""
    library = make_library(state.reduced().variables, pairs=True)
    plan = Plan(inside=True)
    tried: set[str] = set()
    while True:
        leaders = sorted(state.front.leaders.values(), key=lambda one: state.front.criterion(one, state.rows))
        starts = [*state.front.ordered(state.rows)[:_VARIED], *leaders]
        entry = next((one for one in starts if to_text(one.expression) not in tried), None)
        if entry is None:
            return
        tried.add(to_text(entry.expression))
        start = evaluate(entry.expression, state.columns, state.target)
        yield
        for fit in exchanged(start, library, state.columns, state.target, plan):
            state.offer(fit.expression, f"swaps ({entry.stage.partition(' (')[0]})")
            yield
            if state.front.is_exact():
                return


def _nested(state: State) -> Iterator[None]:
    """From the smallest models, also inside of their functions, from few kinds of terms to all.

    Large models are lured: what belongs inside of a function is approximated beside it.
    """
    problem = state.reduced()
    single, library = (make_library(problem.variables, pairs=pairs) for pairs in (False, True))
    libraries = (single.carried(), single, library.carried(), library)
    tried: set[tuple[int, str]] = set()
    while True:
        known = [*state.front.found.values(), *state.front.leaders.values()]
        small = sorted((one for one in known if one.expression.nodes <= _SMALL), key=lambda one: one.expression.nodes)
        texts = {to_text(one.expression): one.expression for one in small}
        waiting = ((number, text) for number in range(len(libraries)) for text in texts)
        chosen = next((one for one in waiting if one not in tried), None)
        if chosen is None:
            return
        tried.add(chosen)
        start = evaluate(texts[chosen[1]], state.columns, state.target)
        plan = Plan(width=2, tried=6, steps=5, inside=True, multiplied=chosen[0] == 1)
        for fit in grow([start], libraries[chosen[0]], state.columns, state.target, plan):
            state.front.add(fit, "growth inside")
            yield
            if state.front.is_exact():
                return


# those that are quick run first, one after the other; the others share what is left, by weight and from a start
FIRST: Mapping[str, Stage] = MappingProxyType(
    {"linear": _linear, "power": _power, "rational": _rational, "units": _units, "redundancy": _redundancy}
)
SHARED: Mapping[str, tuple[Stage, float, float]] = MappingProxyType(
    {
        "products": (_products, 3.0, 0.0),
        "terms": (_terms, 3.0, 0.0),
        "quotients": (_quotients, 4.0, 0.0),
        "couples": (_couples, 4.0, 0.0),
        "pairs": (_pairs, 1.0, 0.02),
        "transforms": (_transforms, 1.5, 0.0),
        "symmetry": (_symmetry, 5.0, 0.0),
        "operon": (_operon, 2.0, 0.15),
        "vary": (_vary, 5.0, 0.05),
        "inside": (_inside, 2.0, 0.05),
        "nested": (_nested, 3.0, 0.0),
        "swaps": (_swaps, 5.0, 0.0),
    }
)
STAGES = (*(name for name in FIRST if name != "linear"), *SHARED)
