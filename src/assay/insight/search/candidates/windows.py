"""Other lengths of the windows that say most: what is called a year may have begun before the data end, or after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay.core.arrays import FloatArray
from assay.insight.search.candidates.scope import LENGTHS, Scope, View
from assay.insight.search.pool import Pool
from assay.insight.search.ranges import Measured
from assay.insight.search.recipes import Aggregate
from assay.insight.search.search_context import SearchContext

__all__ = ["finer_windows"]

_BEAM = 24  # columns whose windows are tried in other lengths
_TRIED = 14  # lengths between the next shorter and the next longer one
_MOST_LENGTHS = 2
_BETTER = 3.0  # gain beyond the usual length without which another is not believed


def finer_windows(scopes: Sequence[Scope], context: SearchContext, pool: Pool) -> None:
    """The columns that say most, with the lengths of their windows moved to where they say more."""
    for recipe, usual in pool.strongest(_BEAM):
        if not isinstance(recipe, Aggregate) or recipe.window.high not in LENGTHS or recipe.window.low is not None:
            continue
        looked_through = _view(scopes, recipe)
        if looked_through is None:
            continue
        scope, view = looked_through
        measured = Measured(scope.grouping, _values(context, recipe))
        place = LENGTHS.index(recipe.window.high)
        shorter, longer = LENGTHS[max(place - 1, 0)], LENGTHS[min(place + 1, len(LENGTHS) - 1)]
        now = view.span.now if recipe.window.anchor == "row" else None
        trials: list[tuple[float, float, FloatArray]] = []
        for length in np.unique(np.round(np.linspace(shorter, longer, _TRIED + 2)[1:-1])).tolist():
            span = scope.grouping.span(replace(recipe.window, high=length), now)
            values = getattr(measured, recipe.function)(span)
            trials.append((pool.gain(values), length, values))
        least = pool.gain(usual) + _BETTER
        for gain, length, values in sorted(trials, key=lambda entry: -entry[0])[:_MOST_LENGTHS]:
            if gain > least:
                pool.add(replace(recipe, window=replace(recipe.window, high=length)), values)


def _view(scopes: Sequence[Scope], recipe: Aggregate) -> tuple[Scope, View] | None:
    """The window of the recipe where it was looked through."""
    if recipe.function not in ("count", "sum", "mean", "std"):  # as Measured calls them
        return None
    for scope in scopes:
        for view in scope.views:
            if replace(view.base, function=recipe.function, value=recipe.value, keep=recipe.keep) == recipe:
                return scope, view
    return None


def _values(context: SearchContext, recipe: Aggregate) -> FloatArray:
    """The values of the table's rows, missing where a condition does not hold."""
    values = np.asarray(context.data.values(recipe.table, recipe.value.code), dtype=np.float64)
    for part in recipe.keep:
        values = np.where(context.data.values(recipe.table, part.code), values, np.nan)
    return values
