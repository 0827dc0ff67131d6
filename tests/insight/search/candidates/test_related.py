from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.insight.problem.task import InsightTask
from assay.insight.search.candidates.gather import gather_candidates
from assay.insight.search.candidates.related import _before
from assay.insight.search.candidates.scope import calendar_windows
from assay.insight.search.pool import Pool
from assay.insight.search.recipes import Recipe
from assay.insight.search.run import run_function
from assay.insight.search.search_context import make_context
from assay.insight.search.write import write_function

ROWS, ENTITIES = 220, 90
RNG = np.random.default_rng(5)
DAY = pd.Timestamp("2024-01-01")


def dates(count: int, since: int, until: int) -> pd.Series[Any]:
    return pd.Series(DAY + pd.to_timedelta(RNG.integers(since, until, count), unit="D")).astype(str)


CLAIMS = pd.DataFrame(
    {"claim_id": range(ROWS), "holder_id": RNG.integers(0, ENTITIES, ROWS), "made_on": dates(ROWS, 100, 500),
     "amount": RNG.gamma(2, 50, ROWS).round(1), "size": RNG.integers(1, 9, ROWS)}
)  # fmt: skip
PAST = pd.DataFrame(
    {"past_id": range(600), "holder_id": RNG.integers(0, ENTITIES, 600), "filed": dates(600, 0, 500),
     "amount": RNG.gamma(2, 50, 600).round(1)}
)  # fmt: skip
TASK = InsightTask(
    name="t", description="", domain="", target_column="y", problem_type="binary",
    train=CLAIMS[:160].assign(y=RNG.integers(0, 2, 160)), test=CLAIMS[160:].reset_index(drop=True),
    tables={"past.csv": PAST}, time_column=None, table_times={},
)  # fmt: skip
TRAIN = CLAIMS[:160]
WHEN, FILED = pd.to_datetime(CLAIMS["made_on"]), pd.to_datetime(PAST["filed"])


@pytest.fixture(scope="module")
def pool() -> Pool:
    return gather_candidates(make_context(TASK, transductive=True, seed=0), most=20_000, screened=False)


def of_rows(function: Callable[[pd.Series[Any]], float]) -> list[float]:
    return [function(row) for _, row in TRAIN.assign(when=WHEN[:160]).iterrows()]


def found(pool: Pool, wanted: list[float]) -> list[Recipe]:
    """The recipes that give just these values, but for scale."""
    values = np.array(wanted)
    standard = ((values - values.mean()) / values.std()).astype(np.float32)
    alike = np.abs(pool.matrix() @ standard) / len(values)
    return [pool.recipes[int(place)] for place in np.flatnonzero(alike > 0.9999)]


def written(recipe: Recipe) -> list[float]:
    function = write_function(recipe, "column", TASK.test)
    assert function is not None
    values = run_function(function, TASK)
    assert values is not None, function.code
    return values.train


def past(row: pd.Series[Any], low: int, high: int) -> pd.DataFrame:
    """Past claims of the same holder from more than ``low`` to ``high`` days ago."""
    ago = (row["when"] - FILED).dt.days
    mine: pd.DataFrame = PAST[(PAST["holder_id"] == row["holder_id"]) & (ago >= low) & (ago < high)]
    return mine


def relative_change(row: pd.Series[Any]) -> float:
    now, then = past(row, 0, 90)["amount"].sum(), past(row, 90, 180)["amount"].sum()
    return float((now - then) / then) if then > 0 else 0.0


def both_tables(row: pd.Series[Any]) -> float:
    parts = [table.loc[table["holder_id"] == row["holder_id"], "amount"] for table in (CLAIMS, PAST)]
    return float(pd.concat(parts).mean())


def since_last(row: pd.Series[Any]) -> float:
    earlier = WHEN[(CLAIMS["holder_id"] == row["holder_id"]) & (row["when"] > WHEN)]
    if not len(earlier):
        return 0.0
    mine = FILED[PAST["holder_id"] == row["holder_id"]]
    return float(((mine > earlier.max()) & (mine <= row["when"])).sum())


