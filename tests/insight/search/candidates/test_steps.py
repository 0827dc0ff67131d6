from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.insight.problem.task import InsightTask
from assay.insight.search.candidates.gather import gather_candidates
from assay.insight.search.kernels import course, monthly
from assay.insight.search.pool import Pool
from assay.insight.search.run import run_function
from assay.insight.search.search_context import make_context
from assay.insight.search.write import write_function

SHOPS, SALES = 90, 900
RNG = np.random.default_rng(8)
DAYS = pd.Timestamp("2023-01-05") + pd.to_timedelta(RNG.integers(0, 500, SALES), unit="D")
TABLE = pd.DataFrame(
    {
        "shop_id": RNG.integers(0, SHOPS, SALES),
        "sold_on": pd.Series(DAYS).astype(str),
        "amount": RNG.gamma(2.0, 30.0, SALES).round(2),
        "kind": RNG.choice(["a", "b", "c"], SALES),
    }
)


def task(table: pd.DataFrame, labels: np.ndarray[tuple[int], np.dtype[np.int64]] | None = None) -> InsightTask:
    shops = pd.DataFrame({"shop_id": np.arange(SHOPS), "size": RNG.uniform(1, 2, SHOPS)})
    drawn = np.random.default_rng(1).integers(0, 2, SHOPS) if labels is None else labels
    return InsightTask(
        name="t", description="", domain="", target_column="y", problem_type="binary", train=shops.assign(y=drawn),
        test=shops[:5], tables={"sales.csv": table}, time_column=None, table_times={},
    )  # fmt: skip


def searched(given: InsightTask) -> Pool:
    return gather_candidates(make_context(given, transductive=False, seed=0), most=9000, screened=False)


@pytest.fixture(scope="module")
def pool() -> Pool:
    return searched(task(TABLE))


def likeness(pool: Pool, wanted: pd.Series[Any]) -> float:
    values = wanted.reindex(range(SHOPS)).fillna(0.0).to_numpy(dtype=float)
    standard = ((values - values.mean()) / values.std()).astype(np.float32)
    return float((np.abs(pool.matrix() @ standard) / SHOPS).max())


MONTH = pd.to_datetime(TABLE["sold_on"]).dt.to_period("M")
ORDERED = TABLE.assign(day=pd.to_datetime(TABLE["sold_on"])).sort_values("day", kind="stable")


@pytest.mark.parametrize("course_of", ["std", "mean", "max"])
def test_the_course_of_monthly_totals_is_what_pandas_gives(pool: Pool, course_of: str) -> None:
    totals = TABLE.groupby(["shop_id", MONTH])["amount"].sum()
    assert likeness(pool, totals.groupby("shop_id").agg(course_of)) > 0.9999


def test_the_mean_change_from_month_to_month_is_among_the_candidates(pool: Pool) -> None:
    counts = TABLE.groupby(["shop_id", MONTH]).size()
    assert likeness(pool, counts.groupby("shop_id").apply(lambda s: s.diff().mean())) > 0.9999


def test_gaps_and_changes_of_successive_rows_are_among_the_candidates(pool: Pool) -> None:
    gaps = ORDERED.groupby("shop_id")["day"].apply(lambda s: s.diff().dt.days.max())
    changes = ORDERED.groupby("shop_id")["kind"].apply(lambda s: float((s != s.shift()).sum() - 1))
    assert likeness(pool, gaps) > 0.9999
    assert likeness(pool, changes) > 0.9999


def test_the_trend_of_one_kind_of_rows_is_among_the_candidates(pool: Pool) -> None:
    only = ORDERED[ORDERED["kind"] == "b"]
    days = (only["day"] - only["day"].min()).dt.days
    slopes = {
        shop: float(np.polyfit(rows["days"], rows["amount"], 1)[0]) if rows["days"].nunique() > 1 else 0.0
        for shop, rows in only.assign(days=days).groupby("shop_id")
    }
    assert likeness(pool, pd.Series(slopes)) > 0.999


def test_rows_without_dates_count_in_the_order_of_the_file() -> None:
    plain = TABLE.drop(columns="sold_on")
    drift = plain.groupby("shop_id")["amount"].apply(lambda s: s.diff().mean())
    assert likeness(searched(task(plain)), drift) > 0.9999


def test_the_order_of_a_file_that_was_sorted_by_the_target_is_not_used() -> None:
    labels = (np.arange(SHOPS) % 2).astype(np.int64)
    plain = TABLE.drop(columns="sold_on")
    by_target = plain.iloc[np.argsort(labels[plain["shop_id"]], kind="stable")].reset_index(drop=True)
    drift = by_target.groupby("shop_id")["amount"].apply(lambda s: s.diff().mean())
    assert likeness(searched(task(plain, labels)), drift) > 0.9999
    assert likeness(searched(task(by_target, labels)), drift) < 0.99


def test_courses_are_written_as_the_search_computed_them() -> None:
    given = task(TABLE)
    found = searched(given)
    matrix = found.matrix()
    places = [place for place, recipe in enumerate(found.recipes) if "_of_" in getattr(recipe, "function", "")]
    for place in np.random.default_rng(2).permutation(places)[:25]:
        function = write_function(found.recipes[int(place)], "column", None)
        assert function is not None
        values = run_function(function, given)
        assert values is not None, function.code
        column = np.array(values.train)
        np.testing.assert_allclose((column - column.mean()) / column.std(), matrix[place], atol=2e-3)


@pytest.mark.parametrize(
    ("what", "value"),
    [("mean", 7 / 3), ("std", np.std([1, 4, 2], ddof=1)), ("slope", 0.5), ("deviation", -1 / 3), ("step", -2.0),
     ("drift", 0.5), ("growth", (3.0 - 0.5) / 2), ("rises", 1.0), ("falls", 1.0), ("changes", 2.0), ("jump", 2.5),
     ("climb", 3.0), ("descent", 2.0),
     ("last", 2.0), ("max", 4.0), ("min", 1.0)],
)  # fmt: skip
def test_a_series_is_asked_one_thing(what: str, value: float) -> None:
    assert course(np.array([1.0, 4.0, 2.0]), what) == pytest.approx(value)


def test_a_series_of_one_number_does_not_change() -> None:
    assert [course(np.array([3.0]), what) for what in ("std", "growth", "last")] == [0.0, 0.0, 3.0]


def test_months_before_1970_and_days_that_are_missing_are_no_fault() -> None:
    days, values = np.array([-40.0, -39.0, np.nan, 5.0]), np.array([1.0, 2.0, 9.0, 4.0])
    assert monthly(days, values, "sum").tolist() == [3.0, 4.0]
    assert monthly(days, values, "count").tolist() == [2.0, 1.0]
