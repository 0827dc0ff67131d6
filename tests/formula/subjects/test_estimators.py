"""Regressors of one's own and files in SRBench's manner, and formulas in the data's units."""

from __future__ import annotations

import textwrap
import time
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression

from assay.core import Budget, InvalidInput, SubjectFailed, UnknownName
from assay.formula import compute, equivalent, parse
from assay.formula.problem.task import FormulaTask, Part
from assay.formula.subjects.estimators import (
    TIME_ATTRIBUTES,
    EstimatorSubject,
    estimator_subject,
)
from assay.formula.subjects.srbench_file import SrbenchFile, srbench_subject
from assay.formula.subjects.units import Scaling, in_data_units

RNG = np.random.default_rng(1)
INPUTS = RNG.uniform(1, 5, (150, 2))
TARGET = 3.0 * INPUTS[:, 0] - 0.5 * INPUTS[:, 1] + 2.0
TASK = FormulaTask(
    name="t",
    variables=("mass", "speed"),
    target="y",
    parts=(Part(noise=0.0, inputs=INPUTS, target=TARGET), Part(noise=0.1, inputs=INPUTS, target=TARGET + 1.0)),
)


def written(est: Any, X: Any = None) -> str:
    names = ["x0", "x1"] if X is None or not hasattr(X, "columns") else list(X.columns)
    terms = [f"({weight!r})*{name}" for weight, name in zip(est.coef_.tolist(), names, strict=True)]
    return " + ".join([*terms, repr(float(est.intercept_))])


