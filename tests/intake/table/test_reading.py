"""A reading tells itself in 80 columns, and hands out what a track needs."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from assay.core import InvalidInput, UnknownName
from assay.intake.table.options import TableOptions
from assay.intake.table.read import read_user_table


@pytest.fixture
def frame() -> pd.DataFrame:
    count = 30
    return pd.DataFrame(
        {
            "id": range(count),
            "made": pd.date_range("2020-01-01", periods=count),
            "plant": ["north", "south", "west"] * 10,
            "site": ["x"] * count,
            "width": [n * 0.37 for n in range(count)],
            "broken": ["yes", "no"] * 15,
        }
    )


def test_the_text_fits_and_names_every_column_whole(frame: pd.DataFrame) -> None:
    reading = read_user_table(
        frame.rename(columns={"width": "a very long name of a column, longer than any terminal line would like"})
    )
    text = reading.text()
    assert max(map(len, text.splitlines())) <= 80
    assert "a very long name of a column, longer than any terminal line would like" in text.replace("\n", " ")
    assert all(column.role in text for column in reading.columns)
    assert read_user_table(frame).text().splitlines()[2].split() == ["column", "role", "type", "why"]


def test_features_leave_out_what_no_model_should_learn_from(frame: pd.DataFrame) -> None:
    reading = read_user_table(frame)
    features = reading.features()
    assert list(features.frame) == ["plant", "width"]
    assert features.label is not None
    assert features.label.name == "broken"
    assert len(features.notes) == 3
    stored = reading.features(label="plant", keep=["made"], ignore=["width"])
    assert list(stored.frame) == ["made", "broken"]
    assert "'made' is used as requested, although it looks like time" in stored.notes[1]
    with pytest.raises(UnknownName, match="Did you mean 'width'"):
        reading.features(keep=["widht"])


def test_a_role_that_nobody_plays_is_asked_for_in_the_users_syntax(frame: pd.DataFrame) -> None:
    with pytest.raises(
        InvalidInput, match=r"no column looks like the case. Name it, for example --column case=id. Columns: id, "
    ):
        read_user_table(frame, TableOptions(syntax="flags")).column("case")
    twice = frame.assign(shipped=frame["made"])
    with pytest.raises(InvalidInput, match=r"2 columns look like the time. Say which: columns=\{'time': 'made'\} or"):
        read_user_table(twice).column("time")
    assert read_user_table(twice, TableOptions(columns={"time": "shipped"})).column("time").name == "shipped"


def test_a_reading_is_json_and_html(frame: pd.DataFrame) -> None:
    reading = read_user_table(frame)
    body = json.loads(json.dumps(reading.to_json()))
    assert body["rows"] == 30
    assert body["columns"][1]["time_format"] == "native timestamp"
    assert "<td>identifier</td>" in reading._repr_html_()
    assert (
        repr(reading)
        == "TableReading(30 rows, 6 columns; id: identifier, made: time, plant: feature-category, site: constant, ...)"
    )
