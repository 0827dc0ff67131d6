"""Proposals: every term of the library rated at every place of a formula, with its constants solved for.

Every node of a formula has a slope: what a change of it changes at the end. A term that is added there changes the
values by slope times term, so products of matrices rate all terms of the library at all places, with the constants
that are there already projected out (variable projection at first order). The best are then fitted in earnest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.discovery.fitting import Fit
from assay.formula.discovery.library import Library
from assay.formula.discovery.tape import WORK, Tape, node_at, with_node
from assay.formula.expression.expression import Expression, Number, add, divide, multiply

__all__ = ["Plan", "basis_of", "best_terms", "changes_of", "proposals"]

_LEAST_FREE = 1e-4  # share of a column that the constants must leave of it
_FUNCTIONS = frozenset(("sin", "cos", "exp", "log", "sqrt", "tanh"))
_LOOKED_AT, _RETURNED = 400, 60  # terms whose gain is computed in full, and of these the best


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


def proposals(
    model: Fit, library: Library, columns: Mapping[str, FloatArray], target: FloatArray, plan: Plan
) -> list[Expression]:
    """The trees with one more term, the most promising first."""
    tape = Tape(model.expression)
    with np.errstate(all="ignore"):
        results = tape.forward(columns)
        slopes = tape.backward(results, everywhere=True)
    rows = len(target)
    basis = basis_of(changes_of(slopes, tape.slots, rows))
    residual = target - model.values
    residual = residual - basis @ (basis.T @ residual)
    rated: list[tuple[float, int, int, int, float]] = []
    places = _places(tape, results, slopes, rows, inside=plan.inside)
    size = float(np.linalg.norm(residual)) or 1.0
    for number, place in enumerate(places):
        factors = library.factors if number == 0 or plan.multiplied else library.factors[:1]
        best = best_terms(library, factors, place.slope, basis, residual / size)
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


def changes_of(slopes: Sequence[FloatArray | float | None], places: Sequence[int], rows: int) -> FloatArray:
    """What these nodes change at the end, a column each."""
    matrix = np.empty((rows, len(places)))
    for number, place in enumerate(places):
        matrix[:, number] = slopes[place]
    matrix[:, ~np.isfinite(matrix).all(axis=0)] = 0.0
    return matrix


def basis_of(matrix: FloatArray) -> FloatArray:
    """An orthonormal basis of what the constants can change."""
    if not matrix.shape[1]:
        return matrix
    scale = np.linalg.norm(matrix, axis=0)
    u, singular, _ = np.linalg.svd(matrix / np.where(scale > 0, scale, 1.0), full_matrices=False)
    basis: FloatArray = u[:, singular > 1e-9]
    return basis


def best_terms(
    library: Library, factors: FloatArray, slope: FloatArray, basis: FloatArray, residual: FloatArray
) -> list[tuple[float, int, int, float]]:
    """The share of the squared error that the best columns times factors take away, which they are, with what weight.

    All are rated in single precision with the constants projected out, the best of them once more in double.
    """
    WORK.count(library.values.size * len(factors) * 0.1 * (2 + basis.shape[1]) + _LOOKED_AT * len(residual) * 10)
    single = (factors * slope).astype(np.float32)
    above = library.values @ (single * residual.astype(np.float32)).T
    whole_sizes = library.squares @ (single * single).T
    sizes = whole_sizes.copy()
    for one in basis.T.astype(np.float32):
        sizes -= np.square(library.values @ (single * one).T)
    sizes[sizes < _LEAST_FREE * whole_sizes] = np.inf
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
    fine = np.flatnonzero((free > _LEAST_FREE * whole) & (whole > 0))
    along = terms[fine] @ residual
    gains = along * along / free[fine]
    # in units of twice the log-likelihood, with a price for what is not simple
    scores = -len(residual) * np.log(np.maximum(1 - gains, 1e-12)) - library.prices[which[fine]]
    order = np.argsort(-scores, kind="stable")[:_RETURNED]
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
    node = node_at(expression, place.node)
    if place.join == "add":
        other = add(node, term)
    elif place.join == "multiply":
        other = multiply(node, add(Number(1), term))
    else:
        other = divide(node, add(Number(1), term))
    return with_node(expression, place.node, other)
