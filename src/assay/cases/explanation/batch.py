"""Many explanations as columns; single ones are made when they are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from assay.cases.explanation.context import ExplainerContext, QueryRows
from assay.cases.explanation.explanation import Explanation
from assay.cases.explanation.facts import Thresholds, neighbor_of, same_values
from assay.cases.explanation.lazy_columns import BoolArray, LazyColumns, LazyRow
from assay.cases.explanation.rendering.cards import cards_html, document, save_page
from assay.cases.explanation.rendering.html import BatchColumns, batch_html, explanation_html
from assay.cases.explanation.rendering.summary import Overview, summarise_overview
from assay.cases.explanation.rendering.wording import MASK, as_json, shorten, tell
from assay.cases.explanation.schema import records_schema
from assay.cases.neighbors.casebase import CaseBase
from assay.cases.neighbors.checks import FloatArray, IntArray, LabelArray
from assay.core import Json
from assay.core.checks import as_whole

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ExplanationBatch"]

# explanations met in a loop share what costs time by this many: one question to the explainer instead of one per row
_TOGETHER = 256


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ExplanationBatch:
    """Many explanations as columns; ``batch[i]`` is an :class:`Explanation`, ``batch[a:b]`` a smaller batch.

    Made by :meth:`CaseExplainer.explain_batch`. ``unlike_indices``, ``unlike_distances``, ``prior_lift``, ``fidelity``,
    ``distance_percentile`` and ``unfamiliar`` are computed on first access and kept; a slice takes along what is known.

    Parameters
    ----------
    indices : array of shape (n, k)
        The nearest training cases of each prediction, nearest first.
    distances : array of shape (n, k)
        How far they are.
    labels : array of shape (n, k)
        Their classes.
    correspondence : array of n numbers
        How far they agree with the predicted class, from 0 to 1.
    predicted : array of n classes
        What the classifier said.
    true : array of n classes, optional
        What is right, if that is known.
    queries : array of shape (n, features)
        The raw values that were explained.
    thresholds : Thresholds
        From where on a correspondence is called high, and medium.
    cases : CaseBase
        The training cases.
    context : ExplainerContext, optional
        Computes the other columns on first access.
    probabilities : array of shape (n, classes), optional
        In the order of ``cases.classes``.
    exclude : array of n row numbers, optional
        The training case that a query itself is, -1 for none.
    identifiers : array of n values, optional
        What the queries are called, shown with them.
    detector : array of n numbers, optional
        The probability that each prediction is right, as ``default_detector_scores`` gives it.

    Examples
    --------
    >>> from assay.cases import CaseExplainer
    >>> explainer = CaseExplainer([[0.0], [1.0], [10.0]], ["low", "low", "high"], k=2)
    >>> batch = explainer.explain_batch([[0.25], [9.0]], predictions=["low", "high"], y=["low", "low"])
    >>> batch
    ExplanationBatch(2 predictions, k=2, truth known)
    >>> batch.correspondence.round(2).tolist(), batch.is_correct.tolist()
    ([1.0, 0.92], [True, False])
    >>> batch[0].interpretation, batch.to_frame().shape
    ('high', (2, 13))
    """

    indices: IntArray
    distances: FloatArray
    labels: LabelArray
    correspondence: FloatArray
    predicted: LabelArray
    true: LabelArray | None
    queries: npt.NDArray[Any]
    thresholds: Thresholds
    cases: CaseBase
    context: ExplainerContext | None = None
    probabilities: FloatArray | None = None  # [n, classes] in the order of ``cases.classes``
    exclude: IntArray | None = None  # the training case that a query itself is, -1 for none
    identifiers: npt.NDArray[Any] | None = None
    detector: FloatArray | None = None
    _lazy: LazyColumns = field(init=False)

    def __post_init__(self) -> None:
        rows = QueryRows(self.queries, self.predicted, self.indices, self.distances, self.exclude)
        object.__setattr__(self, "_lazy", LazyColumns(self.context, rows, self.correspondence))

    def __repr__(self) -> str:
        k, truth = self.indices.shape[1], "unknown" if self.true is None else "known"
        return f"ExplanationBatch({len(self)} predictions, k={k}, truth {truth})"

    def __len__(self) -> int:
        return len(self.predicted)

    @overload
    def __getitem__(self, item: int) -> Explanation: ...

    @overload
    def __getitem__(self, item: slice) -> ExplanationBatch: ...

    def __getitem__(self, item: int | slice) -> Explanation | ExplanationBatch:
        if isinstance(item, slice):
            return self._part(item)
        row = range(len(self))[item]
        return self._explanation(row, LazyRow(self._lazy.part(slice(row, row + 1)), 0))

    def __iter__(self) -> Iterator[Explanation]:
        for start in range(0, len(self), _TOGETHER):
            lazy = self._lazy.part(slice(start, start + _TOGETHER))
            for row in range(len(lazy)):
                yield self._explanation(start + row, LazyRow(lazy, row))

    def _part(self, item: slice | IntArray) -> ExplanationBatch:
        values = ((entry.name, getattr(self, entry.name)) for entry in fields(self))
        columns: dict[str, Any] = {name: value[item] for name, value in values if isinstance(value, np.ndarray)}
        part = replace(self, **columns)
        object.__setattr__(part, "_lazy", self._lazy.part(item))
        return part

    def _explanation(self, row: int, lazy: LazyRow) -> Explanation:
        nearest = zip(self.indices[row].tolist(), self.distances[row].tolist(), strict=True)
        return Explanation(
            query=self.queries[row],
            neighbors=tuple(neighbor_of(self.cases, index, distance) for index, distance in nearest),
            predicted_class=self.predicted[row].item(),
            true_class=None if self.true is None else self.true[row].item(),
            correspondence=float(self.correspondence[row]),
            thresholds=self.thresholds,
            cases=self.cases,
            probabilities=None if self.probabilities is None else self.probabilities[row],
            lazy=lazy,
        )

    @property
    def interpretation(self) -> npt.NDArray[np.str_]:
        """The correspondences in a word each; look at ``unfamiliar`` beside it."""
        medium_or_low = np.where(self.correspondence >= self.thresholds.medium, "medium", "low")
        return np.where(self.correspondence >= self.thresholds.high, "high", medium_or_low)

    @property
    def is_correct(self) -> BoolArray | None:
        """Which predictions are right; None when the truth was not given."""
        return None if self.true is None else self.predicted == self.true

    @property
    def identical(self) -> BoolArray | None:
        """Which queries equal a training case; None where the case that a query itself is was left out."""
        if self.exclude is not None:
            return None
        identical = np.zeros(len(self), dtype=np.bool_)
        rows, ranks = np.nonzero(self.distances == 0.0)  # also where values are missing, or not compared
        same = same_values(self.queries[rows], self.cases.X[self.indices[rows, ranks]]).all(axis=1)
        identical[rows[same]] = True
        return identical

    @property
    def unlike_indices(self) -> IntArray:
        """The nearest training case of another class than the predicted one; -1 where there is none."""
        return self._lazy.unlike.indices

    @property
    def unlike_distances(self) -> FloatArray:
        """How far that case is; nan where there is none."""
        return self._lazy.unlike.distances

    @property
    def prior_lift(self) -> FloatArray:
        """Correspondence over the share of the predicted class in training; nan where that is unknown."""
        return self._lazy.prior_lift

    @property
    def fidelity(self) -> FloatArray | None:
        """Share of the neighbours for which the model itself predicts the predicted class; None without a model."""
        return self._lazy.fidelity

    @property
    def distance_percentile(self) -> FloatArray:
        """Share of the training cases that lie no farther from their neighbours than the query; nan when unknown."""
        familiarity = self._lazy.familiarity
        return np.full(len(self), np.nan) if familiarity is None else familiarity.percentile

    @property
    def unfamiliar(self) -> BoolArray | None:
        """Which queries lie farther off than the training cases do (out of distribution); None when unknown."""
        familiarity = self._lazy.familiarity
        return None if familiarity is None else familiarity.unfamiliar

    def overview(self) -> Overview:
        """The batch in numbers: bands, right and wrong, unfamiliar."""
        bands, right, unfamiliar = self.interpretation, self.is_correct, self.unfamiliar
        return Overview(
            predictions=len(self),
            high=int((bands == "high").sum()),
            medium=int((bands == "medium").sum()),
            low=int((bands == "low").sum()),
            mean_correspondence=_mean(self.correspondence),
            right=None if right is None else int(right.sum()),
            wrong=None if right is None else int((~right).sum()),
            mean_correspondence_right=np.nan if right is None else _mean(self.correspondence[right]),
            mean_correspondence_wrong=np.nan if right is None else _mean(self.correspondence[~right]),
            unfamiliar=None if unfamiliar is None else int(unfamiliar.sum()),
            high_unfamiliar=None if unfamiliar is None else int((unfamiliar & (bands == "high")).sum()),
            identical=0 if self.identical is None else int(self.identical.sum()),
            detector_right=np.nan if right is None or self.detector is None else _mean(self.detector[right]),
            detector_wrong=np.nan if right is None or self.detector is None else _mean(self.detector[~right]),
        )

    def summary(self) -> str:
        """The whole batch as a text for a person."""
        return summarise_overview(self.overview())

    def to_frame(self, *, full: bool = False) -> pd.DataFrame:
        """One row per prediction: its class, correspondence, truth if given, and the neighbours in columns.

        With ``full`` also what is computed on first access, and the query's values; private ones are masked.
        """
        import pandas as pd

        return pd.DataFrame(self._columns(full=full))

    def to_records(self, *, full: bool = False) -> list[dict[str, Json]]:
        """The rows of :meth:`to_frame` as plain JSON values: what is undefined is null."""
        columns = self._columns(full=full)
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        return [dict(zip(columns, map(as_json, row), strict=True)) for row in rows]

    def _columns(self, *, full: bool) -> dict[str, npt.NDArray[Any]]:
        columns: dict[str, npt.NDArray[Any]] = {
            **({} if self.identifiers is None else {"identifier": self.identifiers}),
            "predicted": self.predicted,
            **({} if self.detector is None else {"detector": self.detector}),
            "correspondence": self.correspondence,
            "interpretation": self.interpretation,
        }
        if self.identical is not None:
            columns["identical"] = self.identical
        if self.unfamiliar is not None:  # a band is never read without it
            columns["unfamiliar"] = self.unfamiliar
        if self.true is not None and self.is_correct is not None:
            columns |= {"true": self.true, "is_correct": self.is_correct}
        for rank in range(self.indices.shape[1]):
            columns[f"neighbor_{rank + 1}"] = self.indices[:, rank]
            columns[f"distance_{rank + 1}"] = self.distances[:, rank]
            columns[f"label_{rank + 1}"] = self.labels[:, rank]
        if self.probabilities is not None:
            for label, shares in zip(self.cases.classes.tolist(), self.probabilities.T, strict=True):
                columns[f"probability_{label}"] = shares
        return columns | self._lazy_columns() if full else columns

    def _lazy_columns(self) -> dict[str, npt.NDArray[Any]]:
        columns: dict[str, npt.NDArray[Any]] = {
            "unlike_index": self.unlike_indices,
            "unlike_distance": self.unlike_distances,
            "prior_lift": self.prior_lift,
            "distance_percentile": self.distance_percentile,
        }
        if self.fidelity is not None:
            columns["fidelity"] = self.fidelity
        for feature, name in enumerate(self.cases.feature_names):
            private = name in self.cases.private
            columns[f"query_{name}"] = np.full(len(self), MASK) if private else self.queries[:, feature]
        return columns

    def heading(self, row: int) -> str:
        """Which query a row is: its number from 0, its identifier and the detector's score where they are known."""
        identifier = "" if self.identifiers is None else f" ({shorten(tell(self.identifiers[row]), most=40)})"
        score = "" if self.detector is None else f": {self.detector[row]:.1%} likely right, by the detector"
        return f"Query {row}{identifier}{score}"

    def least_trusted_first(self) -> IntArray:
        """The rows by the detector's score, or by correspondence without one, the lowest first."""
        scores = self.correspondence if self.detector is None else self.detector
        return np.argsort(scores, kind="stable").astype(np.int64)

    def to_html(self, path: str | PathLike[str] | None = None, *, full: int = 0, most: int = 200) -> str:
        """The batch as a page: its numbers, then the explanations, least trusted first, ``full`` of them at length.

        Trust is the detector's score where the batch has it, else the correspondence.

        Parameters
        ----------
        path : str or path, optional
            A file to write the page to.
        full : int, default 0
            Explanations to show at length; the others are compact cards.
        most : int, default 200
            Explanations to show in all; the page says how many are left out.

        Returns
        -------
        str
            The page, which loads nothing from elsewhere.
        """
        full, most = as_whole(full, "full"), as_whole(most, "most")
        rows = self.least_trusted_first()[:most]
        shown, headings = self._part(rows), [self.heading(row) for row in rows.tolist()]
        count = min(full, len(shown))
        parts = [batch_html(self._shown(), self.overview(), self.cases.titled, rows=0)]
        parts += [explanation_html(shown[row], heading=headings[row]) for row in range(count)]
        parts.append(cards_html(shown[count:], headings[count:]))
        if len(self) > most:
            parts.append(f"<div>{len(self) - most} more are not shown.</div>")
        return save_page(document(parts, title=f"{len(self)} explained predictions"), path)

    @staticmethod
    def schema() -> dict[str, Json]:
        """The JSON schema of :meth:`to_records`."""
        return records_schema()

    def _repr_html_(self) -> str:
        return batch_html(self._shown(), self.overview(), self.cases.titled)

    def _shown(self) -> BatchColumns:
        return BatchColumns(
            self.predicted, self.true, self.correspondence, self.interpretation, self.labels, self.unfamiliar
        )


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if len(values) else float("nan")
