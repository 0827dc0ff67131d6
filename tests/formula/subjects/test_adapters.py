"""Methods behind adapters: what they find, that their strings are their models, and that they keep to their time."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from assay.core import Budget, InvalidInput, MissingExtra, SubjectFailed
from assay.core.files import libraries
from assay.formula import compute, equivalent, parse
from assay.formula.answer.answer import CHECKED_ROWS, Model
from assay.formula.equivalence.certificate import POSITIVE
from assay.formula.expression.program import table_values
from assay.formula.metrics import prediction_mismatch, r_squared
from assay.formula.problem.task import FormulaTask, Part
from assay.formula.subjects import adapter as adapter_base
from assay.formula.subjects.adapter import Adapter, Stopwatch
from assay.formula.subjects.builtin import SUBJECTS
from assay.formula.subjects.genetic import Gplearn
from assay.formula.subjects.linear import Linear
from assay.formula.subjects.operon import Operon
from assay.formula.subjects.polynomial import Polynomial, forward_selection
from assay.formula.subjects.pysr import PySr
from assay.formula.subjects.sindy import Sindy

Inputs = np.ndarray

pytest.importorskip("gplearn", reason="the extra 'symbolic' is not installed")
pytest.importorskip("pyoperon", reason="the extra 'symbolic' is not installed")
pytest.importorskip("pysindy", reason="the extra 'symbolic' is not installed")

SMALL: dict[str, Callable[[], Adapter]] = {
    "linear": Linear,
    "polynomial": Polynomial,
    "gplearn": lambda: Gplearn(population=100, generations=5),
    "pyoperon": lambda: Operon(population=200, evaluations=20_000),
    "pysindy": Sindy,
}


def make_task(
    truth: Callable[[Inputs], Inputs], variables: int = 2, *, levels: tuple[float, ...] = (0.0,)
) -> FormulaTask:
    rng = np.random.default_rng(3)
    inputs = rng.uniform(1.0, 4.0, (150, variables))
    clean = truth(inputs)
    parts = []
    for level in levels:
        noise = rng.normal(0.0, clean.std() * np.sqrt(level / (1 - level)), len(clean))
        parts.append(Part(noise=level, inputs=inputs, target=clean + noise))
    names = tuple(f"v{place}" for place in range(variables))
    return FormulaTask(name="t", variables=names, target="y", parts=tuple(parts))


def values(model: Model, task: FormulaTask) -> Inputs:
    inputs = task.parts[0].inputs
    tree = parse(model.formula, names=task.variables, dialect="plain")
    values = compute(tree, {name: inputs[:, place] for place, name in enumerate(task.variables)})
    return np.broadcast_to(values, (len(inputs),))


MIXED = make_task(lambda x: x[:, 0] ** 2 + np.sin(x[:, 1]))
NOISY = make_task(lambda x: x[:, 0] * x[:, 1], levels=(0.0, 0.2))


@pytest.mark.parametrize("name", SMALL)
def test_the_string_is_the_model(name: str) -> None:
    answer = SMALL[name]().solve(MIXED, Budget(seconds=60))
    ((first, *others),) = answer.fronts
    for model in (first, *others):
        if model.predictions is not None:
            assert len(model.predictions) == CHECKED_ROWS
            apart = np.abs(values(model, MIXED)[:CHECKED_ROWS] - model.predictions)
            assert apart.max() < 1e-5 * MIXED.parts[0].target.std(), model.formula
    assert first.predictions is not None


@pytest.mark.parametrize("name", SMALL)
def test_the_same_seed_gives_the_same_formulas_and_every_part_has_its_own(name: str) -> None:
    first, second = (SMALL[name]().solve(NOISY, Budget(seed=5, seconds=120)) for _ in range(2))
    assert first == second
    assert len(first.fronts) == len(NOISY.parts)
    assert first.fronts[0][0].formula != first.fronts[1][0].formula


@pytest.mark.parametrize("name", SMALL)
def test_a_front_repeats_no_formula_and_stays_small(name: str) -> None:
    (front,) = SMALL[name]().solve(MIXED, Budget(seconds=60)).fronts
    texts = [model.formula for model in front]
    assert len(set(texts)) == len(texts) <= 11


def test_linear_is_ordinary_least_squares() -> None:
    model = Linear().solve(NOISY, Budget()).fronts[1][0]
    part = NOISY.parts[1]
    reference = LinearRegression().fit(part.inputs, part.target).predict(part.inputs)
    np.testing.assert_allclose(values(model, NOISY), reference, rtol=1e-9)


def test_the_polynomial_is_sparse_and_exact_where_the_truth_is_one() -> None:
    task = make_task(lambda x: 0.5 * x[:, 0] * x[:, 1] ** 2 + x[:, 5] - 2.0, variables=12)
    ((first, *_),) = Polynomial().solve(task, Budget()).fronts
    values = equivalent("0.5*v0*v1**2 + v5 - 2", first.formula, names=task.variables)
    assert values.verdict in POSITIVE
    assert parse(first.formula).nodes < 20


def test_forward_selection_agrees_with_trying_every_pair() -> None:
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(60, 5))
    target = 3 * columns[:, 1] - 2 * columns[:, 4] + 0.01 * rng.normal(size=60)
    path = forward_selection(columns, target, most=2)

    def left(places: list[int]) -> float:
        fitted = LinearRegression().fit(columns[:, places], target)
        return float(np.sum((target - fitted.predict(columns[:, places])) ** 2))

    assert path[1] == [min(range(5), key=lambda place: left([place]))]
    best = min(((a, b) for b in range(5) for a in range(b)), key=lambda pair: left(list(pair)))
    assert sorted(path[2]) == list(best) == [1, 4]


def test_pyoperon_and_pysindy_find_a_formula_up_to_its_constants() -> None:
    for name in ("pyoperon", "pysindy"):
        ((first, *_),) = SUBJECTS[name]().solve(MIXED, Budget(seconds=60)).fronts
        assert equivalent("v0**2 + sin(v1)", first.formula, names=MIXED.variables).verdict in POSITIVE, first.formula


def test_gplearn_keeps_all_digits_of_its_constants() -> None:
    # its own text rounds to three: 0.123 for 0.1234567
    task = make_task(lambda x: 0.1234567 * x[:, 0] + 3.3)
    (front,) = Gplearn(population=200, generations=3).solve(task, Budget(seconds=60)).fronts
    digits = [number for model in front for number in _decimals(model.formula)]
    assert digits
    assert max(len(text) for text in digits) > 8


def _decimals(formula: str) -> list[str]:
    return [token.partition(".")[2] for token in formula.replace("(", " ").replace(")", " ").split() if "." in token]


def test_gplearn_stops_when_its_time_is_up() -> None:
    started = time.monotonic()
    Gplearn(population=50, generations=10**6).solve(NOISY, Budget(seconds=4))
    assert time.monotonic() - started < 4


def test_pyoperon_stops_when_its_time_is_up() -> None:
    started = time.monotonic()
    Operon(evaluations=10**9).solve(make_task(lambda x: np.cos(x[:, 0] ** x[:, 1])), Budget(seconds=5))
    assert time.monotonic() - started < 5


def test_a_target_that_does_not_vary_is_met_by_a_constant() -> None:
    task = make_task(lambda x: np.full(len(x), 2.5))
    for name, build in SMALL.items():
        ((first, *_),) = build().solve(task, Budget(seconds=60)).fronts
        loose = 1.0 if name == "gplearn" else 1e-6  # it draws its constants and does not fit them
        np.testing.assert_allclose(values(first, task), 2.5, atol=loose, err_msg=name)


def test_time_is_shared_evenly_between_what_is_left() -> None:
    watch = Stopwatch(100.0)
    shares = [seconds for _, seconds in watch.shares(["a", "b", "c", "d"])]
    # nothing was used by the first, so the last one gets all that is left
    assert shares[0] == pytest.approx(73 / 4, abs=0.1)
    assert shares[-1] == pytest.approx(73, abs=0.1)


@pytest.mark.parametrize("name", ["gplearn", "pyoperon", "pysindy", "pysr"])
def test_a_missing_library_is_said_before_anything_is_fitted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter_base, "find_spec", lambda package: None)
    with pytest.raises(MissingExtra, match=f"The subject {name} needs {name}, which is not installed: pip install"):
        SUBJECTS[name]()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Gplearn(population=0), "gplearn: population must be a whole number of at least 1, got 0"),
        (lambda: Operon(evaluations=True), "pyoperon: evaluations must be"),
        (lambda: Polynomial(degree=2.5), "polynomial: degree must be"),  # type: ignore[arg-type]
    ],
)
def test_wrong_parameters_are_named(build: Callable[[], Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        build()


def test_names_hold_what_is_not_the_default() -> None:
    assert Gplearn().name == "gplearn"
    assert Gplearn(population=7).name == "gplearn(population=7)"
    assert Operon(evaluations=5).name == "pyoperon(evaluations=5)"
    assert Sindy(degree=2).name == "pysindy(degree=2)"
    assert Linear().digest == Linear().digest != Polynomial().digest


def test_another_version_of_a_library_is_another_subject(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Gplearn().digest
    assert Gplearn().parts["gplearn"][0].isdigit()
    monkeypatch.setattr(libraries, "version", lambda package: "99.0")
    assert Gplearn().digest != before
    assert Gplearn().parts["gplearn"] == "99.0"


class _PretendedRegressor:
    """Answers as PySR does: a table of equations, and predictions by their place in it."""

    def __init__(self, **options: Any) -> None:
        assert options["deterministic"] is True
        assert options["parallelism"] == "serial"
        assert options["random_state"] == 4
        assert options["timeout_in_seconds"] > 1

    def fit(self, inputs: Inputs, target: Inputs, *, variable_names: list[str]) -> None:
        assert variable_names == ["x0", "x1"]
        self.equations_ = pd.DataFrame(
            {"complexity": [1, 4], "loss": [2.0, 0.0], "equation": ["x0", "square(x0) + sin(x1)"]}
        )

    def get_best(self) -> Any:
        return self.equations_.loc[1]

    def predict(self, inputs: Inputs, index: int) -> Inputs:
        return inputs[:, 0] if index == 0 else inputs[:, 0] ** 2 + np.sin(inputs[:, 1])


def test_pysr_is_asked_for_its_whole_hall_of_fame(monkeypatch: pytest.MonkeyPatch) -> None:
    pretended = ModuleType("pysr")
    pretended.PySRRegressor = _PretendedRegressor  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pysr", pretended)
    monkeypatch.setattr(adapter_base, "find_spec", lambda package: True)
    (front,) = PySr().solve(MIXED, Budget(seed=4, seconds=60)).fronts
    assert [model.formula for model in front] == ["square(v0) + sin(v1)", "v0"]
    np.testing.assert_allclose(values(front[0], MIXED)[:CHECKED_ROWS], front[0].predictions)  # type: ignore[arg-type]


def test_pysr_without_julia_fails_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pysr", None)  # what a failing import leaves behind
    monkeypatch.setattr(adapter_base, "find_spec", lambda package: True)
    with pytest.raises(SubjectFailed, match="PySR cannot start Julia"):
        PySr().solve(MIXED, Budget(seconds=5))


def test_pysr_for_real() -> None:
    pytest.importorskip("pysr", reason="PySR is not installed; it needs Julia as well", exc_type=ImportError)
    ((first, *_),) = PySr(iterations=5).solve(MIXED, Budget(seconds=300)).fronts
    assert first.predictions is not None


@pytest.mark.parametrize(
    ("input_factor", "factor", "offset"),
    [(1.0, 1e-10, 0.0), (1.0, 1e-40, 0.0), (1.0, 1e12, 0.0), (1.0, 1e40, 0.0), (1.0, 1.0, 1e9), (1e-30, 1.0, 0.0)],
)
def test_pyoperon_says_what_it_predicts_on_any_scale(input_factor: float, factor: float, offset: float) -> None:
    # single floats lose all of these; its texts have no exponents, so tiny constants were cut off
    rng = np.random.default_rng(0)
    inputs = rng.uniform(1, 5, (120, 2))
    target = factor * (inputs[:, 0] * inputs[:, 1] ** 2 + np.sin(inputs[:, 0])) + offset
    inputs = inputs * input_factor
    candidates = Operon(population=50, evaluations=4000).fit(inputs, target, seconds=20, seed=1)
    for candidate in candidates:
        computed = table_values(candidate.expression, ("x0", "x1"), inputs)
        assert candidate.predictions is not None
        assert prediction_mismatch(candidate.predictions, computed[:100], target[:100]) < 0.01
    assert r_squared(target, table_values(candidates[0].expression, ("x0", "x1"), inputs)) > 0.9
