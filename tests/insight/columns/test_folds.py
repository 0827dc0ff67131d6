from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.insight.columns.folds import FOLDS, fold_numbers, hide_labels, out_of_fold


@given(rows=st.integers(0, 200), seed=st.integers(0, 2**32))
def test_every_row_is_in_one_fold_and_folds_are_equal_but_for_one_row(rows: int, seed: int) -> None:
    numbers = fold_numbers(rows, seed=seed)
    sizes = np.bincount(numbers, minlength=FOLDS)
    assert len(numbers) == rows
    assert len(sizes) == FOLDS
    assert sizes.max() - sizes.min() <= 1
    assert np.array_equal(numbers, fold_numbers(rows, seed=seed))


def test_another_seed_draws_other_folds() -> None:
    assert not np.array_equal(fold_numbers(100, seed=1), fold_numbers(100, seed=2))


@pytest.mark.parametrize("labels", [[0, 1, 1], [0.5, 1.5, 2.5], ["a", "b", "a"], [True, False, True]])
def test_labels_are_hidden_and_nothing_else(labels: list[Any]) -> None:
    table = pd.DataFrame({"x": [7, 8, 9], "y": labels}, index=[4, 5, 6])
    hidden = hide_labels(table, "y", np.array([False, True, False]))
    assert hidden["y"].isna().tolist() == [False, True, False]
    assert hidden["y"].tolist()[::2] == labels[::2]
    assert hidden["x"].equals(table["x"])
    assert list(hidden.index) == [4, 5, 6]
    assert not table["y"].isna().any()


def test_a_fold_does_not_see_its_own_labels_and_sees_all_others() -> None:
    table = pd.DataFrame({"y": np.arange(20)})
    numbers = fold_numbers(20, seed=42)
    for fold in range(FOLDS):
        hidden = out_of_fold(table, "y", numbers, fold)
        assert hidden["y"].isna().to_numpy().tolist() == (numbers == fold).tolist()
        assert len(hidden) == 20
