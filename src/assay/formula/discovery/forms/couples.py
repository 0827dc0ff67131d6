"""Sums of two and more terms of the library, all couples at once: choosing one term at a time misses them.

The correlations of all terms with each other are one product of matrices; with them the error that any two leave, a
constant beside them, is known. The same for the target under a function, each row weighted by what an error there means
for the target itself, so that noise does not count for more than it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.core.arrays import FloatArray
from assay.formula.discovery.forms.subproblem import undo, undo_exp
from assay.formula.discovery.library import Library
from assay.formula.discovery.tape import WORK
from assay.formula.expression.expression import Apply, Expression, Number, add

__all__ = ["ROWS", "Catalogue", "View", "couples_in", "views_of"]

_TERMS = 2400  # all couples of them are compared
ROWS = 300  # that sums are chosen by
_CONSTANTS = 2  # of a term that differs in its inner constant only, at a time
_BLOCK = 400
_PER_BLOCK, _LOOKED_AT = 60, 300
_ROOT = 3  # nodes that a root as multiplier counts for in addition
_NODE = 1.5  # price, in units of twice the log-likelihood
_NEW = 1e-3  # share of a term that another must leave of it
_NARROW, _WIDE = 0.3, 12.0  # ranges of a target that may be a logarithm
_ENOUGH = 0.85  # of the rows, that a view must have values at
_LEAST = 0.03  # of the median size: targets nearer to zero are left out of views that divide by them
# simple terms by price; some of each kind, by gain less this many times their price
_PLAIN, _OF_KIND, _DEAR = 32, 3, 2.0
_PLAIN_BEST, _PLAIN_FOLLOWED = 10, 250
_BEAM, _THIRD, _SWAPPED, _EXCHANGED = 16, 5, 6, 3
_LEADERS, _ALIKE = 8, 0.98  # terms that others are chosen beside, not much alike
_CHEAP = 16.5  # price of a function of a variable times another, about
_EXACT = 1e-18


class View(NamedTuple):
    """The target under a function, the weight of every row (zero where there is no value), and the way back."""

    name: str
    target: FloatArray
    weights: FloatArray
    back: Callable[[Expression], Expression]


class _Terms(NamedTuple):
    """Columns of the library with factors; what is left of them beside a constant, weighted, of length one."""

    columns: npt.NDArray[np.intp]
    factors: npt.NDArray[np.intp]
    groups: npt.NDArray[np.intp]  # equal where only the inner constant differs
    kinds: npt.NDArray[np.intp]
    prices: FloatArray
    values: FloatArray


def views_of(target: FloatArray, weights: FloatArray | None = None) -> Iterator[View]:
    """The target itself, its inverse, square, logarithm, root, inverse square and exponential, where they have values.

    >>> [view.name for view in views_of(np.array([0.1, 2.0, 30.0]))]
    ['itself', 'inverse', 'square', 'log', 'root', 'inverse square']
    """
    y, w = target, np.ones_like(target) if weights is None else np.abs(weights)
    yield View("itself", y, w, lambda tree: tree)
    size = np.abs(y)
    sign = 1.0 if float(np.median(y)) > 0 else -1.0
    usable = sign * y > _LEAST * float(np.median(size))

    if float(usable.mean()) >= _ENOUGH:
        s, w_ = np.where(usable, size, 1.0), usable * w
        yield View("inverse", 1 / s, w_ * s**2, undo("inverse", sign))
        yield View("square", s**2, w_ / (2 * s), undo("square", sign))
        yield View("log", np.log(s), w_ * s, undo("log", sign))
        yield View("root", np.sqrt(s), w_ * 2 * np.sqrt(s), undo("root", sign))
        yield View("inverse square", s**-2.0, w_ * s**3 / 2, undo("inverse square", sign))
    if _NARROW < float(np.ptp(y)) < _WIDE:
        top = float(y.max())
        yield View("exp", np.exp(y - top), w * np.exp(top - y), undo_exp(top))


class Catalogue:
    """A library with what every view of a target needs of it: the kind and the price of every term."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.kinds = np.array([column.kind for column in library.columns])
        arguments = np.array([column.argument for column in library.columns])
        self.named = self.kinds * (arguments.max() + 1) + arguments
        nodes = np.array([library.write(place).nodes for place in range(len(library.columns))])
        nodes -= [2 * (column.constant == 1.0) for column in library.columns]  # a factor of one is not written
        self.around = np.array([0 if tree is None else tree.nodes + 1 for tree in library.multipliers])
        self.around += [_ROOT if isinstance(tree, Apply) and tree.op == "sqrt" else 0 for tree in library.multipliers]
        self.prices = _NODE * (nodes[:, None] + self.around) + library.prices[:, None]
        WORK.count(len(nodes) * 5e3)


