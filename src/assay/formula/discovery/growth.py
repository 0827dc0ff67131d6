"""Growth: a formula gets, wherever it helps most, another term of the library; what no longer helps is deleted.

Every node of a formula has a slope: what a change of it changes at the end. A term that is added there changes the
values by slope times term, so one product of matrices rates all terms of the library at all places, with the constants
that are there already solved for (variable projection at first order). The best are then fitted in earnest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.discovery.fitting import Fit, evaluate, fit_constants, price_of, without_weak_terms
from assay.formula.discovery.library import Library
from assay.formula.discovery.simplification import expanded
from assay.formula.discovery.tape import WORK, Tape, with_constants, with_node
from assay.formula.expression.expression import Apply, Expression, Number, add, divide, multiply, symbols_of

__all__ = ["Plan", "constant_model", "exchanged", "grow", "proposals"]

_LEAST_LEFT = 1e-4  # share of a column that the constants must leave of it
_FUNCTIONS = frozenset(("sin", "cos", "exp", "log", "sqrt", "tanh"))
_EXACT = 1e-20  # of the variance
_MOST_SWAPS = 4  # after every step
_REPLACEMENTS = 8  # of terms inside of functions that are tried
_WORTH, _WORTH_INSIDE = 10.0, 3.0  # what a swap must gain, in units of twice the log-likelihood
_LOOKED_AT, _KEPT = 400, 60  # terms whose gain is computed in full, and of these the best


class Plan(NamedTuple):
    """How wide a search is: models kept, terms tried for each, steps, and whether also inside of functions."""

    width: int = 3
    tried: int = 6
    steps: int = 10
    inside: bool = False
    patience: int = 2
    multiplied: bool = False  # terms inside of functions, too, may be multiplied by monomials


class _Place(NamedTuple):
    """Where a term may be added: the node, its slope, and how it is joined there."""

    node: int
    slope: FloatArray
    join: str


def constant_model(target: FloatArray) -> Fit:
    """The mean."""
    mean = float(np.mean(target))
    return Fit(Number(mean), np.full(len(target), mean), float(np.var(target)))


def grow(
    starts: Sequence[Fit],
    library: Library,
    columns: Mapping[str, FloatArray],
    target: FloatArray,
    plan: Plan,
) -> Iterator[Fit]:
    """Better and larger models, one by one, until no term is worth its price."""
    beam = list(starts)
    rows, variance = len(target), float(np.var(target))
    price = 2 * np.log(max(library.size, 2)) + np.log(rows)
    best = min(beam, key=lambda fit: fit.error).error
    poor = 0
    for step in range(plan.steps):
        found = [tree for model in beam for tree in proposals(model, library, columns, target, plan)]
        tried = _distinct((fit_constants(tree, columns, target, rounds=4) for tree in found), rows)
        if not tried or min(fit.error for fit in tried) >= best:
            return
        fitted = [fit_constants(fit.expression, columns, target) for fit in tried[: plan.width + 1]]
        fitted += _expanded(fitted, columns, target, price)
        beam = _distinct(fitted, rows)[: plan.width]
        beam[0] = without_weak_terms(beam[0], columns, target, price=price / 2)
        yield from beam
        if step and beam[0].error > _EXACT * variance:
            for fit in _swapped(beam[0], library, columns, target, plan):
                beam = _distinct((fit, *_expanded([fit], columns, target, price), *beam), rows)[: plan.width]
                yield beam[0]
        least = min(fit.error for fit in beam)
        if least <= _EXACT * variance:
            return
        poor = 0 if rows * np.log(best / least) > price else poor + 1
        best = min(best, least)
        if poor >= plan.patience:
            return


def exchanged(
    model: Fit, library: Library, columns: Mapping[str, FloatArray], target: FloatArray, plan: Plan
) -> Iterator[Fit]:
    """The model with terms replaced by better or shorter ones, one after the other; the same of it as polynomials."""
    price = 2 * np.log(max(library.size, 2)) + np.log(len(target))
    for start in (model, *_expanded([model], columns, target, price)):
        yield from _swapped(start, library, columns, target, plan)


def _expanded(
    fits: Sequence[Fit], columns: Mapping[str, FloatArray], target: FloatArray, price: float
) -> Iterator[Fit]:
    """Those with functions that have become nearly polynomials, as polynomials."""
    for fit in fits:
        tree = expanded(fit.expression, columns, len(target))
        if tree is not None:
            yield without_weak_terms(fit_constants(tree, columns, target), columns, target, price=price / 2)


def _distinct(fits: Iterable[Fit], rows: int) -> list[Fit]:
    """One for every error, the best first: twice the negative log-likelihood with a price for every node."""
    found: dict[str, Fit] = {}
    for fit in fits:
        if np.isfinite(fit.error):
            found.setdefault(f"{fit.error:.6e}", fit)
    return sorted(found.values(), key=lambda fit: _criterion(fit, rows))


def _swapped(
    model: Fit, library: Library, columns: Mapping[str, FloatArray], target: FloatArray, plan: Plan
) -> Iterator[Fit]:
    """The model with one of its terms replaced by a better one, as long as there is one."""
    rows = len(target)
    for _ in range(_MOST_SWAPS):
        terms = model.expression.args if isinstance(model.expression, Apply) and model.expression.op == "add" else ()
        now = _criterion(model, rows)
        for group in _groups(terms):
            rest = [term for place, term in enumerate(terms) if place not in group]
            short = fit_constants(add(*rest) if rest else Number(0.0), columns, target, rounds=4)
            found = proposals(short, library, columns, target, plan._replace(inside=False, tried=8))
            tried = _distinct((fit_constants(tree, columns, target, rounds=4) for tree in found), rows)
            better = [fit_constants(fit.expression, columns, target, rounds=30) for fit in tried[:3]]
            if better and _criterion(min(better, key=lambda fit: fit.error), rows) < now - _WORTH:
                model = min(better, key=lambda fit: fit.error)
                yield model
                break
        else:
            inner = _swapped_inside(model, library, columns, target, plan) if plan.inside else None
            if inner is None:
                return
            model = inner
            yield model


def _swapped_inside(
    model: Fit, library: Library, columns: Mapping[str, FloatArray], target: FloatArray, plan: Plan
) -> Fit | None:
    """The model with terms of a sum inside of it replaced by a better one."""
    rows = len(target)
    now = _criterion(model, rows)
    for place, (op, _, _) in enumerate(Tape(model.expression).nodes[:-1]):
        if op != "add":
            continue
        node = _node(model.expression, place)
        for group in _groups(node.args if isinstance(node, Apply) else ()):
            found = _replacements(model, library, columns, target, place, group)
            tried = _distinct((fit_constants(tree, columns, target, rounds=6) for tree in found), rows)
            better = [fit_constants(fit.expression, columns, target, rounds=30) for fit in tried[:3]]
            best = min(better, key=lambda fit: _criterion(fit, rows), default=None)
            if best is not None and _criterion(best, rows) < now - _WORTH_INSIDE:
                return best
    return None


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
    node = _node(model.expression, place)
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
        left = target - model.values + slope * sum(results[inputs[one]] for one in group)
    rest = [term for number, term in enumerate(node.args) if number not in group]
    before = sum(slot < place for slot in tape.slots)
    constants = [float(results[slot]) for slot in tape.slots]
    changes = _changes(slopes, tape.slots, rows)
    if not any(isinstance(term, Number) for term in rest):
        rest.append(Number(0.0))
        constants.insert(before, 0.0)
        changes = np.insert(changes, before, slope, axis=1)
        before += 1
    basis = _basis(changes)
    free = left - basis @ (basis.T @ left)
    size = float(np.linalg.norm(free)) or 1.0
    best = _rated(library, library.factors, slope, basis, free / size)
    trees: dict[tuple[int, int, int], Expression] = {}
    for _, column, factor, weight in best:
        kind, argument, _ = library.columns[column]
        if len(trees) < _REPLACEMENTS and (kind, argument, factor) not in trees:
            term = library.term(column, factor, weight * size)
            tree = with_node(model.expression, place, add(*rest, term))
            values = slope * library.factors[factor] * library.values[column]
            moved = np.asarray(constants) + np.linalg.lstsq(changes, left - weight * size * values, rcond=1e-10)[0]
            inner = Tape(term).constants
            stepped = with_constants(tree, [*moved[:before], *inner, *moved[before:]])
            trees[kind, argument, factor] = min((tree, stepped), key=lambda one: _error(one, columns, target))
    return list(trees.values())


def _error(tree: Expression, columns: Mapping[str, FloatArray], target: FloatArray) -> float:
    """With its constants as they are; infinite where it has no values."""
    error = evaluate(tree, columns, target).error
    return error if np.isfinite(error) else np.inf


def _criterion(fit: Fit, rows: int) -> float:
    """Twice the negative log-likelihood and the price of what is written."""
    return float(rows * np.log(max(fit.error, 1e-300))) + price_of(fit.expression)


def _groups(terms: Sequence[Expression]) -> list[frozenset[int]]:
    """Each term, and all terms of the same few variables together: what stands for one term of another kind."""
    names = [frozenset(symbols_of(term)) for term in terms]
    alone = [frozenset((place,)) for place, inside in enumerate(names) if inside]
    same = [frozenset(place for place, inside in enumerate(names) if inside and inside == all_) for all_ in names]
    among = [frozenset(place for place, inside in enumerate(names) if inside and inside <= all_) for all_ in names]
    return list(dict.fromkeys([*alone, *(group for group in (*same, *among) if len(group) > 1)]))


def proposals(
    model: Fit, library: Library, columns: Mapping[str, FloatArray], target: FloatArray, plan: Plan
) -> list[Expression]:
    """The trees with one more term, the most promising first."""
    tape = Tape(model.expression)
    with np.errstate(all="ignore"):
        results = tape.forward(columns)
        slopes = tape.backward(results, everywhere=True)
    rows = len(target)
    basis = _basis(_changes(slopes, tape.slots, rows))
    left = target - model.values
    left = left - basis @ (basis.T @ left)
    rated: list[tuple[float, int, int, int, float]] = []
    places = _places(tape, results, slopes, rows, inside=plan.inside)
    size = float(np.linalg.norm(left)) or 1.0
    for number, place in enumerate(places):
        factors = library.factors if number == 0 or plan.multiplied else library.factors[:1]
        best = _rated(library, factors, place.slope, basis, left / size)
        rated += [(score, number, column, factor, weight * size) for score, column, factor, weight in best]
    rated.sort(key=lambda entry: (-entry[0], entry[1:4]))
    trees: list[Expression] = []
    seen: set[tuple[int, int, int, int]] = set()
    for _, number, column, factor, weight in rated:
        if len(trees) >= plan.tried:
            break
        kind, argument, _ = library.columns[column]
        if (number, factor, kind, argument) in seen:
            continue  # the same with another constant to start from
        seen.add((number, factor, kind, argument))
        trees.append(_joined(model.expression, places[number], library.term(column, factor, weight)))
    return trees


def _changes(slopes: Sequence[FloatArray | float | None], places: Sequence[int], rows: int) -> FloatArray:
    """What these nodes change at the end, a column each."""
    matrix = np.empty((rows, len(places)))
    for number, place in enumerate(places):
        matrix[:, number] = slopes[place]
    matrix[:, ~np.isfinite(matrix).all(axis=0)] = 0.0
    return matrix


def _basis(matrix: FloatArray) -> FloatArray:
    """An orthonormal basis of what the constants can change."""
    if not matrix.shape[1]:
        return matrix
    scale = np.linalg.norm(matrix, axis=0)
    u, singular, _ = np.linalg.svd(matrix / np.where(scale > 0, scale, 1.0), full_matrices=False)
    basis: FloatArray = u[:, singular > 1e-9]
    return basis


def _rated(
    library: Library, factors: FloatArray, slope: FloatArray, basis: FloatArray, left: FloatArray
) -> list[tuple[float, int, int, float]]:
    """The share of the squared error that the best columns times factors take away, which they are, with what weight.

    All are rated in single precision with the constants projected out, the best of them once more in double.
    """
    WORK.count(library.values.size * len(factors) * 0.1 * (2 + basis.shape[1]) + _LOOKED_AT * len(left) * 10)
    single = (factors * slope).astype(np.float32)
    above = library.values @ (single * left.astype(np.float32)).T
    whole_sizes = library.squares @ (single * single).T
    sizes = whole_sizes.copy()
    for one in basis.T.astype(np.float32):
        sizes -= np.square(library.values @ (single * one).T)
    sizes[sizes < _LEAST_LEFT * whole_sizes] = np.inf
    with np.errstate(all="ignore"):
        rough = np.where(sizes > 0, above * above / sizes, 0.0).reshape(-1)
    rough[~np.isfinite(rough)] = 0.0
    if library.allowed is not None and len(factors) == library.allowed.shape[1]:
        rough[~library.allowed.reshape(-1)] = 0.0
    count = min(_LOOKED_AT, rough.size)
    chosen = np.argpartition(rough, -count)[-count:] if count < rough.size else np.arange(rough.size)
    chosen = chosen[rough[chosen] > 0]
    which, factor = np.divmod(chosen, len(factors))
    terms = library.values[which].astype(np.float64) * (factors[factor] * slope)
    whole = np.einsum("ij,ij->i", terms, terms)
    free = whole - np.square(terms @ basis).sum(axis=1)
    fine = np.flatnonzero((free > _LEAST_LEFT * whole) & (whole > 0))
    along = terms[fine] @ left
    gains = along * along / free[fine]
    # in units of twice the log-likelihood, with a price for what is not simple
    scores = -len(left) * np.log(np.maximum(1 - gains, 1e-12)) - library.prices[which[fine]]
    order = np.argsort(-scores, kind="stable")[:_KEPT]
    return [
        (float(scores[one]), int(which[place]), int(factor[place]), float(along[one] / free[place]))
        for one, place in zip(order, fine[order], strict=True)
    ]


def _places(
    tape: Tape,
    results: Sequence[FloatArray | float],
    slopes: Sequence[FloatArray | float | None],
    rows: int,
    *,
    inside: bool,
) -> list[_Place]:
    """The root, and with ``inside`` the arguments of functions, what is divided by, and the terms as factors."""
    last = len(tape.nodes) - 1
    places = [_Place(last, np.ones(rows), "add")]
    if not inside:
        return places
    whole = np.array(np.broadcast_to(np.asarray(results[last], dtype=np.float64), (rows,)))
    places.append(_Place(last, -whole, "divide"))
    terms = tape.nodes[last][1] if tape.nodes[last][0] == "add" else ()
    for place in terms:
        if tape.nodes[place][0] != "slot":
            value = np.array(np.broadcast_to(np.asarray(results[place], dtype=np.float64), (rows,)))
            places += [_Place(place, value, "multiply"), _Place(place, -value, "divide")]
    for op, inputs, _ in tape.nodes:
        for place in inputs[:1] if op in _FUNCTIONS else inputs[1:] if op == "div" else ():
            slope = slopes[place]
            if slope is not None and tape.nodes[place][0] not in ("slot", "value"):
                places.append(_Place(place, np.array(np.broadcast_to(slope, (rows,))), "add"))
    return [place for place in places if np.isfinite(place.slope).all()]


def _joined(expression: Expression, place: _Place, term: Expression) -> Expression:
    node = _node(expression, place.node)
    if place.join == "add":
        other = add(node, term)
    elif place.join == "multiply":
        other = multiply(node, add(Number(1), term))
    else:
        other = divide(node, add(Number(1), term))
    return with_node(expression, place.node, other)


def _node(expression: Expression, place: int) -> Expression:
    """The node at that place of a tape."""
    count = -1
    found: list[Expression] = []

    def visit(node: Expression) -> None:
        nonlocal count
        if isinstance(node, Apply):
            for argument in node.args:
                visit(argument)
        count += 1
        if count == place:
            found.append(node)

    visit(expression)
    return found[0]
