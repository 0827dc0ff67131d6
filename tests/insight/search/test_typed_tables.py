from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from assay.insight.search.typed_tables import SELF, Ref, TableData, kind_of, read_typed, words_of

NUMBERS = list(range(60))


@pytest.mark.parametrize(
    ("values", "name", "kind"),
    [
        (["2024-01-31", "2024-02-01 10:00:00", None], "x", "date"),
        (["01/31/2024", "02/01/2024"], "x", "date"),
        (["1931-01-31"], "born", "date"),
        (pd.to_datetime(["2024-01-31"]), "x", "date"),
        ([1, 2, 3], "order_id", "key"),
        ([1.5, 2.5], "order_id", "number"),
        ([1, 2, 3], "age", "number"),
        ([True, False], "x", "number"),
        (["yes", "no", None], "x", "number"),
        (["127mg", "5 mg"], "dose", "number"),
        (["['a', 'b']", "[]"], "x", "list"),
        (["red", "blue", "red"], "x", "category"),
        ([f"C{number:04}" for number in NUMBERS], "customer", "key"),
        ([f"this is a long remark {number}" for number in NUMBERS], "remark", "text"),
        ([None, np.nan], "x", "nothing"),
        ([], "x", "nothing"),
    ],
)
def test_what_a_column_holds_is_seen_from_its_values_and_name(values: list[object], name: str, kind: str) -> None:
    assert kind_of(pd.Series(values), name) == kind


def test_the_clock_of_a_table_is_no_birthday() -> None:
    frame = pd.DataFrame(
        {
            "date_of_birth": [f"19{number:02}-01-01" for number in range(60)],
            "visit_date": [f"2024-01-{1 + number % 28:02}" for number in range(60)],
        }
    )
    sheet = read_typed("visits.csv", frame, data=TableData(frame[:0], {"visits.csv": frame}))
    assert sheet.clock == Ref("visit_date")


def test_a_name_that_stands_twice_is_not_used() -> None:
    frame = pd.DataFrame([[1, 2, 3], [4, 5, 6]], columns=["a", "b", "a"])
    sheet = read_typed("t", frame, data=TableData(frame[:0], {"t": frame}))
    assert [column.ref.column for column in sheet.columns] == ["b"]


def test_an_expression_is_computed_once() -> None:
    data = TableData(pd.DataFrame({"x": [1, 2]}), {})
    assert data.numbers(SELF, Ref("x")) is data.numbers(SELF, Ref("x"))


def test_names_become_words() -> None:
    assert words_of("lateInvoices_table.csv") == "late invoices"
    assert words_of("___") == "rows"
