"""Candidates tried on the training rows: whether they run, whether they look ahead, and what they add."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.insight.columns.available import Availability
from assay.insight.fits.encoding import encode_column
from assay.insight.metrics import auc, macro_auc, r_squared
from assay.insight.problem.task import InsightTask
from assay.insight.subjects.llm.extract import Candidate
from assay.insight.subjects.llm.locked import Attempt, View, attempt

__all__ = ["Tried", "Validation", "as_column", "compute_test", "try_candidate"]

_VALIDATED = 3  # one training row in three judges, the others teach
_MOMENTS = 6  # times at which a function must give the same without what came later
_CATEGORIES = 10
_NAMED = 3  # columns by which a message identifies a row
_TREES, _DEPTH = 60, 10
_TOLERANCE = 1e-9


class Tried(NamedTuple):
    """The result of a candidate on the training rows; ``train`` holds its values when it ran."""

    candidate: Candidate
    status: str
    message: str = ""
    gain: float = 0.0
    train: pd.Series[Any] | None = None
    correlation: float | None = None
    correlated: str = ""  # with what: the target, or one of its classes
    seconds: float = 0.0

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.candidate.name


def try_candidate(candidate: Candidate, task: InsightTask, *, seconds: float, memory_mb: float, seed: int) -> Tried:
    """Run a candidate on the training rows, and again with the tables cut to what some of the rows could know."""
    if candidate.name in task.train.columns:
        return Tried(candidate, "name taken", "a column of the primary table has this name")
    base = task.train[list(task.base_columns)]
    cut = _cut_views(task, base, seed)
    began = time.monotonic()
    outcome = attempt(
        candidate, [View(base, dict(task.tables)), *(view for view, _ in cut)], seconds=seconds, memory_mb=memory_mb
    )
    took = time.monotonic() - began
    if outcome.status != "ok":
        return Tried(candidate, outcome.status, _where(outcome, base), seconds=took)
    failed = outcome.rows_failed[0]
    message = f"it fails on {failed} of {len(base)} training rows, first {_where(outcome, base)}" if failed else ""
    column = as_column(outcome.values[0]).set_axis(base.index)
    if column.nunique(dropna=False) < 2:
        if failed:  # the missing values are those of its failures
            return Tried(candidate, "exception", f"{message}; every other row has the same value", seconds=took)
        return Tried(candidate, "constant", f"every row has the value {column.iloc[0]}", seconds=took)
    if (ahead := _looks_ahead(outcome, [rows for _, rows in cut])) is not None:
        finding = f"the value of training row {ahead} changes when later auxiliary rows are taken away"
        dated = [f"{entry.time_column!r} of {name!r}" for name, entry in task.table_times.items() if entry.time_column]
        remedy = f"compare {' and '.join(dated)} with the row's {task.time_column!r}"
        return Tried(candidate, "looks ahead", f"{finding}: {remedy}", seconds=took)
    correlation, correlated = _correlation(column, task)
    return Tried(candidate, "ok", message, 0.0, column, correlation, correlated, took)


def compute_test(candidate: Candidate, task: InsightTask, *, seconds: float, memory_mb: float) -> Attempt:
    """The values of a candidate for the rows to predict; the language model does not see them."""
    return attempt(candidate, [View(task.test, dict(task.tables))], seconds=seconds, memory_mb=memory_mb)


def _where(outcome: Attempt, base: pd.DataFrame) -> str:
    """The failure and where it happened: the row with its first columns, and whether the tables were cut to a time."""
    early = " with the auxiliary tables cut to what was known at one of the rows' times" if outcome.view else ""
    if outcome.row is None:
        return f"{outcome.message}{early}"
    values = ", ".join(f"{name}={base[name].iloc[outcome.row]!s:.40}" for name in list(base.columns)[:_NAMED])
    return f"at row {outcome.row} ({values}){early}: {outcome.message}"


def _correlation(column: pd.Series[Any], task: InsightTask) -> tuple[float | None, str]:
    """Rank correlation with the target on the training rows; of several classes, the strongest."""
    target = task.train[task.target_column]
    if column.dtype.kind not in "if":
        return None, ""
    if task.problem_type == "regression":
        sides = {task.target_column: target}
    else:
        classes = sorted(target.dropna().unique(), key=str)
        shown = classes[1:] if len(classes) == 2 else classes
        sides = {f"{task.target_column} = {value}": (target == value).astype("int64") for value in shown}
    ranks = column.rank()
    with np.errstate(divide="ignore", invalid="ignore"):
        correlations = {name: float(ranks.corr(side[column.notna()].rank())) for name, side in sides.items()}
    correlations = {name: value for name, value in correlations.items() if value == value}
    best = max(correlations, key=lambda name: abs(correlations[name]), default="")
    return correlations.get(best), best


def as_column(values: Sequence[Any]) -> pd.Series[Any]:
    """Values as pandas would read them from a file.

    >>> as_column([1, 2]).dtype.kind, as_column([1, None]).dtype.kind, as_column(["a", 1]).tolist()
    ('i', 'f', ['a', '1'])
    """
    kinds = {type(value) for value in values} - {type(None)}
    if str in kinds:
        return pd.Series([None if value is None or value != value else str(value) for value in values], dtype=object)
    if kinds <= {int, bool} and kinds and None not in values:
        return pd.Series([int(value) for value in values], dtype="int64")
    return pd.Series([np.nan if value is None else float(value) for value in values], dtype="float64")


def _cut_views(task: InsightTask, base: pd.DataFrame, seed: int) -> list[tuple[View, npt.NDArray[np.int64]]]:
    """All rows with the tables as of some moments, and which of the rows those moments are of."""
    available = Availability(task, base)
    if not available.dated:
        return []
    moments = list(available.moments())
    chosen = np.random.default_rng(seed).permutation(len(moments))[:_MOMENTS]
    picked = [moments[int(place)] for place in sorted(chosen)]
    return [(View(base, available.cut(moment.time), frozenset(moment.rows.tolist())), moment.rows) for moment in picked]


def _looks_ahead(outcome: Attempt, rows: Sequence[npt.NDArray[np.int64]]) -> int | None:
    """The first row whose value is another without what came later; None when there is none."""
    full = outcome.values[0]
    for cut, places in zip(outcome.values[1:], rows, strict=True):
        for place in places.tolist():
            if not _same(full[place], cut[place]):
                return int(place)
    return None


def _same(one: Any, other: Any) -> bool:
    missing = [value is None or value != value for value in (one, other)]
    if any(missing):
        return all(missing)
    if isinstance(one, str) or isinstance(other, str):
        return str(one) == str(other)
    return bool(one == other or abs(one - other) <= _TOLERANCE * max(abs(one), abs(other), 1.0))


class Validation:
    """A forest taught by two training rows in three and judged by the third; test rows play no part."""

    def __init__(self, task: InsightTask, *, seed: int) -> None:
        order = np.random.default_rng(seed).permutation(len(task.train))
        judged = len(order) // _VALIDATED
        self._teach, self._judge = np.sort(order[judged:]), np.sort(order[:judged])
        self._kind = task.problem_type
        self._target = task.train[task.target_column]
        self._seed = seed
        self._base = {name: task.train[name] for name in task.base_columns}
        self.base = self.score({})

    def score(self, columns: Mapping[str, pd.Series[Any]]) -> float:
        """AUC, macro AUC or R² with the base columns and these; where it is undefined, that of a guess."""
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        guess = 0.0 if self._kind == "regression" else 0.5
        if not len(self._judge):
            return guess
        parts = [
            part
            for name, values in {**self._base, **columns}.items()
            for part in encode_column(
                name,
                values.iloc[self._teach].reset_index(drop=True),
                values.iloc[self._judge].reset_index(drop=True),
                most_categories=_CATEGORIES,
            )
        ]
        X = np.column_stack([part.train for part in parts])
        queries = np.column_stack([part.test for part in parts])
        options = {"n_estimators": _TREES, "max_depth": _DEPTH, "random_state": self._seed % 2**32, "n_jobs": 1}
        y, judged = self._target.iloc[self._teach], self._target.iloc[self._judge]
        if self._kind == "regression":
            model = RandomForestRegressor(**options).fit(X, y)
            value = float(r_squared(judged.to_numpy(dtype=np.float64), model.predict(queries)))
            return value if np.isfinite(value) else guess
        model = RandomForestClassifier(**options).fit(X, y.astype(str))
        classes = [str(name) for name in model.classes_]
        trained = judged.astype(str).isin(classes).to_numpy()
        codes = np.array([classes.index(name) for name in judged.astype(str)[trained]])
        chances = model.predict_proba(queries)[trained]
        if len(np.unique(codes)) < 2:
            return guess
        return float(auc(codes, chances[:, 1]) if len(classes) == 2 else macro_auc(codes, chances))
