from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from assay.core import Budget, InvalidInput, SubjectFailed
from assay.formula import compute, parse
from assay.formula.problem.task import FormulaTask, Part
from assay.formula.subjects.reading import adapt_estimator, read_formula

NAMES = ["mass", "speed"]
TABLE = pd.DataFrame({"mass": [1.0, 2.0, 3.0, 4.0], "speed": [2.0, 1.0, 4.0, 3.0]})


def predicted(text: str) -> Any:
    return compute(parse(text, columns=NAMES), {name: TABLE[name].to_numpy() for name in NAMES})


def test_a_gplearn_program_is_read_with_exact_constants_over_the_columns() -> None:
    from gplearn.genetic import SymbolicRegressor

    functions = ("add", "sub", "mul", "div", "sqrt", "log", "abs", "neg", "inv", "max", "min", "sin", "cos", "tan")
    for seed in range(3):
        regressor = SymbolicRegressor(population_size=40, generations=2, function_set=functions, random_state=seed)
        regressor.fit(TABLE, TABLE["mass"] * 1.2345 + 0.1)
        text = read_formula(regressor, TABLE)
        assert np.broadcast_to(predicted(text), 4) == pytest.approx(regressor.predict(TABLE))


def test_an_operon_model_is_read() -> None:
    from pyoperon.sklearn import SymbolicRegressor

    regressor = SymbolicRegressor(max_evaluations=1000, population_size=50, n_threads=1, random_state=0)
    inputs = np.array(TABLE)
    regressor.fit(inputs, inputs @ [2.0, 1.0])
    assert predicted(read_formula(regressor, TABLE)) == pytest.approx(regressor.predict(inputs), rel=1e-4)


def test_linear_models_and_searches_over_them_are_read() -> None:
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV

    target = 3 * TABLE["mass"] - TABLE["speed"] + 1
    search = GridSearchCV(Ridge(), {"alpha": [1e-9, 1e-8]}, cv=2).fit(TABLE, target)
    assert predicted(read_formula(search, TABLE)) == pytest.approx(target.to_numpy(), abs=1e-6)


@pytest.mark.parametrize("fitted", [SimpleNamespace(sympy=lambda: "mass**2"), SimpleNamespace(equation_="mass**2")])
def test_a_formula_that_is_spelled_out_is_taken(fitted: object) -> None:
    assert read_formula(fitted, TABLE) == "mass**2"


def test_a_regressor_without_formula_says_what_to_do() -> None:
    from sklearn.tree import DecisionTreeRegressor

    with pytest.raises(SubjectFailed, match=r"a fitted DecisionTreeRegressor keeps no formula.*estimator_subject"):
        read_formula(DecisionTreeRegressor().fit(TABLE, TABLE["mass"]), TABLE)


def test_a_function_of_ones_own_in_gplearn_is_named() -> None:
    program = SimpleNamespace(program=[SimpleNamespace(name="logical", arity=1), 0])
    with pytest.raises(SubjectFailed, match="the function 'logical' is not known"):
        read_formula(SimpleNamespace(_program=program), TABLE)


def test_a_regressor_solves_a_task() -> None:
    from sklearn.linear_model import LinearRegression

    inputs = TABLE.to_numpy()
    part = Part(noise=0.0, inputs=inputs, target=inputs @ [2.0, -1.0])
    task = FormulaTask(name="t", variables=tuple(NAMES), target="y", parts=(part,))
    answer = adapt_estimator(LinearRegression()).solve(task, Budget(seed=0, seconds=5.0, memory_mb=100))
    assert predicted(answer.fronts[0][0].formula) == pytest.approx(part.target)


def test_what_cannot_be_fitted_is_refused_with_an_example() -> None:
    with pytest.raises(
        InvalidInput, match=r"dict: the formula track needs fit\(X, y\) and predict\(X\), or a function"
    ):
        adapt_estimator({})


class Spelled:
    """A regressor of one's own; what it keeps, and where, is given."""

    def __init__(self, law: Any, **attributes: Any) -> None:
        self.law = law
        for place, value in attributes.items():
            setattr(self, place, value)

    def predict(self, X: Any) -> Any:
        return self.law(*np.asarray(X, dtype=float).T)


def mass_and_speed(mass: Any, speed: Any) -> Any:
    return 2 * mass - speed