def couples_in(catalogue: Catalogue, view: View) -> Iterator[Expression]:
    """Sums of a constant and two terms, the most promising first, then of three and four, all to be fitted."""
    rows = np.flatnonzero(view.weights)
    if len(rows) > ROWS:
        rows = rows[np.linspace(0, len(rows) - 1, ROWS).astype(int)]
    weights = view.weights[rows] / float(view.weights[rows].max())
    one = weights / np.linalg.norm(weights)
    aim = view.target[rows] * weights
    aim = aim - one * float(one @ aim)
    size = float(np.linalg.norm(aim))
    if not np.isfinite(size) or not size:
        return
    aim = aim / size
    selection = _Selection(catalogue, rows, weights, one, aim)
    terms = selection.terms()
    if len(terms.columns) < 2:
        return
    members = dict.fromkeys(place for _, chosen in _couples(terms, aim) for place in chosen)
    for place in selection.apart(members):
        selection.beside((place,), _TERMS // (3 * _LEADERS))
    terms = selection.terms()
    beam = _couples(terms, aim)
    plain = _plain_sums(terms, aim)
    for chosen in plain:
        yield view.back(_weighted_sum(catalogue.library, terms, chosen, view, rows))
    both = dict.fromkeys(chosen for _, chosen in beam[: _LEADERS // 2])
    both |= dict.fromkeys(two for chosen in plain[:_EXCHANGED] for two in combinations(chosen, 2))
    for chosen in both:
        selection.beside(chosen, _TERMS // (8 * _LEADERS))
    terms = selection.terms()
    for depth in (2, 3, 4):
        for _, chosen in beam[: _BEAM if depth == 4 else 2 * _BEAM]:
            yield view.back(_weighted_sum(catalogue.library, terms, chosen, view, rows))
        if depth < 4:
            starts = [*(chosen for _, chosen in beam[:_BEAM]), *(both if depth == 2 else ())]
            wider = [entry for chosen in starts for entry in _with_one_more(terms, aim, chosen)]
            beam = _distinct(terms, wider)
            for _, chosen in beam[:_SWAPPED]:
                shorter = [chosen[:place] + chosen[place + 1 :] for place in range(len(chosen))]
                wider += [entry for rest in shorter for entry in _with_one_more(terms, aim, rest)]
            beam = _distinct(terms, wider)


def _distinct(terms: _Terms, sums: Sequence[tuple[float, tuple[int, ...]]]) -> list[tuple[float, tuple[int, ...]]]:
    """The best of those that differ in their inner constants only, the best first."""
    unique = {tuple(sorted(terms.groups[list(chosen)])): (score, chosen) for score, chosen in sorted(sums)}
    return sorted(unique.values(), key=lambda entry: (-entry[0], entry[1]))


class _Selection:
    """Terms that go best with the target, then those that go best with what one of them leaves; monomials always."""

    def __init__(
        self, catalogue: Catalogue, rows: npt.NDArray[np.intp], weights: FloatArray, one: FloatArray, aim: FloatArray
    ) -> None:
        library = catalogue.library
        self.catalogue, self.weights, self.one, self.aim = catalogue, weights, one, aim
        self.values, self.factors = library.values[:, rows], library.factors[:, rows]
        self.single = (self.factors * weights).astype(np.float32)
        sums = self.values @ (self.single * one.astype(np.float32)).T
        self.sizes = library.squares[:, rows] @ (self.single * self.single).T
        self.free = self.sizes - sums * sums
        self.bad = ~(self.free > 1e-4 * self.sizes) | ~np.isfinite(self.free)
        self.seen: set[bytes] = set()
        self.chosen: list[tuple[int, int]] = []
        self.columns: list[FloatArray] = []
        scores = self._rated(aim, ())
        plain = (catalogue.kinds == 0)[:, None] & np.isfinite(scores)
        self._take(scores, _TERMS // 3)
        self._take(np.where(plain, -catalogue.prices, -np.inf), _TERMS // 6)
        for place in self.apart(range(len(self.chosen))):
            self.beside((place,), _TERMS // (6 * _LEADERS))

    def apart(self, places: Iterable[int]) -> list[int]:
        """The first that are not much alike."""
        leaders: list[int] = []
        for place in places:
            if all(abs(float(self.columns[place] @ self.columns[other])) < _ALIKE for other in leaders):
                leaders.append(place)
            if len(leaders) >= _LEADERS:
                break
        return leaders

    def beside(self, places: Sequence[int], most: int) -> None:
        """Take the best for what those terms leave."""
        basis, _ = np.linalg.qr(np.column_stack([self.columns[place] for place in places]))
        residual = self.aim - basis @ (basis.T @ self.aim)
        if float(residual @ residual) > _EXACT:
            scores = self._rated(residual, basis.T)
            self._take(scores, 2 * most // 3)
            self._take(np.where(self.catalogue.prices <= _CHEAP, scores, -np.inf), most // 3)

    def terms(self) -> _Terms:
        """All that were taken."""
        which, factors = np.array(self.chosen, dtype=np.intp).reshape(-1, 2).T
        return _Terms(
            which,
            factors,
            self.catalogue.named[which] * len(self.factors) + factors,
            self.catalogue.kinds[which],
            self.catalogue.prices[which, factors],
            np.array(self.columns).reshape(-1, len(self.aim)),
        )

    def _rated(self, residual: FloatArray, beside: Iterable[FloatArray]) -> FloatArray:
        """Twice the log-likelihood that each term of the library gains, less its price."""
        WORK.count(self.values.size * len(self.factors) * 0.05 + self.free.size * 30.0)
        along = self.values @ (self.single * residual.astype(np.float32)).T
        rest = self.free
        for unit in beside:
            rest = rest - np.square(self.values @ (self.single * unit.astype(np.float32)).T)
        with np.errstate(all="ignore"):
            gains = along * along / np.maximum(rest, 1e-4 * self.sizes) / float(residual @ residual)
        gains[self.bad | ~np.isfinite(gains)] = 0.0
        scores: FloatArray = -len(residual) * np.log(np.maximum(1 - gains, 1e-9)) - self.catalogue.prices
        scores[gains == 0] = -np.inf
        return scores

    def _take(self, scores: FloatArray, most: int) -> None:
        """Of the best, few of the same kind and none twice."""
        flat = scores.reshape(-1)
        some = min(4 * most, len(flat))
        best = np.argpartition(-flat, some - 1)[:some]
        best = best[np.lexsort((best, -flat[best]))]
        which, factor = np.divmod(best, len(self.factors))
        matrix = self.values[which].astype(np.float64) * self.factors[factor] * self.weights
        matrix -= np.outer(matrix @ self.one, self.one)
        lengths = np.linalg.norm(matrix, axis=1)
        before = len(self.chosen)
        counts: dict[tuple[int, int], int] = {}
        for number, place in enumerate(best):
            key = (int(self.catalogue.named[which[number]]), int(factor[number]))
            if flat[place] == -np.inf or len(self.chosen) - before >= most:
                break
            if counts.get(key, 0) >= _CONSTANTS or not lengths[number] > 0:
                continue
            unit = matrix[number] / lengths[number]
            sign = np.sign(float(unit @ self.aim))
            mark = np.round(unit[:: max(len(unit) // 8, 1)] * sign, 6).tobytes()
            if mark not in self.seen:
                self.seen.add(mark)
                counts[key] = counts.get(key, 0) + 1
                self.chosen.append((int(which[number]), int(factor[number])))
                self.columns.append(unit)


def _plain_sums(terms: _Terms, aim: FloatArray) -> list[tuple[int, ...]]:
    """The best of all sums of three of the simplest terms, and of four that begin like the best of these."""
    rows = len(aim)
    along = terms.values @ aim
    gains = -rows * np.log(np.maximum(1 - np.square(along), 1e-9))
    by_price, by_gain = np.lexsort((-gains, terms.prices)), np.argsort(_DEAR * terms.prices - gains, kind="stable")
    of_kinds = [place for kind in np.unique(terms.kinds) for place in by_gain[terms.kinds[by_gain] == kind][:_OF_KIND]]
    some = np.array(list(dict.fromkeys([*by_price[:_PLAIN], *of_kinds])), dtype=np.intp)
    shared, along = terms.values[some] @ terms.values[some].T, along[some]
    shared[np.diag_indices_from(shared)] += 1e-9
    prices = terms.prices[some]
    best_sums: list[tuple[int, ...]] = []
    trios = np.array(list(combinations(range(len(some)), 3)), dtype=np.intp).reshape(-1, 3)
    for sums in (trios, None):
        if sums is None:
            sums = np.array(sorted({tuple(sorted((*one, other))) for one in trios for other in range(len(some))}))
            sums = sums[(np.diff(sums, axis=1) > 0).all(axis=1)] if len(sums) else sums
        if not len(sums):
            break
        WORK.count(len(sums) * 400.0 * sums.shape[1])
        pulls = along[sums]
        explained = np.einsum(
            "ij,ij->i", pulls, np.linalg.solve(shared[sums[:, :, None], sums[:, None, :]], pulls[..., None])[..., 0]
        )
        scores = -rows * np.log(np.maximum(1 - explained, 1e-9)) - prices[sums].sum(axis=1)
        scores[explained > 1 + 1e-6] = -np.inf
        best = np.argsort(-scores, kind="stable")
        best_sums += [tuple(int(some[place]) for place in sums[one]) for one in best[:_PLAIN_BEST]]
        trios = sums[best[:_PLAIN_FOLLOWED]]
    return best_sums


def _couples(terms: _Terms, aim: FloatArray) -> list[tuple[float, tuple[int, ...]]]:
    """The best couples by twice the log-likelihood less their price, one of each kind."""
    count, rows = terms.values.shape
    WORK.count(count * count * (rows * 0.05 + 10.0))
    single = terms.values.astype(np.float32)
    along = single @ aim.astype(np.float32)
    prices = terms.prices.astype(np.float32)
    rated: list[tuple[float, int, int]] = []
    for start in range(0, count, _BLOCK):
        stop = min(start + _BLOCK, count)
        shared = single[start:stop] @ single[start:].T
        free = 1 - shared * shared
        one, two = along[start:stop, None], along[None, start:]
        with np.errstate(all="ignore"):
            gains = (one * one + two * two - 2 * one * two * shared) / free
        gains[free < _NEW] = 0.0
        scores = -rows * np.log(np.maximum(1 - gains, 1e-7)) - prices[start:stop, None] - prices[None, start:]
        flat = scores.reshape(-1)
        some = min(_PER_BLOCK * 4, len(flat) - 1)
        for place in np.argpartition(-flat, some)[:some]:
            first, second = divmod(int(place), count - start)
            if second > first:
                rated.append((float(flat[place]), start + first, start + second))
    rated.sort(key=lambda entry: (-entry[0], entry[1:]))
    exact: dict[tuple[int, int], tuple[float, tuple[int, ...]]] = {}
    for _, first, second in rated[: _LOOKED_AT * 2]:
        low, high = sorted((int(terms.groups[first]), int(terms.groups[second])))
        score = _score(terms, aim, (first, second))
        if (low, high) not in exact or exact[low, high][0] < score:
            exact[low, high] = (score, (first, second))
    return sorted(exact.values(), key=lambda entry: -entry[0])


def _score(terms: _Terms, aim: FloatArray, chosen: Sequence[int]) -> float:
    basis, _ = np.linalg.qr(terms.values[list(chosen)].T)
    residual = aim - basis @ (basis.T @ aim)
    return float(-len(aim) * np.log(max(float(residual @ residual), 1e-20)) - terms.prices[list(chosen)].sum())


def _with_one_more(terms: _Terms, aim: FloatArray, chosen: tuple[int, ...]) -> list[tuple[float, tuple[int, ...]]]:
    """The couple or more with the terms that go best with it."""
    WORK.count(terms.values.size * 4.0)
    basis, _ = np.linalg.qr(terms.values[list(chosen)].T)
    residual = aim - basis @ (basis.T @ aim)
    free = 1 - np.square(terms.values @ basis).sum(axis=1)
    along = terms.values @ residual
    whole = max(float(residual @ residual), 1e-300)
    with np.errstate(all="ignore"):
        gains = np.where(free > _NEW, along * along / free, 0.0) / whole
    scores = -len(aim) * np.log(np.maximum(1 - gains, 1e-12)) - terms.prices
    extensions: dict[int, tuple[float, tuple[int, ...]]] = {}
    for place in np.argsort(-scores, kind="stable")[: 4 * _THIRD]:
        if len(extensions) < _THIRD:
            extensions.setdefault(int(terms.groups[place]), (0.0, (*chosen, int(place))))
    return [(_score(terms, aim, trio), trio) for _, trio in extensions.values()]


def _weighted_sum(
    library: Library, terms: _Terms, chosen: Sequence[int], view: View, rows: npt.NDArray[np.intp]
) -> Expression:
    """The sum with its weights solved for, and a constant."""
    places = [(int(terms.columns[one]), int(terms.factors[one])) for one in chosen]
    columns = [library.values[one][rows].astype(np.float64) * library.factors[factor][rows] for one, factor in places]
    matrix = np.column_stack([*columns, np.ones(len(rows))])
    scale = np.linalg.norm(matrix, axis=0)
    counts = view.weights[rows, None]
    solution, *_ = np.linalg.lstsq(matrix / scale * counts, view.target[rows] * counts[:, 0], rcond=None)
    *weights, constant = (solution / scale).tolist()
    parts = [library.term(*place, weight) for place, weight in zip(places, weights, strict=True)]
    return add(*parts, Number(constant))
