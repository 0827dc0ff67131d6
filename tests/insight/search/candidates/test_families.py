from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.insight.problem.task import InsightTask, TableTime
from assay.insight.search.candidates import gather
from assay.insight.search.candidates.families import row_families
from assay.insight.search.candidates.gather import gather_candidates
from assay.insight.search.pool import Pool
from assay.insight.search.search_context import SearchContext, make_context

ROWS = 200
RNG = np.random.default_rng(6)


def dates(first: str, days: int, count: int) -> pd.Series[str]:
    """Days drawn from so many after the first, as texts."""
    drawn = pd.to_timedelta(RNG.integers(0, days, count), unit="D")
    return pd.Series(pd.Timestamp(first) + drawn).astype(str)


TRAIN = pd.DataFrame(
    {
        "device_id": RNG.integers(0, 40, ROWS),
        "report_date": dates("2024-01-01", 300, ROWS),
        "species": RNG.choice(["oak", "elm", "fir"], ROWS),
        "stage": RNG.choice(["seed", "tree"], ROWS),
        "stage_of_growth": RNG.choice(["a", "b", "c"], ROWS),
        "length": RNG.uniform(1, 2, ROWS),
    }
)
DEVICES = pd.DataFrame(
    {
        "device_id": np.arange(40),
        "purchase_date": dates("2022-01-01", 600, 40),
        "warranty_period": RNG.integers(6, 30, 40),
    }
)
SERVICE = pd.DataFrame(
    {
        "device_id": RNG.integers(0, 40, 900),
        "service_date": dates("2023-01-01", 700, 900),
        "cost": RNG.gamma(2.0, 10.0, 900),
        "kind": RNG.choice(["repair", "check"], 900),
    }
)


def task(*, timed: bool = False) -> InsightTask:
    labels = (RNG.random(ROWS) < 0.4).astype(int)
    times = {"service.csv": TableTime(time_column="service_date"), "devices.csv": TableTime(static=True)}
    return InsightTask(
        name="t", description="", domain="", target_column="y", problem_type="binary",
        train=TRAIN.assign(y=labels), test=TRAIN[:20], tables={"devices.csv": DEVICES, "service.csv": SERVICE},
        time_column="report_date" if timed else None, table_times=times if timed else {},
    )  # fmt: skip


def searched(*, timed: bool = False, most: int = 9000) -> tuple[SearchContext, Pool]:
    context = make_context(task(timed=timed), transductive=False, seed=0)
    pool = gather_candidates(context, most=most, screened=False)
    assert not context.faults
    assert not pool.faults
    return context, pool


def assert_among(pool: Pool, wanted: pd.Series[float]) -> None:
    """A column is among the candidates, up to scale and sign."""
    values = wanted.to_numpy(dtype=float)
    standard = (values - values.mean()) / values.std()
    likeness = np.abs(pool.matrix() @ standard.astype(np.float32)) / len(values)
    assert likeness.max() == pytest.approx(1.0, abs=1e-4)


@pytest.fixture(scope="module")
def pool() -> Pool:
    return searched()[1]


def related(days: int | None = None, *, back: int = 0) -> pd.DataFrame:
    """Service rows of each report's device, those of some days before the report."""
    joined = TRAIN.reset_index().merge(SERVICE, on="device_id")
    age = (pd.to_datetime(joined["report_date"]) - pd.to_datetime(joined["service_date"])).dt.days
    return joined[(age >= back) & (age < days + back if days is not None else True)]


def per_row(values: pd.Series[Any]) -> pd.Series[float]:
    return values.astype(float).reindex(range(ROWS), fill_value=0.0)


def test_days_by_which_a_period_of_another_table_is_exceeded(pool: Pool) -> None:
    own = TRAIN.merge(DEVICES, on="device_id", how="left")
    days = (pd.to_datetime(own["report_date"]) - pd.to_datetime(own["purchase_date"])).dt.days
    over = days - 30.4375 * own["warranty_period"]
    assert_among(pool, over.clip(lower=0.0))
    assert_among(pool, days.where(over > 0, 0).astype(float))


def test_counts_sums_and_means_in_windows_before_the_row(pool: Pool) -> None:
    assert_among(pool, per_row(related(90).groupby("index").size()))
    assert_among(pool, per_row(related(365).groupby("index")["cost"].sum()))
    assert_among(pool, per_row(related().groupby("index")["cost"].mean()))