@pytest.mark.parametrize(
    "attributes",
    [
        {"model": "2*mass - speed"},
        {"model_": "y = 2*x0 - x1"},
        {"model_": "2*X_0 - X_1"},
        {"model_": "2*x1 - x2"},  # counted from 1, which the 2 tells
        {"get_best": lambda: {"equation": "2*x0 - x1"}},
        {"get_best": lambda: pd.Series({"complexity": 5, "sympy_format": "2*x0 - x1"})},
        {"best_": ["2*mass - speed"]},
        {"formula": "speed", "model": "2*mass - speed"},  # the first is not what predict says
        {"model": 7, "sympy": lambda what: what, "best_": "2*mass - speed"},
        {"equation_": "2*masss - speed", "best_": "2*mass - speed"},
    ],
)
def test_the_formula_is_found_that_gives_what_predict_says(attributes: dict[str, Any]) -> None:
    text = read_formula(Spelled(mass_and_speed, **attributes), TABLE)
    assert predicted(text) == pytest.approx(2 * TABLE["mass"] - TABLE["speed"])


def test_an_expression_and_what_an_object_prints_are_read() -> None:
    import sympy

    class Printed(Spelled):
        def __str__(self) -> str:
            return "2*mass - speed"

    mass, speed = sympy.symbols("mass speed")
    for regressor in (Spelled(mass_and_speed, model_=2 * mass - speed), Printed(mass_and_speed)):
        assert predicted(read_formula(regressor, TABLE)) == pytest.approx(2 * TABLE["mass"] - TABLE["speed"])


def test_columns_that_are_called_like_counted_ones_are_read_as_predict_has_them() -> None:
    table = TABLE.set_axis(["x1", "x2"], axis=1)
    text = read_formula(Spelled(mass_and_speed, model="2*x0 - x1"), table)
    assert compute(
        parse(text, columns=["x1", "x2"]), {name: table[name].to_numpy() for name in ("x1", "x2")}
    ) == pytest.approx(2 * table["x1"] - table["x2"])


def test_what_is_no_formula_over_the_columns_is_told() -> None:
    with pytest.raises(
        SubjectFailed, match=r"its model_ is '2\*mess', no formula over mass, speed .*Did you mean 'mass'"
    ):
        read_formula(Spelled(mass_and_speed, model_="2*mess"), TABLE)
    with pytest.raises(SubjectFailed, match="keeps no formula that can be read"):
        read_formula(Spelled(mass_and_speed), TABLE)


def test_a_linear_model_behind_polynomial_features_is_read() -> None:
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures

    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(30, 2)), columns=NAMES)
    target = 3 * table["mass"] ** 2 - table["mass"] * table["speed"] + 0.5
    pipeline = make_pipeline(PolynomialFeatures(2), LinearRegression()).fit(table, target)
    text = read_formula(pipeline, table)
    columns = {name: table[name].to_numpy() for name in NAMES}
    assert compute(parse(text, columns=NAMES), columns) == pytest.approx(target.to_numpy())


def test_an_optimizer_of_pysindy_is_read() -> None:
    from pysindy import STLSQ

    optimizer = STLSQ(threshold=0.01, alpha=1e-9, unbias=False)
    optimizer.fit(TABLE.to_numpy(), TABLE[["mass"]].to_numpy() * 3)
    assert predicted(read_formula(optimizer, TABLE)) == pytest.approx(3 * TABLE["mass"], abs=1e-3)


@pytest.mark.parametrize("parameters", [False, True])
@pytest.mark.parametrize("way", ["table", "array", "array to predict"])
def test_a_regressor_of_ones_own_may_take_columns_by_name_or_by_place(way: str, parameters: bool) -> None:
    class Own(BaseEstimator if parameters else object):  # type: ignore[misc]
        def __init__(self, random_state: Any = None) -> None:
            self.random_state = random_state

        def fit(self, X: Any, y: Any) -> None:
            assert self.random_state == 7
            assert way != "array" or X[:, 0].all()

        def predict(self, X: Any) -> Any:
            return 2.0 * (X["mass"].to_numpy() if way == "table" else X[:, 0])

        def __str__(self) -> str:
            return "2*mass" if way == "table" else "2*x0"

    part = Part(noise=0.0, inputs=TABLE.to_numpy(), target=2 * TABLE["mass"].to_numpy())
    task = FormulaTask(name="t", variables=tuple(NAMES), target="y", parts=(part,))
    subject = adapt_estimator(Own())
    answer = subject.solve(task, Budget(seed=7, seconds=5.0, memory_mb=100))
    assert subject.name == "Own"
    assert predicted(answer.fronts[0][0].formula) == pytest.approx(part.target)
