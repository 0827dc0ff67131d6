from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.core import InvalidInput
from assay.drift.generate.simulate import simulate
from assay.drift.logs.event_log import EventLog, arrange
from assay.drift.logs.read import from_frame, read_log, write_log
from assay.drift.logs.xes import read_xes
from assay.drift.logs.xes_writing import write_xes


def small_log(**attributes: Any) -> EventLog:
    """Two cases of two events each, with columns of their own."""
    log = arrange(
        "p", cases=["1", "2"], activities=["a"], case_codes=[0, 0, 1, 1], activity_codes=[0] * 4, times=range(4)
    )
    return replace(log, attributes={name: np.array(values, dtype=object) for name, values in attributes.items()})


def test_names_that_xml_cannot_hold_are_not_written(tmp_path: Path) -> None:
    log = arrange("p", cases=["1"], activities=["a\x0bb"], case_codes=[0], activity_codes=[0], times=[0])
    with pytest.raises(InvalidInput, match=r"log\.xes: 'a\\x0bb' has a character that XML cannot hold"):
        write_xes(log, tmp_path / "log.xes")
    assert not (tmp_path / "log.xes").exists()


def test_microseconds_are_written_where_there_are_any(tmp_path: Path) -> None:
    times = [0, 1_500_000, 2_000_001_000]
    log = arrange("p", cases=["1"], activities=["a"], case_codes=[0] * 3, activity_codes=[0] * 3, times=times)
    write_xes(log, tmp_path / "log.xes")
    assert read_xes(tmp_path / "log.xes").times.tolist() == times


def test_further_columns_come_back_with_their_types(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {
        "amount": [5.5, None, -1e300, 0.1],
        "count": [1, 2, None, -(2**60)],
        "paid": [True, False, None, True],
        "note": ['say "é" & <b>\nagain', None, "", "5"],
        "case:region": ["north", "north", None, None],
        "case:weight": [1.5, 1.5, 2.5, 2.5],
    }
    write_log(small_log(**columns), tmp_path / "log.xes.gz")
    log = read_log(tmp_path / "log.xes.gz", attributes=list(columns))
    assert {name: log.attributes[name].tolist() for name in columns} == columns
    assert [type(value) for value in log.attributes["count"][:2]] == [int, int]


def test_times_among_the_columns_are_dates(tmp_path: Path) -> None:
    frame = simulate(seed=4, cases=20).log.to_frame()
    frame["due"] = frame["time:timestamp"]
    frame["case:opened"] = datetime(2020, 1, 1, tzinfo=UTC)
    write_xes(from_frame(frame, name="log", attributes=["due", "case:opened"]), tmp_path / "log.xes")
    text = (tmp_path / "log.xes").read_text()
    assert text.count('<date key="due"') == len(frame)
    assert text.count('<date key="opened" value="2020-01-01T00:00:00') == 20
    assert read_xes(tmp_path / "log.xes").events == len(frame)


def test_a_column_of_traces_that_differs_within_one_is_refused(tmp_path: Path) -> None:
    log = small_log(**{"case:region": ["north", "south", "north", "north"]})
    with pytest.raises(InvalidInput, match="'case:region' differs between events of case '1'.* Rename the column, or"):
        write_xes(log, tmp_path / "log.xes")
    assert not (tmp_path / "log.xes").exists()


def test_what_is_written_anyway_is_not_written_twice(tmp_path: Path) -> None:
    whole = small_log()
    doubled = small_log(**{"concept:name": ["x"] * 4, "time:timestamp": [1] * 4, "case:concept:name": ["y"] * 4})
    write_xes(whole, tmp_path / "whole.xes")
    write_xes(doubled, tmp_path / "doubled.xes")
    assert (tmp_path / "doubled.xes").read_bytes() == (tmp_path / "whole.xes").read_bytes()


def test_texts_of_columns_that_xml_cannot_hold_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"'x\\x00' has a character that XML cannot hold"):
        write_xes(small_log(note=["x\0", "", "", ""]), tmp_path / "log.xes")
