"""Many explanations as columns; single ones are made when they are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, overload

import numpy as np
import numpy.typing as npt

from assay.cases.casebase import CaseBase
from assay.cases.checks import FloatArray, IntArray, LabelArray
from assay.cases.explanation import Explanation, Neighbor, Thresholds

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ExplanationBatch"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExplanationBatch:
    """Neighbours [n, k] and correspondence [n] of n predictions; ``batch[i]`` is an :class:`Explanation`."""

    indices: IntArray
    distances: FloatArray
    labels: LabelArray
    correspondence: FloatArray
    predicted: LabelArray
    true: LabelArray | None
    queries: FloatArray
    thresholds: Thresholds
    cases: CaseBase = field(repr=False)

    def __len__(self) -> int:
        return len(self.predicted)

    @overload
    def __getitem__(self, item: int) -> Explanation: ...

    @overload
    def __getitem__(self, item: slice) -> ExplanationBatch: ...

    def __getitem__(self, item: int | slice) -> Explanation | ExplanationBatch:
        if isinstance(item, slice):
            return replace(
                self,
                indices=self.indices[item],
                distances=self.distances[item],
                labels=self.labels[item],
                correspondence=self.correspondence[item],
                predicted=self.predicted[item],
                true=None if self.true is None else self.true[item],
                queries=self.queries[item],
            )
        return Explanation(
            query=self.queries[item],
            neighbors=tuple(
                Neighbor(index=index, distance=distance, label=label, features=self.cases.X[index])
                for index, distance, label in zip(
                    self.indices[item].tolist(), self.distances[item].tolist(), self.labels[item].tolist(), strict=True
                )
            ),
            predicted_class=self.predicted[item].item(),
            true_class=None if self.true is None else self.true[item].item(),
            correspondence=float(self.correspondence[item]),
            thresholds=self.thresholds,
            cases=self.cases,
        )

    def __iter__(self) -> Iterator[Explanation]:
        return (self[row] for row in range(len(self)))

    @property
    def interpretation(self) -> npt.NDArray[np.str_]:
        """The correspondences in a word each."""
        medium_or_low = np.where(self.correspondence >= self.thresholds.medium, "medium", "low")
        return np.where(self.correspondence >= self.thresholds.high, "high", medium_or_low)

    @property
    def is_correct(self) -> npt.NDArray[np.bool_] | None:
        """Which predictions are right; None when the truth was not given."""
        return None if self.true is None else self.predicted == self.true

    def to_frame(self) -> pd.DataFrame:
        """One row per prediction: its class, correspondence, truth if given, and the neighbours in columns."""
        import pandas as pd

        columns: dict[str, npt.NDArray[np.generic]] = {
            "predicted": self.predicted,
            "correspondence": self.correspondence,
            "interpretation": self.interpretation,
        }
        if self.true is not None and self.is_correct is not None:
            columns |= {"true": self.true, "is_correct": self.is_correct}
        for rank in range(self.indices.shape[1]):
            columns[f"neighbor_{rank + 1}"] = self.indices[:, rank]
            columns[f"distance_{rank + 1}"] = self.distances[:, rank]
            columns[f"label_{rank + 1}"] = self.labels[:, rank]
        return pd.DataFrame(columns)
