"""Growth: a formula gets, wherever it helps most, another term of the library; what no longer helps is deleted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.discovery.fitting import Fit, fit_constants, without_weak_terms
from assay.formula.discovery.growth.proposals import Plan, proposals
from assay.formula.discovery.growth.swaps import as_polynomials, distinct, swapped
from assay.formula.discovery.library import Library
from assay.formula.expression.expression import Number

__all__ = ["constant_model", "grow"]

_EXACT = 1e-20  # of the variance


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
        trees = [tree for model in beam for tree in proposals(model, library, columns, target, plan)]
        tried = distinct((fit_constants(tree, columns, target, rounds=4) for tree in trees), rows)
        if not tried or min(fit.error for fit in tried) >= best:
            return
        fitted = [fit_constants(fit.expression, columns, target) for fit in tried[: plan.width + 1]]
        fitted += as_polynomials(fitted, columns, target, price)
        beam = distinct(fitted, rows)[: plan.width]
        beam[0] = without_weak_terms(beam[0], columns, target, price=price / 2)
        yield from beam
        if step and beam[0].error > _EXACT * variance:
            for fit in swapped(beam[0], library, columns, target, plan):
                beam = distinct((fit, *as_polynomials([fit], columns, target, price), *beam), rows)[: plan.width]
                yield beam[0]
        least = min(fit.error for fit in beam)
        if least <= _EXACT * variance:
            return
        poor = 0 if rows * np.log(best / least) > price else poor + 1
        best = min(best, least)
        if poor >= plan.patience:
            return
