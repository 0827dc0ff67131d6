from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core import InvalidInput
from assay.insight.answer.alignment import demand_aligned, differs


def cells(*values: Any) -> Any:
    return list(values)


OWN = pd.DataFrame({"id": [3, 1, 2], "x": [0.1, np.nan, 2.0], "t": ["a", None, "c"], "d": ["2024-01-01"] * 3})


def demand(enriched: pd.DataFrame) -> None:
    demand_aligned(enriched, OWN, path=Path("enriched_train.csv"), of="train.csv")


def test_other_columns_and_other_spellings_of_equal_values_are_fine() -> None:
    demand(OWN.assign(new=[1, 2, 3]))
    demand(OWN[["x"]])
    demand(pd.DataFrame({"new": [1, 2, 3]}))
    demand(OWN.assign(id=[3.0, 1.0, 2.0], x=[0.1 + 1e-12, np.nan, 2], d=["2024-01-01 00:00:00"] * 3))


@pytest.mark.parametrize(
    ("enriched", "message"),
    [
        (OWN[:2], r"enriched_train.csv: has 2 rows, train.csv has 3; give one row for each, in its order"),
        (
            OWN.iloc[[0, 2, 1]].reset_index(drop=True),
            r"row 2 is not that of train.csv: column 'id' holds .*2.* instead",
        ),
        (OWN.assign(x=[0.1, np.nan, 2.001]), r"row 3 is not that of train.csv: column 'x' holds .*2.001"),
        (OWN.assign(x=[0.1, 0.0, 2.0]), r"row 2 is not that of train.csv: column 'x' holds"),
        (OWN.assign(t=cells("a", None, None)), r"row 3 is not that of train.csv: column 't' holds nan instead of 'c'"),
        (OWN.assign(t=cells("a", None, "C")), r"row 3 is not that of train.csv: column 't' holds 'C' instead of 'c'"),
        (OWN.assign(t=cells(1, None, 2)), r"row 1 is not that of train.csv: column 't'"),
        (
            OWN.assign(d=["2024-01-01", "2024-01-01", "2024-01-02"]),
            r"row 3 is not that .* column 'd' holds '2024-01-02'",
        ),
        (OWN.assign(t=cells("z", None, "c"), x=[0.1, np.nan, 9.0]), r"row 1 is not that of train.csv: column 't'"),
    ],
)
def test_rows_that_are_not_the_problems_are_named_by_the_first_of_them(enriched: pd.DataFrame, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        demand(enriched)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([1, 2], [1.0, 2.5], [False, True]),
        ([True, False], [1, 1], [False, True]),
        (["x", None], ["x", "y"], [False, True]),
        (["1", "2"], [1, 3], [False, True]),
        ([np.inf, -np.inf], [np.inf, np.inf], [False, True]),
    ],
)
def test_columns_are_compared_across_types(a: list[Any], b: list[Any], expected: list[bool]) -> None:
    assert differs(pd.Series(a), pd.Series(b)).tolist() == expected
