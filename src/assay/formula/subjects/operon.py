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
from assay.formula.expression.program import table_values
from assay.formula.metrics import prediction_mismatch
from assay.formula.subjects.adapter import CHECKED_ROWS, Adapter, Candidate
from assay.formula.subjects.units import Scaling, expression_in_data_units

__all__ = ["DIGITS", "Operon"]

_SYMBOLS = "add,sub,mul,div,sqrt,square,exp,log,sin,cos,constant,variable"
_LARGEST_MISMATCH = 0.01  # standard deviations of the target, as the examination allows
_EXACT = 1e-12  # of the target's variance: what is left below it is rounding
DIGITS = 60  # after the point, as it knows no exponents: the smallest of its constants, single floats, need 45


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
        scaling = Scaling.for_single_floats(inputs, target)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # a model of the front that holds no variable
            regressor.fit(scaling.inputs(inputs), scaling.target(target))
            candidates = [_candidate(regressor, entry, inputs, target, scaling) for entry in regressor.pareto_front_]
            scaled_target = scaling.target(target)
            return sorted(candidates, key=lambda candidate: _criterion(candidate, scaled_target))


def _criterion(candidate: Candidate, target: FloatArray) -> float:
    """Bayesian information with every node as a parameter.

    The library's own choice takes the noise to be of size one, and so a rough formula for an exact one on clean data.
    """
    error = candidate.error if np.isfinite(candidate.error) else np.inf
    rows, least = len(target), _EXACT * float(np.var(target))
    return rows * float(np.log(max(error, least))) + candidate.expression.nodes * float(np.log(rows))


def _candidate(
    regressor: Any, entry: dict[str, Any], inputs: FloatArray, target: FloatArray, scaling: Scaling
) -> Candidate:
    """A model of the front in the data's units; one that is another function in double precision comes last."""
    names = [f"x{place}" for place in range(inputs.shape[1])]
    rows = inputs[:CHECKED_ROWS]
    text = regressor.get_model_string(entry["tree"], DIGITS, names)
    tree = expression_in_data_units(parse(text, names=names, dialect="operon"), names, scaling)
    predicted = np.asarray(regressor.evaluate_model(entry["tree"], scaling.inputs(rows)), dtype=np.float64)
    predictions = np.array(np.broadcast_to(scaling.back(predicted).reshape(-1), (len(rows),)))
    apart = prediction_mismatch(predictions, table_values(tree, names, rows), target[:CHECKED_ROWS])
    return Candidate(tree, float(entry["mean_squared_error"]) if apart <= _LARGEST_MISMATCH else np.inf, predictions)
