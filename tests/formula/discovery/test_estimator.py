"""The regressor as scikit-learn's users meet it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from assay.core import Budget, InvalidInput, UnknownName
from assay.core.arrays import FloatArray
from assay.formula import FormulaTask, discover, equivalent
from assay.formula.discovery import search as search_module
from assay.formula.equivalence.certificate import POSITIVE
from assay.formula.problem.task import Part
from assay.formula.subjects.builtin import SUBJECTS

BOX = {"mass": (1.0, 5.0), "speed": (1.0, 5.0)}


@pytest.fixture
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({name: rng.uniform(*bounds, size=60) for name, bounds in BOX.items()})


@pytest.fixture
def little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work ends the search long before the clock does, however busy the machine is."""
    monkeypatch.setattr(search_module, "_WORK", 0.01)


def _energy(table: pd.DataFrame) -> FloatArray:
    return np.asarray(table["mass"] * table["speed"] ** 2 / 2)


def test_a_law_is_found_under_the_columns_own_names(table: pd.DataFrame) -> None:
    model = discover(seconds=60).fit(table, _energy(table))
    assert model.formula_ == "0.5*mass*speed**2"
    assert str(model.sympy()) == "0.5*mass*speed**2"
    assert r"\text{mass}" in model.latex()
    assert model.score(table, _energy(table)) == pytest.approx(1.0)
    assert model.front_[0].formula == model.formula_
    assert model.explanation_.stage == "power law"
    assert model.explanation_.stopped == "exact up to rounding"
    assert "found by: power law" in str(model.explanation_)
    assert model.log_


def test_noise_leaves_the_form_and_an_interval_that_says_so(table: pd.DataFrame, little_work: None) -> None:
    rng = np.random.default_rng(1)
    clean = np.asarray(3 * np.sin(table["mass"]) * table["speed"])
    model = discover(seconds=60, stages=("power", "terms")).fit(
        table, clean + 0.1 * clean.std() * rng.standard_normal(len(clean))
    )
    assert equivalent("3*sin(mass)*speed", model.formula_, domain=BOX).verdict in POSITIVE
    low, high = model.explanation_.interval
    assert 0.9 < low < model.explanation_.valid_r2 < high < 1


def test_constant_and_repeated_columns_are_left_out_and_told(table: pd.DataFrame) -> None:
    wide = table.assign(one=1.0, again=table["mass"])
    model = discover(seconds=60).fit(wide, _energy(table))
    assert model.formula_ == "0.5*mass*speed**2"
    assert "column 2 is constant and was left out" in model.explanation_.notes
    assert "column 3 repeats column 0 and was left out" in model.explanation_.notes


@pytest.mark.parametrize("bad", [np.nan, np.inf, "red"])
def test_what_is_no_number_is_refused_with_a_remedy(table: pd.DataFrame, bad: float | str) -> None:
    broken = table.assign(mass=np.array([bad, *table["mass"][1:]], dtype=object))
    with pytest.raises(ValueError, match="drop or fill missing values, and encode categories, before fit"):
        discover().fit(broken, _energy(table))


def test_a_few_outliers_do_not_move_the_formula(table: pd.DataFrame) -> None:
    target = _energy(table).copy()
    target[[3, 17]] += 500.0
    model = discover(seconds=60).fit(table, target)
    assert equivalent("mass*speed**2/2", model.formula_, domain=BOX).verdict in POSITIVE
    assert any("outlier" in note for note in model.explanation_.notes)


def test_hardly_any_time_gives_a_valid_model(table: pd.DataFrame) -> None:
    model = discover(seconds=0.001).fit(table, _energy(table))
    assert np.isfinite(model.predict(table)).all()
    assert "work" in model.explanation_.stopped


def test_the_clock_cuts_between_whole_steps_and_says_so(table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(10_000))

    class Hurried:
        monotonic = staticmethod(lambda: float(next(ticks)))

    monkeypatch.setattr(search_module, "time", Hurried)
    model = discover(seconds=20).fit(table, np.asarray(np.sin(table["mass"] * table["speed"]) ** 3))
    assert "another run may end elsewhere" in model.explanation_.stopped


def test_equal_seeds_give_equal_formulas(table: pd.DataFrame, little_work: None) -> None:
    target = np.asarray(np.sin(table["mass"] * table["speed"]) + np.exp(0.2 * table["mass"]))
    fitted = [discover(seconds=20, random_state=3).fit(table, target) for _ in range(2)]
    assert fitted[0].front_ == fitted[1].front_


