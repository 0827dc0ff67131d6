"""PySINDy: a sparse weighted sum of polynomial and trigonometric terms."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from assay.core import SubjectFailed
from assay.core.arrays import FloatArray, column_spreads
from assay.formula.expression.parser import parse
from assay.formula.subjects.adapter import Adapter, Candidate
from assay.formula.subjects.linear import linear_candidate
from assay.formula.subjects.polynomial import degree_within

__all__ = ["Sindy"]

_MOST_TERMS = 400
_LARGEST_OTHER = 100  # nodes
# of the target's spread per spread of a term: weights below it are set to 0
_THRESHOLDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sindy(Adapter):
    """PySINDy's ``STLSQ`` on its polynomial and Fourier libraries, a model for each of several thresholds.

    Terms are brought to one spread, so that a threshold means the same for all of them.
    """

    title = "pysindy"
    package = "pysindy"
    degree: int = 3

    def fit(self, inputs: FloatArray, target: FloatArray, *, seconds: float, seed: int) -> list[Candidate]:
        """The model with the best Bayesian information criterion first, then those of the other thresholds."""
        from pysindy import STLSQ, FourierLibrary, PolynomialLibrary

        variables = inputs.shape[1]
        degree = degree_within(variables, self.degree, _MOST_TERMS)
        library = PolynomialLibrary(degree=degree, include_bias=False) + FourierLibrary(n_frequencies=1)
        columns = np.asarray(library.fit_transform(inputs), dtype=np.float64)
        names = [f"x{place}" for place in range(variables)]
        # factors are written side by side: "x0^2 x1", "sin(1 x0)"
        terms = [parse(text.replace(" ", "*"), names=names) for text in library.get_feature_names(names)]
        centre, spread = columns.mean(axis=0), column_spreads(columns)
        varied = np.flatnonzero(spread > 0)
        scaled = (columns[:, varied] - centre[varied]) / spread[varied]
        goal = float(np.std(target)) or 1.0
        rated: list[tuple[float, Candidate]] = []
        for threshold in _THRESHOLDS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a threshold that leaves no term, a matrix of low rank
                fitted = STLSQ(threshold=threshold, alpha=1e-12, max_iter=50).fit(
                    scaled, ((target - target.mean()) / goal)[:, None]
                )
            weights = np.zeros(len(terms))
            weights[varied] = np.ravel(fitted.coef_) * goal / spread[varied]
            if not np.isfinite(weights).all():
                continue
            offset = float(target.mean() - centre @ weights)
            candidate = linear_candidate(columns, target, offset, weights, terms)
            rows, used = len(target), int(np.count_nonzero(weights))
            relative = max(candidate.error / goal**2, 1e-20)
            rated.append((rows * float(np.log(relative)) + (used + 1) * float(np.log(rows)), candidate))
        if not rated:
            raise SubjectFailed("no model", "pysindy: no threshold gave finite weights")
        first, *others = (candidate for _, candidate in sorted(rated, key=lambda entry: entry[0]))
        # a sum of dozens of terms beside a better one is of no use, and costs seconds to compare
        return [first, *(candidate for candidate in others if candidate.expression.nodes <= _LARGEST_OTHER)]
