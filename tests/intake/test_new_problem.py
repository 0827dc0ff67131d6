"""Tables of one's own on their way into a problem: as frames, as readings, with a label or beside another table."""

from __future__ import annotations

import pandas as pd
import polars
import pytest

from assay.core import InvalidInput
from assay.intake.new_problem import as_reading, further_reading, number_columns
from assay.intake.table.options import TableOptions
from assay.intake.table.read import read_user_table

FRAME = pd.DataFrame({"x": [0.5, 1.25, 2.0, 3.5], "note": ["a b", "c", "d", "e"], "ill": ["yes", "no", "no", "yes"]})
FLAGS = TableOptions(syntax="flags")


@pytest.mark.parametrize("table", [FRAME, polars.from_pandas(FRAME)], ids=["pandas", "polars"])
def test_frames_are_read_with_their_label_whose_classes_stay_as_they_are_written(table: object) -> None:
    reading = as_reading(table, FLAGS, label="ill")
    assert reading["ill"].role == "label"
    assert reading.classes("ill").tolist() == ["yes", "no", "no", "yes"]


def test_zeros_and_ones_stay_numbers_as_classes() -> None:
    reading = as_reading(FRAME.assign(ill=["1", "0", "0", "1"]), FLAGS, label="ill")
    assert reading.classes("ill").tolist() == [1, 0, 0, 1]


def test_of_a_table_that_was_read_before_columns_are_left_out_now() -> None:
    reading = as_reading(read_user_table(FRAME), TableOptions(ignore=("note",)))
    assert list(reading.frame.columns) == ["x", "ill"]
    with pytest.raises(InvalidInput, match="No column named 'nte'"):
        as_reading(read_user_table(FRAME), TableOptions(ignore=("nte",)))


def test_a_further_table_need_not_have_what_is_ignored_in_the_first() -> None:
    options = TableOptions(ignore=("note",), columns={"label": "ill"})
    assert list(further_reading(FRAME[["x"]], options).frame.columns) == ["x"]


def test_a_missing_label_is_told_in_the_words_of_the_option_that_named_it() -> None:
    with pytest.raises(InvalidInput, match="^frame: --target il: there is no column 'il'. Did you mean 'ill'"):
        as_reading(FRAME, FLAGS, label="il", option="target")


def test_columns_that_hold_no_numbers_are_named_with_the_flag_that_leaves_them_out() -> None:
    reading = read_user_table(FRAME.assign(seen=pd.date_range("2024-01-01", periods=4)))
    with pytest.raises(InvalidInput, match="column 'note' holds texts, not numbers .* --ignore note"):
        number_columns(reading, ["x", "note"], FLAGS)
    with pytest.raises(InvalidInput, match="column 'seen' holds times, not numbers"):
        number_columns(reading, ["seen"], FLAGS)
    assert number_columns(reading, ["ill"], FLAGS).ravel().tolist() == [1, 0, 0, 1]
