"""A scikit-learn transformer over several tables: the search of the subject ``relational``, outside of evaluations."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from assay.core import InvalidInput, UnknownName
from assay.core.checks import as_whole
from assay.core.display import counted
from assay.core.errors import suggest
from assay.insight.answer.functions import FeatureFunction
from assay.insight.columns.available import Availability
from assay.insight.features.effects import Effect, effect_of
from assay.insight.features.inputs import Inputs, demand_columns, read_inputs
from assay.insight.features.summary import Summary, head_of, sentence, summarise
from assay.insight.problem.task import ProblemType, infer_problem_type
from assay.insight.search.find import find_columns
from assay.insight.search.run import compute_values

__all__ = ["RelationalFeatures"]

_KINDS = ("binary", "multiclass", "regression")
_SHARED = ("_metadata_request", "_sklearn_output_config")  # what scikit-learn's own clone copies beside parameters


class RelationalFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Columns from several tables that explain a target, found without a language model.

    For each row of ``X`` only rows of the other tables count that were known at the row's time.

    Parameters
    ----------
    tables : mapping of str to DataFrame, optional
        The other tables by name. They belong to all rows, so they are a parameter and not split by cross-validation;
        copies made by ``sklearn.base.clone`` share them.
    time : str, optional
        The column of ``X`` with the time of each prediction: dates or numbers.
    table_times : mapping of str to str or None, optional
        For each table the column that says when a row became known; None for a table whose rows are known at all
        times. A table with dates must be named here.
    columns : int, default 20
        The most columns to make.
    candidates : int, default 8000
        The most columns to try.
    kind : {"binary", "multiclass", "regression"}, optional
        What the target is; told by its values when it is not given.
    seed : int, default 0
        Random seed: draws the rows on which candidates are tried where there are more than 2,500.

    Attributes
    ----------
    tables, time, table_times, columns, candidates, kind, seed
        The parameters.

    Raises
    ------
    InvalidInput
        By ``fit`` and ``transform``: columns or times are missing, or nothing says when a table's rows became known.

    Notes
    -----
    After ``fit``: ``functions_`` (one feature function per column, whose code stands alone), ``descriptions_`` (the
    columns in words), ``effects_`` (AUROC or rank correlation of each column alone on the rows of ``fit``),
    ``explanation_`` (a sentence per column) and ``feature_names_in_``.

    Examples
    --------
    >>> rows = pd.DataFrame({"customer": range(40), "day": "2024-03-01"})
    >>> orders = pd.DataFrame({"customer": [n for n in range(40) for _ in range(n % 4)], "sent": "2024-02-01"})
    >>> features = RelationalFeatures({"orders": orders}, time="day", table_times={"orders": "sent"}, columns=1)
    >>> features.fit_transform(rows, rows["customer"] % 4 > 1).head(3)
       count_orders_per_customer_before_row
    0                                   0.0
    1                                   1.0
    2                                   2.0
    """

    def __init__(
        self,
        tables: Mapping[str, pd.DataFrame] | None = None,
        *,
        time: str | None = None,
        table_times: Mapping[str, str | None] | None = None,
        columns: int = 20,
        candidates: int = 8_000,
        kind: ProblemType | None = None,
        seed: int = 0,
    ) -> None:
        self.tables = tables
        self.time = time
        self.table_times = table_times
        self.columns = columns
        self.candidates = candidates
        self.kind = kind
        self.seed = seed

    def __repr__(self) -> str:
        tables = self.tables if isinstance(self.tables, Mapping) else {}
        sizes = ", ".join(f"{name}: {counted(len(table), 'row')}" for name, table in tables.items())
        time = "" if self.time is None else f", time={self.time!r}"
        return f"RelationalFeatures({{{sizes}}}{time}, columns={self.columns!r})"

    def __sklearn_clone__(self) -> RelationalFeatures:
        """A new one with the same parameters; tables are shared, because copies for each fold would fill the memory."""
        other = type(self)(**self.get_params(deep=False))
        for name in _SHARED:
            if hasattr(self, name):
                setattr(other, name, getattr(self, name))
        return other

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any) -> RelationalFeatures:
        """Search the columns that explain ``y``; rows of tables later than the last time in ``X`` are not looked at."""
        self._fit(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> pd.DataFrame:
        """``fit``, and the columns of the same rows."""
        return self._fit(X, y)

    def _fit(self, X: Any, y: Any) -> pd.DataFrame:
        most, candidates = (as_whole(getattr(self, name), name, least=1) for name in ("columns", "candidates"))
        seed = as_whole(self.seed, "seed")
        inputs = read_inputs(X, self.tables, self.time, self.table_times)
        target, kind = self._target(y, inputs.rows)
        name = str(getattr(y, "name", None) or "y")
        labels = _free("target", inputs.rows)
        task = inputs.task(inputs.rows.assign(**{labels: target}), labels, kind)
        search_task = task if self.time is None else replace(task, tables=_tables_at_end(inputs, task))
        columns = find_columns(search_task, columns=most, candidates=candidates, transductive=False, seed=seed)
        if not columns:
            raise InvalidInput(
                f"no column was found in {counted(len(inputs.rows), 'row')}: none that can be computed both "
                "varies and goes with y. Give more rows, or tables that share keys with X."
            )
        self.feature_names_in_: npt.NDArray[Any] = np.array(inputs.rows.columns, dtype=object)
        self.n_features_in_ = len(inputs.rows.columns)
        self.effects_: list[Effect] = [effect_of(np.array(f.train), target, kind, name) for f in columns]
        self.descriptions_ = [column.words for column in columns]
        self.explanation_ = [
            sentence(f"{words[:1].upper()}{words[1:]}. {effect.sentence}")
            for words, effect in zip(self.descriptions_, self.effects_, strict=True)
        ]
        self.functions_ = [
            replace(column.function, code=f"{_comment(words)}\n{column.function.code}")
            for column, words in zip(columns, self.explanation_, strict=True)
        ]
        self._columns_of = {name: dict.fromkeys(table.columns) for name, table in inputs.tables.items()}
        needed = any("df_train" in function.code for function in self.functions_)
        self._rows = inputs.rows if needed else inputs.rows.iloc[:0]  # inputs of earlier rows, never their target
        self._head = head_of(target, kind, name)
        return pd.DataFrame({column.function.name: column.train for column in columns}, index=_index(X, inputs.rows))

    def _target(self, y: Any, rows: pd.DataFrame) -> tuple[npt.NDArray[Any], ProblemType]:
        if y is None:
            raise InvalidInput("y is None: the search needs the target of each row. Call fit(X, y).")
        values = pd.Series(np.asarray(y).reshape(-1) if np.ndim(y) == 1 else np.empty(0, dtype=object))
        if len(values) != len(rows) or not len(values):
            raise InvalidInput(f"y must be one value for each of the {len(rows)} rows of X, got {np.shape(y)}.")
        if values.isna().any():
            row = int(values.isna().to_numpy().argmax())
            raise InvalidInput(f"y: row {row + 1} is missing. Leave out the rows whose target is not known.")
        if values.nunique() == 1:
            raise InvalidInput(f"y has one value, {values.iloc[0]}: there is nothing to explain.")
        if self.kind is not None and self.kind not in _KINDS:
            raise UnknownName("kind", str(self.kind), _KINDS)
        kind = self.kind or infer_problem_type(values)
        if kind == "binary" and values.nunique() > 2:
            raise InvalidInput(
                f"y has {values.nunique()} values, but kind is 'binary'. Give kind='multiclass', or none."
            )
        if kind == "regression":
            finite = np.isfinite(pd.to_numeric(values, errors="coerce").to_numpy(dtype=np.float64))
            if not finite.all():
                row = int(finite.argmin())
                raise InvalidInput(
                    f"y: row {row + 1} is {values.iloc[row]!s}; a regression needs finite numbers. Leave out such "
                    "rows, or give kind='multiclass' if these are classes."
                )
        return values.to_numpy(), kind

    def transform(self, X: Any, *, tables: Mapping[str, pd.DataFrame] | None = None) -> pd.DataFrame:
        """The columns of rows; with ``tables``, from newer states of the tables than those given first."""
        check_is_fitted(self, "functions_")
        inputs = read_inputs(X, self.tables if tables is None else tables, self.time, self.table_times)
        demand_columns(inputs.rows, dict.fromkeys(self.feature_names_in_.tolist()), "X", extra=False)
        for name, columns in self._columns_of.items():
            if name not in inputs.tables:
                raise InvalidInput(f"tables lacks {name!r}, which fit saw. {suggest(name, list(inputs.tables))}")
            demand_columns(inputs.tables[name], columns, f"table {name!r}", extra=True)
        rows = inputs.rows[self.feature_names_in_.tolist()]
        values = {
            function.name: compute_values(function, rows, train=self._rows, tables=inputs.tables)[0]
            for function in self.functions_
        }
        return pd.DataFrame(values, index=_index(X, rows), dtype=np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """The names of the columns, the best first."""
        check_is_fitted(self, "functions_")
        return np.array([function.name for function in self.functions_], dtype=object)

    def source(self, name: str) -> str:
        """The code of one column: a function that stands alone, below a comment with the insight that it claims."""
        check_is_fitted(self, "functions_")
        by_name: dict[str, FeatureFunction] = {function.name: function for function in self.functions_}
        if name not in by_name:
            raise UnknownName("column", name, list(by_name))
        return by_name[name].code

    def summary(self) -> Summary:
        """What was found, a sentence or two for each column, and which tables it is from.

        It prints as text; a notebook shows it with pictures and code, and its ``write("found.html")`` makes a page.
        """
        check_is_fitted(self, "functions_")
        return summarise(self.functions_, self.explanation_, self.effects_, self._columns_of, self._head)


def _free(name: str, rows: pd.DataFrame) -> str:
    while name in rows.columns:
        name += "_"
    return name


def _index(X: Any, rows: pd.DataFrame) -> pd.Index[Any]:
    return X.index if isinstance(X, pd.DataFrame) else rows.index


def _tables_at_end(inputs: Inputs, task: Any) -> dict[str, pd.DataFrame]:
    """The tables without rows later than the last row of fit: not even a threshold may come from them."""
    availability = Availability(task, inputs.rows)
    return {name: t.reset_index(drop=True) for name, t in availability.cut(availability.times.max()).items()}


def _comment(words: str) -> str:
    return textwrap.fill(f"Insight: {words}", 110, initial_indent="# ", subsequent_indent="# ")
