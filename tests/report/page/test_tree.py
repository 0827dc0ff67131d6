"""Answers and notes as a page shows them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from assay.core import get_track
from assay.report.page.tree import INLINE, LONGEST, MOST_COLUMNS, MOST_ROWS, answer_tree, tree


def test_lists_of_one_length_become_rows_and_others_stay_lines() -> None:
    node = tree({"scores": [0.5] * 6, "neighbours": [[1, 2]] * 6, "other": [1, 2], "name": "x"})
    parts = dict(node.parts)
    assert parts["each"].columns == ("", "scores", "neighbours")
    assert parts["each"].rows[5] == ("5", "0.500", "[1, 2]")
    assert (parts["other"].line, parts["name"].line) == ("1, 2", "x")


def test_mappings_in_a_list_are_a_table_unless_they_hold_more_of_them() -> None:
    assert tree([{"a": 1, "b": None}, {"a": True}]).rows == (("1", "none"), ("yes", ""))
    deep = tree([{"a": {"b": 1}}])
    assert deep.columns == ()
    assert deep.parts[0][1].parts[0][1].parts[0][1].line == "1"


def test_what_is_cut_is_said() -> None:
    assert tree(list(range(500))).note == f"the first {INLINE} of 500 entries"
    assert tree([{"a": place} for place in range(500)]).note == f"the first {MOST_ROWS} of 500 entries"
    assert str(LONGEST) in tree("x" * (LONGEST + 1)).note
    nested: list[object] = []
    for _ in range(50):
        nested = [{"deeper": nested}]
    assert "deeper than" in str(tree(nested))


@pytest.mark.parametrize("value", [np.float64(0.5), 0.5])
def test_numbers_are_worded_as_everywhere(value: float) -> None:
    assert tree(value).line == "0.500"
    assert tree(pd.DataFrame({"a": [value]})).rows == (("0.500",),)


def test_answers_are_read_as_json_or_by_their_track_and_hostile_bytes_are_told() -> None:
    track = get_track("conformal")
    assert dict(answer_tree(track, json.dumps({"sets": [[1]]}).encode()).parts)["sets"].line == "[1]"
    assert "9 bytes that cannot be read" in answer_tree(track, b"\xff\x00broken\x00").line
    assert "control \\x1b" in tree("control \x1b").line


def test_rows_that_stand_together_replace_no_part_of_that_name() -> None:
    parts = dict(tree({"scores": [0.5] * 6, "neighbours": [1] * 6, "each": "a text"}).parts)
    assert parts["each"].line == "a text"
    assert parts["each-2"].columns == ("", "scores", "neighbours")


def test_columns_that_are_left_out_are_counted() -> None:
    wide = pd.DataFrame(np.zeros((3, MOST_COLUMNS + 2)))
    assert tree(wide).note == f"the first {MOST_COLUMNS} of {MOST_COLUMNS + 2} columns"
    assert tree(wide.iloc[:, :MOST_COLUMNS]).note == ""
    long = pd.DataFrame(np.zeros((MOST_ROWS + 1, MOST_COLUMNS + 2)))
    assert tree(long).note == (
        f"the first {MOST_ROWS} of {MOST_ROWS + 1} entries, the first {MOST_COLUMNS} of {MOST_COLUMNS + 2} columns"
    )


def test_sets_stand_in_one_order() -> None:
    names = [f"name {number}" for number in range(9)]
    assert tree(set(names)).line == tree(frozenset(names[::-1])).line == ", ".join(names)
