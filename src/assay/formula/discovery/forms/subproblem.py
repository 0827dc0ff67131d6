"""Smaller problems whose solution solves the whole: other targets, fewer variables, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.discovery.library import Variable
from assay.formula.expression.expression import Apply, Expression, Number, add, applied, divide, power

__all__ = ["Subproblem", "transformed", "undo", "undo_exp"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subproblem:
    """Variables, what they are to explain, and how a solution becomes one of the whole.

    ``weights`` say how much an error at a row counts in the whole.
    """

    name: str
    variables: Sequence[Variable]
    target: FloatArray
    weights: FloatArray | None = None
    back: Callable[[Expression], Expression] = lambda tree: tree


# what a tree for a function of the target's size becomes when that function is undone
_UNDONE: Mapping[str, Callable[[Expression], Expression]] = {
    "inverse": lambda tree: divide(Number(1), tree),
    "square": applied("sqrt"),
    "log": applied("exp"),
    "root": lambda tree: power(tree, Number(2)),
    "inverse square": lambda tree: divide(Number(1), Apply("sqrt", (tree,))),
}


def undo(name: str, sign: float = 1.0) -> Callable[[Expression], Expression]:
    """From a function of a target of that sign back to the target.

    >>> undo("square", -1.0)(Number(4))
    Apply(-sqrt(4), 3 nodes)
    """
    undone = _UNDONE[name]
    return undone if sign > 0 else lambda tree: Apply("neg", (undone(tree),))


def undo_exp(shift: float) -> Callable[[Expression], Expression]:
    """From the exponential of a target that was moved down by the shift back to the target."""
    return lambda tree: add(Apply("log", (tree,)), Number(shift))


def transformed(problem: Subproblem) -> Iterator[Subproblem]:
    """The same with the target under a function, where that function has an inverse on it."""
    y = problem.target
    spread = float(np.std(y)) or 1.0
    one_sign = bool((y > 0).all() or (y < 0).all()) and bool(np.abs(y).min() > 1e-4 * np.abs(y).max())
    sign = 1.0 if y.mean() > 0 else -1.0
    options: list[tuple[str, FloatArray, Callable[[Expression], Expression]]] = []
    with np.errstate(all="ignore"):
        if one_sign or bool((y >= 0).all()) or bool((y <= 0).all()):
            options.append(("square", y * y, undo("square", sign)))
        if one_sign:
            options.append(("inverse", 1 / y, undo("inverse")))
            options.append(("log", np.log(np.abs(y)), undo("log", sign)))
            options.append(("inverse square", 1 / (y * y), undo("inverse square", sign)))
            options.append(("root", np.sqrt(np.abs(y)), undo("root", sign)))
        if np.ptp(y) < 30 and spread > 0.05:
            options.append(("exp", np.exp(y - y.max()), undo_exp(float(y.max()))))
    for name, target, back in options:
        if np.isfinite(target).all() and np.ptp(target) > 0:
            yield Subproblem(
                name=f"{problem.name}, {name} of the target",
                variables=problem.variables,
                target=target,
                back=lambda tree, back=back: problem.back(back(tree)),  # type: ignore[misc]
            )
