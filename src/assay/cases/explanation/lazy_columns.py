"""Columns of a batch that cost time: asked of the explainer on first access, once, and never before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from assay.cases.explanation.context import ExplainerContext, Familiarity, Unlike
from assay.cases.neighbors.checks import FloatArray, IntArray, LabelArray
from assay.core.arrays import BoolArray

__all__ = ["BoolArray", "LateColumns", "LateRow"]

ColumnT = TypeVar("ColumnT")


class LateColumns:
    """What the explainer's context says of some queries, kept once it was asked; ``part`` takes along what is known."""

    __slots__ = ("_asked", "_known", "context", "correspondence", "exclude")

    def __init__(
        self,
        context: ExplainerContext | None,
        *,
        queries: npt.NDArray[Any],
        predicted: LabelArray,
        indices: IntArray,
        distances: FloatArray,
        correspondence: FloatArray,
        exclude: IntArray | None = None,
    ) -> None:
        self.context = context
        self.correspondence = correspondence
        self.exclude = exclude
        self._asked = (queries, predicted, indices, distances)
        self._known: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self.correspondence)

    @property
    def unlike(self) -> Unlike:
        """The nearest unlike neighbours; -1 and nan where there is none."""
        context = self.context
        if context is None:
            return Unlike(np.full(len(self), -1, dtype=np.int64), np.full(len(self), np.nan))
        return self._once("unlike", lambda: context.unlike(*self._asked, exclude=self.exclude))

    @property
    def familiarity(self) -> Familiarity | None:
        """How usual the queries are; None without a context."""
        context = self.context
        return None if context is None else self._once("familiarity", lambda: context.familiarity(*self._asked))

    @property
    def fidelity(self) -> FloatArray | None:
        """How far the model treats the neighbours alike; None without a model."""
        context = self.context
        return None if context is None else self._once("fidelity", lambda: context.fidelity(*self._asked))

    @property
    def prior_lift(self) -> FloatArray:
        r"""Correspondence over the base rate of the predicted class; nan where training never saw that class.

        $$\mathrm{lift}_q = c_q / P(y = \hat y_q)$$
        """
        context = self.context
        if context is None:
            return np.full(len(self), np.nan)
        return self._once("prior_lift", lambda: _ratio(self.correspondence, context.prior(*self._asked)))

    def knows(self, name: str) -> bool:
        """Whether a column was already asked for."""
        return name in self._known

    def part(self, item: slice) -> LateColumns:
        """The same for some of the rows; what is known is shared, the rest is asked for these rows only."""
        queries, predicted, indices, distances = self._asked
        part = LateColumns(
            self.context,
            queries=queries[item],
            predicted=predicted[item],
            indices=indices[item],
            distances=distances[item],
            correspondence=self.correspondence[item],
            exclude=None if self.exclude is None else self.exclude[item],
        )
        part._known = {name: _rows(column, item) for name, column in self._known.items()}
        return part

    def _once(self, name: str, ask: Callable[[], ColumnT]) -> ColumnT:
        if name not in self._known:
            self._known[name] = ask()
        column: ColumnT = self._known[name]
        return column


class LateRow(NamedTuple):
    """One row of late columns, for the explanation of that row."""

    columns: LateColumns
    row: int


def _ratio(correspondence: FloatArray, prior: FloatArray) -> FloatArray:
    lift: FloatArray = np.divide(correspondence, prior, out=np.full(len(prior), np.nan), where=prior > 0)
    return lift


def _rows(column: Any, item: slice) -> Any:
    if column is None:
        return None
    if isinstance(column, tuple):
        return type(column)(*(entry[item] for entry in column))
    return column[item]
