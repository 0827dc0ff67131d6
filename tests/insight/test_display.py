"""Tasks, answers, verdicts and scores as a terminal and a notebook show them."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
from tests.display import HOSTILE, check_display

from assay.insight import (
    Evaluation,
    FeatureFunction,
    InsightAnswer,
    InsightConfig,
    InsightTask,
    InsightTruth,
    LeakageReport,
    LeakVerdict,
    Prediction,
)


class Unread(dict[str, Any]):
    """Tables that are not read yet: looking at one would read it."""

    def __getitem__(self, name: str) -> Any:
        raise AssertionError(f"{name} was read")


def test_a_task_shows_its_sizes_without_reading_its_tables() -> None:
    rows = pd.DataFrame({f"{HOSTILE} {number}": [1, 2] for number in range(300)} | {HOSTILE: [0, 1]})
    task = InsightTask(
        name=HOSTILE,
        description=HOSTILE * 100,
        domain="telecom",
        target_column=HOSTILE,
        problem_type="binary",
        train=rows,
        test=rows.drop(columns=HOSTILE),
        tables=Unread({f"{HOSTILE}.csv": None}),
    )
    check_display(task, says="binary")
    assert "2 training rows, 2 test rows, 300 base columns, 1 table" in repr(task)


def test_the_truth_and_an_answer_list_their_columns() -> None:
    columns = tuple(f"{HOSTILE} {number}" for number in range(200))
    values = pd.DataFrame({"a": [1, 2]})
    truth = InsightTruth(
        test_target=pd.Series([0, 1]), columns=columns, descriptions=columns, train=values, test=values
    )
    check_display(truth, says="180 more")
    function = FeatureFunction(name="a", code=f"def a(row):\n    return '<script>' # {'x' * 9000}", score=0.5)
    assert repr(function) == "FeatureFunction('a', 2 lines, score 0.5)"
    check_display(function, says="def a(row):\n    return '<script>'")
    answer = InsightAnswer(solved_by=HOSTILE, columns=("a", *columns), functions=(function,))
    check_display(answer, says="201 columns, 1 function, without values")


def test_a_report_on_leaks_says_how_many_there_are_and_why() -> None:
    leak = LeakVerdict(
        name=HOSTILE, verdict="leak", kind="own label", evidence={"line": 2, "words": HOSTILE, "rows": [HOSTILE] * 99}
    )
    clean = LeakVerdict(name="fine", verdict="clean")
    report = LeakageReport(functions=(leak, clean), isolation="strong", notes=(HOSTILE,))
    assert repr(report) == "LeakageReport(2 functions: 1 leak, 1 clean; isolation strong)"
    check_display(report, says="depends on that row's own label")
    check_display(leak, says="own label")
    check_display(LeakageReport(functions=(), isolation="strong"), says="0 functions")


def test_an_evaluation_says_the_scores_and_whether_it_leaks() -> None:
    scores = {"combined_score": 0.5, "coverage": 0.25, "inclusive_performance": 0.75}
    for leak, says in ((math.nan, "not checked for leaks"), (1.0, "LEAKS"), (0.0, "no leak")):
        evaluation = Evaluation(
            problem=HOSTILE,
            subject=HOSTILE,
            scores={**scores, "target_leak": leak},
            details={},
            evidence=cast(Any, SimpleNamespace()),
            isolation="strong",
            seconds=1.5,
        )
        check_display(evaluation, says="combined_score")
        assert repr(evaluation).endswith(f"combined_score 0.500, coverage 0.250, inclusive_performance 0.750, {says})")


def test_a_prediction_of_many_rows_shows_the_first() -> None:
    prediction = Prediction(np.full((10**5, 3), 1 / 3), "sklearn", HOSTILE)
    assert repr(prediction) == "Prediction(100000 rows, 3 classes; by sklearn)"
    check_display(prediction, says="99980 more")
    check_display(Prediction(np.arange(5.0), "sklearn", ""), says="value")


def test_a_config_shows_what_is_not_the_default() -> None:
    assert repr(InsightConfig()) == "InsightConfig()"
    weights = {"predictive_coverage": 1.0}
    changed = InsightConfig(MAX_DEPTH=3, COVERAGE_METRIC_WEIGHTS=weights)
    assert repr(changed) == f"InsightConfig(MAX_DEPTH=3, COVERAGE_METRIC_WEIGHTS={weights!r})"
