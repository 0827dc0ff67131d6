"""PyOperon: genetic programming in C++ with fitted constants."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.expression.expression import Number
from assay.formula.expression.parser import parse
from assay.formula.subjects.adapter import CHECKED_ROWS, Adapter, Candidate

__all__ = ["Operon"]

_SYMBOLS = "add,sub,mul,div,sqrt,square,exp,log,sin,cos,constant,variable"
_EXACT = 1e-12  # of the target's variance: what is left below it is rounding
_DIGITS = 20  # after the point: its constants are single floats, so this writes the small ones too


@dataclass(frozen=True, slots=True, kw_only=True)
class Operon(Adapter):
    """PyOperon's ``SymbolicRegressor`` on one thread, for accuracy and size at once; constants are not snapped.

    The number of evaluations bounds a fit, so that equal seeds give equal formulas; the library's own time limit ends
    one that is too slow for its budget.
    """

    title = "pyoperon"
    package = "pyoperon"
    population: int = 500
    evaluations: int = 500_000

    def fit(self, inputs: FloatArray, target: FloatArray, *, seconds: float, seed: int) -> list[Candidate]:
        """The model with the best information criterion first, then the rest of the library's Pareto front."""
        started = time.monotonic()  # importing counts: on a busy machine it takes seconds
        from pyoperon.sklearn import SymbolicRegressor

        regressor = SymbolicRegressor(
            allowed_symbols=_SYMBOLS,
            objectives=["r2", "length"],
            optimizer_iterations=5,
            population_size=self.population,
            pool_size=self.population,
            generations=1 << 20,
            max_evaluations=self.evaluations,
            max_length=40,
            max_time=max(1, int(seconds - (time.monotonic() - started))),
            n_threads=1,
            random_state=seed,
        )
        if not np.ptp(target):
            return [Candidate(Number(float(target[0])), 0.0)]  # the library divides by the target's spread
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # a model of the front that holds no variable
            regressor.fit(inputs, target)
            candidates = [_candidate(regressor, entry, inputs) for entry in regressor.pareto_front_]
            return sorted(candidates, key=lambda candidate: _criterion(candidate, target))


def _criterion(candidate: Candidate, target: FloatArray) -> float:
    """Bayesian information with every node as a parameter.

    The library's own choice takes the noise to be of size one, and so a rough formula for an exact one on clean data.
    """
    error = candidate.error if np.isfinite(candidate.error) else np.inf
    rows, least = len(target), _EXACT * float(np.var(target))
    return rows * float(np.log(max(error, least))) + candidate.expression.nodes * float(np.log(rows))


def _candidate(regressor: Any, entry: dict[str, Any], inputs: FloatArray) -> Candidate:
    names = [f"x{place}" for place in range(inputs.shape[1])]
    text = regressor.get_model_string(entry["tree"], _DIGITS, names)
    predicted = np.asarray(regressor.evaluate_model(entry["tree"], inputs[:CHECKED_ROWS]), dtype=np.float64)
    return Candidate(
        parse(text, names=names, dialect="operon"),
        float(entry["mean_squared_error"]),
        np.array(np.broadcast_to(predicted.reshape(-1), (min(CHECKED_ROWS, len(inputs)),))),
    )
