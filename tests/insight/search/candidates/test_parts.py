from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from assay.insight.problem.task import InsightTask
from assay.insight.search.candidates.parts import truth_parts
from assay.insight.search.search_context import make_context
from assay.insight.search.typed_tables import Ref

PATIENTS, TESTS = 60, 800
RNG = np.random.default_rng(3)
KINDS = ["glucose", "fat", "iron"]
LIMITS = pd.DataFrame({"kind": KINDS, "low": [3.0, 1.0, 10.0], "high": [6.0, 2.0, 18.0]})
KIND = RNG.choice(KINDS, TESTS)
SENT = pd.Timestamp("2024-01-01 00:00") + pd.to_timedelta(RNG.integers(0, 24 * 300, TESTS), unit="h")
LAB = pd.DataFrame(
    {
        "patient_id": RNG.integers(0, PATIENTS, TESTS),
        "kind": KIND,
        "result": LIMITS.set_index("kind").loc[KIND, "high"].to_numpy() * RNG.uniform(0.3, 1.5, TESTS),
        "fee": RNG.gamma(2.0, 900.0, TESTS),
        "timestamp": pd.Series(SENT).astype(str),
        "read_on": pd.Series(SENT + pd.to_timedelta(RNG.integers(0, 60, TESTS), unit="D")).astype(str),
        "ward": RNG.choice(["north", "south", "east"], TESTS),
    }
)
PEOPLE = pd.DataFrame(
    {"patient_id": np.arange(PATIENTS), "wards": [f"['{ward}']" for ward in RNG.choice(["north", "south"], PATIENTS)]}
)


@pytest.fixture(scope="module")
def truths() -> dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    train = pd.DataFrame({"patient_id": np.arange(PATIENTS), "y": np.arange(PATIENTS) % 2})
    task = InsightTask(
        name="t", description="", domain="", target_column="y", problem_type="binary", train=train,
        test=train[:5].drop(columns="y"), tables={"lab.csv": LAB, "limits.csv": LIMITS, "people.csv": PEOPLE},
        time_column=None, table_times={},
    )  # fmt: skip
    context = make_context(task, transductive=False, seed=0)
    assert not context.faults
    return {v.part.words: v.values for v in truth_parts(context, context.tables["lab.csv"], Ref("patient_id"))}


def test_a_limit_is_looked_up_by_kind(truths: dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]) -> None:
    limit = LIMITS.set_index("kind")
    low, high = (limit.loc[LAB["kind"], side].to_numpy() for side in ("low", "high"))
    result = LAB["result"].to_numpy()
    assert truths["result above high of limits"].tolist() == (result > high).astype(float).tolist()
    outside = truths["result outside low of limits and high of limits"]
    assert outside.tolist() == ((result > high) | (result < low)).astype(float).tolist()


@pytest.mark.parametrize(
    ("words", "holds"),
    [
        ("kind other than fat", LAB["kind"] != "fat"),
        ("fee above 2000", LAB["fee"] > 2000),
        ("fee above 5000", LAB["fee"] > 5000),
        ("more than 30 days from timestamp to read on",
         (pd.to_datetime(LAB["read_on"]) - pd.to_datetime(LAB["timestamp"])).dt.total_seconds() > 30 * 86400),
        ("timestamp at a weekend", pd.to_datetime(LAB["timestamp"]).dt.day_of_week >= 5),
        ("timestamp at night", pd.to_datetime(LAB["timestamp"]).dt.hour.isin([22, 23, 0, 1, 2, 3, 4, 5])),
    ],
)  # fmt: skip
def test_what_may_hold_for_a_row(
    truths: dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]], words: str, holds: pd.Series[bool]
) -> None:
    assert truths[words].tolist() == holds.astype(float).tolist()


def test_a_word_is_looked_for_in_the_list_of_its_owner(
    truths: dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]],
) -> None:
    lists = PEOPLE.set_index("patient_id").loc[LAB["patient_id"], "wards"]
    expected = [float(ward in text) for ward, text in zip(LAB["ward"], lists, strict=True)]
    assert truths["ward in wards of people"].tolist() == expected
    assert truths["ward not in wards of people"].tolist() == [1.0 - value for value in expected]
