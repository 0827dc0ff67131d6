"""Features that the others predict: noisy substitutes, which a formula should not use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.core.arrays import FloatArray
from assay.formula.discovery.library import Library, Variable, make_library
from assay.formula.discovery.tape import WORK
from assay.formula.expression.expression import symbols_of

__all__ = ["Redundant", "needed_features", "redundant_features"]

_PREDICTED = 0.6  # R² of one term of the library; by chance it has 0.15
_UNEXPLAINED, _NEEDED = 0.1, 0.7  # of the target without a feature; of that what is left with it
_COMPARED = 300  # rows
_WIDTHS, _RIDGES = (0.5, 1.0, 2.0, 4.0), (1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1.0)
_MANY = 12  # features beyond which pairs and products are not tried


class Redundant(NamedTuple):
    """A feature and how much of its variance one function of the others explains."""

    name: str
    r_squared: float


def redundant_features(variables: Sequence[Variable]) -> list[Redundant]:
    """Those that a function of the others predicts, the best predicted first, each without those before it.

    >>> from assay.formula.expression.expression import Symbol
    >>> a, b, noise = np.random.default_rng(0).normal(size=(3, 100))
    >>> features = {"a": a, "b": b, "z": a * b + 0.1 * noise}
    >>> [one.name for one in redundant_features([Variable(Symbol(name), values) for name, values in features.items()])]
    ['z']
    """
    if len(variables) < 2:
        return []
    library = make_library(variables, pairs=len(variables) <= _MANY, degree=1)
    if len(variables) > _MANY:
        library = replace(library, multipliers=library.multipliers[:1], factors=library.factors[:1])
    names = [symbols_of(variable.expression)[0] for variable in variables]
    inside = np.array([[name in symbols_of(argument.expression) for name in names] for argument in library.arguments])
    in_columns = inside[[column.argument for column in library.columns]]
    in_factors = np.array(
        [[one is not None and name in symbols_of(one) for name in names] for one in library.multipliers]
    )
    shares = _shares(library, np.array([variable.values for variable in variables]))
    dropped: list[Redundant] = []
    gone = np.zeros(len(names), dtype=bool)
    while True:
        lost_columns, lost_factors = (in_columns & gone).any(axis=1), (in_factors & gone).any(axis=1)
        best, most = -1, _PREDICTED
        for place in np.flatnonzero(~gone):
            allowed = np.outer(~(lost_columns | in_columns[:, place]), ~(lost_factors | in_factors[:, place]))
            share = float(np.where(allowed, shares[place], 0.0).max())
            if share > most:
                best, most = int(place), share
        if best < 0:
            return dropped
        gone[best] = True
        dropped.append(Redundant(names[best], most))


def _shares(library: Library, features: FloatArray) -> list[npt.NDArray[np.float32]]:
    """R² of every feature by every column times every factor, with a constant beside it."""
    rows = features.shape[1]
    means = library.values @ library.factors.T / rows
    spread = library.squares @ (library.factors**2).T / rows - means**2
    fine = spread > 1e-9 * np.maximum(means**2, 1e-300)
    shares = []
    for values in features:
        centred = (values - values.mean()) / (values.std() or 1.0)
        along = library.values @ (library.factors * centred).T / rows
        shares.append(np.where(fine, along**2 / np.where(fine, spread, 1.0), 0.0).astype(np.float32))
    return shares


def needed_features(features: Sequence[Variable], dropped: Sequence[Variable], target: FloatArray) -> list[Variable]:
    """Those of the dropped that the target needs after all: features may predict each other and all matter.

    >>> from assay.formula.expression.expression import Symbol
    >>> a, b, noise = np.random.default_rng(0).normal(size=(3, 200))
    >>> like_a, like_b = Variable(Symbol("c"), a + 0.4 * noise), Variable(Symbol("d"), b)
    >>> [one.expression for one in needed_features([Variable(Symbol("a"), a)], [like_a, like_b], a + b)]
    [Symbol(d)]
    """
    some = np.linspace(0, len(target) - 1, min(_COMPARED, len(target))).astype(int)
    aim = (target[some] - target[some].mean()) / (target[some].std() or 1.0)
    inside, candidates = list(features), list(dropped)
    now = _unexplained(inside, aim, some)
    needed: list[Variable] = []
    while candidates and now > _UNEXPLAINED:
        errors = [_unexplained([*inside, one], aim, some) for one in candidates]
        best = int(np.argmin(errors))
        if errors[best] > _NEEDED * now:
            break
        now = errors[best]
        needed.append(candidates[best])
        inside.append(candidates.pop(best))
    return needed


def _unexplained(variables: Sequence[Variable], aim: FloatArray, rows: npt.NDArray[np.intp]) -> float:
    """The share of the target's variance that a smooth function of the variables leaves, each row left out in turn."""
    matrix = np.column_stack(
        [(one.values[rows] - one.values[rows].mean()) / one.values[rows].std() for one in variables]
    )
    squares = np.square(matrix).sum(axis=1)
    distances = np.maximum(squares[:, None] + squares - 2 * matrix @ matrix.T, 0.0)
    least = 1.0
    for width in _WIDTHS:
        kernel = np.exp(-distances / (2 * width**2 * matrix.shape[1]))
        values, vectors = np.linalg.eigh(kernel)
        along = vectors.T @ aim
        for ridge in _RIDGES:
            weights = 1 / (np.maximum(values, 0.0) + ridge * len(aim))
            own = (np.square(vectors) * weights).sum(axis=1)
            residuals = (vectors @ (weights * along)) / own
            least = min(least, float(np.mean(np.square(residuals))))
    WORK.count(len(_WIDTHS) * len(aim) ** 3 * 10)
    return least