def test_conditions_shares_and_changes(pool: Pool) -> None:
    recent = related(365)
    assert_among(pool, per_row(recent[recent["kind"] == "repair"].groupby("index")["cost"].sum()))
    assert_among(pool, per_row((related()["kind"] == "repair").groupby(related()["index"]).mean()))
    now, then = (per_row(related(90, back=back).groupby("index").size()) for back in (0, 90))
    assert_among(pool, now - then)


def test_windows_that_end_with_the_table(pool: Pool) -> None:
    moments = pd.to_datetime(SERVICE["service_date"])
    late = SERVICE[moments > moments.max() - pd.Timedelta(days=180)].groupby("device_id")
    for values in (late.size(), late["cost"].mean()):
        assert_among(pool, values.reindex(TRAIN["device_id"], fill_value=0).astype(float))


def test_what_happened_everywhere_before_the_row(pool: Pool) -> None:
    joined = TRAIN.reset_index().merge(SERVICE.drop(columns="device_id"), how="cross")
    age = (pd.to_datetime(joined["report_date"]) - pd.to_datetime(joined["service_date"])).dt.days
    near = joined[(age >= 0) & (age < 30)]
    assert_among(pool, per_row(near[near["kind"] == "check"].groupby("index")["cost"].sum()))


def test_categories_and_pairs_of_them_are_ordered_by_the_target(pool: Pool) -> None:
    slugs = [recipe.slug for recipe in pool.recipes]
    assert "order_of_species" in slugs
    assert "order_of_species_and_stage_of_growth" in slugs


def test_with_declared_times_no_candidate_looks_ahead() -> None:
    context, pool = searched(timed=True)
    assert context.timed
    for recipe in pool.recipes:
        assert "at_end" not in recipe.slug or "service" not in recipe.slug
    # every service row in the future of all reports is gone, and no candidate notices
    late = pd.to_datetime(SERVICE["service_date"]) > pd.to_datetime(TRAIN["report_date"]).max()
    assert late.any()
    given = task(timed=True)
    tables = {"devices.csv": DEVICES, "service.csv": SERVICE[~late].reset_index(drop=True)}
    cut = InsightTask(
        name="t", description="", domain="", target_column="y", problem_type="binary", train=given.train,
        test=given.test, tables=tables, time_column="report_date", table_times=given.table_times,
    )  # fmt: skip
    first = {
        recipe.slug: recipe for recipe in pool.recipes if recipe.slug.startswith(("count", "mean_cost", "recency"))
    }
    other = gather_candidates(make_context(cut, transductive=False, seed=0), most=9000, screened=False)
    places = {recipe.slug: place for place, recipe in enumerate(other.recipes)}
    ours = {recipe.slug: place for place, recipe in enumerate(pool.recipes)}
    shared = [slug for slug in first if slug in places]
    assert len(shared) > 20
    whole, without_late = pool.matrix(), other.matrix()
    for slug in shared:
        np.testing.assert_allclose(whole[ours[slug]], without_late[places[slug]], atol=1e-5, err_msg=slug)


def test_there_are_never_more_candidates_than_asked_for() -> None:
    assert len(searched(most=300)[1]) == 300


def test_a_fault_in_one_family_costs_that_family_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: SearchContext, __: Pool) -> None:
        raise ZeroDivisionError("odd data")

    monkeypatch.setattr(gather, "row_families", (broken, *row_families))
    context = make_context(task(), transductive=False, seed=0)
    pool = gather_candidates(context, most=500, screened=False)
    assert pool.faults == ["ZeroDivisionError: odd data"]
    assert len(pool) == 500


def test_constants_and_repetitions_are_no_candidates() -> None:
    pool = Pool(ROWS, 10)
    values = RNG.normal(size=ROWS)
    recipe = searched(most=10)[1].recipes[0]
    assert pool.add(recipe, values)
    assert not pool.add(recipe, values * -3 + 7)
    assert not pool.add(recipe, np.ones(ROWS))
    assert not pool.add(recipe, np.full(ROWS, np.nan))
    assert not pool.add(recipe, np.eye(ROWS)[0])
    assert len(pool) == 1
