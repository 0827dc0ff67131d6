"""Swaps: terms of a formula, also inside of its functions, exchanged for better or shorter ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.discovery.fitting import Fit, criterion, evaluate, fit_constants, without_weak_terms
from assay.formula.discovery.growth.proposals import Plan, basis_of, best_terms, changes_of, proposals
from assay.formula.discovery.library import Library
from assay.formula.discovery.simplification import expanded
from assay.formula.discovery.tape import Tape, node_at, with_constants, with_node
from assay.formula.expression.expression import Apply, Expression, Number, add, symbols_of

__all__ = ["as_polynomials", "distinct", "exchanged", "swapped"]

_MOST_SWAPS = 4  # after every step
_REPLACEMENTS, _FITTED = 8, 3  # of terms inside of functions that are tried; of all those fitted in full
_WORTH, _WORTH_INSIDE = 10.0, 3.0  # what a swap must gain, in units of twice the log-likelihood
_LEAST = 1e-300  # an error that has a logarithm


def exchanged(
    model: Fit, library: Library, columns: Mapping[str, FloatArray], target: FloatArray, plan: Plan
) -> Iterator[Fit]:
    """The model with terms replaced by better or shorter ones, one after the other; the same of it as polynomials."""
    price = 2 * np.log(max(library.size, 2)) + np.log(len(target))
    for start in (model, *as_polynomials([model], columns, target, price)):
        yield from swapped(start, library, columns, target, plan)


def as_polynomials(
    fits: Sequence[Fit], columns: Mapping[str, FloatArray], target: FloatArray, price: float
) -> Iterator[Fit]:
    """Those with functions that have become nearly polynomials, as polynomials."""
    for fit in fits:
        tree = expanded(fit.expression, columns, len(target))
        if tree is not None:
            yield without_weak_terms(fit_constants(tree, columns, target), columns, target, price=price / 2)


def distinct(fits: Iterable[Fit], rows: int) -> list[Fit]:
    """One for every error, the best first: twice the negative log-likelihood with a price for every node."""
    by_error: dict[str, Fit] = {}
    for fit in fits:
        if np.isfinite(fit.error):
            by_error.setdefault(f"{fit.error:.6e}", fit)
    return sorted(by_error.values(), key=lambda fit: criterion(fit, rows, _LEAST))


def swapped(
    model: Fit, library: Library, columns: Mapping[str, FloatArray], target: FloatArray, plan: Plan
) -> Iterator[Fit]:
    """The model with terms replaced by a better one, the best swap of all first, as long as there is one."""
    cost = partial(criterion, rows=len(target), floor=_LEAST)
    for _ in range(_MOST_SWAPS):
        now, worth = cost(model), _WORTH
        best = min(_swaps(model, library, columns, target, plan), key=cost, default=model)
        if plan.inside and cost(best) >= now - worth:
            worth = _WORTH_INSIDE
            best = min(_swaps_inside(model, library, columns, target), key=cost, default=model)
        if cost(best) >= now - worth:
            return
        model = best
        yield model


def _swaps(
    model: Fit, library: Library, columns: Mapping[str, FloatArray], target: FloatArray, plan: Plan
) -> Iterator[Fit]:
    """Models with some terms replaced."""
    terms = model.expression.args if isinstance(model.expression, Apply) and model.expression.op == "add" else ()
    for group in _groups(terms):
        rest = [term for place, term in enumerate(terms) if place not in group]
        short = fit_constants(add(*rest) if rest else Number(0.0), columns, target, rounds=4)
        trees = proposals(short, library, columns, target, plan._replace(inside=False, tried=8))
        yield from _fitted(trees, columns, target)


def _swaps_inside(model: Fit, library: Library, columns: Mapping[str, FloatArray], target: FloatArray) -> Iterator[Fit]:
    """Models with some terms of a sum inside of them replaced."""
    for place, (op, _, _) in enumerate(Tape(model.expression).nodes[:-1]):
        if op == "add":
            node = node_at(model.expression, place)
            for group in _groups(node.args if isinstance(node, Apply) else ()):
                yield from _fitted(_replacements(model, library, columns, target, place, group), columns, target)


def _fitted(trees: Iterable[Expression], columns: Mapping[str, FloatArray], target: FloatArray) -> list[Fit]:
    """The best of the trees after some steps, fitted in full."""
    tried = distinct((fit_constants(tree, columns, target, rounds=6) for tree in trees), len(target))
    return [fit_constants(fit.expression, columns, target, rounds=30) for fit in tried[:_FITTED]]


def _replacements(
    model: Fit,
    library: Library,
    columns: Mapping[str, FloatArray],
    target: FloatArray,
    place: int,
    group: Collection[int],
) -> list[Expression]:
    """The trees with some terms of the sum at that place replaced, as the slopes of the model as it is promise."""
    tape, rows = Tape(model.expression), len(target)
    node = node_at(model.expression, place)
    assert isinstance(node, Apply)
    with np.errstate(all="ignore"):
        results = tape.forward(columns)
        slopes = tape.backward(results, everywhere=True)
        if slopes[place] is None or not np.isfinite(slopes[place]).all():
            return []
        slope = np.array(np.broadcast_to(slopes[place], (rows,)))
        inputs = tape.nodes[place][1]
        gone = [range(inputs[one] - node.args[one].nodes + 1, inputs[one] + 1) for one in group]
        tape.slots = [slot for slot in tape.slots if not any(slot in one for one in gone)]
        residual = target - model.values + slope * sum(results[inputs[one]] for one in group)
        if not np.isfinite(residual).all():
            return []
    rest = [term for number, term in enumerate(node.args) if number not in group]
    before = sum(slot < place for slot in tape.slots)
    constants = [float(results[slot]) for slot in tape.slots]
    changes = changes_of(slopes, tape.slots, rows)
    if not any(isinstance(term, Number) for term in rest):
        rest.append(Number(0.0))
        constants.insert(before, 0.0)
        changes = np.insert(changes, before, slope, axis=1)
        before += 1
    basis = basis_of(changes)
    free = residual - basis @ (basis.T @ residual)
    size = float(np.linalg.norm(free)) or 1.0
    best = best_terms(library, library.factors, slope, basis, free / size)
    trees: dict[tuple[int, int, int], Expression] = {}
    for _, column, factor, weight in best:
        kind, argument, _ = library.columns[column]
        if len(trees) < _REPLACEMENTS and (kind, argument, factor) not in trees:
            term = library.term(column, factor, weight * size)
            tree = with_node(model.expression, place, add(*rest, term))
            values = slope * library.factors[factor] * library.values[column]
            moved = np.asarray(constants) + _step(changes, residual - weight * size * values)
            stepped = with_constants(tree, [*moved[:before], *Tape(term).constants, *moved[before:]])
            trees[kind, argument, factor] = min((tree, stepped), key=lambda one: evaluate(one, columns, target).error)
    return list(trees.values())


def _step(changes: FloatArray, residual: FloatArray) -> FloatArray:
    """What the constants have to change by to explain what is left; nothing where that has no solution in doubles."""
    scale = np.linalg.norm(changes, axis=0)
    scale[~((scale > 0) & np.isfinite(scale))] = np.inf
    if not changes.shape[1] or not np.isfinite(residual).all():
        return np.zeros(changes.shape[1])
    solution: FloatArray = np.linalg.lstsq(changes / scale, residual, rcond=1e-10)[0] / scale
    return solution


def _groups(terms: Sequence[Expression]) -> list[frozenset[int]]:
    """Each term, and all terms of the same few variables together: what stands for one term of another kind."""
    names = [frozenset(symbols_of(term)) for term in terms]
    alone = [frozenset((place,)) for place, inside in enumerate(names) if inside]
    same = [frozenset(place for place, inside in enumerate(names) if inside and inside == all_) for all_ in names]
    among = [frozenset(place for place, inside in enumerate(names) if inside and inside <= all_) for all_ in names]
    return list(dict.fromkeys([*alone, *(group for group in (*same, *among) if len(group) > 1)]))
