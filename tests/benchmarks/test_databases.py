from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from benchmarks.databases.compare import best_twenty, compare
from benchmarks.databases.exchange import write_task
from benchmarks.databases.flatten import coded, flat_table
from benchmarks.databases.task import DatabaseTask, look_back


def small_task(rows: int = 160) -> DatabaseTask:
    """Shops asked once a day; who sold much in the three days before sells much."""
    rng = np.random.default_rng(4)
    days = pd.Timestamp("2024-03-01") + pd.to_timedelta(np.arange(rows), "D")
    asked = pd.DataFrame({"shop": rng.choice(["a", "b"], rows), "size": rng.normal(size=rows), "asked": days})
    sales = pd.DataFrame(
        {
            "shop": rng.choice(["a", "b"], 900),
            "sold": pd.Timestamp("2024-02-01") + pd.to_timedelta(rng.integers(0, 200 * 24, 900), "h"),
            "amount": rng.gamma(2.0, size=900),
        }
    )
    shops = pd.DataFrame({"shop": ["a", "b"], "street": ["high", "low"]})
    recent = look_back(asked, sales, "shop", "amount", how="sum", times=("asked", "sold"), days=3)
    return DatabaseTask(
        name="shops", question="", kind="regression", rows=asked, target=pd.Series(recent + rng.normal(size=rows) / 10),
        late=np.arange(rows) >= 100, tables={"sales": sales, "shops": shops}, time="asked",
        table_times={"sales": "sold", "shops": None}, keys={"sales": ("shop",), "shops": ("shop",)},
        clusters=np.arange(rows) // 7, experts=pd.DataFrame({"recent": recent}),
    )  # fmt: skip


def test_looking_back_counts_what_is_known_at_the_moment_and_nothing_later() -> None:
    rows = pd.DataFrame({"who": ["a", "a", "c"], "at": pd.to_datetime(["2024-01-02", "2024-01-05", "2024-01-05"])})
    when = pd.to_datetime(["2024-01-05", "2024-01-01", "2024-01-06", "2024-01-01"])
    table = pd.DataFrame({"who": list("aaab"), "on": when, "x": [2.0, 1.0, 9.0, 7.0]})

    def back(how: str, days: float | None = None) -> list[float]:
        return list(look_back(rows, table, "who", "x", how=how, times=("at", "on"), days=days))

    assert back("count") == [1.0, 2.0, 0.0]
    assert back("sum") == [1.0, 3.0, 0.0]
    assert back("count", days=4) == [1.0, 1.0, 0.0]  # four days ago to the hour is outside
    np.testing.assert_array_equal(back("last"), [1.0, 2.0, np.nan])
    np.testing.assert_array_equal(back("before last"), [np.nan, 1.0, np.nan])


def test_the_flat_table_holds_the_latest_known_line_of_every_table() -> None:
    task = small_task()
    flat = flat_table(task)
    sales = task.tables["sales"]
    for place in (3, 77):
        row = task.rows.iloc[place]
        known = sales[(sales["shop"] == row["shop"]) & (sales["sold"] <= row["asked"])].sort_values("sold")
        assert flat["sales_shop_amount"][place] == known["amount"].iloc[-1]
        assert flat["shops_shop_street"][place] == {"a": "high", "b": "low"}[row["shop"]]
    numbers = coded(flat, task.late)
    assert {"size", "sales_shop_amount", "sales_shop_days_ago", "shops_shop_street"} <= {*numbers.columns}
    assert {dtype.kind for dtype in numbers.dtypes} == {"f"}


def test_what_is_written_for_a_peer_lacks_the_labels_of_test_rows(tmp_path: Path) -> None:
    task = small_task()
    write_task(task, tmp_path)
    told = json.loads((tmp_path / "task.json").read_text())
    assert told["target"] == pytest.approx(task.target[:100].tolist())
    assert len(pd.read_parquet(tmp_path / "rows.parquet")) == 160


def test_sets_of_columns_are_compared_on_the_same_draws() -> None:
    task = small_task()
    noise = pd.DataFrame({"noise": np.random.default_rng(1).normal(size=160)})
    found = {one.name: one for one in compare({"experts": task.experts, "noise": noise}, task, against="experts")}
    assert found["experts"].value > 0.6 > found["noise"].value
    assert found["experts"].low < found["experts"].value < found["experts"].high
    assert (found["experts"].difference, found["experts"].difference_low) == (0.0, 0.0)
    assert found["noise"].difference_high < 0


def test_the_twenty_columns_that_are_kept_are_chosen_by_training_rows() -> None:
    task = small_task()
    rng = np.random.default_rng(2)
    many = pd.DataFrame({f"noise{place}": rng.normal(size=160) for place in range(40)}).assign(
        recent=task.experts["recent"]
    )
    assert "recent" in best_twenty(many, task).columns
    only_late = many.assign(recent=np.where(task.late, task.target, rng.normal(size=160)))
    later = only_late.assign(recent=np.where(task.late, 0.0, only_late["recent"]))
    assert best_twenty(only_late, task).columns.tolist() == best_twenty(later, task).columns.tolist()
