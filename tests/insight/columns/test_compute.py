from collections.abc import Callable
from datetime import datetime

import numpy as np
import pandas as pd
import pytest

from assay.core import Problem
from assay.insight.answer.functions import FeatureFunction
from assay.insight.columns.compute import compute_columns
from assay.insight.columns.folds import fold_numbers
from assay.insight.examine.config import InsightConfig
from assay.insight.problem.task import InsightTask, InsightTruth
from assay.sandbox import Limits, Sandbox

Loans = Problem[InsightTask, InsightTruth]
Feature = Callable[..., FeatureFunction]


def test_columns_come_in_the_order_of_their_functions_with_a_value_for_each_row(
    loans: Loans, sandbox: Sandbox, feature: Feature
) -> None:
    functions = [
        feature("row['amount'] * 2", name="double"),
        feature("len(aux['calls.csv'][aux['calls.csv'].loan_id == row['loan_id']])", takes="row, aux", name="calls"),
        feature("df['amount'].rank()", takes="df", name="ranked"),
        feature("row['city'].upper()", name="shout"),
    ]
    computed = compute_columns(loans, functions, sandbox=sandbox)
    assert [column.name for column in computed.columns] == ["double", "calls", "ranked", "shout"]
    assert [column.status for column in computed.columns] == ["ok"] * 4
    assert computed.isolation == "strong"
    values = computed.ok
    pd.testing.assert_series_equal(values["double"][0], loans.task.train["amount"] * 2, check_names=False)
    pd.testing.assert_series_equal(values["double"][1], loans.task.test["amount"] * 2, check_names=False)
    assert values["calls"][0].tolist() == [3] * 90
    pd.testing.assert_series_equal(values["ranked"][1], loans.task.test["amount"].rank(), check_names=False)
    assert values["shout"][1].tolist() == loans.task.test["city"].str.upper().tolist()


def test_the_target_is_in_no_row_of_either_part(loans: Loans, sandbox: Sandbox, feature: Feature) -> None:
    functions = [
        feature("'default' in row", name="there"),
        feature("row['default']", name="read"),
        feature("'default' in df.columns", takes="df", before="", name="scalar"),
    ]
    there, read, scalar = compute_columns(loans, functions, sandbox=sandbox).columns
    assert there.train is not None
    assert there.test is not None
    assert not there.train.any()
    assert not there.test.any()
    assert read.status == "exception"
    assert "KeyError 'default'" in read.message
    assert read.train is None
    assert scalar.status == "invalid output"


def test_training_rows_see_out_of_fold_labels_and_test_rows_all(
    loans: Loans, sandbox: Sandbox, feature: Feature
) -> None:
    own = feature("df_train['default'].loc[row.name]", takes="row, df_train", name="own")
    known = feature("df_train['default'].notna().sum()", takes="row, df_train", name="known")
    rows = feature("len(df_train)", takes="row, df_train", name="rows")
    computed = compute_columns(loans, [own, known, rows], sandbox=sandbox, config=InsightConfig(RANDOM_STATE=5)).ok
    assert computed["own"][0].isna().all()
    assert computed["known"][0].tolist() == [72] * 90
    assert computed["known"][1].tolist() == [90] * 30
    assert computed["rows"][0].tolist() == [90] * 90
    means = feature("df_train['default'].mean()", takes="row, df_train", name="mean")
    values = compute_columns(loans, [means], sandbox=sandbox, config=InsightConfig(RANDOM_STATE=5)).ok["mean"][0]
    numbers, labels = fold_numbers(90, seed=5), loans.task.train["default"].to_numpy()
    expected = [labels[numbers != numbers[row]].mean() for row in range(90)]
    np.testing.assert_allclose(values.to_numpy(), expected, rtol=1e-12)


