from __future__ import annotations

import pickle
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from assay.core import InvalidInput, Problem, UnknownName
from assay.insight.columns.compute import compute_columns
from assay.insight.features import RelationalFeatures
from assay.insight.problem.task import InsightTask, InsightTruth, TableTime
from assay.sandbox import Sandbox

TIMES = {"orders": "sent", "shops": None}


def database(rows: int = 120) -> tuple[pd.DataFrame, pd.Series[Any], dict[str, pd.DataFrame]]:
    """Visits of customers to shops; who spent much in the 90 days before buys again."""
    rng = np.random.default_rng(7)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(100, 400, rows), "D")
    visits = pd.DataFrame(
        {"customer": rng.integers(0, 30, rows), "shop": rng.choice(["a", "b", "c"], rows), "day": days}
    )
    orders = pd.DataFrame(
        {
            "customer": rng.integers(0, 30, 900),
            "sent": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 450, 900), "D"),
            "amount": rng.gamma(2.0, 20.0, 900).round(2),
            "channel": pd.Categorical(rng.choice(["web", "phone"], 900)),
        }
    )
    shops = pd.DataFrame({"shop": ["a", "b", "c"], "size": [3, 1, 2]})
    spent = [
        orders["amount"][(orders["customer"] == who) & (day - orders["sent"]).dt.days.between(0, 89)].sum()
        for who, day in zip(visits["customer"], visits["day"], strict=True)
    ]
    return visits, pd.Series(spent > np.median(spent), name="again").astype(int), {"orders": orders, "shops": shops}


def features(tables: Mapping[str, pd.DataFrame] | None, **options: Any) -> RelationalFeatures:
    usual: dict[str, Any] = {"time": "day", "table_times": TIMES, "columns": 4, "candidates": 300}
    return RelationalFeatures(tables, **usual | options)


@pytest.fixture(scope="module")
def fitted() -> RelationalFeatures:
    visits, again, tables = database()
    return features(tables).fit(visits[:90], again[:90])


def test_what_explains_the_target_is_found_with_a_name_words_code_and_effect(fitted: RelationalFeatures) -> None:
    first = fitted.get_feature_names_out()[0]
    assert "amount" in first
    assert "90d" in first
    assert fitted.effects_[0].size > 0.95
    assert "again is 1 in 100 %" in fitted.explanation_[0]
    code = fitted.source(first)
    assert code.startswith("# Insight: ")
    assert f"def {first}(row, aux_dataframes):" in code
    assert "4 columns found. again is 1 in" in fitted.summary()
    assert "From table 'orders': 4 columns." in fitted.summary()
    assert "From table 'shops': 0 columns." in fitted.summary()
    with pytest.raises(UnknownName, match="amount"):
        fitted.source("amonut")


def test_fit_transform_gives_what_transform_gives_under_the_index_of_the_rows() -> None:
    visits, again, tables = database()
    visits.index = pd.Index(range(500, 500 + len(visits)))
    both = features(tables)
    pd.testing.assert_frame_equal(both.fit_transform(visits, again), both.transform(visits))
    assert both.transform(visits).index.equals(visits.index)


def test_a_row_sees_only_what_was_known_at_its_time(fitted: RelationalFeatures) -> None:
    visits, _, tables = database()
    whole = fitted.transform(visits[90:])
    for place in range(90, 96):
        row = visits[place : place + 1]
        known = tables["orders"][tables["orders"]["sent"] <= row["day"].iloc[0]]
        alone = fitted.transform(row, tables={**tables, "orders": known})
        pd.testing.assert_frame_equal(alone, whole.loc[row.index])


def test_fit_does_not_look_at_rows_of_tables_later_than_its_own() -> None:
    visits, _, tables = database()
    early = visits[visits["day"] < "2024-09-01"]
    orders = tables["orders"]
    large = orders[orders["amount"] > orders["amount"].quantile(0.75)]
    often = [((large["customer"] == v.customer) & (large["sent"] <= v.day)).sum() > 2 for v in early.itertuples()]
    later = orders["sent"] > early["day"].max()
    changed = orders.assign(amount=orders["amount"].where(~later, 1e6))
    first, second = (
        features({**tables, "orders": table}, candidates=900).fit(early, often) for table in (orders, changed)
    )
    assert any("amount_above" in name for name in first.get_feature_names_out())  # a threshold from the table
    assert [f.code for f in first.functions_] == [f.code for f in second.functions_]


