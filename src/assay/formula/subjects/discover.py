"""The regressor of our own, as an estimator and as a subject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from assay.core.arrays import FloatArray
from assay.formula.subjects.adapter import Adapter, Candidate

if TYPE_CHECKING:
    from assay.formula.discovery.estimator import Discover

__all__ = ["Discovery", "discover"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery(Adapter):
    """Finds a formula in stages; uses all of its time unless a formula is exact."""

    title = "discover"

    @property
    def libraries(self) -> tuple[str, ...]:
        """PyOperon, where it is there to give seeds."""
        return ("pyoperon",) if find_spec("pyoperon") else ()

    def fit(self, inputs: FloatArray, target: FloatArray, *, seconds: float, seed: int) -> list[Candidate]:
        """The chosen model first, then the front."""
        from assay.formula.discovery.search import search

        outcome = search(inputs, target, seconds=seconds, seed=seed)
        return [Candidate(found.expression, found.error) for found in outcome.found]


def discover(
    *, seconds: float = 30.0, stages: Sequence[str] | None = None, random_state: int | None = None
) -> Discover:
    """A symbolic regressor in scikit-learn's manner.

    Fitted, it has ``formula_`` (the text), ``front_`` (the models that no other beats in both size and error),
    ``explanation_`` (which stage found the formula, why the search ended, R² on held-out rows with an interval, where
    the formula may fail), ``log_``, ``sympy()`` and ``latex()``.

    Parameters
    ----------
    seconds : float, default 30.0
        How long it may search; it ends sooner when a formula is exact up to rounding.
    stages : sequence of str, optional
        The stages to run, of ``power``, ``rational``, ``redundancy``, ``terms``, ``transforms``, ``symmetry``,
        ``operon`` and ``inside``; all by default.
    random_state : int, optional
        Random seed of the held-out rows; 0 by default.

    Returns
    -------
    Discover
        An estimator with ``fit(X, y)`` and ``predict(X)``.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.random.default_rng(0).uniform(1, 5, (60, 2))
    >>> discover(seconds=5).fit(rows, 0.5 * rows[:, 0] * rows[:, 1] ** 2).formula_
    '0.5*x0*x1**2'
    """
    from assay.formula.discovery.estimator import Discover

    return Discover(seconds=seconds, stages=stages, random_state=random_state)
