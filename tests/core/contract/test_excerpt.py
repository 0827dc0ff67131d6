from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core.contract.excerpt import excerpt


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (None, "None"),
        (float("nan"), "nan"),
        (2 / 3, "0.6667"),
        ("a\x1b[2J", "'a\\x1b[2J'"),
        ([], "empty list"),
        ({"a": [1, 2]}, "dict of 1 entry: {'a': [1, 2]}"),
        ([np.zeros((3, 2))], "list of 1 entry: [ndarray [3, 2]]"),
        (np.arange(9).reshape(3, 3), "int64 array [3, 3]: 0, 1, 2, 3, …"),
        (pd.DataFrame({"a": [1], "b": [2]}), "DataFrame of 1 row and 2 columns: a, b"),
        (pd.Series([1, 2]), "int64 Series [2]: 1, 2"),
        (object(), "object"),
        (np.array(3.0), "float64 3.0"),
        (np.float64(3), "3.0"),
        (b"abc", "3 bytes"),
    ],
)
def test_a_value_is_told_in_a_line(value: Any, line: str) -> None:
    assert excerpt(value) == line


def test_huge_and_hostile_values_stay_short() -> None:
    class Hostile(dict[str, int]):
        def __len__(self) -> int:
            raise RuntimeError("no")

    assert excerpt(Hostile()) == "Hostile"
    assert len(excerpt(["x" * 10_000] * 1000)) <= 80
    assert len(excerpt("x" * 1_000_000, 40)) <= 40