def test_earlier_rows_of_the_same_table_count_without_their_target() -> None:
    rng = np.random.default_rng(3)
    visits = pd.DataFrame({"customer_id": rng.integers(0, 8, 200), "day": range(200), "spent": rng.normal(size=200)})
    before = visits.groupby("customer_id").cumcount()
    found = RelationalFeatures(time="day", columns=3).fit(visits[:150], (before > before.median())[:150])
    (name,) = [name for name in found.get_feature_names_out() if name.startswith("count_rows_per_customer_id")][:1]
    earlier = [(visits["customer_id"][:150] == who).sum() for who in visits["customer_id"][150:]]
    np.testing.assert_array_equal(found.transform(visits[150:])[name], earlier)
    assert "target" not in found.source(name)


def test_its_columns_equal_those_of_its_code_in_the_sandbox(fitted: RelationalFeatures, sandbox: Sandbox) -> None:
    visits, again, tables = database()
    strange = visits[:20].assign(customer=np.where(visits["customer"][:20] % 7 == 0, 999, visits["customer"][:20]))
    strange["shop"] = strange["shop"].where(strange["shop"] != "a", None)
    columns = fitted.transform(strange)
    texts = {name: t.assign(sent=t["sent"].astype(str)) if name == "orders" else t for name, t in tables.items()}
    texts["orders"]["channel"] = texts["orders"]["channel"].astype(str)
    train = strange.assign(day=strange["day"].astype(str))
    task = InsightTask(
        name="visits", description="", domain="", target_column="again", problem_type="binary",
        train=train.assign(again=again[:20]), test=train[:5], tables=texts, time_column="day",
        table_times={"orders": TableTime(time_column="sent"), "shops": TableTime(static=True)},
    )  # fmt: skip
    truth = InsightTruth(test_target=again[:5], columns=(), descriptions=(), train=task.train[[]], test=task.test[[]])
    problem = Problem(id="visits", digest="0", task=task, truth=truth)
    computed = compute_columns(problem, fitted.functions_[:2], sandbox=sandbox)
    assert [column.status for column in computed.columns] == ["ok"] * 2
    for column in computed.columns:
        assert column.train is not None
        np.testing.assert_array_equal(column.train.to_numpy(dtype=float), columns[column.name].to_numpy())


def test_unseen_keys_missing_values_and_empty_tables_give_numbers(fitted: RelationalFeatures) -> None:
    visits, _, tables = database()
    odd = visits[90:].assign(customer=np.where(np.arange(30) % 2, np.nan, 10_000.0), shop=None)
    assert np.isfinite(fitted.transform(odd).to_numpy()).all()
    empty = {name: table[:0] for name, table in tables.items()}
    assert np.isfinite(fitted.transform(visits[90:], tables=empty).to_numpy()).all()
    gaps = tables["orders"].assign(amount=np.nan, sent=None)
    assert (fitted.transform(visits[90:], tables={**tables, "orders": gaps}) == 0).all(axis=None)
    assert fitted.transform(visits[:0]).shape == (0, 4)


def test_columns_of_any_type_are_read_as_a_csv_file_would_hold_them(fitted: RelationalFeatures) -> None:
    visits, _, tables = database()
    orders = tables["orders"].assign(
        customer=tables["orders"]["customer"].astype("Int64"),
        sent=tables["orders"]["sent"].dt.date,
        amount=tables["orders"]["amount"].map(lambda amount: Decimal(str(amount))),
        channel=tables["orders"]["channel"].astype("string"),
    )
    told = fitted.transform(visits.assign(day=visits["day"].dt.tz_localize("UTC")), tables={**tables, "orders": orders})
    pd.testing.assert_frame_equal(told, fitted.transform(visits))


