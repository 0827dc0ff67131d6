"""What a forest is made of: the few constants that, with the data, decide every prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput

__all__ = ["ForestSettings", "Prediction", "Task"]

Task: TypeAlias = Literal["classification", "regression"]

MERGE_WIDTH = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestSettings:
    """A random forest as scikit-learn builds it, all else at its defaults.

    ``merge_close_values`` is scikit-learn's rule that neighbouring values within 1e-7 are one value. It holds in 1.5
    and again in 1.8; in 1.6 and 1.7 it had no effect.
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
    def tolerance(self) -> float:
        """Values no further apart than this count as equal."""
        return MERGE_WIDTH if self.merge_close_values else 0.0


class Prediction(NamedTuple):
    """Predicted values of the test rows, and who computed them.

    ``values`` has one number per row for regression, one column per class for classification.
    """

    values: npt.NDArray[np.float64]
    engine: str
    reason: str