def test_where_a_formula_may_fail_is_told(table: pd.DataFrame) -> None:
    model = discover(seconds=60).fit(table, 1 / np.asarray(table["mass"] - 0.9))
    assert any("division" in warning for warning in model.explanation_.warnings)


def test_names_that_no_formula_can_hold_are_counted(table: pd.DataFrame) -> None:
    model = discover(seconds=60).fit(table.rename(columns={"mass": "mass (kg)"}), _energy(table))
    assert model.formula_ == "0.5*x0*x1**2"


def test_many_rows_are_subsampled_and_it_is_said() -> None:
    rows = np.random.default_rng(0).uniform(1, 5, (30_000, 2))
    model = discover(seconds=60).fit(rows, rows[:, 0] / rows[:, 1])
    assert equivalent("x0/x1", model.formula_, domain={"x0": (1, 5), "x1": (1, 5)}).verdict == "identical"
    assert any(note.startswith("searched on ") for note in model.explanation_.notes)


def test_it_works_in_a_pipeline_and_under_a_grid_search(table: pd.DataFrame) -> None:
    pipeline = make_pipeline(FunctionTransformer(), discover(seconds=60))
    grid = GridSearchCV(pipeline, {"discover__stages": [("power",), ("rational",)]}, cv=2)
    assert grid.fit(table, _energy(table)).best_score_ == pytest.approx(1.0)


def test_the_subject_answers_every_table_of_a_task(table: pd.DataFrame) -> None:
    part = Part(noise=0.0, inputs=table.to_numpy(), target=_energy(table))
    task = FormulaTask(name="energy", variables=tuple(BOX), target="y", parts=(part,))
    answer = SUBJECTS["discover"]().solve(task, Budget(seconds=8))
    assert answer.fronts[0][0].formula == "0.5*mass*speed**2"


def test_scikit_learn_has_no_complaint() -> None:
    check_estimator(discover(seconds=0.05, stages=("power", "rational")), on_skip=None)


@pytest.mark.soak
def test_scikit_learn_has_no_complaint_about_all_stages() -> None:
    check_estimator(discover(seconds=0.2), on_skip=None)


@pytest.mark.parametrize(("rows", "features"), [(20, 1), (60, 100), (1_000_000, 2)])
def test_small_wide_and_long_tables_get_a_valid_model(rows: int, features: int, little_work: None) -> None:
    inputs = np.random.default_rng(0).uniform(1, 5, (rows, features))
    target = 3 * inputs[:, -1] ** 2
    model = discover(seconds=60).fit(inputs, target)
    assert model.score(inputs[:1000], target[:1000]) > 0.999


def test_one_and_two_threads_give_equal_formulas(table: pd.DataFrame, little_work: None) -> None:
    target = np.asarray(np.sin(table["mass"] * table["speed"]) + 0.1 * table["speed"])
    formulas = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            formulas.append(discover(seconds=20, random_state=3).fit(table, target).front_)
    assert formulas[0] == formulas[1]


def test_an_unknown_stage_is_refused_with_the_known_ones(table: pd.DataFrame) -> None:
    with pytest.raises(UnknownName, match="terms"):
        discover(stages=("term",)).fit(table, _energy(table))


def test_snap_simplifies_the_formulas_of_another_subject(table: pd.DataFrame) -> None:
    target = np.asarray(2 * table["mass"] + np.random.default_rng(0).normal(0, 0.1, len(table)))
    part = Part(noise=0.0, inputs=table.to_numpy(), target=target)
    task = FormulaTask(name="line", variables=tuple(BOX), target="y", parts=(part,))
    first, second, *_ = SUBJECTS["snap"](subject="linear").solve(task, Budget(seconds=8)).fronts[0]
    assert "speed" not in first.formula
    assert "speed" in second.formula  # what was given stays to be compared


def test_snap_names_the_subjects_that_it_can_wrap() -> None:
    with pytest.raises(UnknownName, match="polynomial"):
        SUBJECTS["snap"](subject="polynomials")


def test_a_target_whose_squares_overflow_is_told() -> None:
    rows = np.random.default_rng(0).uniform(1, 2, (40, 2))
    with pytest.raises(InvalidInput, match="divide it by a constant"):
        discover(seconds=5).fit(rows, 1e200 * rows[:, 0])