def test_it_is_cross_validated_in_a_pipeline_and_clones_share_the_tables() -> None:
    visits, again, tables = database()
    pipeline = make_pipeline(features(tables), RandomForestClassifier(20, random_state=0))
    assert cross_val_score(pipeline, visits, again, cv=2).mean() > 0.8
    again_one = clone(features(tables).set_output(transform="default"))
    assert again_one.get_params()["tables"] is again_one.tables
    assert clone(features(tables)).tables["orders"] is tables["orders"]
    assert clone(features(tables).set_params(columns=2)).columns == 2
    assert repr(features(tables)) == "RelationalFeatures({orders: 900 rows, shops: 3 rows}, time='day', columns=4)"


def test_a_pickle_gives_the_same_columns(fitted: RelationalFeatures) -> None:
    visits, _, _ = database()
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(fitted)).transform(visits), fitted.transform(visits))


@pytest.mark.parametrize("kind", ["regression", "multiclass"])
def test_numbers_and_classes_are_explained_too(kind: str) -> None:
    visits, _, tables = database()
    totals = tables["orders"].groupby("customer")["amount"].sum().reindex(visits["customer"]).fillna(0).to_numpy()
    y: Any = totals if kind == "regression" else np.array(["lo", "mid", "hi"])[np.digitize(totals, [1200.0, 1500.0])]
    found = features(tables, table_times={"orders": None, "shops": None}, time=None).fit(visits, y)
    assert found.effects_[0].measure == ("AUROC" if kind == "multiclass" else "rank correlation")
    assert abs(found.effects_[0].size) > 0.9
    assert " of 120 rows" in found.summary() or "over 120 rows" in found.summary()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time": "dya"}, r"X has no column 'dya'. Did you mean 'day'"),
        ({"table_times": {"ordres": "sent"}}, r"'ordres' is not among the tables. Did you mean 'orders'"),
        ({"table_times": {"orders": "snet"}}, r"table 'orders' has no column 'snet'. Did you mean 'sent'"),
        ({"table_times": None}, r"'orders' holds dates \(sent\).*table_times=\{'orders': 'sent'\}.*'orders': None\}"),
        ({"table_times": None, "time": None}, r"Give time=..., the column of X.* and table_times="),
        ({"time": None}, r"table_times gives the times of table 'orders', but time is None. Give time="),
        ({"table_times": {"orders": "amount"}}, r"must all be dates or all be numbers"),
        ({"table_times": {"orders": "channel"}}, r"table 'orders', column 'channel': row 1 holds '\w+', which is no"),
        ({"columns": 0}, r"columns must be a whole number of at least 1"),
        ({"seed": -1}, r"seed must be a whole number of at least 0, got -1"),
        ({"kind": "ranking"}, r"No kind named 'ranking'"),
        ({"tables": ["orders"]}, r"tables must be a dict of DataFrames by name, got list"),
        ({"tables": {"orders": [1]}, "table_times": {}}, r"table 'orders' must be a DataFrame.*got list"),
    ],
)
def test_wrong_parameters_are_named_with_the_way_out(options: dict[str, Any], message: str) -> None:
    visits, again, tables = database(60)
    with pytest.raises((InvalidInput, UnknownName), match=message):
        features(options.get("tables", tables), **{k: v for k, v in options.items() if k != "tables"}).fit(
            visits, again
        )


def test_a_target_that_is_not_of_the_given_kind_is_refused() -> None:
    visits, _, tables = database(60)
    with pytest.raises(InvalidInput, match="y has 3 values, but kind is 'binary'"):
        features(tables, kind="binary").fit(visits, visits["customer"] % 3)
    with pytest.raises(InvalidInput, match=r"y: row 1 is [ab]; a regression needs finite numbers"):
        features(tables, kind="regression").fit(visits, np.where(visits["customer"] % 2 == 0, "a", "b"))


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    visits, again, tables = database()
    plain = features(tables, columns=2, candidates=100).fit_transform(visits, again)
    own = features(tables, columns=np.int64(2), candidates=np.int32(100), seed=np.uint8(0)).fit_transform(visits, again)
    assert own.equals(plain)


