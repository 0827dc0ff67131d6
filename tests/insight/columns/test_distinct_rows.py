"""Runs over distinct rows give the columns of runs over all rows, and fewer rows are run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.insight.conftest import Loans

from assay.insight.columns.distinct_rows import DistinctRows
from assay.sandbox import FunctionSource, Limits, Sandbox, SharedTable, Tables

# numbers beside whole ones, truth values, texts, missing values, a sign of zero, rows that fail
BODIES = {
    "numbers": "1.5 if row['day'] > 14 else 2",
    "whole": "row['day'] - 14",
    "truths": "row['day'] > 14 if row['day'] > 12 else 1",
    "texts": "'high' if row['day'] > 14 else 3",
    "missing": "None if row['day'] > 14 else row['amount']",
    "nothing": "row.get('bonus')",
    "zero": "str(row['signed'])",
    "fails": "1 / (row['day'] - 15)",
    "all fail": "row['nowhere']",
    "train": "float(df_train[df_train['day'] == row['day']]['amount'].sum())",
    "tables": "len(aux['calls.csv']) + row['day']",
    "place": "row.name",
}


def sources() -> list[FunctionSource]:
    names = {name: name.replace(" ", "_") for name in BODIES}
    return [
        FunctionSource(names[name], f"def {names[name]}(row, df_train, aux):\n    return {body}")
        for name, body in BODIES.items()
    ]


def rows_of(loans: Loans) -> pd.DataFrame:
    signed = np.where(np.arange(len(loans.task.train)) % 2, 0.0, -0.0)
    return loans.task.train.drop(columns=loans.task.target_column).assign(signed=signed)


def outcomes(results: Sequence[Any]) -> list[Any]:
    return [
        (r.name, r.status, r.message, r.rows_failed, r.column and (str(r.column.type), repr(r.column.to_pylist())))
        for r in results
    ]


def test_columns_are_those_of_a_run_over_all_rows(loans: Loans, sandbox: Sandbox) -> None:
    rows, train = rows_of(loans), loans.task.train
    distinct = DistinctRows(sandbox)
    low, high = rows[rows["day"] <= 12], rows[rows["day"] > 14]
    for part in (rows, low, high.iloc[::-1], rows.drop(columns="city")):
        tables = Tables(rows=part, train=SharedTable(train, "train"), auxiliary=loans.task.tables)
        assert outcomes(distinct.run(sources(), tables, limits=Limits())) == outcomes(sandbox.run(sources(), tables))


def test_only_what_differs_in_what_is_read_is_run(
    loans: Loans, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[int] = []
    run = Sandbox.run

    def counting(self: Sandbox, functions: Any, tables: Any, **options: Any) -> Any:
        ran.append(len(tables.rows))
        return run(self, functions, tables, **options)

    monkeypatch.setattr(Sandbox, "run", counting)
    rows, train, target = rows_of(loans), loans.task.train, loans.task.target_column
    distinct = DistinctRows(sandbox)
    (source,) = [source for source in sources() if source.name == "train"]

    def now(shown: pd.DataFrame, table: pd.DataFrame) -> list[int]:
        ran.clear()
        distinct.run([source], Tables(rows=shown, train=table, auxiliary={}), limits=Limits())
        return list(ran)

    days = rows["day"].nunique()
    assert now(rows, train) == [days]
    assert now(rows.sample(frac=1, random_state=1), train) == []
    assert now(rows, train.assign(**{target: train[target].iloc[::-1].to_numpy()})) == []
    assert now(rows.head(9), train.assign(amount=train["amount"] + 1)) == [rows["day"].head(9).nunique()]
    assert now(rows, train.iloc[::-1]) == [days]


def test_a_function_that_fails_for_some_rows_is_run_in_full(loans: Loans, sandbox: Sandbox) -> None:
    rows = rows_of(loans)
    (source,) = [source for source in sources() if source.name == "fails"]
    tables = Tables(rows=rows, train=loans.task.train, auxiliary=loans.task.tables)
    (result,) = DistinctRows(sandbox).run([source], tables, limits=Limits())
    assert result.rows_failed == int((rows["day"] == 15).sum()) > 1


@pytest.mark.parametrize("body", ["len(df_train)", "int(df_train.empty)", "df_train.shape[1]", "df_train.shape[0]"])
def test_the_size_of_a_table_is_read_too(body: str, loans: Loans, sandbox: Sandbox) -> None:
    source = FunctionSource("size", f"def size(row, df_train):\n    return {body} + 2")
    rows, train = rows_of(loans).head(5), loans.task.train
    distinct = DistinctRows(sandbox)
    for table in (train, train.head(7), train.head(0), train.iloc[:, :2]):
        tables = Tables(rows=rows, train=table, auxiliary={})
        assert outcomes(distinct.run([source], tables, limits=Limits())) == outcomes(sandbox.run([source], tables))


def test_missing_values_of_nullable_columns_are_one_value(sandbox: Sandbox) -> None:
    rows = pd.DataFrame(
        {
            "whole": pd.array([1, None, None, 3], dtype="Int64"),
            "text": pd.array(["a", None, None, "b"], dtype="string"),
            "number": pd.array([0.5, None, 0.0, -0.0], dtype="Float64"),
        }
    )
    for name, expected in (("whole", "1"), ("text", "a"), ("number", "0.5")):
        code = f"def f(row): return str(row[{name!r}])"
        (result,) = DistinctRows(sandbox).run([FunctionSource("f", code)], Tables(rows=rows), limits=Limits())
        (plain,) = sandbox.run([FunctionSource("f", code)], Tables(rows=rows), limits=Limits())
        assert result.column.to_pylist() == plain.column.to_pylist()
        assert result.column[0].as_py() == expected
