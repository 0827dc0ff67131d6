"""The preset insight-eval gives the numbers of the published implementation, digit by digit."""

from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core import Problem, SubjectFailed
from assay.insight import TRACK, FeatureFunction, InsightAnswer, InsightTask, InsightTruth, evaluate, load
from assay.insight.examine.examination import examine
from assay.insight.metrics import METRICS
from assay.insight.metrics.covered_columns import column_coverages
from assay.insight.published.rules import published_columns
from assay.insight.subjects.builtin import ground_truth

ROOT = Path(os.environ.get("ASSAY_BENCHMARKS", "")) / "insight"
REFERENCES = ROOT / "reference_scores"
HAS_GOLDEN = bool(os.environ.get("ASSAY_BENCHMARKS")) and REFERENCES.is_dir()
PAIRS = sorted(path.stem for path in REFERENCES.glob("*.json")) if HAS_GOLDEN else []

needs_golden = pytest.mark.skipif(
    not HAS_GOLDEN, reason="ASSAY_BENCHMARKS does not point at a folder with insight/reference_scores"
)


def reference(pair: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((REFERENCES / f"{pair}.json").read_text())
    return content


def number(value: float | None) -> float:
    return math.nan if value is None else float(value)


EXACT = 1e-9
SETTINGS = TRACK.configure({"preset": "insight-eval", "trust_columns": True, "check_leakage": "never"})


@needs_golden
@pytest.mark.parametrize("pair", PAIRS)
def test_a_golden_pair_agrees_with_the_published_scores(pair: str) -> None:
    expected = reference(pair)
    scores = evaluate(
        ROOT / "problems" / expected["problem"],
        ROOT / "agents" / expected["agent"] / expected["problem"],
        preset="insight-eval",
        trust_columns=True,
        check_leakage="never",  # verdicts have tests of their own
    )
    results = expected["results"]
    performance, coverage = results["performance_evaluation_results"], results["coverage_evaluation_results"]
    for name in ("inclusive_performance", "exclusive_performance", "naive_performance"):
        assert scores.scores[name] == pytest.approx(number(performance[name]), abs=EXACT, nan_ok=True)
    names = {
        "correlation_coverage": "mean_correlation_coverage",
        "incremental_performance_coverage": "min_incremental_performance_coverage",
        "predictive_coverage": "mean_predictive_coverage",
        "single_column_predictive_coverage": "mean_single_column_predictive_coverage",
    }
    for ours, theirs in names.items():
        assert scores.scores[ours] == pytest.approx(number(coverage[theirs]), abs=EXACT, nan_ok=True), ours
    columns = dict(zip(scores.evidence.ground_truth, column_coverages(scores.evidence), strict=True))
    assert set(columns) == set(coverage["predictive_coverages"])
    for name, column in columns.items():
        ((by, value),) = coverage["single_column_predictive_coverages"][name].items()
        assert column.single_by == by
        assert column.single == pytest.approx(number(value), abs=EXACT, nan_ok=True)
        ((by, value),) = coverage["correlation_coverages"][name].items()
        assert column.correlation_by == by
        assert column.correlation == pytest.approx(value, abs=EXACT)
        assert column.incremental == pytest.approx(coverage["incremental_performance_coverages"][name], abs=EXACT)
        assert column.predictive == pytest.approx(coverage["predictive_coverages"][name], abs=EXACT)
        assert column.weight == pytest.approx(coverage["single_column_predictive_coverage_weights"][name], abs=EXACT)
        assert column.correlation_weight == pytest.approx(coverage["correlation_coverage_weights"][name], abs=EXACT)
    combined = results["combined_score"]
    assert scores.scores["coverage"] == pytest.approx(combined["coverage"], abs=EXACT)
    assert scores.scores["combined_score"] == pytest.approx(combined["combined_score"], abs=EXACT)
    assert "scikit-learn" not in scores.evidence.engines, "every fit of the golden pairs has an exact shortcut"


@needs_golden
@pytest.mark.parametrize("pair", PAIRS)
def test_the_ground_truth_of_a_golden_pair_agrees_too(pair: str) -> None:
    expected = reference(pair)
    results = expected["results"]
    problem = load(ROOT / "problems" / expected["problem"])
    truth = problem.truth
    # the published implementation reads the experts' enriched tables, base columns first
    target = problem.task.target_column
    answer = replace(
        ground_truth(problem),
        train=pd.concat([problem.task.train, truth.train], axis=1),
        test=pd.concat([problem.task.test.assign(**{target: truth.test_target}), truth.test], axis=1)[
            [*problem.task.train.columns, *truth.columns]
        ],
        functions=(),
    )
    evidence = examine(problem, answer, SETTINGS)
    scores = {metric.name: metric.function(evidence) for metric in METRICS}
    performance = results["ground_truth_performance_evaluation_results"]
    for name in ("inclusive_performance", "exclusive_performance", "naive_performance"):
        assert scores[name] == pytest.approx(number(performance[name]), abs=EXACT)
    coverage = results["ground_truth_coverage_evaluation_results"]
    if coverage is not None:
        assert scores["correlation_coverage"] == pytest.approx(coverage["mean_correlation_coverage"], abs=EXACT)
        assert scores["predictive_coverage"] == pytest.approx(coverage["mean_predictive_coverage"], abs=EXACT)
        assert scores["incremental_performance_coverage"] == pytest.approx(
            coverage["min_incremental_performance_coverage"], abs=EXACT
        )
        assert scores["single_column_predictive_coverage"] == pytest.approx(
            coverage["mean_single_column_predictive_coverage"], abs=EXACT
        )


# the quirks one by one, on a problem made for them

ROWS = 60


def problem(target: Any = None, experts: dict[str, Any] | None = None) -> Problem[InsightTask, InsightTruth]:
    rng = np.random.default_rng(4)
    a = rng.normal(size=ROWS)
    y = pd.Series((a > 0).astype(int) if target is None else target)
    base = pd.DataFrame({"b": rng.normal(size=ROWS)})
    truth_table = pd.DataFrame(experts or {"a": a})
    half = ROWS // 2
    task = InsightTask(
        name="made",
        description="",
        domain="",
        target_column="y",
        problem_type="binary",
        train=base[:half].assign(y=y[:half]),
        test=base[half:].reset_index(drop=True),
    )
    truth = InsightTruth(
        test_target=y[half:].reset_index(drop=True),
        columns=tuple(truth_table.columns),
        descriptions=tuple(truth_table.columns),
        train=truth_table[:half],
        test=truth_table[half:].reset_index(drop=True),
    )
    return Problem(id="made", digest="0", task=task, truth=truth)


def solution(problem: Problem[InsightTask, InsightTruth], **columns: Any) -> InsightAnswer:
    half, task = ROWS // 2, problem.task
    frame = pd.DataFrame(columns)
    return InsightAnswer(
        solved_by="me",
        columns=tuple(columns),
        train=pd.concat([task.train, frame[:half]], axis=1),
        test=pd.concat([task.test.assign(y=problem.truth.test_target), frame[half:].reset_index(drop=True)], axis=1),
    )


def run(problem: Any, answer: InsightAnswer) -> tuple[dict[str, float], Any]:
    evidence = examine(problem, answer, {**SETTINGS, "N_RF_ESTIMATORS": 10})
    return {metric.name: metric.function(evidence) for metric in METRICS}, evidence


NOISE = np.random.default_rng(8).normal(size=ROWS)


def test_no_columns_are_refused() -> None:
    with pytest.raises(SubjectFailed, match="no columns"):
        run(problem(), InsightAnswer(solved_by="me", columns=()))


def test_too_many_columns_are_cut_by_their_scores_as_texts() -> None:
    functions = tuple(
        FeatureFunction(name=name, code="", score=score) for name, score in (("a", 0.13), ("b", 9e-05), ("c", 0.5))
    )
    answer = InsightAnswer(solved_by="me", columns=("a", "b", "c"), functions=functions)
    assert published_columns(answer, 2) == ["b", "c"]  # "9e-05" sorts above "0.5"
    assert published_columns(InsightAnswer(solved_by="me", columns=("a", "b", "c")), 2) == ["a", "b"]
    assert published_columns(answer, 3) == ["a", "b", "c"]


def test_a_text_column_of_ten_values_that_comes_first_poisons_single_column_coverage() -> None:
    shop = problem()
    texts = [f"v{row % 10}" for row in range(ROWS)]
    poisoned, _ = run(shop, solution(shop, aaa=texts, x=NOISE))
    assert math.isnan(poisoned["single_column_predictive_coverage"])
    assert poisoned["coverage"] == poisoned["incremental_performance_coverage"]
    later, _ = run(shop, solution(shop, x=NOISE, zzz=texts))
    assert not math.isnan(later["single_column_predictive_coverage"])


def test_only_unusable_columns_leave_the_performance_as_the_score() -> None:
    shop = problem()
    scores, _ = run(shop, solution(shop, ids=[f"id{row}" for row in range(ROWS)]))
    assert math.isnan(scores["exclusive_performance"])
    assert math.isnan(scores["incremental_performance_coverage"])
    assert scores["coverage"] == 0.0
    assert scores["combined_score"] == scores["inclusive_performance"]


def test_constant_predictors_are_one_half_without_a_fit() -> None:
    shop = problem()
    scores, evidence = run(shop, solution(shop, flat=np.ones(ROWS)))
    assert scores["exclusive_performance"] == 0.5
    assert evidence.engines["no information"] >= 2


def test_the_target_is_among_the_predictors_of_predictive_coverage() -> None:
    rng = np.random.default_rng(4)
    a = rng.normal(size=ROWS)
    shop = problem(experts={"copy": (a > 0).astype(int)})
    scores, _ = run(shop, solution(shop, noise=NOISE))
    assert scores["predictive_coverage"] == 1.0


def test_base_columns_count_for_correlation_coverage() -> None:
    shop = problem(experts={"e": np.concatenate([problem().task.train["b"], problem().task.test["b"]])})
    _, evidence = run(shop, solution(shop, noise=NOISE))
    assert column_coverages(evidence)[0].correlation_by == "b"
    assert column_coverages(evidence)[0].correlation == 1.0


def test_a_regression_target_has_no_incremental_coverage() -> None:
    shop = problem(target=np.random.default_rng(4).normal(size=ROWS))
    scores, evidence = run(shop, solution(shop, noise=NOISE))
    assert evidence.problem_type == "regression"
    assert math.isnan(scores["incremental_performance_coverage"])
    assert scores["coverage"] == scores["single_column_predictive_coverage"]


def test_a_single_class_test_part_is_scored_by_its_mean_error() -> None:
    y = (np.random.default_rng(4).normal(size=ROWS) > 0).astype(int)
    y[ROWS // 2 :] = 1
    shop = problem(target=y)
    scores, _ = run(shop, solution(shop, noise=NOISE))
    assert 0 <= scores["exclusive_performance"] <= 1


def test_a_missing_declared_column_is_refused() -> None:
    shop = problem()
    answer = solution(shop, x=NOISE)
    with pytest.raises(SubjectFailed, match="no column 'gone'"):
        run(shop, replace(answer, columns=("x", "gone")))


def test_more_rows_than_the_problem_has_are_cut_off() -> None:
    shop = problem()
    answer = solution(shop, x=NOISE)
    assert answer.train is not None
    longer = replace(answer, train=pd.concat([answer.train, answer.train[:3]], ignore_index=True))
    assert run(shop, longer)[0] == pytest.approx(run(shop, answer)[0], nan_ok=True)


def test_a_text_ground_truth_of_few_values_becomes_several_columns() -> None:
    shop = problem(experts={"t": [("p", "q", "r")[row % 3] for row in range(ROWS)]})
    _, evidence = run(shop, solution(shop, x=NOISE))
    assert evidence.ground_truth == ("t_p", "t_q", "t_r")


def test_without_a_column_that_becomes_numbers_correlation_coverage_is_undefined() -> None:
    shop = problem()
    names = [f"id{row}" for row in range(ROWS)]
    half = ROWS // 2
    task = replace(shop.task, train=shop.task.train.assign(b=names[:half]), test=shop.task.test.assign(b=names[half:]))
    shop = replace(shop, task=task)
    scores, evidence = run(shop, solution(shop, ids=names))
    assert evidence.correlation.shape == (1, 0)
    assert math.isnan(scores["correlation_coverage"])
    assert [(each.correlation_by, each.single_by) for each in column_coverages(evidence)] == [("", "ids")]
