"""The regressor in scikit-learn's manner: fit, predict, the formula, its front, and why it is the one."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.core.arrays import FloatArray
from assay.formula.discovery.explanation import Explanation, FrontModel, explain
from assay.formula.discovery.search import STAGES, search
from assay.formula.expression.expression import Expression, to_latex, to_text
from assay.formula.expression.parser import rename
from assay.formula.expression.program import table_values

__all__ = ["Discover"]

_REMEDY = "; discover takes numbers only: drop or fill missing values, and encode categories, before fit"


class Discover(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A symbolic regressor; make it with ``assay.formula.discover(...)``, which documents the parameters."""

    def __init__(
        self,
        *,
        seconds: float = 30.0,
        stages: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
        target_unit: str | None = None,
        random_state: int | None = None,
    ) -> None:
        self.seconds = seconds
        self.stages = stages
        self.units = units
        self.target_unit = target_unit
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Discover:
        """Find a formula for y; the attributes that end in an underscore say which, and why."""
        try:
            inputs, target = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        except (TypeError, ValueError) as error:
            if any(word in str(error) for word in ("NaN", "infinity", "convert string", "missing")):
                raise ValueError(f"{error}{_REMEDY}") from None
            raise
        target = np.asarray(target, dtype=np.float64)
        column_names = getattr(self, "feature_names_in_", None)
        self.names_ = _readable(
            [f"x{place}" for place in range(inputs.shape[1])] if column_names is None else list(column_names)
        )
        outcome = search(
            inputs,
            target,
            seconds=float(self.seconds),
            seed=0 if self.random_state is None else int(self.random_state),
            stages=STAGES if self.stages is None else tuple(self.stages),
            units=self.units,
            target_unit=self.target_unit,
        )
        names = {f"x{place}": name for place, name in enumerate(self.names_)}
        self.expression_: Expression = rename(outcome.models[0].expression, names)
        self.formula_ = to_text(self.expression_)
        self.front_ = [
            FrontModel(
                to_text(rename(one.expression, names)), one.expression.nodes, one.error, one.valid_error, one.stage
            )
            for one in outcome.models
        ]
        self.log_: tuple[str, ...] = tuple(outcome.log)
        self.mean_ = float(target.mean())
        self.explanation_: Explanation = explain(outcome, self.expression_, self.names_, inputs, target)
        return self

    def predict(self, X: Any) -> FloatArray:
        """The formula's values; the mean of the training target where it has none."""
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, reset=False)
        with np.errstate(all="ignore"):
            values = table_values(self.expression_, self.names_, rows)
        return np.where(np.isfinite(values), values, self.mean_)

    def sympy(self) -> Any:
        """The formula as sympy has it."""
        import sympy

        check_is_fitted(self)
        return sympy.sympify(self.formula_, locals={name: sympy.Symbol(name) for name in self.names_})

    def latex(self) -> str:
        """The formula in LaTeX, numbers rounded to four digits."""
        check_is_fitted(self)
        return to_latex(self.expression_)


def _readable(names: Sequence[object]) -> list[str]:
    """The columns' own names where a formula can hold them, else ``x0``, ``x1``, ... by their places."""
    texts = [str(name) for name in names]
    counted = [f"x{place}" for place in range(len(texts))]
    fine = all(text.isidentifier() and text.isascii() and not keyword.iskeyword(text) for text in texts)
    return texts if fine and len(set(texts)) == len(texts) and not {"pi", "e", "E", "I"} & set(texts) else counted
