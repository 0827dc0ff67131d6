"""The document's rules against an independent computation with scikit-learn and scipy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import r2_score, roc_auc_score

from assay.core import Problem, Setting
from assay.insight import InsightAnswer, InsightTask, InsightTruth
from assay.insight.examine.config import SETTINGS
from assay.insight.examine.evidence import InsightEvidence
from assay.insight.examine.examination import examine
from assay.insight.metrics import METRICS
from assay.insight.metrics.covered_columns import column_coverages

TREES = 12
TRAIN, TEST = 160, 90


def make(
    target: Any, *, kind: str, insights: dict[str, Any], experts: dict[str, Any], base: dict[str, Any]
) -> tuple[Problem[InsightTask, InsightTruth], InsightAnswer]:
    def parts(columns: dict[str, Any]) -> tuple[pd.DataFrame, pd.DataFrame]:
        frame = pd.DataFrame(columns)
        return frame[:TRAIN].reset_index(drop=True), frame[TRAIN:].reset_index(drop=True)

    train, test = parts(base)
    labels = pd.Series(target)
    task = InsightTask(
        name="made",
        description="",
        domain="",
        target_column="y",
        problem_type=kind,  # type: ignore[arg-type]
        train=train.assign(y=labels[:TRAIN].to_numpy()),
        test=test,
    )
    expert_train, expert_test = parts(experts)
    truth = InsightTruth(
        test_target=labels[TRAIN:].reset_index(drop=True),
        columns=tuple(experts),
        descriptions=tuple(experts),
        train=expert_train,
        test=expert_test,
    )
    own_train, own_test = parts(insights)
    answer = InsightAnswer(solved_by="me", columns=tuple(insights), train=own_train, test=own_test)
    return Problem(id="made", digest="0", task=task, truth=truth), answer


def score(problem: Any, answer: InsightAnswer, **settings: Setting) -> tuple[InsightEvidence, dict[str, float]]:
    literal: dict[str, Setting] = {"trust_columns": True, "N_RF_ESTIMATORS": TREES, "chance": "counted"}
    evidence = examine(problem, answer, {**SETTINGS, **literal, **settings})
    return evidence, {metric.name: metric.function(evidence) for metric in METRICS}


def forest_auc(columns: list[Any], y: Any) -> float:
    X = np.column_stack(columns)
    model = RandomForestClassifier(TREES, random_state=42, max_depth=10).fit(X[:TRAIN], y[:TRAIN])
    p = model.predict_proba(X[TRAIN:])
    if p.shape[1] == 2:
        return float(roc_auc_score(y[TRAIN:], p[:, 1]))
    return float(np.mean([roc_auc_score(y[TRAIN:] == k, p[:, i]) for i, k in enumerate(model.classes_)]))


def forest_r2(columns: list[Any], y: Any) -> float:
    X = np.column_stack(columns)
    model = RandomForestRegressor(TREES, random_state=42, max_depth=10).fit(X[:TRAIN], y[:TRAIN])
    return float(r2_score(y[TRAIN:], model.predict(X[TRAIN:])))


def rho(value: float) -> float:
    return 2 * max(value - 0.5, 0.0)


@pytest.fixture(scope="module")
def numbers() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    rows = TRAIN + TEST
    a, b, noise = rng.normal(size=rows), rng.normal(size=rows), rng.normal(size=rows)
    return {
        "a": a,
        "b": b,
        "near_a": a + 0.4 * rng.normal(size=rows),
        "noise": noise,
        "near_b": np.round(np.abs(b) + 0.2 * rng.normal(size=rows), 1),
        "base": rng.normal(size=rows),
    }


def pieces(n: dict[str, np.ndarray]) -> dict[str, dict[str, np.ndarray]]:
    return {
        "insights": {"near_a": n["near_a"], "near_b": n["near_b"], "noise": n["noise"]},
        "experts": {"a": n["a"], "b": n["b"]},
        "base": {"base": n["base"]},
    }


def test_a_binary_problem(numbers: dict[str, np.ndarray]) -> None:
    n = numbers
    y = (n["a"] + np.abs(n["b"]) > 0.8).astype(int)
    problem, answer = make(y, kind="binary", **pieces(n))
    evidence, scores = score(problem, answer)
    S = [n["near_a"], n["near_b"], n["noise"]]
    assert scores["naive_performance"] == pytest.approx(forest_auc([n["base"]], y), abs=1e-12)
    assert scores["inclusive_performance"] == pytest.approx(forest_auc([n["base"], *S], y), abs=1e-12)
    assert scores["exclusive_performance"] == pytest.approx(forest_auc(S, y), abs=1e-12)
    assert scores["lift"] == pytest.approx(scores["inclusive_performance"] - scores["naive_performance"])
    gains = [1 - max(rho(forest_auc([*S, n[c]], y)) - rho(forest_auc(S, y)), 0) for c in ("a", "b")]
    assert scores["incremental_performance_coverage"] == pytest.approx(min(gains), abs=1e-12)
    assert [column.incremental for column in column_coverages(evidence)] == pytest.approx(gains, abs=1e-12)
    weights = [rho(forest_auc([n[c]], y)) for c in ("a", "b")]
    single = [max(max(forest_r2([s], n[c]), 0) for s in S) for c in ("a", "b")]
    expected = np.average(single, weights=weights)
    assert scores["single_column_predictive_coverage"] == pytest.approx(expected, abs=1e-9)
    together = [max(forest_r2(S, n[c]), 0) for c in ("a", "b")]
    assert scores["predictive_coverage"] == pytest.approx(np.average(together, weights=weights), abs=1e-9)
    ranks = [[abs(spearmanr(n[c][:TRAIN], s[:TRAIN]).statistic) for s in S] for c in ("a", "b")]
    best = [value if value >= 0.15 else 0.0 for value in (max(row) for row in ranks)]
    importance = [abs(spearmanr(n[c][:TRAIN], y[:TRAIN]).statistic) for c in ("a", "b")]
    assert scores["correlation_coverage"] == pytest.approx(np.average(best, weights=importance), abs=1e-12)
    assert scores["coverage"] == pytest.approx(0.3 * min(gains) + 0.7 * expected, abs=1e-9)
    assert scores["combined_score"] == pytest.approx(0.5 * scores["inclusive_performance"] + 0.5 * scores["coverage"])
    assert math.isnan(scores["target_leak"])
    assert column_coverages(evidence)[0].single_by == "near_a"


def test_chance_is_left_out_as_the_null_distribution_says(numbers: dict[str, np.ndarray]) -> None:
    n = numbers
    y = (n["a"] + np.abs(n["b"]) > 0.8).astype(int)
    flag = (n["a"] > 0.3).astype(int)
    insights = {"near_a": n["near_a"], "noise": n["noise"], "again": n["noise"], "flat": np.ones(len(y))}
    problem, answer = make(y, kind="binary", insights=insights, experts={"flag": flag}, base={"base": n["base"]})
    evidence, scores = score(problem, answer, chance="subtracted")
    rng, classes = np.random.default_rng(0), flag[TRAIN:]
    ranks = rng.normal(size=(20_000, 2, TEST)).argsort(axis=2).argsort(axis=2)  # ranks of two columns of noise
    positives = classes.sum()
    areas = (ranks[:, :, classes == 1].sum(axis=2) - positives * (positives - 1) / 2) / (positives * (TEST - positives))
    chance = 2 * np.maximum(areas - 0.5, 0).max(axis=1).mean()  # of two: equal columns are one, a constant is none
    assert evidence.chance is not None
    assert evidence.chance.single[0] == pytest.approx(chance, abs=0.004)
    single = rho(max(forest_auc([n["near_a"]], flag), forest_auc([n["noise"]], flag)))
    e = evidence.chance.single[0]
    assert scores["single_column_predictive_coverage"] == pytest.approx((single - e) / (1 - e), abs=1e-12)
    S, k = list(insights.values()), evidence.chance.without
    best = max(rho(forest_auc([*S, flag], y)), rho(forest_auc([flag], y)))
    gain = best - (rho(forest_auc(S, y)) - k) / (1 - k)
    assert scores["incremental_performance_coverage"] == pytest.approx(1 - max(gain, 0), abs=1e-12)


def test_nothing_a_constant_and_noise_have_the_same_expected_coverage(numbers: dict[str, np.ndarray]) -> None:
    n = numbers
    y = (n["a"] + np.abs(n["b"]) > 0.8).astype(int)
    experts = {"flag": (n["a"] > 0.3).astype(int), "b": n["b"]}

    def covered(insights: dict[str, Any], **given: Setting) -> float:
        problem, answer = make(y, kind="binary", insights=insights, experts=experts, base={"base": n["base"]})
        return score(problem, answer, **given)[1]["coverage"]

    rng = np.random.default_rng(7)
    draws = [{f"n{place}": rng.normal(size=len(y)) for place in range(6)} for _ in range(30)]
    nothing = covered({}, chance="subtracted")
    assert nothing > 0
    assert covered({"flat": np.ones(len(y))}, chance="subtracted") == pytest.approx(nothing, abs=1e-12)
    noise = np.array([covered(draw, chance="subtracted") for draw in draws])
    spread = noise.std(ddof=1) / math.sqrt(len(draws))
    assert abs(noise.mean() - nothing) < 3 * spread + 0.01
    assert covered({}) == 0.0  # the literal reading, in which noise is worth more than nothing
    assert np.mean([covered(draw) for draw in draws]) > nothing + 4 * spread
    half, whole = {"flag": experts["flag"]}, dict(experts)
    assert nothing < covered(half, chance="subtracted") < covered(whole, chance="subtracted")


def test_a_regression_problem_enters_on_the_scale_of_an_auc(numbers: dict[str, np.ndarray]) -> None:
    n = numbers
    y = 3 * n["a"] + np.abs(n["b"]) + 100
    problem, answer = make(y, kind="regression", **pieces(n))
    _, scores = score(problem, answer)
    S = [n["near_a"], n["near_b"], n["noise"]]
    inclusive = forest_r2([n["base"], *S], y)
    assert scores["inclusive_performance"] == pytest.approx(inclusive, abs=1e-9)
    gains = [1 - max(max(forest_r2([*S, n[c]], y), 0) - max(forest_r2(S, y), 0), 0) for c in ("a", "b")]
    assert scores["incremental_performance_coverage"] == pytest.approx(min(gains), abs=1e-9)
    assert scores["combined_score"] == pytest.approx(0.5 * max(inclusive, 0) + 0.5 * scores["coverage"], abs=1e-12)


def test_the_literal_reading_of_r2_discards_what_is_below_one_half(numbers: dict[str, np.ndarray]) -> None:
    n = numbers
    y = 3 * n["a"] + np.abs(n["b"])
    problem, answer = make(y, kind="regression", **pieces(n))
    evidence, scores = score(problem, answer, r2_scale="raw")
    weights = [rho(forest_r2([n[c]], y)) for c in ("a", "b")]
    assert [column.weight for column in column_coverages(evidence)] == pytest.approx(weights, abs=1e-9)
    single = [max(rho(forest_r2([s], n[c])) for s in (n["near_a"], n["near_b"], n["noise"])) for c in ("a", "b")]
    eligible = [i for i in (0, 1) if weights[i] > 0]
    expected = np.average([single[i] for i in eligible], weights=[weights[i] for i in eligible])
    assert scores["single_column_predictive_coverage"] == pytest.approx(expected, abs=1e-9)


def test_negative_r2_counts_as_nothing_in_the_combined_score(numbers: dict[str, np.ndarray]) -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=TRAIN + TEST)
    problem, answer = make(
        y,
        kind="regression",
        insights={"noise": numbers["noise"]},
        experts={"y2": y * 2},
        base={"base": numbers["base"]},
    )
    _, scores = score(problem, answer)
    assert scores["inclusive_performance"] < 0
    assert scores["combined_score"] == pytest.approx(0.5 * scores["coverage"])


def test_a_multi_class_problem_with_texts(numbers: dict[str, np.ndarray]) -> None:
    n = numbers
    y = np.where(n["a"] > 0.5, "high", np.where(n["b"] > 0, "middle", "low"))
    problem, answer = make(y, kind="multiclass", **pieces(n))
    evidence, scores = score(problem, answer)
    S = [n["near_a"], n["near_b"], n["noise"]]
    assert scores["exclusive_performance"] == pytest.approx(forest_auc(S, y), abs=1e-12)
    weights = [rho(forest_auc([n[c]], y)) for c in ("a", "b")]
    assert [column.weight for column in column_coverages(evidence)] == pytest.approx(weights, abs=1e-12)
    frame = pd.DataFrame({"x": n["a"][:TRAIN], "y": y[:TRAIN]})
    between = frame.groupby("y")["x"].transform("mean") - frame["x"].mean()
    eta = math.sqrt((between**2).sum() / ((frame["x"] - frame["x"].mean()) ** 2).sum())
    assert evidence.correlation_weights[0] == pytest.approx(eta, abs=1e-12)


def test_texts_in_the_ground_truth_are_classes(numbers: dict[str, np.ndarray]) -> None:
    n = numbers
    y = (n["a"] > 0).astype(int)
    band = np.where(n["a"] > 0.6, "top", np.where(n["a"] > -0.6, "mid", "low"))
    problem, answer = make(
        y, kind="binary", insights={"near_a": n["near_a"]}, experts={"band": band}, base={"base": n["base"]}
    )
    _, scores = score(problem, answer)
    expected = rho(forest_auc([n["near_a"]], band))
    assert scores["single_column_predictive_coverage"] == pytest.approx(expected, abs=1e-12)
    one_hot = [(band == level).astype(float) for level in ("low", "mid", "top")]
    gain = rho(forest_auc([n["near_a"], *one_hot], y)) - rho(forest_auc([n["near_a"]], y))
    assert scores["incremental_performance_coverage"] == pytest.approx(1 - max(gain, 0), abs=1e-12)


def test_missing_and_infinite_values_are_filled_from_the_training_part(numbers: dict[str, np.ndarray]) -> None:
    n = numbers
    y = (n["a"] > 0).astype(int)
    holes = n["near_a"].copy()
    holes[3:200:7], holes[4:200:11], holes[5:200:13] = np.nan, np.inf, -np.inf
    problem, answer = make(y, kind="binary", insights={"h": holes}, experts={"a": n["a"]}, base={"base": n["base"]})
    _, scores = score(problem, answer)
    finite = holes[:TRAIN][np.isfinite(holes[:TRAIN])]
    filled = np.select(
        [np.isnan(holes), holes == np.inf, holes == -np.inf],
        [finite.min() - 2, finite.max() + 1, finite.min() - 1],
        holes,
    )
    assert scores["exclusive_performance"] == pytest.approx(forest_auc([filled], y), abs=1e-12)


def test_text_columns_are_one_hot_with_the_rare_ones_merged(numbers: dict[str, np.ndarray]) -> None:
    n = numbers
    y = (n["a"] > 0).astype(int)
    rng = np.random.default_rng(2)
    levels = np.array([f"l{value:02d}" for value in np.minimum(rng.geometric(0.12, TRAIN + TEST), 25)])
    problem, answer = make(y, kind="binary", insights={"t": levels}, experts={"a": n["a"]}, base={"base": n["base"]})
    evidence, scores = score(problem, answer)
    counts = pd.Series(levels[:TRAIN]).value_counts()
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], str(entry[0])))
    frequent = sorted(str(level) for level, _ in ranked[:9])
    parts = [(levels == level).astype(float) for level in frequent]
    other = (~np.isin(levels, frequent)).astype(float)
    assert scores["exclusive_performance"] == pytest.approx(forest_auc([*parts, other], y), abs=1e-12)
    assert any("merged" in note for note in evidence.notes)


def test_no_insight_columns_are_scored_not_failed(numbers: dict[str, np.ndarray]) -> None:
    n = numbers
    y = (n["a"] > 0).astype(int)
    problem, _ = make(y, kind="binary", **pieces(n))
    _, scores = score(problem, InsightAnswer(solved_by="me", columns=()))
    assert scores["inclusive_performance"] == scores["naive_performance"]
    for name in (
        "coverage",
        "incremental_performance_coverage",
        "single_column_predictive_coverage",
        "predictive_coverage",
        "correlation_coverage",
    ):
        assert scores[name] == 0.0, name
    assert scores["combined_score"] == pytest.approx(0.5 * scores["naive_performance"])


def test_a_promoted_base_column_enters_the_union_once(numbers: dict[str, np.ndarray]) -> None:
    n = numbers
    y = (n["a"] > 0).astype(int)
    problem, _ = make(
        y, kind="binary", insights={}, experts={"a": n["a"]}, base={"near_a": n["near_a"], "base": n["base"]}
    )
    _, scores = score(problem, InsightAnswer(solved_by="me", columns=("near_a",)), trust_columns=False)
    assert scores["inclusive_performance"] == scores["naive_performance"]
    assert scores["exclusive_performance"] == pytest.approx(forest_auc([n["near_a"]], y), abs=1e-12)


def test_a_feature_named_like_a_base_column_with_other_values_is_another_column(numbers: dict[str, np.ndarray]) -> None:
    n = numbers
    y = (n["a"] > 0).astype(int)
    problem, answer = make(
        y, kind="binary", insights={"base": n["near_a"]}, experts={"a": n["a"]}, base={"base": n["base"]}
    )
    _, scores = score(problem, answer)
    assert scores["inclusive_performance"] == pytest.approx(forest_auc([n["base"], n["near_a"]], y), abs=1e-12)


def test_a_single_class_test_part_leaves_performance_undefined(numbers: dict[str, np.ndarray]) -> None:
    n = numbers
    y = (n["a"] > 0).astype(int)
    y[TRAIN:] = 1
    problem, answer = make(y, kind="binary", **pieces(n))
    _, scores = score(problem, answer)
    for name in ("combined_score", "inclusive_performance", "coverage", "incremental_performance_coverage"):
        assert math.isnan(scores[name]), name
    assert scores["correlation_coverage"] > 0
    floor = {metric.name: metric.floor_for(problem) for metric in METRICS}
    assert math.isnan(floor["combined_score"])


def test_weights_that_are_all_zero_count_equally(numbers: dict[str, np.ndarray]) -> None:
    n = numbers
    rng = np.random.default_rng(11)
    y = rng.integers(0, 2, TRAIN + TEST)
    flat = np.ones(TRAIN + TEST)
    problem, answer = make(
        y, kind="binary", insights={"s": n["a"]}, experts={"flat": flat, "flat2": flat * 2}, base={"base": n["base"]}
    )
    evidence, scores = score(problem, answer)
    assert [column.weight for column in column_coverages(evidence)] == [0.0, 0.0]
    assert scores["single_column_predictive_coverage"] == 0.0  # nothing can predict a constant better than chance


def test_fast_mode_looks_at_a_sample(numbers: dict[str, np.ndarray]) -> None:
    n = numbers
    y = (n["a"] > 0).astype(int)
    problem, answer = make(y, kind="binary", **pieces(n))
    evidence, scores = score(problem, answer, fast=True, N_SAMPLES=80)
    rows = np.sort(pd.Series(range(TRAIN)).sample(80, random_state=42).to_numpy())
    test_rows = np.sort(pd.Series(range(TEST)).sample(80, random_state=42).to_numpy())
    X = np.column_stack([n["near_a"], n["near_b"], n["noise"]])
    model = RandomForestClassifier(TREES, random_state=42, max_depth=10).fit(X[:TRAIN][rows], y[:TRAIN][rows])
    expected = roc_auc_score(y[TRAIN:][test_rows], model.predict_proba(X[TRAIN:][test_rows])[:, 1])
    assert scores["exclusive_performance"] == pytest.approx(expected, abs=1e-12)
    assert any("fast mode" in note for note in evidence.notes)
    _, whole = score(problem, answer, N_SAMPLES=80)
    assert whole["exclusive_performance"] != scores["exclusive_performance"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("N_RF_ESTIMATORS", 5),
        ("RANDOM_STATE", 7),
        ("MAX_DEPTH", 2),
        ("MAX_FEATURES", 1),
        ("INCLUSIVE_PERFORMANCE_WEIGHT", 0.9),
        ("COVERAGE_WEIGHT", 0.1),
    ],
)
def test_a_constant_that_is_set_moves_the_score(numbers: dict[str, np.ndarray], name: str, value: Setting) -> None:
    n = numbers
    y = (n["a"] + np.abs(n["b"]) > 0.8).astype(int)
    problem, answer = make(y, kind="binary", **pieces(n))
    assert score(problem, answer)[1]["combined_score"] != score(problem, answer, **{name: value})[1]["combined_score"]


def test_thresholds_move_their_coverages(numbers: dict[str, np.ndarray]) -> None:
    n = numbers
    y = (n["a"] + 0.3 * np.abs(n["b"]) > 0.3).astype(int)
    problem, answer = make(y, kind="binary", **pieces(n))
    plain = score(problem, answer)[1]
    strict = score(problem, answer, COVERAGE_CORRELATION_THRESHOLD=0.99)[1]
    assert (plain["correlation_coverage"] > 0, strict["correlation_coverage"]) == (True, 0.0)
    weights = [rho(forest_auc([n[c]], y)) for c in ("a", "b")]
    between = (min(weights) + max(weights)) / 2
    only = score(problem, answer, ELIGIBILITY_THRESHOLD=between)[1]
    assert only["single_column_predictive_coverage"] != plain["single_column_predictive_coverage"]
    few = score(problem, answer, MAX_UNIQUE_VALUES_FOR_CATEGORICAL=2)[1]
    assert few["exclusive_performance"] == plain["exclusive_performance"]  # no text columns here
