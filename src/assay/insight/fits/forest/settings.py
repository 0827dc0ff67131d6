"""The settings of a forest: with the data they decide every prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput
from assay.core.display import counted, object_html

__all__ = ["ForestSettings", "Prediction", "Task"]

Task: TypeAlias = Literal["classification", "regression"]

MERGE_WIDTH = 1e-7
_NO_LIMIT = 2**31 - 1  # a tree that deep would need as many rows


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestSettings:
    """A random forest as scikit-learn builds it, all else at its defaults.

    Parameters
    ----------
    trees : int, default 100
        How many.
    seed : int, default 42
        Random seed.
    max_depth : int, optional
        Depth of the trees; None for no limit.
    merge_close_values : bool, default True
        scikit-learn's rule that neighbouring values within 1e-7 are one value. It holds in 1.5 and again in 1.8; in 1.6
        and 1.7 it had no effect.

    Raises
    ------
    InvalidInput
        A number is out of range.

    Examples
    --------
    >>> ForestSettings(trees=10)
    ForestSettings(trees=10, seed=42, max_depth=None, merge_close_values=True)
    """

    trees: int = 100
    seed: int = 42
    max_depth: int | None = None
    merge_close_values: bool = True

    def __post_init__(self) -> None:
        if self.trees < 1:
            raise InvalidInput(f"a forest needs at least one tree, got {self.trees}.")
        if not 0 <= self.seed < 2**32:
            raise InvalidInput(f"the seed of a forest must lie between 0 and 2**32 - 1, got {self.seed}.")
        if self.max_depth is not None and self.max_depth < 1:
            raise InvalidInput(f"the depth of a tree must be at least 1, or None for no limit, got {self.max_depth}.")

    @property
    def depth_limit(self) -> int:
        """The depth from which on no node is split; one that no tree reaches where there is no limit."""
        return _NO_LIMIT if self.max_depth is None else self.max_depth

    @property
    def tolerance(self) -> float:
        """Values no further apart than this count as equal."""
        return MERGE_WIDTH if self.merge_close_values else 0.0


class Prediction(NamedTuple):
    """Predicted values of the test rows, and who computed them.

    Attributes
    ----------
    values : ndarray
        One number per test row for regression, one column per class for classification.
    engine : str
        Who computed them: one of our exact shortcuts, or ``sklearn``.
    reason : str
        Why.

    Examples
    --------
    >>> import numpy as np
    >>> Prediction(np.array([[0.2, 0.8], [0.9, 0.1]]), "sklearn", "few rows")
    Prediction(2 rows, 2 classes; by sklearn)
    """

    values: npt.NDArray[np.float64]
    engine: str
    reason: str

    def __repr__(self) -> str:
        width = f", {counted(self.values.shape[1], 'class')}" if self.values.ndim > 1 else ""
        return f"Prediction({counted(len(self.values), 'row')}{width}; by {self.engine})"

    def _repr_html_(self) -> str:
        table = self.values if self.values.ndim > 1 else self.values[:, None]
        names = [f"class {code}" for code in range(table.shape[1])] if self.values.ndim > 1 else ["value"]
        rows = ((place, *row) for place, row in enumerate(table[:20].tolist()))
        return object_html(repr(self), {"reason": self.reason}, columns=("row", *names), rows=rows, total=len(table))
