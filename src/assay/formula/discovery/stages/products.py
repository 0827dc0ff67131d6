"""Products of factors with free exponents, and sums of two of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from assay.formula.discovery.exponents import simple_exponents, tidied
from assay.formula.discovery.fitting import Fit, evaluate, fit_constants
from assay.formula.discovery.forms.products import product_models
from assay.formula.discovery.forms.subproblem import Subproblem, transformed
from assay.formula.discovery.state import State
from assay.formula.expression.expression import Expression, Number, add, symbols_of

__all__ = ["multiplied", "pairs", "products"]

_PRODUCTS, _FINISHED = 10, 2  # products whose exponents are freed; those of every kind that are fitted in full
_STARTS, _SECONDS, _TURNS = 3, 8, 3  # first products of a sum of two; second ones for each; how often they change


def products(state: State) -> Iterator[None]:
    """Of the target, and of its exponential where it may be a logarithm."""
    problem = state.reduced()
    yield from multiplied(state, problem)
    for other in transformed(problem):
        if other.name.endswith(" exp of the target"):
            yield from multiplied(state, other, deep=False)


def multiplied(state: State, problem: Subproblem, *, deep: bool = True) -> Iterator[None]:
    """Products with free exponents, fitted to the whole, their exponents made simple; the best also with a constant."""
    fits: dict[tuple[int, bool], list[Fit]] = {(factors, free): [] for factors in (1, 2) for free in (False, True)}
    for number, one in enumerate(product_models(problem.variables, problem.target, deep=deep)):
        fit = fit_constants(tidied(problem.back(one.simple)), state.columns, state.target, rounds=6)
        fits[one.factors, False].append(fit)
        if len(fits[one.factors, True]) < _PRODUCTS:
            freed = fit_constants(problem.back(one.free), state.columns, state.target, rounds=8)
            fits[one.factors, True].append(freed)
        if number % 4 == 3:
            yield
    best = [fit for some in fits.values() for fit in sorted(some, key=state.cost)[:_FINISHED]]
    for number, fit in enumerate(sorted((fit for fit in best if np.isfinite(fit.error)), key=state.cost)):
        options = [fit.expression]
        if number < 2 and symbols_of(fit.expression):
            options.append(add(fit.expression, Number(0.0)))
        for tree in options:
            full = fit_constants(tree, state.columns, state.target, rounds=30)
            simple = simple_exponents(full, state.columns, state.target, floor=state.front.floor)
            state.keep(simple, f"products ({problem.name})")
            yield
        if state.front.is_exact():
            return


def pairs(state: State) -> Iterator[None]:
    """A constant and a product, then sums of two products: each in turn for what the other leaves."""
    problem = state.reduced()
    columns, target = state.columns, state.target
    fits = []
    for number, one in enumerate(islice(product_models(problem.variables, target, deep=False), _STARTS * 4)):
        fits.append(fit_constants(one.simple, columns, target, rounds=6))
        if number % 4 == 3:
            yield
    best = sorted((fit for fit in fits if np.isfinite(fit.error)), key=state.cost)[:_STARTS]
    low, high, beyond = float(target.min()), float(target.max()), 0.02 * float(np.ptp(target))
    starts: list[tuple[Expression, int]] = [(Number(low - beyond), 1), (Number(high + beyond), 1)]
    for start, turns in [*starts, *((fit.expression, _TURNS) for fit in best)]:
        base = start
        for _ in range(turns):
            residuals = target - evaluate(base, columns, target).values
            sums: list[tuple[float, Fit, Expression]] = []
            for one in islice(product_models(problem.variables, residuals, deep=False), _SECONDS):
                for tree in (one.simple,) if turns > 1 else (one.simple, one.free):
                    fit = fit_constants(add(base, tree), columns, target, rounds=8)
                    if np.isfinite(fit.error):
                        sums.append((state.cost(fit), fit, tree))
            yield
            if not sums:
                break
            _, fit, second = min(sums, key=lambda entry: entry[0])
            full = fit_constants(fit.expression, columns, target)
            state.keep(simple_exponents(full, columns, target, floor=state.front.floor), "two products")
            yield
            if state.front.is_exact():
                return
            base = fit_constants(second, columns, residuals, rounds=8).expression
