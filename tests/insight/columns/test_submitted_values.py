from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core import Problem
from assay.insight.answer.answer import InsightAnswer
from assay.insight.answer.functions import FeatureFunction
from assay.insight.columns.compute import ComputedColumn, ComputedColumns, compute_columns
from assay.insight.columns.submitted_values import ColumnDifference, compare_with_shipped, unequal_cells
from assay.insight.problem.task import InsightTask
from assay.sandbox import Sandbox

Feature = Callable[..., FeatureFunction]


def compared(
    loans: Problem[InsightTask, Any], function: FeatureFunction, shipped: Any, computed: Any, *, test: Any = None
) -> tuple[ColumnDifference, ...]:
    """The comparison of one column; the test rows are as shipped unless given."""
    answer_frame = pd.DataFrame({"f": shipped})
    answer = InsightAnswer(
        solved_by="me", columns=("f",), functions=(function,), train=answer_frame, test=pd.DataFrame({"f": [1, 2]})
    )
    other = pd.Series([1, 2] if test is None else test)
    column = ComputedColumn(name="f", train=pd.Series(computed), test=other)
    return compare_with_shipped(answer, ComputedColumns(columns=(column,)), loans.task)


@pytest.mark.parametrize(
    ("shipped", "computed"),
    [
        ([1, 2, 3], [1.0, 2.0, 3.0 + 1e-12]),
        ([1.0, np.nan, 3.0], [1, None, 3]),
        ([1, 0, 1], [True, False, True]),
        (["a", None, "c"], ["a", np.nan, "c"]),
        ([np.inf, -np.inf, 0.0], [np.inf, -np.inf, 0.0]),
        (["1", "2", "x"], ["1", "2", "x"]),
    ],
)
def test_equal_values_are_no_difference_whatever_their_type(
    loans: Problem[InsightTask, Any], feature: Feature, shipped: list[Any], computed: list[Any]
) -> None:
    assert compared(loans, feature("0"), shipped, computed) == ()


@pytest.mark.parametrize(
    ("returns", "shipped", "computed", "reason"),
    [
        ("datetime.now().year", [1, 2, 3], [4, 5, 6], "clock"),
        ("np.random.rand()", [1, 2, 3], [4, 5, 6], "random"),
        ("df_train['default'].mean()", [1, 2, 3], [4, 5, 6], "hidden labels"),
        ("0", [1.0, 2.0, 3.0], [1.0, 2.0, 3.0 + 1e-7], "version"),
        ("0", ["2024-01-01", "b", "c"], ["2024-01-01 00:00:00", "b", "c"], "format"),
        ("0", [1, 2, 3], [3, 1, 2], "order"),
        ("0", [0, 0, 0], [3, 1, 2], "unexplained"),
        ("0", [1, None, 3], [1, 2, 3], "absent"),
        ("0", ["a", "b", "c"], ["a", "b", "d"], "unexplained"),
    ],
)
def test_a_difference_comes_with_a_plausible_reason(
    loans: Problem[InsightTask, Any],
    feature: Feature,
    returns: str,
    shipped: list[Any],
    computed: list[Any],
    reason: str,
) -> None:
    (difference,) = compared(loans, feature(returns, takes="row, df_train"), shipped, computed)
    assert difference.reason == reason
    assert difference.test_rows == 0


def test_a_difference_is_counted_and_shown(loans: Problem[InsightTask, Any], feature: Feature) -> None:
    (difference,) = compared(loans, feature("0"), [1.0, 2.0, 3.0], [1.0, 2.5, 9.0], test=[1, 5])
    assert (difference.train_rows, difference.test_rows, difference.rows) == (2, 1, 5)
    assert (difference.part, difference.first, difference.shipped, difference.computed) == ("train", 1, 2.0, 2.5)
    assert difference.largest == 6.0
    assert difference.words == (
        "column 'f': 3 of 5 shipped values differ from the computed ones by up to 6, first in train row 1 "
        "(2.0 shipped, 2.5 computed): the shipped values are not what the function computes"
    )


def test_a_column_that_holds_one_value_only_was_made_where_the_function_found_nothing(
    loans: Problem[InsightTask, Any], feature: Feature
) -> None:
    answer = InsightAnswer(
        solved_by="me",
        columns=("f",),
        functions=(feature("0"),),
        train=pd.DataFrame({"f": [0, 0]}),
        test=pd.DataFrame({"f": [0, 0]}),
    )
    column = ComputedColumn(name="f", train=pd.Series([1, 2]), test=pd.Series([3, 4]))
    (difference,) = compare_with_shipped(answer, ComputedColumns(columns=(column,)), loans.task)
    assert difference.reason == "constant"


def test_labels_are_no_reason_when_test_rows_differ_too(loans: Problem[InsightTask, Any], feature: Feature) -> None:
    mean = feature("df_train['default'].mean()", takes="row, df_train")
    (difference,) = compared(loans, mean, [1.0, 2.0, 3.0], [4.0, 5.0, 6.0], test=[8.0, 9.0])
    assert difference.reason == "unexplained"


def test_columns_of_which_nothing_is_shipped_are_not_compared(
    loans: Problem[InsightTask, Any], sandbox: Sandbox, feature: Feature
) -> None:
    function = feature("row['amount']")
    computed = compute_columns(loans, [function], sandbox=sandbox)
    answer = InsightAnswer(solved_by="me", columns=("f",), functions=(function,))
    assert compare_with_shipped(answer, computed, loans.task) == ()
    with_other = replace(answer, train=loans.task.train, test=loans.task.test)
    assert compare_with_shipped(with_other, computed, loans.task) == ()


def test_infinite_and_missing_cells_are_told_apart() -> None:
    assert unequal_cells(pd.Series([np.inf, np.nan, 1.0]), pd.Series([1.0, 1.0, np.nan])).tolist() == [True] * 3


def test_infinite_numbers_do_not_differ_in_their_last_digits(
    loans: Problem[InsightTask, Any], feature: Feature
) -> None:
    (difference,) = compared(loans, feature("0"), [np.inf, np.inf, 3.0], [np.inf, 2.0, 3.0])
    assert (difference.reason, difference.largest) == ("unexplained", None)
