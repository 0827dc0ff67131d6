"""A fitted estimator and held-out rows as a problem with an answer, so that a track's own examination judges them."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from assay.connections.sklearn.conformal import ConformalClassifier
from assay.connections.sklearn.explained import ExplainedClassifier
from assay.core import AnyProblem, InvalidInput, Problem
from assay.core.arrays import IntArray

__all__ = ["Judged", "judge_cases", "judge_conformal", "judge_formula", "unwrapped"]

_ID = "held-out rows"


class Judged(NamedTuple):
    """A problem made of held-out rows, and what the estimator answers."""

    problem: AnyProblem
    answer: Any


def unwrapped(estimator: Any, X: Any) -> tuple[Any, Any]:
    """The last step of pipelines and the best of searches, with the rows as it sees them."""
    if hasattr(estimator, "best_estimator_"):
        return unwrapped(estimator.best_estimator_, X)
    if hasattr(estimator, "steps"):
        return unwrapped(estimator.steps[-1][1], estimator[:-1].transform(X) if len(estimator.steps) > 1 else X)
    return estimator, X


def judge_conformal(estimator: Any, X: Any, y: Any, groups: Any = None) -> Judged:
    """Sets of a :class:`ConformalClassifier` beside the labels."""
    from assay.conformal import METHODS, CombinationSets, ConformalAnswer, ConformalTask, ConformalTruth

    model, rows = unwrapped(estimator, X)
    _demand(model, ConformalClassifier, "conformal")
    several = isinstance(model.classes_, list)
    names = model.classes_ if several else [model.classes_]
    labels = np.asarray(y)
    columns = list(labels.T) if several else [labels]
    sets = model.predict_sets(rows, groups=groups)
    probabilities = model.predict_proba(rows)
    task = ConformalTask(
        calibration_probabilities=tuple(model.calibration_probabilities_),
        calibration_labels=tuple(model.calibration_labels_),
        test_probabilities=tuple(probabilities if several else [probabilities]),
        alpha=float(model.alpha),
        guarantee="joint" if METHODS[model.method] == "joint" else "taskwise",
        test_groups=None if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1],
    )
    truth = ConformalTruth(labels=tuple(_numbers(column, own) for column, own in zip(columns, names, strict=True)))
    combined = isinstance(sets, CombinationSets)
    answer = ConformalAnswer(combinations=sets) if combined else ConformalAnswer(sets=sets)
    return Judged(Problem(id=_ID, digest="", task=task, truth=truth, track="conformal"), answer)


def judge_cases(estimator: Any, X: Any, y: Any) -> Judged:
    """Correspondences of an :class:`ExplainedClassifier` as trust in its predictions."""
    from assay.cases import CasesAnswer, CasesTask, CasesTruth

    model, rows = unwrapped(estimator, X)
    _demand(model, ExplainedClassifier, "cases")
    batch = model.explain(rows)
    base = model.explainer_.cases
    numeric = not base.encoding.categories
    shares = model.predict_proba(rows) if hasattr(model, "predict_proba") else np.empty((len(batch), 0))
    task = CasesTask(
        train_X=base.X if numeric else np.zeros((len(base.y), 1)),
        train_y=base.y,
        query_X=batch.queries if numeric else np.zeros((len(batch), 1)),
        predicted=batch.predicted,
        probabilities=shares,
        classes=tuple(model.classes_.tolist()),
        feature_names=base.feature_names if numeric else ("rows",),
    )
    # distances between categories are not those that the examination measures
    answer = CasesAnswer(scores=batch.correspondence, neighbors=batch.indices if numeric else None)
    truth = CasesTruth(labels=np.asarray(y))
    return Judged(Problem(id=_ID, digest="", task=task, truth=truth, track="cases"), answer)


def judge_formula(estimator: Any, X: Any, y: Any, formula: str | None = None) -> Judged:
    """The formula of any regressor that keeps one, on held-out rows; the true one where it is known."""
    import pandas as pd

    from assay.formula import FormulaAnswer, FormulaTask, FormulaTruth, Model
    from assay.formula.problem.task import Part
    from assay.formula.subjects.reading import read_formula

    model, rows = unwrapped(estimator, X)
    width = np.shape(rows)[1]
    table = rows if hasattr(rows, "iloc") else pd.DataFrame(rows, columns=[f"x{place}" for place in range(width)])
    variables = tuple(str(name) for name in table.columns)
    inputs, target = table.to_numpy(dtype=np.float64), np.asarray(y, dtype=np.float64)
    bounds = zip(variables, inputs.min(axis=0).tolist(), inputs.max(axis=0).tolist(), strict=True)
    task = FormulaTask(
        name=_ID, variables=variables, target="y", parts=(Part(noise=0.0, inputs=inputs, target=target),)
    )
    truth = FormulaTruth(
        formula=formula,
        property="own" if formula is None else "rediscovery",
        domain={name: (low, high) for name, low, high in bounds},
        test_inputs=inputs,
        test_target=target,
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X has feature names", category=UserWarning)
        text = read_formula(model, table)  # named columns, also where arrays were fitted
    answer = FormulaAnswer(fronts=((Model(formula=text),),))
    return Judged(Problem(id=_ID, digest="", task=task, truth=truth, track="formula"), answer)


def _demand(model: Any, expected: type, track: str) -> None:
    if not isinstance(model, expected):
        raise InvalidInput(
            f"estimator: {type(model).__name__} cannot be judged by metrics of the track {track!r}; wrap it as "
            f"{expected.__name__}({type(model).__name__}())."
        )


def _numbers(column: npt.NDArray[Any], names: npt.NDArray[Any]) -> IntArray:
    unseen = column[~np.isin(column, names)]
    if len(unseen):
        raise InvalidInput(
            f"y: class {unseen[0]!r} was not among the rows of fit, so no set can hold it. Stratify the folds, or "
            "leave out the class."
        )
    return np.searchsorted(names, column)
