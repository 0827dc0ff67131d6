from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from assay.insight.examine.prediction_target import make_outcome


def test_the_rule_for_problem_types_decides() -> None:
    kinds: dict[str, list[list[Any]]] = {
        "binary": [[0, 1, 1], [True, False, True], [3.5, 7.0, 3.5], ["yes", "no", "no"]],
        "multiclass": [["a", "b", "c"]],
        "regression": [[0, 1, 2], [0.5, 0.25, 0.125]],
    }
    for kind, columns in kinds.items():
        for values in columns:
            assert make_outcome("c", pd.Series(values), pd.Series(values)).problem_type == kind, values


def test_a_declared_type_wins() -> None:
    codes = make_outcome("c", pd.Series([1, 2, 3]), pd.Series([3, 1]), problem_type="multiclass")
    assert (codes.train.tolist(), codes.test.tolist(), codes.classes) == ([0, 1, 2], [2, 0], 3)
    numbers = make_outcome("c", pd.Series([0, 1]), pd.Series([1]), problem_type="regression")
    assert numbers.train.dtype == np.float64


def test_a_class_that_only_the_test_part_knows_has_a_code_beyond_the_known_ones() -> None:
    outcome = make_outcome("c", pd.Series(["b", "c", "d"]), pd.Series(["a", "b", "z"]))
    assert (outcome.train.tolist(), outcome.test.tolist(), outcome.classes) == ([0, 1, 2], [3, 0, 4], 3)


def test_missing_texts_are_a_class_missing_numbers_a_value_below_all() -> None:
    texts = make_outcome("c", pd.Series(["a", None, "b"]), pd.Series([None]))
    assert texts.classes == 3
    assert texts.test[0] == texts.train[1]
    numbers = make_outcome("c", pd.Series([1.0, np.nan, 3.0, 2.0]), pd.Series([np.nan]))
    assert numbers.test[0] == numbers.train[1] == -1.0


def test_many_text_classes_are_merged() -> None:
    values = pd.Series([f"v{row % 40}" for row in range(400)])
    assert make_outcome("c", values, values, most_categories=10).classes == 10


def test_categories_called_as_the_classes_of_rare_and_missing_ones_stay_apart() -> None:
    texts = pd.Series(["_missing", None, "_missing"])
    assert make_outcome("c", texts, texts).classes == 2
    frequent = pd.Series(["_other"] * 9 + ["a"] * 8 + ["b", "c"])
    assert make_outcome("c", frequent, frequent, most_categories=3).classes == 3


def test_kind_and_content_make_the_digest() -> None:
    a = make_outcome("a", pd.Series([0, 1, 1]), pd.Series([0, 1]))
    assert a.digest == make_outcome("b", pd.Series([0, 1, 1]), pd.Series([0, 1])).digest
    assert a.digest != make_outcome("a", pd.Series([0, 1, 1]), pd.Series([0, 1]), problem_type="regression").digest


def test_a_constant_column_says_so() -> None:
    assert make_outcome("c", pd.Series([2.0, 2.0]), pd.Series([1.0, 2.0])).constant