def test_no_column_is_not_put_down_to_constants_alone() -> None:
    values = pd.DataFrame({"a": np.arange(60) // 2})
    with pytest.raises(InvalidInput, match="none that can be computed both varies and goes with y"):
        RelationalFeatures().fit(values, np.arange(60) % 2)


def test_wrong_rows_and_targets_are_named_with_the_way_out(fitted: RelationalFeatures) -> None:
    visits, again, tables = database(60)
    for y, message in (
        (None, "y is None"),
        (again[:5], r"one value for each of the 60 rows"),
        (again.astype(float).where(again.index != 3), "row 4 is missing"),
        (np.ones(60), "one value, 1.0"),
        (again.astype(float).replace(1.0, np.inf) + visits.index.to_numpy(), r"y: row \d+ is inf; a regression needs"),
    ):
        with pytest.raises(InvalidInput, match=message):
            features(tables).fit(visits, y)
    with pytest.raises(InvalidInput, match="row 3 has no time of prediction"):
        features(tables).fit(visits.assign(day=visits["day"].where(visits.index != 2)), again)
    with pytest.raises(InvalidInput, match="X must be a DataFrame.*got ndarray"):
        features(tables).fit(visits.to_numpy(), again)
    with pytest.raises(InvalidInput, match="column names must be different texts, got 'day'"):
        features(tables).fit(pd.concat([visits, visits["day"]], axis=1), again)
    with pytest.raises(InvalidInput, match="no column was found in 60 rows"):
        RelationalFeatures().fit(pd.DataFrame({"a": [1] * 60}), again)
    with pytest.raises(InvalidInput, match=r"X lacks the column 'shop', which fit saw"):
        fitted.transform(visits.drop(columns="shop"))
    with pytest.raises(InvalidInput, match=r"columns that fit did not see: 'weather'. Leave them out, or fit again"):
        fitted.transform(visits.assign(weather=1))
    with pytest.raises(InvalidInput, match="tables lacks 'shops'|'shops' is not among the tables"):
        fitted.transform(visits, tables={"orders": tables["orders"]})
    with pytest.raises(InvalidInput, match="table 'orders' lacks the column 'amount'"):
        fitted.transform(visits, tables={**tables, "orders": tables["orders"].drop(columns="amount")})
    with pytest.raises(NotFittedError):
        features(tables).transform(visits)


@pytest.mark.parametrize("unit", ["h", "D"])
def test_windows_of_hours_are_looked_through_where_tables_tell_the_time_of_day(unit: Any) -> None:
    rng = np.random.default_rng(2)
    asked = pd.DataFrame({"asked": pd.Timestamp("2024-03-01") + pd.to_timedelta(np.arange(20, 140) * 5, unit)})
    sent = pd.Timestamp("2024-03-01") + pd.to_timedelta(np.arange(1400) // 2, unit)
    orders = pd.DataFrame({"sent": sent, "amount": rng.gamma(1.0, size=1400)})
    age = asked["asked"].to_numpy()[:, None] - sent.to_numpy()
    recent = ((age >= np.timedelta64(0, "s")) & (age < np.timedelta64(6, unit))) @ orders["amount"].to_numpy()
    found = RelationalFeatures(
        {"orders": orders}, time="asked", table_times={"orders": "sent"}, columns=3, candidates=300
    ).fit(asked, recent)
    hours = [words for words in found.descriptions_ if "6 hours before the row's date" in words]
    assert bool(hours) == (unit == "h")


def test_keys_of_64_bits_without_a_sign_are_keys_as_others_are() -> None:
    keys = np.random.default_rng(5).integers(2**63, 2**64, 40, dtype=np.uint64)
    rows = pd.DataFrame({"customer": keys})
    orders = pd.DataFrame({"customer": np.repeat(keys, np.arange(40) % 4)})
    columns = RelationalFeatures({"orders": orders}, columns=1).fit_transform(rows, np.arange(40) % 4 > 1)
    assert columns.iloc[:, 0].tolist() == [number % 4 for number in range(40)]
