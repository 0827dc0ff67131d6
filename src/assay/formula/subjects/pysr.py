"""PySR: evolutionary search in Julia; it needs Julia beside the Python package."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core import SubjectFailed
from assay.core.arrays import FloatArray
from assay.formula.expression.parser import parse
from assay.formula.subjects.adapter import CHECKED_ROWS, Adapter, Candidate

__all__ = ["PySr"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PySr(Adapter):
    """PySR's ``PySRRegressor``, serial and deterministic; its whole hall of fame is the Pareto set.

    Julia is fetched by PySR when it is first imported, which needs the network; where that fails, so does the subject,
    with the reason.
    """

    title = "pysr"
    package = "pysr"
    extra = "pysr"
    iterations: int = 20

    def fit(self, inputs: FloatArray, target: FloatArray, *, seconds: float, seed: int) -> list[Candidate]:
        """PySR's own choice first, then the rest of its hall of fame."""
        started = time.monotonic()  # starting Julia counts
        try:
            from pysr import PySRRegressor
        except Exception as error:
            raise SubjectFailed(
                "cannot be built", f"PySR cannot start Julia: {type(error).__name__}: {error}"
            ) from error
        regressor = PySRRegressor(
            niterations=self.iterations,
            binary_operators=["+", "-", "*", "/"],
            unary_operators=["sin", "cos", "exp", "log", "sqrt"],
            timeout_in_seconds=max(1.0, seconds - (time.monotonic() - started)),
            deterministic=True,
            parallelism="serial",
            random_state=seed,
            progress=False,
            verbosity=0,
            temp_equation_file=True,
        )
        names = [f"x{place}" for place in range(inputs.shape[1])]
        regressor.fit(inputs, target, variable_names=names)
        table = regressor.equations_
        best = int(regressor.get_best().name)
        places = [best, *(int(place) for place in table.index if int(place) != best)]
        return [_candidate(regressor, table.loc[place], place, inputs, names) for place in places]


def _candidate(regressor: Any, row: Any, place: int, inputs: FloatArray, names: list[str]) -> Candidate:
    predicted = np.asarray(regressor.predict(inputs[:CHECKED_ROWS], index=place), dtype=np.float64)
    return Candidate(parse(str(row["equation"]), names=names, dialect="pysr"), float(row["loss"]), predicted)
