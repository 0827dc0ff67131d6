"""A light row against the real thing: the Series that ``DataFrame.apply(axis=1)`` hands out."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.sandbox.guest.rows import Row, RowSource

FRAMES = {
    "mixed": pd.DataFrame(
        {
            "id": [7, 8, 9],
            "name": ["a", None, "c"],
            "age": [1.5, np.nan, 3.0],
            "ok": [True, False, True],
            "day": pd.to_datetime(["2024-01-01", "NaT", "2024-03-01"]),
        },
        index=["r1", "r2", "r3"],
    ),
    "numbers": pd.DataFrame({"whole": [1, 2, 3], "part": [0.5, np.nan, 2.5]}),
    "whole": pd.DataFrame({"a": [1, 2], "b": [3, 4]}, index=[10, 20]),
    "flags": pd.DataFrame({"a": [True, False], "b": [False, False]}),
    "whole and flags": pd.DataFrame({"a": [1, 2], "b": [False, True]}),
    "text": pd.DataFrame({"a": ["x", None], "b": ["y", "z"]}),
    "days": pd.DataFrame({"a": pd.to_datetime(["2024-01-01", "2024-01-02"])}),
    "categories": pd.DataFrame({"a": pd.Categorical(["x", "y"]), "b": [1, 2]}),
    "nullable": pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [1.5, 2.5]}),
    "names of methods": pd.DataFrame(
        {"index": [1, 2], "name": ["x", "y"], "values": [3, 4], "sum": [5, 6], "get": [7, 8]}
    ),
    "numbered columns": pd.DataFrame([[1, "a"], [2, "b"]]),
    "one small type": pd.DataFrame({"a": np.array([1, 2], dtype="int8"), "b": np.array([3, 4], dtype="float32")}),
}

READS: dict[str, Callable[[Any], Any]] = {
    "item": lambda row: [row[name] for name in row.index],
    "item types": lambda row: [type(row[name]) for name in row.index],
    "get": lambda row: [row.get(name) for name, _ in row.items()],
    "get default": lambda row: (row.get("no such"), row.get("no such", 5)),
    "iteration": list,
    "iteration types": lambda row: [type(value) for value in row],
    "items": lambda row: list(row.items()),
    "dictionary": lambda row: row.to_dict(),
    "dict": dict,
    "contains": lambda row: ("age" in row, "no such" in row, "a" in row),
    "length": len,
    "label": lambda row: row.name,
    "values": lambda row: list(row.values),
    "kind": lambda row: str(row.dtype),
    "missing": lambda row: row.isna().tolist(),
    "count of missing": lambda row: int(row.isna().sum()),
    "last": lambda row: row.iloc[-1],
    "slice": lambda row: row.iloc[:1].to_dict(),
    "several": lambda row: row[[*row.index][:1]].to_dict(),
    "text": str,
    "is a series": lambda row: isinstance(row, pd.Series),
    "map": lambda row: row.map(str).tolist(),
    "equals itself": lambda row: (row == row).tolist(),
    "absent": lambda row: row["no such"],
    "absent attribute": lambda row: row.no_such,
    "attributes": lambda row: [getattr(row, str(name)) for name in row.index if str(name) in ("id", "age", "a", "b")],
    "method names": lambda row: (callable(row.get), callable(row.sum), list(row.index)),
    "frame of it": lambda row: pd.DataFrame([row]).to_dict("records"),
    "series of it": lambda row: pd.Series(row).to_dict(),
    "isna of it": lambda row: pd.isna(row).tolist(),
    "copy": lambda row: copy.deepcopy(row).to_dict(),
    "star": lambda row: {**row},
    "hash": hash,
    "truth": bool,
    "reversed": lambda row: row[::-1].to_dict(),
    "array": lambda row: np.asarray(row).tolist(),
    "drop": lambda row: row.drop(row.index[0]).to_dict(),
}


def changed(row: Any) -> Any:
    first = row.index[0]
    row[first] = "changed"
    row["new"] = 1
    return row[first], row.get("new"), "new" in row, len(row), row.to_dict(), list(row)


READS["after writing"] = changed


def result(read: Callable[[Any], Any], row: Any) -> tuple[str, Any]:
    try:
        return "value", read(row)
    except Exception as error:  # noqa: BLE001 - errors must be the same too
        return type(error).__name__, str(error)


def same(one: Any, two: Any) -> bool:
    return repr(one) == repr(two)


def real_rows(frame: pd.DataFrame) -> list[Any]:
    rows: list[Any] = []

    def keep(row: Any) -> int:
        rows.append(row.copy())
        return 0

    frame.apply(keep, axis=1)
    return rows


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("name", FRAMES)
def test_a_light_row_answers_as_the_series_does(name: str, read: str) -> None:
    frame = FRAMES[name]
    for light, real in zip(RowSource(frame), real_rows(frame), strict=True):
        ours, theirs = result(READS[read], light), result(READS[read], real)
        assert same(ours, theirs), (ours, theirs)


def test_ordinary_tables_use_light_rows_and_odd_ones_real_series() -> None:
    assert {name for name, frame in FRAMES.items() if isinstance_of_row(frame)} == set(FRAMES) - {
        "days",
        "nullable",
        "numbered columns",
    }


def isinstance_of_row(frame: pd.DataFrame) -> bool:
    return type(next(iter(RowSource(frame)))) is Row


def test_writing_to_a_row_changes_neither_the_table_nor_another_row() -> None:
    frame = FRAMES["numbers"].copy()
    source = RowSource(frame)
    for row in source:
        row["whole"] = -1.0
        row.part = -2.0
        assert (row.whole, row["part"]) == (-1.0, -2.0)
    assert frame.equals(FRAMES["numbers"])
    assert [row["whole"] for row in source] == [1.0, 2.0, 3.0]


def test_an_empty_table_has_no_rows() -> None:
    assert list(RowSource(pd.DataFrame({"a": []}))) == []


columns = st.sampled_from([st.integers(-5, 5), st.floats(-5, 5), st.booleans(), st.text(max_size=2), st.none()])


@given(st.data(), st.integers(1, 4), st.integers(1, 4))
def test_any_small_table_reads_the_same(data: st.DataObject, rows: int, width: int) -> None:
    values = [data.draw(columns) for _ in range(width)]
    frame = pd.DataFrame(
        {f"c{place}": [data.draw(strategy) for _ in range(rows)] for place, strategy in enumerate(values)}
    )
    for light, real in zip(RowSource(frame), real_rows(frame), strict=True):
        for read in ("item", "item types", "iteration", "items", "dictionary", "kind", "values", "missing"):
            ours, theirs = result(READS[read], light), result(READS[read], real)
            assert same(ours, theirs), (read, ours, theirs)