@pytest.mark.parametrize("takes", ["row, aux", "row, df_train, aux"])
def test_auxiliary_rows_that_are_later_cannot_be_seen(
    timed_loans: Loans, sandbox: Sandbox, feature: Feature, takes: str
) -> None:
    last = feature("aux['calls.csv']['at'].max()", takes=takes, name="last")
    size = feature("len(aux['calls.csv']) + len(aux['cities.csv'])", takes=takes, name="size")
    computed = compute_columns(timed_loans, [last, size], sandbox=sandbox)
    calls = timed_loans.task.tables["calls.csv"]["at"]
    for part, rows in enumerate((timed_loans.task.train, timed_loans.task.test)):
        assert computed.ok["last"][part].tolist() == [calls[calls <= day].max() for day in rows["day"]]
        assert computed.ok["size"][part].tolist() == [(calls <= day).sum() + 3 for day in rows["day"]]
    assert computed.notes == ("taken as static: cities.csv",)


def test_a_table_function_sees_all_rows_and_only_the_past_of_each(
    timed_loans: Loans, sandbox: Sandbox, feature: Feature
) -> None:
    function = feature("df['amount'].sum() + 0 * df['amount'] + len(aux['calls.csv'])", takes="df, aux")
    train = compute_columns(timed_loans, [function], sandbox=sandbox).ok["f"][0]
    calls, rows = timed_loans.task.tables["calls.csv"]["at"], timed_loans.task.train
    expected = [rows["amount"].sum() + (calls <= day).sum() for day in rows["day"]]
    np.testing.assert_allclose(train.to_numpy(), expected)


def test_a_function_that_fails_says_why_and_leaves_the_others_alone(
    loans: Loans, sandbox: Sandbox, feature: Feature
) -> None:
    functions = [
        feature("1 / 0", name="bad"),
        feature("row['amount']", name="good"),
        feature("spin()", before="def spin():\n    while True: pass", name="slow"),
        feature("1 if row['city'] != 'ulm' else [1]", name="partly"),
    ]
    computed = compute_columns(loans, functions, sandbox=sandbox, limits=Limits(function_seconds=1))
    bad, good, slow, partly = computed.columns
    assert (bad.status, slow.status, good.status, partly.status) == ("exception", "timeout", "ok", "ok")
    assert "ZeroDivisionError" in bad.message
    assert sorted(computed.ok) == ["good", "partly"]
    ulm = (loans.task.train["city"] == "ulm").sum() + (loans.task.test["city"] == "ulm").sum()
    assert partly.rows_failed == ulm
    assert partly.train is not None
    assert partly.train.isna().sum() == (loans.task.train["city"] == "ulm").sum()


def test_the_clock_is_the_one_given(loans: Loans, sandbox: Sandbox, feature: Feature) -> None:
    now = feature("datetime.now().year", name="year")
    computed = compute_columns(loans, [now], sandbox=sandbox, clock=datetime(1999, 5, 1))
    assert computed.ok["year"][0].unique().tolist() == [1999]
    assert computed.clock == datetime(1999, 5, 1)


def test_nothing_to_compute_is_no_trouble(loans: Loans, sandbox: Sandbox) -> None:
    assert compute_columns(loans, [], sandbox=sandbox).ok == {}


def test_a_missing_table_or_column_is_told_with_those_that_exist(
    loans: Loans, sandbox: Sandbox, feature: Feature
) -> None:
    functions = [
        feature("len(aux['calls'])", takes="row, aux", name="table"),
        feature("row['citty']", name="column"),
        feature("aux['calls.csv']['minuts'].sum()", takes="row, aux", name="inside"),
        feature("aux.get('calls') is None and 'calls' not in aux", takes="row, aux", name="dictionary"),
    ]
    table, column, inside, dictionary = compute_columns(loans, functions, sandbox=sandbox).columns
    assert table.message.endswith(". Did you mean 'calls.csv'? There are: calls.csv, cities.csv.")
    assert column.message.endswith(". Did you mean 'city'? Columns: loan_id, day, city, amount.")
    assert inside.message.endswith(". Did you mean 'minutes'? Columns: loan_id, at, minutes.")
    assert dictionary.train is not None
    assert dictionary.train.all()
