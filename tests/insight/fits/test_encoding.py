from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from assay.insight.fits.encoding import EncodedColumn, encode_column, fill_numbers


def encode(
    train: Sequence[object], test: Sequence[object], most: int = 10
) -> dict[str, tuple[list[float], list[float]]]:
    parts = encode_column("c", pd.Series(list(train)), pd.Series(list(test)), most_categories=most)
    return {part.name: (part.train.tolist(), part.test.tolist()) for part in parts}


def test_a_number_column_stays_one_column() -> None:
    assert encode([1, 2], [3]) == {"c": ([1.0, 2.0], [3.0])}
    assert encode([True, False], [True]) == {"c": ([1.0, 0.0], [1.0])}


def test_gaps_are_filled_by_what_the_training_part_holds() -> None:
    inf, nan = float("inf"), float("nan")
    encoded = fill_numbers("c", np.array([1.0, 5.0, inf, -inf, nan]), np.array([nan, inf, -inf, 100.0]))
    assert encoded.train.tolist() == [1.0, 5.0, 6.0, 0.0, -1.0]
    assert encoded.test.tolist() == [-1.0, 6.0, 0.0, 100.0]
    assert encoded.note


def test_missing_values_stand_apart_even_beside_huge_ones() -> None:
    encoded = fill_numbers("c", np.array([1e20, 2e20, np.nan, np.inf]), np.array([np.nan]))
    low, high, missing, above = encoded.train.astype(np.float32)
    assert missing < low < high < above


def test_what_single_precision_cannot_hold_counts_as_infinite() -> None:
    encoded = fill_numbers("c", np.array([1.0, 2.0, 1e200, -1e200]), np.array([1e300]))
    assert encoded.train.tolist() == [1.0, 2.0, 3.0, 0.0]
    assert encoded.test.tolist() == [3.0]


def test_categories_called_as_the_columns_of_rare_and_missing_ones_stay_apart() -> None:
    assert list(encode(["_missing", None], ["x"])) == ["c=_missing", "c=_missing_"]
    assert list(encode(["_other"] * 3 + ["a", "b"], ["_other_"], most=2)) == ["c=_other", "c=_other__"]


def test_a_column_without_a_finite_value_is_constant() -> None:
    encoded = fill_numbers("c", np.array([np.nan, np.inf]), np.array([1.0]))
    assert encoded.constant


def test_few_categories_are_one_column_each_and_an_unseen_one_is_none_of_them() -> None:
    assert encode(["b", "a", "b"], ["a", "z"]) == {"c=a": ([0, 1, 0], [1, 0]), "c=b": ([1, 0, 1], [0, 0])}


def test_a_missing_category_is_its_own() -> None:
    assert encode(["a", None, "b"], [None])["c=_missing"] == ([0, 1, 0], [1])


def test_the_rarest_of_many_categories_are_merged_never_dropped() -> None:
    train = ["a"] * 4 + ["b"] * 3 + ["c"] * 2 + ["d"]
    encoded = encode(train, ["d", "new", "a"], most=3)
    assert set(encoded) == {"c=a", "c=b", "c=_other"}
    assert encoded["c=_other"][0] == [0] * 7 + [1] * 3
    assert encoded["c=_other"][1] == [1, 1, 0]


@pytest.mark.parametrize("count", [9, 10, 11])
def test_the_limit_is_on_the_number_of_values(count: int) -> None:
    encoded = encode([str(value) for value in range(count)], ["0"])
    assert len(encoded) == min(count, 10)
    assert ("c=_other" in encoded) == (count > 10)


def test_mixed_types_are_categories_and_whole_numbers_read_the_same() -> None:
    train = pd.Series([1, "x", 2.0, "x"], dtype=object)
    encoded = encode_column("c", train, pd.Series([1.0, "x"], dtype=object), most_categories=10)
    assert [part.name for part in encoded] == ["c=1", "c=2", "c=x"]
    assert encoded[0].test.tolist() == [1.0, 0.0]


def test_numbers_in_one_part_and_texts_in_the_other_are_categories() -> None:
    assert encode([1, 2, 1], ["1", "x"]) == {"c=1": ([1, 0, 1], [1, 0]), "c=2": ([0, 1, 0], [0, 0])}


def test_equal_content_has_an_equal_digest_whatever_its_name() -> None:
    a = EncodedColumn("a", np.array([1.0, 2.0]), np.array([3.0]))
    assert a.digest == EncodedColumn("b", np.array([1.0, 2.0]), np.array([3.0])).digest
    assert a.digest != EncodedColumn("a", np.array([1.0]), np.array([2.0, 3.0])).digest
    assert a.digest != EncodedColumn("a", np.array([1.0, 2.0]), np.array([4.0])).digest
