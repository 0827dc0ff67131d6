from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from assay.core import InvalidInput
from assay.sandbox.transfer import SharedTable, load_table

FRAME = pd.DataFrame(
    {
        "whole": [1, 2, 3],
        "part": [0.5, np.nan, np.inf],
        "word": ["a", None, ""],
        "flag": [True, False, True],
        "day": pd.to_datetime(["2024-01-01", "NaT", "2024-03-01"]),
        "kind": pd.Categorical(["x", "y", "x"]),
        "small": np.array([1, 2, 3], dtype="int8"),
        "maybe": pd.array([1, None, 3], dtype="Int64"),
        "object": np.array(["p", "q", "r"], dtype=object),
        "Customer Value": [1.0, 2.0, 3.0],
    }
).astype({"object": object})


@pytest.mark.parametrize(
    "frame",
    [
        FRAME,
        FRAME.set_axis(["r", "s", "t"]),
        FRAME.iloc[::-1],
        FRAME.iloc[:0],
        FRAME.set_index(["whole", "word"]),
        pd.DataFrame([[1, 2]], columns=[0, 1]),
    ],
    ids=["plain", "labelled", "reversed", "no rows", "two levels", "numbered columns"],
)
def test_a_table_arrives_with_its_values_types_order_and_index(frame: pd.DataFrame) -> None:
    shared = SharedTable(frame)
    assert_frame_equal(load_table(shared.descriptor), frame, check_column_type=False)
    assert shared.rows == len(frame)


@pytest.mark.parametrize(
    ("frame", "column"),
    [
        (pd.DataFrame({"x": [1], "id": pd.Series([2**70], dtype=object)}), "id"),
        (pd.DataFrame({"x": [1], "text": pd.Series(["a\ud800"], dtype=object)}), "text"),
        (pd.DataFrame([[1, 1]], columns=pd.Index(["x", "a\ud800"], dtype=object)), r"a\\ud800"),
    ],
    ids=["a whole number beyond 64 bits", "a lone surrogate", "a lone surrogate in a name"],
)
def test_what_arrow_cannot_hold_is_refused_with_the_column(frame: pd.DataFrame, column: str) -> None:
    with pytest.raises(InvalidInput, match=rf"table 'rows': column '{column}' cannot be handed over"):
        SharedTable(frame)


def test_a_loaded_table_can_be_edited_and_the_shared_one_does_not_change() -> None:
    shared = SharedTable(FRAME)
    loaded = load_table(shared.descriptor)
    loaded.loc[0, "whole"] = 99
    loaded["part"] += 1
    del loaded["word"]
    assert_frame_equal(load_table(shared.descriptor), FRAME)


def test_the_shared_memory_is_sealed() -> None:
    shared = SharedTable(FRAME)
    with pytest.raises(PermissionError):
        os.pwrite(shared.descriptor, b"x", 0)
    with pytest.raises(PermissionError):
        os.ftruncate(shared.descriptor, 0)


def test_equal_tables_have_equal_digests_and_others_not() -> None:
    digest = SharedTable(FRAME).digest
    assert SharedTable(FRAME.copy()).digest == digest
    changed = [FRAME.iloc[::-1], FRAME.set_axis([5, 6, 7]), FRAME.assign(whole=[1, 2, 4]), FRAME.drop(columns="flag")]
    assert len({digest, *(SharedTable(frame).digest for frame in changed)}) == 5


def test_the_memory_is_freed_with_the_table() -> None:
    shared = SharedTable(FRAME)
    number = shared.descriptor
    del shared
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(number)


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (
            pd.DataFrame({"ok": [1, 2], "mix": [1, "a"]}),
            r"table 'loans.csv': column 'mix' cannot .*astype",
        ),
        (pd.DataFrame({"odd": [object(), 1]}), r"column 'odd' cannot be handed over"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), r"table 'loans.csv' has two columns named 'a'\. Rename"),
        (pd.DataFrame(index=[1, 2]), r"table 'loans.csv' has no columns"),
        ([1, 2], r"table 'loans.csv' must be a pandas DataFrame, got list"),
    ],
)
def test_what_cannot_be_handed_over_is_named(frame: pd.DataFrame, reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        SharedTable(frame, "loans.csv")
