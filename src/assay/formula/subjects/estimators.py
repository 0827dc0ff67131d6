"""Regressors with ``fit`` and ``predict`` as subjects: one's own with ``model(est)``, or a file in SRBench's manner."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from assay.core import Budget, Call, InvalidInput, SubjectFailed, UnknownName, digest_json, digest_source
from assay.core.arrays import FloatArray
from assay.core.files.digest import digest_files, digest_implementation
from assay.formula.answer.answer import CHECKED_ROWS, FormulaAnswer, Model
from assay.formula.problem.task import FormulaTask, Part
from assay.formula.subjects.adapter import Stopwatch
from assay.formula.subjects.units import Scaling, in_data_units

__all__ = ["TIME_ATTRIBUTES", "EstimatorSubject", "SrbenchFile", "estimator_subject", "srbench_subject"]

# where a regressor keeps its longest time, in the order in which SRBench looks
TIME_ATTRIBUTES = ("max_time", "timeout_in_seconds", "timeout", "stop_time", "time_limit")
_OPTIONS = ("test_params", "max_train_samples", "scale_x", "scale_y", "pre_train", "use_dataframe")


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatorSubject:
    """A regressor, the function that writes its model as a text, and SRBench's ``eval_kwargs``.

    Every part gets a copy of the regressor, its ``random_state`` from the budget's seed, and its share of the seconds
    in the first of ``TIME_ATTRIBUTES`` that it has. The text is checked against ``predict`` when it is examined.
    """

    name: str
    digest: str
    estimator: Any
    model: Callable[..., Any]
    options: Mapping[str, Any] = field(default_factory=dict)

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
        """One model per part, with what ``predict`` says on its first training rows."""
        watch = Stopwatch(budget.seconds)
        fronts = [
            (self._fit(task, part, seconds=seconds, seed=budget.seed),) for part, seconds in watch.shares(task.parts)
        ]
        return FormulaAnswer(fronts=tuple(fronts))

    def _fit(self, task: FormulaTask, part: Part, *, seconds: float, seed: int) -> Model:
        inputs, target = self._sampled(part, seed)
        scaling = Scaling.of(
            inputs,
            target,
            inputs_too=bool(self.options.get("scale_x", False)),
            target_too=bool(self.options.get("scale_y", False)),
        )
        table = self._table(scaling.inputs(inputs), task)
        estimator = deepcopy(self.estimator)
        _set(estimator, "random_state", seed)
        _set_time(estimator, seconds)
        if callable(prepare := self.options.get("pre_train")):
            prepare(estimator, table, scaling.target(target))
        estimator.fit(table, scaling.target(target))
        rows = part.inputs[:CHECKED_ROWS]
        predicted = _predictions(estimator, self._table(scaling.inputs(rows), task), len(rows))
        text = self._text(estimator, table)
        return Model(formula=in_data_units(text, task.variables, scaling), predictions=scaling.back(predicted))

    def _sampled(self, part: Part, seed: int) -> tuple[FloatArray, FloatArray]:
        most = self.options.get("max_train_samples")
        if not most or len(part.target) <= int(most):
            return part.inputs, part.target
        chosen = np.sort(np.random.default_rng(seed).choice(len(part.target), int(most), replace=False))
        return part.inputs[chosen], part.target[chosen]

    def _table(self, inputs: FloatArray, task: FormulaTask) -> Any:
        if not self.options.get("use_dataframe", True):
            return inputs
        import pandas as pd

        return pd.DataFrame(inputs, columns=list(task.variables))

    def _text(self, estimator: Any, table: Any) -> str:
        parameters = inspect.signature(self.model).parameters
        text = self.model(estimator, table) if len(parameters) > 1 else self.model(estimator)
        if not isinstance(text, str):
            text = str(text)  # a sympy object is as good as its text
        if not text.strip():
            raise SubjectFailed("malformed answer", "model(est) gave an empty text")
        return text


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


def srbench_subject(module: ModuleType, *, name: str | None = None) -> EstimatorSubject:
    r"""A module in the manner of SRBench's ``regressor.py`` files as a subject.

    Parameters
    ----------
    module : module
        It has ``est``, ``model`` and maybe ``eval_kwargs``.
    name : str, optional
        The subject's name; by default that of the module.

    Returns
    -------
    EstimatorSubject
        A subject with ``solve(task, budget)``.

    Raises
    ------
    InvalidInput
        The module lacks ``est`` or ``model``.

    Examples
    --------
    >>> import importlib.util, tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "regressor.py")
    ...     lines = ["from sklearn.linear_model import LinearRegression", "est = LinearRegression()", "model = str"]
    ...     _ = file.write_text("\n".join(lines))
    ...     spec = importlib.util.spec_from_file_location("regressor", file)
    ...     regressor = importlib.util.module_from_spec(spec)
    ...     spec.loader.exec_module(regressor)
    ...     srbench_subject(regressor, name="ours").name
    'ours'
    """
    for wanted in ("est", "model"):
        if not hasattr(module, wanted):
            raise InvalidInput(
                f"{module.__name__}: has no {wanted!r}. A regressor file in SRBench's manner defines est, a regressor, "
                "and model(est, X=None), which writes its formula."
            )
    return EstimatorSubject(
        name=name or module.__name__,
        digest=digest_source(module),
        estimator=module.est,
        model=module.model,
        options=dict(getattr(module, "eval_kwargs", None) or {}),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SrbenchFile:
    """The subject ``srbench(file='/path/to/regressor.py')``: the file is read beside the task, not before.

    A confined subject reads its file only when it is told so: ``--readable /path/to``.
    """

    file: str = ""

    def __post_init__(self) -> None:
        if self.file and not Path(self.file).is_absolute():
            raise InvalidInput(
                f"srbench: {self.file!r} must be an absolute path, as subjects run in a folder of their own."
            )

    @property
    def name(self) -> str:
        """By the folder, which SRBench names after the method, and the file where it is not the usual one."""
        path = Path(self.file)
        label = path.parent.name if path.name == "regressor.py" else path.stem
        return str(Call("srbench", {"file": label or path.stem} if self.file else {}))

    @property
    def digest(self) -> str:
        """Of the file, and of the code that runs it."""
        path = Path(self.file)
        if self.file and not path.is_file():
            raise InvalidInput(f"srbench: there is no file {self.file}.")
        own = digest_files({path.name: path} if self.file else {})
        return digest_json({"file": own, "source": digest_implementation(__name__)})

    def solve(self, task: FormulaTask, budget: Budget, /) -> FormulaAnswer:
        """As the module in the file does."""
        if not self.file:
            raise SubjectFailed("cannot be built", "give the file: srbench(file='/path/to/regressor.py')")
        return srbench_subject(_import(Path(self.file)), name=self.name).solve(task, budget)


def _import(path: Path) -> ModuleType:
    try:
        path.read_bytes()
    except OSError as error:
        raise SubjectFailed(
            "cannot be built", f"{path} cannot be read ({error.strerror}); add --readable {path.parent}"
        ) from error
    spec = importlib.util.spec_from_file_location(f"srbench_{path.parent.name}_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise SubjectFailed("cannot be built", f"{path.name} is not an importable file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    spec.loader.exec_module(module)
    return module