class Recorder(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Remembers what it was told and given; its model is the mean."""

    def __init__(self, random_state: int | None = None, max_time: float | None = None, timeout: float = 7.0) -> None:
        self.random_state = random_state
        self.max_time = max_time
        self.timeout = timeout

    def fit(self, X: Any, y: Any) -> Recorder:
        fit_calls.append({"X": X, "y": np.asarray(y), **self.get_params()})
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_)


fit_calls: list[dict[str, Any]] = []


@pytest.fixture(autouse=True)
def _forget() -> None:
    fit_calls.clear()


def recorder(**options: Any) -> EstimatorSubject:
    return estimator_subject(Recorder(), lambda est: repr(est.mean_), eval_kwargs=options)


def test_a_regressor_with_model_is_a_subject() -> None:
    answer = estimator_subject(LinearRegression(), written).solve(TASK, Budget())
    for (model,), offset in zip(answer.fronts, (2.0, 3.0), strict=True):
        truth = f"3*mass - 0.5*speed + {offset}"
        assert equivalent(truth, model.formula, names=TASK.variables).verdict == "identical"
        assert model.predictions is not None
        np.testing.assert_allclose(model.predictions, (TARGET + offset - 2.0)[:100])


def test_model_may_take_the_estimator_alone() -> None:
    ((model,), _) = estimator_subject(LinearRegression(), lambda est: written(est)).solve(TASK, Budget()).fronts
    assert model.formula.startswith("(")
    assert equivalent("3*mass - 0.5*speed + 2", model.formula, names=TASK.variables).verdict == "identical"


def test_seed_and_time_go_to_a_copy_of_the_estimator() -> None:
    subject = recorder()
    subject.solve(TASK, Budget(seed=11, seconds=100))
    assert [call["random_state"] for call in fit_calls] == [11, 11]
    # max_time is looked for before timeout; the second part gets what the first left
    assert fit_calls[0]["max_time"] == 36
    assert fit_calls[1]["max_time"] in (72, 73)
    assert fit_calls[0]["timeout"] == 7.0
    assert subject.estimator.random_state is None
    assert TIME_ATTRIBUTES == ("max_time", "timeout_in_seconds", "timeout", "stop_time", "time_limit")


def test_data_come_as_a_table_with_the_variables_names_unless_declined() -> None:
    recorder().solve(TASK, Budget())
    assert isinstance(fit_calls[0]["X"], pd.DataFrame)
    assert list(fit_calls[0]["X"].columns) == ["mass", "speed"]
    recorder(use_dataframe=False).solve(TASK, Budget())
    assert isinstance(fit_calls[-1]["X"], np.ndarray)


def test_large_training_sets_are_sampled_without_repetition() -> None:
    recorder(max_train_samples=40).solve(TASK, Budget(seed=2))
    assert fit_calls[0]["X"].shape == (40, 2)
    assert len(fit_calls[0]["X"].drop_duplicates()) == 40
    before = fit_calls[0]["X"].copy()
    recorder(max_train_samples=40).solve(TASK, Budget(seed=2))
    pd.testing.assert_frame_equal(fit_calls[-2]["X"], before)


def test_pre_train_is_called_before_fit() -> None:
    calls: list[int] = []
    recorder(pre_train=lambda est, X, y: calls.append(len(fit_calls))).solve(TASK, Budget())
    assert calls == [0, 1]


@pytest.mark.parametrize("scaled", [{"scale_x": True}, {"scale_y": True}, {"scale_x": True, "scale_y": True}])
def test_a_formula_of_standardised_data_comes_back_in_the_datas_units(scaled: dict[str, bool]) -> None:
    ((model,), _) = estimator_subject(LinearRegression(), written, eval_kwargs=scaled).solve(TASK, Budget()).fronts
    assert equivalent("3*mass - 0.5*speed + 2", model.formula, names=TASK.variables).verdict == "identical"
    assert model.predictions is not None
    np.testing.assert_allclose(model.predictions, TARGET[:100])


def test_units_are_restored_inside_any_formula() -> None:
    scaling = Scaling.of(INPUTS, TARGET, inputs_too=True, target_too=True)
    text = in_data_units("sin(x0)*x1**2 - x1/x0", TASK.variables, scaling)
    values = compute(parse(text), {"mass": INPUTS[:, 0], "speed": INPUTS[:, 1]})
    a, b = scaling.inputs(INPUTS).T
    np.testing.assert_allclose(values, scaling.back(np.sin(a) * b**2 - b / a), rtol=1e-9)


@pytest.mark.parametrize(
    ("predict", "message"),
    [
        (lambda X: np.zeros(len(X) - 1), r"predict\(\) gave 99 values for 100 rows"),
        (lambda X: np.array(["a"] * len(X)), r"predict\(\) gave no numbers"),
    ],
)
def test_predictions_that_are_none_are_a_failure(predict: Any, message: str) -> None:
    class Wrong(Recorder):
        def predict(self, X: Any) -> Any:
            return predict(X)

    with pytest.raises(SubjectFailed, match=message) as failure:
        estimator_subject(Wrong(), lambda est: "mass").solve(TASK, Budget())
    assert failure.value.kind == "malformed answer"


def test_an_empty_model_is_a_failure() -> None:
    with pytest.raises(SubjectFailed, match=r"model\(est\) gave an empty text"):
        estimator_subject(LinearRegression(), lambda est: "  ").solve(TASK, Budget())


def test_what_is_no_regressor_is_refused() -> None:
    with pytest.raises(InvalidInput, match="the estimator, a object, has no fit"):
        estimator_subject(object(), written)
    with pytest.raises(InvalidInput, match="model must be a function"):
        estimator_subject(LinearRegression(), "x0")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="Did you mean 'scale_x'"):
        estimator_subject(LinearRegression(), written, eval_kwargs={"scale_X": True})


FILE = """
from sklearn.linear_model import LinearRegression

est = LinearRegression()
eval_kwargs = {"scale_x": True, "test_params": {"copy_X": False}}

def complexity(est):
    return len(est.coef_)

def model(est, X=None):
    terms = [f"({weight!r})*{name}" for weight, name in zip(est.coef_.tolist(), X.columns)]
    return " + ".join([*terms, repr(float(est.intercept_))])
"""


def test_a_file_in_srbenchs_manner_is_a_subject(tmp_path: Path) -> None:
    path = tmp_path / "my-method" / "regressor.py"
    path.parent.mkdir()
    path.write_text(textwrap.dedent(FILE))
    subject = SrbenchFile(file=str(path))
    assert subject.name == "srbench(file='my-method')"
    ((model,), _) = subject.solve(TASK, Budget()).fronts
    assert equivalent("3*mass - 0.5*speed + 2", model.formula, names=TASK.variables).verdict == "identical"
    before = subject.digest
    path.write_text(textwrap.dedent(FILE) + "# edited\n")
    assert subject.digest != before


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="must be an absolute path"):
        SrbenchFile(file="regressor.py")
    with pytest.raises(InvalidInput, match="there is no file"):
        _ = SrbenchFile(file=str(tmp_path / "none.py")).digest
    with pytest.raises(SubjectFailed, match="add --readable"):
        SrbenchFile(file=str(tmp_path / "none.py")).solve(TASK, Budget())
    with pytest.raises(SubjectFailed, match="give the file"):
        SrbenchFile().solve(TASK, Budget())
    with pytest.raises(InvalidInput, match="has no 'est'"):
        srbench_subject(ModuleType("empty"))


def test_model_gets_a_table_with_names_even_where_fit_gets_an_array() -> None:
    tables: list[Any] = []

    def model(est: Any, X: Any = None) -> str:
        tables.append(X)
        return repr(est.mean_)

    estimator_subject(Recorder(), model, eval_kwargs={"use_dataframe": False}).solve(TASK, Budget())
    assert isinstance(fit_calls[0]["X"], np.ndarray)
    assert list(tables[0].columns) == ["mass", "speed"]


class Endless(Recorder):
    """Gets better and better and never ends, whatever happens."""

    def fit(self, X: Any, y: Any) -> Endless:
        while True:
            try:
                self.mean_ = float(np.mean(y))
                time.sleep(0.01)
            except Exception:  # noqa: BLE001
                continue


def test_a_fit_that_does_not_end_is_judged_by_what_it_has_so_far() -> None:
    started = time.monotonic()
    answer = estimator_subject(Endless(), lambda est: repr(est.mean_)).solve(TASK, Budget(seconds=1))
    assert time.monotonic() - started < 3
    assert [float(front[0].formula) for front in answer.fronts] == [TARGET.mean(), TARGET.mean() + 1]


def test_a_fit_that_has_nothing_when_it_is_ended_is_a_failure() -> None:
    class Nothing(Recorder):
        def fit(self, X: Any, y: Any) -> Nothing:
            time.sleep(60)
            return self

    with pytest.raises(SubjectFailed, match=r"fit\(\) was ended after \d+ s and left no model"):
        estimator_subject(Nothing(), lambda est: repr(est.mean_)).solve(TASK, Budget(seconds=1))


def test_the_best_of_a_population_is_chosen_on_rows_it_never_saw() -> None:
    class Constant(Recorder):
        def __init__(self, value: float = 0.0) -> None:
            super().__init__()
            self.mean_ = value

        def predict(self, X: Any) -> Any:
            if np.isnan(self.mean_):
                raise ValueError("broken")
            return super().predict(X)

    module = ModuleType("regressor")
    module.__dict__.update(
        est=Recorder(),
        model=lambda est: repr(est.mean_),
        get_population=lambda est: [Constant(value) for value in (100.0, est.mean_, float("nan"), 0.0, 100.0)],
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.formula.subjects.srbench_file.digest_source", lambda module: "d")
        subject = srbench_subject(module, name="many")
    front = subject.solve(TASK, Budget(seed=3)).fronts[0]
    assert len(fit_calls[0]["y"]) == len(TARGET) - len(TARGET) // 4
    assert [float(model.formula) for model in front] == [fit_calls[0]["y"].mean(), 0.0, 100.0]
    assert front[0].predictions is not None


def test_a_file_without_model_is_read_from_the_fitted_regressor(tmp_path: Path) -> None:
    file = tmp_path / "linear" / "regressor.py"
    file.parent.mkdir()
    file.write_text("from sklearn.linear_model import LinearRegression\nest = LinearRegression()\nmodel = None\n")
    ((model,), _) = SrbenchFile(file=str(file)).solve(TASK, Budget()).fronts
    assert equivalent("3*mass - 0.5*speed + 2", model.formula, names=TASK.variables).verdict == "identical"
    file.write_text("from sklearn.neighbors import KNeighborsRegressor\nest = KNeighborsRegressor()\nmodel = None\n")
    with pytest.raises(SubjectFailed, match="keeps no formula that can be read"):
        SrbenchFile(file=str(file)).solve(TASK, Budget())


def test_a_regressor_without_a_formula_answers_with_predictions_where_no_law_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "neighbours.py"
    file.write_text(
        "from sklearn.neighbors import KNeighborsRegressor\nest = KNeighborsRegressor(1)\nmodel = None\n"
        "eval_kwargs = {'scale_x': True, 'scale_y': True}\n"
    )
    task = replace(TASK, parts=TASK.parts[:1], test_inputs=INPUTS[::-1])
    ((model,),) = SrbenchFile(file=str(file)).solve(task, Budget()).fronts
    assert model.formula == ""
    assert model.test_predictions == pytest.approx(TARGET[::-1])  # each row is its own nearest neighbour