def last_quarter(row: pd.Series[Any]) -> float:
    mine = FILED[PAST["holder_id"] == row["holder_id"]]
    full = FILED.max().to_period("Q") - 1
    return float((mine.dt.to_period("Q") == full).sum())


def since_last_quarter(row: pd.Series[Any]) -> float:
    mine = FILED[PAST["holder_id"] == row["holder_id"]]
    return float((mine.dt.to_period("Q") >= FILED.max().to_period("Q") - 1).sum())


def per_unit(row: pd.Series[Any]) -> float:
    return float(PAST.loc[PAST["holder_id"] == row["holder_id"], "amount"].sum() / row["size"])


def days_since_previous(row: pd.Series[Any]) -> float:
    earlier = WHEN[(CLAIMS["holder_id"] == row["holder_id"]) & (row["when"] > WHEN)]
    return float((row["when"] - earlier.max()).days) if len(earlier) else 999.0


def spread_in_a_short_window(row: pd.Series[Any]) -> float:
    amounts = past(row, 0, 60)["amount"]
    return float(amounts.std(ddof=0)) if len(amounts) else 0.0


@pytest.mark.parametrize(
    "wanted",
    [relative_change, both_tables, since_last, last_quarter, since_last_quarter, per_unit, days_since_previous,
     spread_in_a_short_window],
)  # fmt: skip
def test_what_an_analyst_would_ask_is_found_and_written_as_the_search_computed_it(
    pool: Pool, wanted: Callable[[pd.Series[Any]], float]
) -> None:
    values = of_rows(wanted)
    recipes = found(pool, values)
    assert recipes
    assert abs(np.corrcoef(written(recipes[0]), values)[0, 1]) > 0.9999


def test_two_tables_are_one_only_where_no_times_are_declared() -> None:
    context = make_context(TASK, transductive=False, seed=0)  # rows of the primary table do not count
    assert not any(table.stack for table in context.tables.values())
    assert any(table.stack for table in make_context(TASK, transductive=True, seed=0).tables.values())


def test_rises_are_added_up_where_most_rows_are_alone_with_their_key() -> None:
    rng = np.random.default_rng(1)
    visits = pd.DataFrame({"person_id": rng.integers(0, 300, 200), "seen": dates(200, 0, 400),
                           "grade": rng.integers(1, 6, 200)})  # fmt: skip
    given = InsightTask(
        name="t", description="", domain="", target_column="y", problem_type="binary",
        train=visits.assign(y=rng.integers(0, 2, 200)), test=visits[:5], tables={}, time_column=None, table_times={},
    )  # fmt: skip
    pooled = pd.concat([visits, visits[:5]]).sort_values("seen", kind="stable")
    shared = len(pooled) / pooled["person_id"].nunique()
    assert 1.15 < shared < 1.6
    climbs = pooled.groupby("person_id")["grade"].agg(lambda grades: float(grades.diff().clip(lower=0).sum()))
    values = visits["person_id"].map(climbs).tolist()
    assert found(gather_candidates(make_context(given, transductive=True, seed=0), most=9000, screened=False), values)


def test_calendar_periods_end_where_they_should() -> None:
    end = float((pd.Timestamp("2025-05-08 12:00") - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1))
    windows = {window.named: window for window in calendar_windows(end)}
    days = pd.date_range("2024-01-01", "2025-05-08")
    numbers = (days - pd.Timestamp("1970-01-01")).days.to_numpy(dtype=float)

    def inside(name: str) -> list[str]:
        window = windows[name]
        counted = eval(window.code(), {"days": numbers, "now": end})
        return [str(days[counted][place].date()) for place in (0, -1)]

    assert inside("the last full quarter") == ["2025-01-01", "2025-03-31"]
    assert inside("the full quarter before the last") == ["2024-10-01", "2024-12-31"]
    assert inside("the last full quarter and since") == ["2025-01-01", "2025-05-08"]
    assert inside("the current quarter") == ["2025-04-01", "2025-05-08"]
    assert inside("the last full month") == ["2025-04-01", "2025-04-30"]
    assert inside("the last full year") == ["2024-01-01", "2024-12-31"]
    assert {_before(name) for name in windows} & set(windows)
