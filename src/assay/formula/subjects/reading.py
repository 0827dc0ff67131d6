"""The formula of a fitted regressor, read where the library keeps it; such regressors as subjects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from assay.core import InvalidInput, SubjectFailed
from assay.formula.expression.expression import Apply, Expression, Symbol, negate, to_text
from assay.formula.expression.parser import parse, rename
from assay.formula.subjects.estimators import EstimatorSubject, estimator_subject
from assay.formula.subjects.genetic import OPERATIONS, tree_of
from assay.formula.subjects.linear import weighted_sum

__all__ = ["adapt_estimator", "read_formula"]

_DIGITS: Final = 20  # of an Operon formula: its constants are single floats
_SPELLED: Final = (
    "sympy",
    "expr",
    "expr_",
    "formula",
    "formula_",
    "equation",
    "equation_",
    "expression",
    "expression_",
)
_GPLEARN: Final[Mapping[str, Callable[..., Expression]]] = {
    **OPERATIONS,
    "inv": lambda a: Apply("protected_inv", (a,)),
    "neg": negate,
    **{name: lambda *parts, name=name: Apply(name, parts) for name in ("abs", "tan", "max", "min")},
}


def read_formula(estimator: Any, table: Any) -> str:
    """The formula of a regressor that was fitted to a table, over the names of its columns.

    Parameters
    ----------
    estimator
        A fitted regressor of gplearn, PySR or PyOperon; a linear model with ``coef_`` and ``intercept_``; a search with
        ``best_estimator_``; or any that spells its formula in ``sympy()``, ``expr``, ``formula_`` or ``equation_``.
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
    if (best := getattr(estimator, "best_estimator_", None)) is not None:
        return read_formula(best, table)
    names = [str(name) for name in table.columns]
    if (program := getattr(getattr(estimator, "_program", None), "program", None)) is not None:
        return _read_gplearn(program, names)
    if callable(getattr(estimator, "get_model_string", None)) and hasattr(estimator, "model_"):
        text = estimator.get_model_string(estimator.model_, _DIGITS, names)
        return to_text(parse(text, names=names, dialect="operon"))
    for attribute in _SPELLED:
        spelled = getattr(estimator, attribute, None)
        spelled = spelled() if callable(spelled) else spelled
        if spelled is not None and str(spelled).strip():
            return str(spelled)
    weights = np.ravel(getattr(estimator, "coef_", ()))
    if hasattr(estimator, "intercept_") and len(weights) == len(names):
        offset = float(np.ravel(estimator.intercept_)[0])
        return to_text(weighted_sum(offset, weights.astype(np.float64), [Symbol(name) for name in names]))
    raise SubjectFailed(
        "no formula",
        f"a fitted {type(estimator).__name__} keeps no formula that can be read (sympy(), expr, formula_, equation_, "
        f"coef_): write it yourself, with assay.formula.estimator_subject(estimator, model=lambda est, X: ...)",
    )


def _read_gplearn(program: Sequence[Any], names: Sequence[str]) -> str:
    unknown = sorted({node.name for node in program if hasattr(node, "arity")} - set(_GPLEARN))
    if unknown:
        raise SubjectFailed("no formula", f"gplearn: the function {unknown[0]!r} is not known; leave it out")
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
    return estimator_subject(value, read_formula)
