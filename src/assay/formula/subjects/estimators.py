"""Regressors with ``fit`` and ``predict`` as subjects, with a function ``model(est)`` that writes their formula."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.core import Budget, InvalidInput, SubjectFailed, UnknownName, digest_source
from assay.core.arrays import FloatArray
from assay.formula.answer.answer import CHECKED_ROWS, FormulaAnswer, Model
from assay.formula.problem.task import FormulaTask, Part
from assay.formula.subjects.adapter import Stopwatch, mean_squared_error
from assay.formula.subjects.time_limit import fit_for
from assay.formula.subjects.units import Scaling, in_data_units

__all__ = ["NO_FORMULA", "TIME_ATTRIBUTES", "EstimatorSubject", "estimator_subject"]

NO_FORMULA = "no formula"
# where a regressor keeps its longest time, in the order in which SRBench looks
TIME_ATTRIBUTES = ("max_time", "timeout_in_seconds", "timeout", "stop_time", "time_limit")
# SRBench's; what only its tests and its tuning ask for is passed over
_OPTIONS = ("max_train_samples", "scale_x", "scale_y", "pre_train", "use_dataframe", "test_params", "skip_tuning")
_VALIDATION = 0.25  # of the training rows, where the best of a population is to be chosen
_LARGEST_POPULATION = 100  # as SRBench allows
_GRACE = 1.2  # of its seconds, before a fit is ended and what it has so far is taken


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatorSubject:
    """A regressor, the function that writes its model as a text, and SRBench's ``eval_kwargs``.

    Every part gets a copy of the regressor, its ``random_state`` from the budget's seed, and its share of the seconds
    in the first of ``TIME_ATTRIBUTES`` that it has. A fit that takes longer is stopped, and the regressor is used
    as it is then. The text is checked against ``predict`` when it is examined.

    A regressor whose formula cannot be read is judged by its predictions, where the task asks for no known law.

    With ``population(est)``, a list of fitted regressors, the one with the least error on a quarter of the training
    rows, which are not fitted to, comes first, and the others are its front.
    """

    name: str
    digest: str
    estimator: Any
    model: Callable[..., Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    population: Callable[[Any], Any] | None = None

    def __post_init__(self) -> None:
        for method in ("fit", "predict"):
            if not callable(getattr(self.estimator, method, None)):
                raise InvalidInput(
                    f"subject {self.name!r}: the estimator, a {type(self.estimator).__name__}, has no {method}()."
                )
        if not callable(self.model):
            raise InvalidInput(f"subject {self.name!r}: model must be a function of the estimator, got {self.model!r}.")
        for option in self.options:
            if option not in _OPTIONS:
                raise UnknownName(f"entry of eval_kwargs in subject {self.name!r}", option, _OPTIONS)

    def solve(self, task: FormulaTask, budget: Budget, /) -> FormulaAnswer:
        """The models of every part, with what ``predict`` says on its first training rows."""
        watch = Stopwatch(budget.seconds)
        fronts = [
            self._fit(task, part, seconds=seconds, seed=budget.seed) for part, seconds in watch.shares(task.parts)
        ]
        return FormulaAnswer(fronts=tuple(fronts))

    def _fit(self, task: FormulaTask, part: Part, *, seconds: float, seed: int) -> tuple[Model, ...]:
        inputs, target = self._sampled(part, seed)
        validation = np.zeros(len(target), dtype=bool)
        if self.population is not None:
            validation[np.random.default_rng(seed).permutation(len(target))[: int(_VALIDATION * len(target))]] = True
        scaling = Scaling.of(
            inputs[~validation],
            target[~validation],
            inputs_too=bool(self.options.get("scale_x", False)),
            target_too=bool(self.options.get("scale_y", False)),
        )
        table = self._table(scaling.inputs(inputs[~validation]), task)
        estimator = deepcopy(self.estimator)
        _set(estimator, "random_state", seed)
        _set_time(estimator, seconds)
        if callable(prepare := self.options.get("pre_train")):
            prepare(estimator, table, scaling.target(target[~validation]))
        finished = fit_for(estimator, table, scaling.target(target[~validation]), seconds=_GRACE * seconds)

        def model_of(fitted: Any) -> Model:
            try:
                text = self._text(fitted, _frame(scaling.inputs(inputs[~validation]), task))
            except SubjectFailed as failure:
                if failure.kind != NO_FORMULA or task.test_inputs is None:
                    raise
                return Model(test_predictions=values(fitted, task.test_inputs))
            predicted = values(fitted, part.inputs[:CHECKED_ROWS])
            return Model(formula=in_data_units(text, task.variables, scaling), predictions=predicted)

        def values(fitted: Any, rows: FloatArray) -> FloatArray:
            return scaling.back(_predictions(fitted, self._table(scaling.inputs(rows), task), len(rows)))

        try:
            if self.population is None:
                return (model_of(estimator),)
            unseen = self._table(scaling.inputs(inputs[validation]), task), scaling.target(target[validation])
            best = _by_validation(list(self.population(estimator))[:_LARGEST_POPULATION], *unseen)
            return _without_repeats(_usable(model_of, best or [estimator]))
        except Exception as error:
            if finished:
                raise
            raise SubjectFailed(
                "timeout", f"fit() was ended after {_GRACE * seconds:.0f} s and left no model ({error})"
            ) from error

    def _sampled(self, part: Part, seed: int) -> tuple[FloatArray, FloatArray]:
        most = self.options.get("max_train_samples")
        if not most or len(part.target) <= int(most):
            return part.inputs, part.target
        chosen = np.sort(np.random.default_rng(seed).choice(len(part.target), int(most), replace=False))
        return part.inputs[chosen], part.target[chosen]

    def _table(self, inputs: FloatArray, task: FormulaTask) -> Any:
        return _frame(inputs, task) if self.options.get("use_dataframe", True) else inputs

    def _text(self, estimator: Any, table: Any) -> str:
        text = self.model(estimator, table) if _takes_table(self.model) else self.model(estimator)
        if not isinstance(text, str):
            text = str(text)  # a sympy object is as good as its text
        if not text.strip():
            raise SubjectFailed("malformed answer", "model(est) gave an empty text")
        return text


def _frame(inputs: FloatArray, task: FormulaTask) -> Any:
    import pandas as pd

    return pd.DataFrame(inputs, columns=list(task.variables))


def _takes_table(model: Callable[..., Any]) -> bool:
    """``model(est, X)``, also where X has a default; not ``model = str``."""
    try:
        return len(inspect.signature(model).parameters) > 1
    except ValueError:  # a function of Python's own
        return False


def _by_validation(fitted: Sequence[Any], table: Any, target: FloatArray) -> list[Any]:
    """Those that predict the unseen rows at all, the best first."""
    errors = []
    for place, one in enumerate(fitted):
        try:
            error = mean_squared_error(target, _predictions(one, table, len(target)))
        except Exception:  # noqa: BLE001 - one of many that is broken is left out
            continue
        errors.append((error, place))
    return [fitted[place] for _, place in sorted(errors)]


def _usable(model_of: Callable[[Any], Model], fitted: Sequence[Any]) -> list[Model]:
    """Their models; regressors that write none are left out, unless none of them writes one."""
    models = []
    for place, one in enumerate(fitted):
        try:
            models.append(model_of(one))
        except Exception:
            if place == len(fitted) - 1 and not models:
                raise
    return models


def _without_repeats(models: Sequence[Model]) -> tuple[Model, ...]:
    return tuple({model.formula: model for model in reversed(models)}.values())[::-1]


def _predictions(estimator: Any, table: Any, rows: int) -> FloatArray:
    predicted = np.asarray(estimator.predict(table))
    try:
        values = predicted.astype(np.float64).reshape(-1)
    except (TypeError, ValueError) as error:
        raise SubjectFailed("malformed answer", f"predict() gave no numbers: {error}") from error
    if len(values) != rows:
        raise SubjectFailed("malformed answer", f"predict() gave {len(values)} values for {rows} rows")
    return values


def _set(estimator: Any, name: str, value: object) -> bool:
    parameters = estimator.get_params() if callable(getattr(estimator, "get_params", None)) else {}
    if name in parameters:
        estimator.set_params(**{name: value})
    elif hasattr(estimator, name):
        setattr(estimator, name, value)
    else:
        return False
    return True


def _set_time(estimator: Any, seconds: float) -> None:
    """Whole seconds, as most regressors take no others."""
    for name in TIME_ATTRIBUTES:
        if _set(estimator, name, max(1, int(seconds))):
            return


def estimator_subject(
    estimator: Any, model: Callable[..., Any], *, name: str | None = None, eval_kwargs: Mapping[str, Any] | None = None
) -> EstimatorSubject:
    """A regressor of one's own as a subject.

    Parameters
    ----------
    estimator : object
        Anything with ``fit`` and ``predict``; a copy is fitted to every training table.
    model : callable
        ``model(est)`` or ``model(est, X)`` writes the fitted formula as a text.
    name : str, optional
        The subject's name; by default that of the estimator's class.
    eval_kwargs : mapping, optional
        Options as in SRBench: ``scale_x``, ``scale_y``, ``max_train_samples``, ``pre_train``, ``use_dataframe``.

    Returns
    -------
    EstimatorSubject
        A subject with ``solve(task, budget)``.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> subject = estimator_subject(LinearRegression(), lambda est: f"{est.coef_[0]}*x0 + {est.intercept_}")
    >>> subject.name
    'LinearRegression'
    """
    module = inspect.getmodule(model)
    has_source = module is not None and getattr(module, "__file__", None)
    return EstimatorSubject(
        name=name or type(estimator).__name__,
        digest=digest_source(module) if module is not None and has_source else repr(estimator),
        estimator=estimator,
        model=model,
        options=dict(eval_kwargs or {}),
    )
