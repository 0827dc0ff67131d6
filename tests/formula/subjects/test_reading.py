from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

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
