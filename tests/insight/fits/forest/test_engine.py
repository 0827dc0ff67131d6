from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay.insight.fits.forest as package
from assay.core import InvalidInput
from assay.insight.fits.forest import engine as module
from assay.insight.fits.forest.cache import CLOSED_FORMS, GROWN_COLUMNS, ColumnCache
from assay.insight.fits.forest.engine import choose_engine, predict, rounding_risk
from assay.insight.fits.forest.settings import ForestSettings, Task
from assay.insight.fits.forest.sklearn_engine import installed_version, predict_with_sklearn
from assay.insight.fits.forest.versions import merges_close_values

FloatArray: TypeAlias = npt.NDArray[np.float64]
Maker: TypeAlias = Callable[[np.random.Generator, int], Any]

COLUMNS: dict[str, Maker] = {
    "smooth": lambda rng, n: rng.normal(size=n),
    "binary": lambda rng, n: rng.integers(0, 2, n),
    "few levels": lambda rng, n: rng.integers(0, 6, n),
    "constant": lambda rng, n: np.full(n, 0.3),
    "steps of 1e-8": lambda rng, n: rng.integers(0, 40, n) * 1e-8,
    "offset 1e9": lambda rng, n: 1e9 + rng.integers(0, 500, n),
    "money": lambda rng, n: np.round(rng.lognormal(2, 1, n), 1),
    "neighbouring single-precision numbers": lambda rng, n: 1 + rng.integers(0, 60, n) * 2.0**-23,
    "around the tolerance": lambda rng, n: rng.normal(size=n) * 1e-7,
    "mostly zero": lambda rng, n: np.where(rng.random(n) < 0.9, 0.0, rng.normal(size=n)),
    "huge": lambda rng, n: rng.normal(size=n) * 1e37,
    "subnormal": lambda rng, n: rng.integers(-3, 3, n) * 1e-40,
    "blocks": lambda rng, n: np.repeat(rng.normal(size=n // 7 + 1), 7)[:n],
}
TARGETS: dict[str, Maker] = {
    "smooth": lambda rng, n: rng.normal(size=n),
    "one decimal": lambda rng, n: np.round(rng.normal(size=n), 1),
    "whole": lambda rng, n: rng.integers(0, 4, n),
    "offset 1e6": lambda rng, n: rng.normal(size=n) + 1e6,
    "tiny": lambda rng, n: rng.normal(size=n) * 1e-9,
    "mostly zero": lambda rng, n: np.where(rng.random(n) < 0.8, 0.0, rng.lognormal(3, 1, n)),
    "three levels": lambda rng, n: rng.integers(0, 3, n) * 0.1,
    "two levels, offset 1e8": lambda rng, n: 1e8 + rng.integers(0, 2, n) * 0.3,
    "heavy tails": lambda rng, n: rng.standard_cauchy(n),
    "whole, offset 1e7": lambda rng, n: rng.integers(0, 9, n) + 1e7,
}


class Case(NamedTuple):
    train: FloatArray
    test: FloatArray
    target: FloatArray
    codes: npt.NDArray[np.int64]
    settings: ForestSettings


@st.composite
def cases(draw: st.DrawFn, columns: int = 1) -> Case:
    """Random and adversarial arrays, few trees."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, queries = draw(st.sampled_from([1, 2, 3, 5, 9, 30, 90, 250])), draw(st.sampled_from([1, 4, 50]))
    kinds = [draw(st.sampled_from(sorted(COLUMNS))) for _ in range(columns)]
    table = np.column_stack([np.asarray(COLUMNS[kind](rng, rows + queries), dtype=np.float64) for kind in kinds])
    classes = draw(st.integers(1, 4))
    rare = draw(st.booleans())
    codes = rng.random(rows) < 0.04 if rare else rng.integers(0, classes, rows)
    return Case(
        table[:rows],
        table[rows:],
        np.asarray(TARGETS[draw(st.sampled_from(sorted(TARGETS)))](rng, rows), dtype=np.float64),
        np.unique(codes, return_inverse=True)[1].astype(np.int64),
        ForestSettings(
            trees=draw(st.integers(3, 8)),
            seed=draw(st.integers(0, 1000)),
            max_depth=draw(st.sampled_from([None, None, 1, 2, 3, 6, 10])),
            merge_close_values=merges_close_values(),
        ),
    )


@settings(max_examples=150)
@given(case=cases())
def test_one_column_of_any_kind_predicts_classes_as_scikit_learn_does(case: Case) -> None:
    _assert_same_shares(case)


@settings(max_examples=250)
@given(case=cases())
def test_one_column_of_any_kind_predicts_numbers_as_scikit_learn_does(case: Case) -> None:
    expected = _fitted(case, "regression")
    prediction = predict(case.train, case.target, case.test, task="regression", classes=0, settings=case.settings)
    assert prediction.engine != "scikit-learn"
    size = float(np.abs(case.target).max())
    np.testing.assert_allclose(prediction.values, expected, rtol=0, atol=1e-14 * size)


@settings(max_examples=40)
@given(case=cases(columns=4))
def test_several_columns_agree_to_the_last_bit(case: Case) -> None:
    _assert_same_shares(case)
    prediction = predict(case.train, case.target, case.test, task="regression", classes=0, settings=case.settings)
    assert prediction.engine in {"many-columns", "direct"}
    if prediction.engine == "many-columns":
        np.testing.assert_array_equal(prediction.values, _fitted(case, "regression"))


def _fitted(case: Case, task: Task) -> FloatArray:
    classes = int(case.codes.max()) + 1 if task == "classification" else 0
    target = case.codes if task == "classification" else case.target
    return predict_with_sklearn(case.train, target, case.test, task=task, classes=classes, settings=case.settings)


def _assert_same_shares(case: Case) -> None:
    classes = int(case.codes.max()) + 1
    prediction = predict(
        case.train, case.codes, case.test, task="classification", classes=classes, settings=case.settings
    )
    assert prediction.engine != "scikit-learn"
    np.testing.assert_array_equal(prediction.values, _fitted(case, "classification"))


RNG = np.random.default_rng(1)
ONE, SEVERAL = RNG.normal(size=(60, 1)), RNG.normal(size=(60, 3))
SMOOTH: FloatArray = RNG.normal(size=60)
PAIR: npt.NDArray[np.int64] = (SMOOTH > 0).astype(np.int64)
FREE, LIMITED = ForestSettings(trees=3), ForestSettings(trees=3, max_depth=4)


@pytest.mark.parametrize(
    ("train", "target", "options", "engine", "reason"),
    [
        (ONE, PAIR, FREE, "closed-form", "one column without a depth limit"),
        (ONE, SMOOTH, FREE, "closed-form", "one column without a depth limit"),
        (ONE, PAIR, LIMITED, "one-column", "one column with a depth limit"),
        (ONE, SMOOTH, LIMITED, "one-column", "one column with a depth limit"),
        (ONE, SMOOTH + 1e4, FREE, "one-column", "a target whose spread rounding can hide"),
        (ONE, SMOOTH * 1e-6, FREE, "one-column", "a target whose spread rounding can hide"),
        (SEVERAL, PAIR, FREE, "many-columns", "several columns"),
        (SEVERAL, SMOOTH, LIMITED, "many-columns", "several columns"),
        (ONE, np.full(60, 0.1), FREE, "direct", "the training target is constant"),
        (SEVERAL, np.zeros(60, dtype=np.int64), FREE, "direct", "the training target has one class"),
        (ONE, SMOOTH * 1e150, FREE, "scikit-learn", "the target is too large to be squared safely"),
        (np.where(ONE > 1, np.nan, ONE), PAIR, FREE, "scikit-learn", "the training rows have missing values"),
        (ONE * 1e39, PAIR, FREE, "scikit-learn", "the training rows have values beyond single precision"),
    ],
)
def test_each_fit_goes_to_the_fastest_engine_that_is_safe(
    train: FloatArray, target: Any, options: ForestSettings, engine: str, reason: str
) -> None:
    task: Task = "classification" if target.dtype == np.int64 else "regression"
    classes = int(target.max()) + 1 if task == "classification" else 0
    choice = choose_engine(train, target, ONE[:5], task=task, classes=classes, settings=options)
    assert choice.engine == engine
    assert reason in choice.reason


def test_the_test_rows_count_too() -> None:
    options: dict[str, Any] = {"task": "classification", "classes": 2, "settings": FREE}
    assert choose_engine(ONE, PAIR, np.full((2, 1), np.nan), **options).engine == "scikit-learn"
    assert choose_engine(ONE, PAIR, np.full((2, 1), -1e40), **options).engine == "scikit-learn"
    assert choose_engine(ONE, PAIR, np.full((2, 1), np.inf), **options).engine == "scikit-learn"
    assert predict(ONE, PAIR, np.empty((0, 1)), **options).values.shape == (0, 2)
    assert predict(ONE, SMOOTH, np.empty((0, 1)), task="regression", classes=0, settings=FREE).values.shape == (0,)


def test_missing_values_are_answered_by_scikit_learn_itself() -> None:
    holes = np.where(ONE > 1, np.nan, ONE)
    prediction = predict(holes, PAIR, holes, task="classification", classes=2, settings=FREE)
    expected = predict_with_sklearn(holes, PAIR, holes, task="classification", classes=2, settings=FREE)
    np.testing.assert_array_equal(prediction.values, expected)
    assert prediction.engine == "scikit-learn"


def test_without_a_compiler_scikit_learn_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "numba_missing", lambda: "numba cannot be imported (gone)")
    prediction = predict(ONE, SMOOTH, ONE, task="regression", classes=0, settings=FREE)
    assert (prediction.engine, prediction.reason) == ("scikit-learn", "numba cannot be imported (gone)")


def test_an_unverified_version_answers_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "version_doubt", lambda: "scikit-learn 9.9 is not among the verified versions")
    fits: list[tuple[FloatArray, Any, Task]] = [(ONE, SMOOTH, "regression"), (SEVERAL, PAIR, "classification")]
    for train, target, task in fits:
        choice = choose_engine(train, target, train, task=task, classes=2, settings=FREE)
        assert choice.engine == "scikit-learn"


def test_the_reason_names_the_version_and_how_close_values_are_taken() -> None:
    merged = choose_engine(ONE, PAIR, ONE, task="classification", classes=2, settings=FREE)
    assert merged.reason.endswith(f"as scikit-learn {installed_version()} with values within 1e-7 merged")
    apart = ForestSettings(merge_close_values=False)
    reason = choose_engine(ONE, PAIR, ONE, task="classification", classes=2, settings=apart).reason
    assert reason.endswith("with values within 1e-7 kept apart")


@pytest.mark.parametrize(("does", "verb"), [(True, "merges"), (False, "keeps apart")])
def test_scikit_learn_cannot_be_asked_for_the_other_rule_of_closeness(
    monkeypatch: pytest.MonkeyPatch, does: bool, verb: str
) -> None:
    monkeypatch.setattr(module, "merges_close_values", lambda: does)
    holes = np.full((60, 1), np.nan)
    for merging in (True, False):
        queries = ForestSettings(merge_close_values=merging)
        reason = choose_engine(holes, PAIR, ONE, task="classification", classes=2, settings=queries).reason
        assert (f"{verb} values within 1e-7 all the same" in reason) == (merging != does)


@pytest.mark.parametrize(("cache", "options"), [(CLOSED_FORMS, FREE), (GROWN_COLUMNS, LIMITED)])
def test_twenty_targets_of_one_column_sort_it_once(
    monkeypatch: pytest.MonkeyPatch, cache: ColumnCache[Any], options: ForestSettings
) -> None:
    prepared: list[Any] = []
    original = cache._prepare

    def counted(*given: Any) -> Any:
        prepared.append(original(*given))
        return prepared[-1]

    monkeypatch.setattr(cache, "_prepare", counted)
    column = RNG.normal(size=(50, 1))
    for _ in range(20):
        predict(column.copy(), RNG.normal(size=50), column, task="regression", classes=0, settings=options)
    assert len(prepared) == 1


def test_ordinary_fits_never_reach_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("scikit-learn was called")

    monkeypatch.setattr(module, "predict_with_sklearn", never)
    for options in (FREE, LIMITED):
        predict(ONE, SMOOTH, ONE, task="regression", classes=0, settings=options)
        predict(SEVERAL, PAIR, SEVERAL, task="classification", classes=2, settings=options)


def test_arrays_of_any_layout_are_welcome_and_left_alone() -> None:
    wide = np.asfortranarray(SEVERAL)
    frozen = SMOOTH.copy()
    frozen.flags.writeable = False
    before = predict(ONE, SMOOTH, ONE, task="regression", classes=0, settings=LIMITED).values
    strided = np.column_stack([SMOOTH, SMOOTH])[:, 0]
    for target in (frozen, strided):
        np.testing.assert_array_equal(
            predict(ONE, target, ONE, task="regression", classes=0, settings=LIMITED).values, before
        )
    np.testing.assert_array_equal(
        predict(wide[:, :1], SMOOTH, wide[:, :1], task="regression", classes=0, settings=FREE).values,
        predict(SEVERAL[:, :1].copy(), SMOOTH, SEVERAL[:, :1], task="regression", classes=0, settings=FREE).values,
    )


@pytest.mark.parametrize(
    ("train", "target", "test", "task", "classes", "message"),
    [
        (ONE[:, 0], SMOOTH, ONE, "regression", 0, "the same columns"),
        (ONE, SMOOTH, SEVERAL, "regression", 0, r"shape \(60, 1\) and \(60, 3\)"),
        (ONE[:, :0], SMOOTH, ONE[:, :0], "regression", 0, "at least one"),
        (ONE, SMOOTH[:9], ONE, "regression", 0, r"one target per training row and at least one row, got \(9,\)"),
        (ONE[:0], SMOOTH[:0], ONE, "regression", 0, "at least one row"),
        (ONE, np.where(SMOOTH > 1, np.nan, SMOOTH), ONE, "regression", 0, "finite targets: leave out"),
        (ONE * 1e39, PAIR, ONE, "classification", 2, "column 0 of the training rows has .* beyond single precision"),
        (SEVERAL, PAIR, SEVERAL * [1, 1, np.inf], "classification", 2, "column 2 of the test rows has infinite values"),
        (ONE, PAIR, ONE, "classification", 3, r"must be 0 to 2 .* got \[0, 1\]: renumber"),
        (ONE, PAIR + 1, ONE, "classification", 2, r"got \[1, 2\]"),
    ],
)
def test_bad_input_is_named(
    train: FloatArray, target: Any, test: FloatArray, task: Task, classes: int, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        predict(train, target, test, task=task, classes=classes, settings=FREE)


def test_the_risk_of_rounding_grows_with_offset_and_shrinks_with_spread() -> None:
    assert rounding_risk(SMOOTH) < 1e-14
    assert rounding_risk(SMOOTH + 1e3) < 1e-9 < rounding_risk(SMOOTH + 1e5)
    assert rounding_risk(SMOOTH * 1e-6) == pytest.approx(2.220446e-16 / np.var(SMOOTH * 1e-6), rel=1e-6)


def test_the_package_exports_what_it_lists() -> None:
    assert sorted(package.__all__) == package.__all__
    for name in package.__all__:
        assert getattr(package, name) is not None


@pytest.mark.parametrize("rows", [np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[0.0], [1.0], [2.0], [np.nan]])])
def test_class_codes_may_be_whole_floats(rows: FloatArray) -> None:
    codes = np.array([0, 0, 1, 1])
    first, second = (
        predict(rows, target, rows, task="classification", classes=2, settings=FREE)
        for target in (codes, codes.astype(np.float64))
    )
    assert np.array_equal(first.values, second.values)
    assert first.engine == second.engine
