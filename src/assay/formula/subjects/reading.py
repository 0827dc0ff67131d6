"""The formula of a fitted regressor, read where the library keeps it; such regressors as subjects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

import numpy as np

from assay.core import InvalidInput, SubjectFailed
from assay.formula.expression.expression import Expression, Number, Symbol, applied, multiply, negate, power, to_text
from assay.formula.expression.parser import parse, rename
from assay.formula.subjects.estimators import NO_FORMULA, TIME_ATTRIBUTES, EstimatorSubject, estimator_subject
from assay.formula.subjects.genetic import OPERATIONS, tree_of
from assay.formula.subjects.linear import weighted_sum
from assay.formula.subjects.operon import DIGITS
from assay.formula.subjects.spelled import read_spelled

__all__ = ["adapt_estimator", "read_formula"]

_GPLEARN: Final[Mapping[str, Callable[..., Expression]]] = {
    **OPERATIONS,
    "inv": applied("protected_inv"),
    "neg": negate,
    **{name: applied(name) for name in ("abs", "tan", "max", "min")},
}


def read_formula(estimator: Any, table: Any) -> str:
    """The formula of a regressor that was fitted to a table, over the names of its columns.

    Parameters
    ----------
    estimator
        A fitted regressor of gplearn, PySR or PyOperon; a linear model with ``coef_`` and ``intercept_``, also behind
        ``PolynomialFeatures``; a search with ``best_estimator_``; or any that spells its formula, as a text or a sympy
        expression, in ``sympy()``, ``formula_``, ``equation_``, ``model``, ``model_``, ``get_best()``, ``best_`` or
        ``str()``. Of several the first is taken that gives what ``predict`` says of the table.
    table
        The inputs, as a DataFrame.

    Returns
    -------
    str
        The formula.

    Raises
    ------
    SubjectFailed
        If it keeps no formula that can be read.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LinearRegression
    >>> table = pd.DataFrame({"mass": [1.0, 2.0, 3.0]})
    >>> read_formula(LinearRegression().fit(table, [2.0, 2.0, 2.0]), table)
    '2.0'

    """
    predict = getattr(estimator, "predict", None)
    if isinstance(estimator, OwnRegressor):
        estimator = estimator.estimator
    if (best := getattr(estimator, "best_estimator_", None)) is not None:
        return read_formula(best, table)
    names = [str(name) for name in table.columns]
    if (program := getattr(getattr(estimator, "_program", None), "program", None)) is not None:
        return _read_gplearn(program, names)
    if callable(getattr(estimator, "get_model_string", None)) and hasattr(estimator, "model_"):
        text = estimator.get_model_string(estimator.model_, DIGITS, names)
        return to_text(parse(text, names=names, dialect="operon"))
    if (text := read_spelled(estimator, predict, table)) is not None:
        return text
    if (text := _read_polynomial(estimator, names)) is not None:
        return text
    weights = np.ravel(getattr(estimator, "coef_", ()))
    if hasattr(estimator, "intercept_") and len(weights) == len(names):
        offset = float(np.ravel(estimator.intercept_)[0])
        return to_text(weighted_sum(offset, weights.astype(np.float64), [Symbol(name) for name in names]))
    raise SubjectFailed(
        NO_FORMULA,
        f"a fitted {type(estimator).__name__} keeps no formula that can be read (sympy(), formula_, equation_, model_, "
        f"get_best(), str(), coef_): write it yourself, with assay.formula.estimator_subject(estimator, model=lambda "
        f"est, X: ...)",
    )


def _read_gplearn(program: Sequence[Any], names: Sequence[str]) -> str:
    unknown = sorted({node.name for node in program if hasattr(node, "arity")} - set(_GPLEARN))
    if unknown:
        raise SubjectFailed(NO_FORMULA, f"gplearn: the function {unknown[0]!r} is not known; leave it out")
    return to_text(rename(tree_of(program, _GPLEARN), {f"x{place}": name for place, name in enumerate(names)}))


def adapt_estimator(value: Any) -> EstimatorSubject:
    """A regressor with ``fit(X, y)`` and ``predict(X)`` as a subject of the formula track.

    Parameters
    ----------
    value
        The regressor; every part of a task gets a copy of it.

    Returns
    -------
    EstimatorSubject
        Its formula is read after the fit, see :func:`read_formula`.

    Raises
    ------
    InvalidInput
        If it is none.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> adapt_estimator(Ridge()).name
    'Ridge'

    """
    if not all(callable(getattr(value, method, None)) for method in ("fit", "predict")):
        raise InvalidInput(
            f"{type(value).__name__}: the formula track needs fit(X, y) and predict(X), or a function: "
            f"def solve(task, budget): return FormulaAnswer.of('x0 + 1')."
        )
    return estimator_subject(OwnRegressor(value), read_formula, name=type(value).__name__)


class OwnRegressor:
    """A regressor as its author wrote it: it may take data frames, or arrays only, and need no parameters to be set."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self._takes_arrays = False

    def get_params(self) -> dict[str, Any]:
        """Its parameters, and what a budget sets, where it has them: the seed and the seconds."""
        options = ("random_state", *TIME_ATTRIBUTES)
        attributes = {name: getattr(self.estimator, name) for name in options if hasattr(self.estimator, name)}
        return {**attributes, **self._parameters()}

    def set_params(self, **parameters: Any) -> None:
        """Set parameters of the regressor, or attributes where it has no such parameters."""
        own = self._parameters()
        for name, value in parameters.items():
            if name in own:
                self.estimator.set_params(**{name: value})
            else:
                setattr(self.estimator, name, value)

    def _parameters(self) -> dict[str, Any]:
        return dict(self.estimator.get_params()) if callable(getattr(self.estimator, "get_params", None)) else {}

    def fit(self, table: Any, target: Any) -> OwnRegressor:
        """Fit it to the table or, where it takes columns by their place, to the numbers in it."""
        from pandas.errors import InvalidIndexError

        fresh = deepcopy(self.estimator)
        try:
            self.estimator.fit(table, target)
        except (LookupError, TypeError, InvalidIndexError):  # as X[:, 0] of a table
            self.estimator, self._takes_arrays = fresh, True
            self.estimator.fit(table.to_numpy(), target)
        return self

    def predict(self, table: Any) -> Any:
        """What it says of each row; one that was fitted to a table may still take columns by their place here."""
        from pandas.errors import InvalidIndexError

        if not self._takes_arrays:
            try:
                return self.estimator.predict(table)
            except (LookupError, TypeError, InvalidIndexError):
                self._takes_arrays = True
        return self.estimator.predict(table.to_numpy())


def _read_polynomial(pipeline: Any, names: Sequence[str]) -> str | None:
    """A linear model behind PolynomialFeatures, in a pipeline of these two."""
    steps = [step for _, step in getattr(pipeline, "steps", ())]
    if len(steps) != 2 or not hasattr(steps[0], "powers_") or not hasattr(steps[1], "coef_"):
        return None
    terms: list[Expression] = [
        multiply(*(power(Symbol(name), Number(float(size))) for name, size in zip(names, row, strict=True)))
        for row in steps[0].powers_.tolist()
    ]
    offset = float(np.ravel(steps[1].intercept_)[0])
    return to_text(weighted_sum(offset, np.ravel(steps[1].coef_).astype(np.float64), terms))
