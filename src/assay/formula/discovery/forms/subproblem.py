"""Smaller problems whose solution solves the whole: other targets, fewer variables, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.discovery.library import Variable
from assay.formula.expression.expression import Apply, Expression, Number, divide, power

__all__ = ["Subproblem", "transformed"]


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


def _apply(op: str) -> Callable[[Expression], Expression]:
    return lambda tree: Apply(op, (tree,))


def transformed(problem: Subproblem) -> Iterator[Subproblem]:
    """The same with the target under a function, where that function has an inverse on it."""
    y = problem.target
    spread = float(np.std(y)) or 1.0
    one_sign = bool((y > 0).all() or (y < 0).all()) and bool(np.abs(y).min() > 1e-4 * np.abs(y).max())
    sign = 1 if y.mean() > 0 else -1

    def signed(tree: Expression) -> Expression:
        return tree if sign > 0 else Apply("neg", (tree,))

    options: list[tuple[str, FloatArray, Callable[[Expression], Expression]]] = []
    with np.errstate(all="ignore"):
        if one_sign or bool((y >= 0).all()) or bool((y <= 0).all()):
            options.append(("square", y * y, lambda tree: signed(_apply("sqrt")(tree))))
        if one_sign:
            options.append(("inverse", 1 / y, lambda tree: divide(Number(1), tree)))
            options.append(("log", np.log(np.abs(y)), lambda tree: signed(_apply("exp")(tree))))
            options.append(
                ("inverse square", 1 / (y * y), lambda tree: signed(divide(Number(1), _apply("sqrt")(tree))))
            )
            options.append(("root", np.sqrt(np.abs(y)), lambda tree: signed(power(tree, Number(2)))))
        if np.ptp(y) < 30 and spread > 0.05:
            options.append(("exp", np.exp(y - y.max()), lambda tree: _shifted_log(tree, float(y.max()))))
    for name, target, back in options:
        if np.isfinite(target).all() and np.ptp(target) > 0:
            yield Subproblem(
                name=f"{problem.name}, {name} of the target",
                variables=problem.variables,
                target=target,
                back=lambda tree, back=back: problem.back(back(tree)),  # type: ignore[misc]
            )


def _shifted_log(tree: Expression, shift: float) -> Expression:
    from assay.formula.expression.expression import add

    return add(Apply("log", (tree,)), Number(shift))
