"""Columns of a batch that cost time: asked of the explainer on first access, once, and never before."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from assay.cases.explanation.context import ExplainerContext, Familiarity, QueryRows, Unlike
from assay.cases.neighbors.checks import FloatArray, IntArray
from assay.core.arrays import BoolArray

__all__ = ["BoolArray", "LazyColumns", "LazyRow"]


class LazyColumns:
    """What the explainer's context answers about some queries, kept once asked; ``part`` shares what is known."""

    def __init__(self, context: ExplainerContext | None, rows: QueryRows, correspondence: FloatArray) -> None:
        self.context = context
        self.rows = rows
        self.correspondence = correspondence

    def __len__(self) -> int:
        return len(self.correspondence)

    @cached_property
    def unlike(self) -> Unlike:
        """The nearest unlike neighbours; -1 and nan where there is none."""
        if self.context is None:
            return Unlike(np.full(len(self), -1, dtype=np.int64), np.full(len(self), np.nan))
        return self.context.unlike(self.rows)

    @cached_property
    def familiarity(self) -> Familiarity | None:
        """How usual the queries are; None without a context."""
        return None if self.context is None else self.context.familiarity(self.rows)

    @cached_property
    def fidelity(self) -> FloatArray | None:
        """How far the model treats the neighbours alike; None without a model."""
        return None if self.context is None else self.context.fidelity(self.rows)

    @cached_property
    def prior_lift(self) -> FloatArray:
        r"""Correspondence over the base rate of the predicted class; nan where training never saw that class.

        $$\mathrm{lift}_q = c_q / P(y = \hat y_q)$$
        """
        undefined = np.full(len(self), np.nan)
        if self.context is None:
            return undefined
        prior = self.context.prior(self.rows)
        lift: FloatArray = np.divide(self.correspondence, prior, out=undefined, where=prior > 0)
        return lift

    def knows(self, name: str) -> bool:
        """Whether a column was already asked for."""
        return name in vars(self)

    def part(self, item: slice | IntArray) -> LazyColumns:
        """The same for some of the rows; what is known is shared, the rest is asked for these rows only."""
        part = LazyColumns(self.context, _rows(self.rows, item), self.correspondence[item])
        for name in ("unlike", "familiarity", "fidelity", "prior_lift"):
            if self.knows(name):
                vars(part)[name] = _rows(getattr(self, name), item)
        return part


class LazyRow(NamedTuple):
    """One row of lazy columns, for the explanation of that row."""

    columns: LazyColumns
    row: int


def _rows(column: Any, item: slice | IntArray) -> Any:
    if column is None:
        return None
    if isinstance(column, tuple):
        return type(column)(*(_rows(entry, item) for entry in column))
    return column[item]
