import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.drift.generate.simulate import simulate
from assay.drift.problem.detector_files import read_detections, read_windows, write_detections

HEADER = ",Detected Changepoints,Detected Drift Types,Prediction Confidence,gold_source_document\n"
WINDOWS = {
    "Orders": {
        "1": ["order 1500", "2020-03-01 08:00:00"],
        "2": ["order 1501", "2020-03-02 08:00:00"],
        "3": ["order 1777", "2020-04-02 08:30:00"],
    }
}
ROW = (
    "Orders,\"[('order 1501', 'order 1777'), ('order 1500', 'order 1500')]\",\"['incremental', 'sudden']\","
    "[0.71 0.64],\"['2020-03-02_New_Rule.pdf', '2020-04-10_Memo.pdf']\"\n"
)


def folder_with(folder: Path, *, rows: str = ROW, header: str = HEADER, windows: object = WINDOWS) -> Path:
    (folder / "prediction_results.csv").write_text(header + rows)
    (folder / "window_info.json").write_text(json.dumps(windows))
    return folder


def test_the_detector_files_are_read_as_they_are(tmp_path: Path) -> None:
    first, second = read_detections(folder_with(tmp_path), test_set="set1")
    assert first.drift.id == "set1_drift_1_1"
    assert first.drift.process == "Orders"
    assert first.drift.type == "incremental"
    assert first.drift.start == datetime(2020, 3, 2, 8, tzinfo=UTC)
    assert first.drift.end == datetime(2020, 4, 2, 8, 30, tzinfo=UTC)
    assert first.drift.confidence == 0.71
    assert first.golden == ("2020-03-02_New_Rule.pdf",)
    assert second.drift.start == second.drift.end == datetime(2020, 3, 1, 8, tzinfo=UTC)


def test_a_zone_shifts_the_bare_times(tmp_path: Path) -> None:
    first, _ = read_detections(folder_with(tmp_path), timezone="Europe/Berlin")
    assert first.drift.start == datetime(2020, 3, 2, 7, tzinfo=UTC)
    assert first.drift.end == datetime(2020, 4, 2, 6, 30, tzinfo=UTC)  # summer time by then
    with pytest.raises(InvalidInput, match="time zone 'Atlantis' is not known"):
        read_windows(tmp_path / "window_info.json", timezone="Atlantis")


def test_the_golden_column_may_be_absent_or_name_several(tmp_path: Path) -> None:
    bare = HEADER.replace(",gold_source_document", "")
    row = "Orders,\"[('order 1500', 'order 1500')]\",\"['sudden']\",[0.5]"
    (entry,) = read_detections(folder_with(tmp_path, header=bare, rows=row + "\n"))
    assert entry.golden == ()
    (entry,) = read_detections(folder_with(tmp_path, rows=row + ",\"[('a.pdf', 'b.pdf')]\"\n"))
    assert entry.golden == ("a.pdf", "b.pdf")


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    simulated = simulate(seed=5, cases=600, drifts=("sudden", "gradual", "recurring"))
    drifts = [planted.drift for planted in simulated.drifts]
    golden = [["a.pdf"], [], ["b.pdf", "c.pdf"]]
    write_detections(
        tmp_path, drifts, golden=golden, windows={simulated.log.name: {"case 1": simulated.log.start_of(0)}}
    )
    entry = read_detections(tmp_path, test_set=simulated.log.name)
    assert [detection.drift for detection in entry] == drifts
    assert [list(detection.golden) for detection in entry] == golden
    assert len(read_windows(tmp_path / "window_info.json")[simulated.log.name]) == 6
    write_detections(tmp_path, drifts)
    assert "gold" not in (tmp_path / "prediction_results.csv").read_text()
    assert [detection.golden for detection in read_detections(tmp_path)] == [(), (), ()]


def test_no_drifts_are_no_error(tmp_path: Path) -> None:
    assert read_detections(folder_with(tmp_path, rows="Orders,[],[],[],[]\n")) == ()


MALFORMED = {
    "cases as text": (ROW.replace("[('order 1501", "('order 1501").replace("1500')]", "1500')"), "must be a list"),
    "not literal": (ROW.replace("'order 1501'", "open('x')"), "Detected Changepoints must be a list in brackets"),
    "single case": (ROW.replace("('order 1500', 'order 1500')", "'order 1500'"), "drift 2: a change point must be a"),
    "unknown type": (ROW.replace("sudden", "abrupt"), "drift 2: 'abrupt' is not a drift type. Known: sudden, gradual"),
    "confidence text": (ROW.replace("[0.71 0.64]", "high"), r"Prediction Confidence must be numbers .* got 'high'"),
    "confidence range": (ROW.replace("0.71", "71"), r"Prediction Confidence must lie in \[0, 1\]"),
    "confidence nan": (ROW.replace("0.71", "nan"), r"must lie in \[0, 1\]"),
    "lengths": (ROW.replace("[0.71 0.64]", "[0.71]"), "different numbers of drifts .*Changepoints 2.*Confidence 1"),
    "unknown case": (ROW.replace("'order 1777'", "'trip 1777'"),
                     "drift 1: case 'trip 1777' opens none of the 3 windows.*'order 1777': matching='last-number'"),
    "unknown log": (ROW.replace("Orders,", "Trips,"), "'Trips' is not in window_info.json, which knows 'Orders'"),
    "golden number": (ROW.replace("'2020-04-10_Memo.pdf'", "7"), "drift 2: gold_source_document must be a file name"),
    "short row": ("Orders,[]\n", "row 1: it has not as many fields as the header"),
}  # fmt: skip


@pytest.mark.parametrize("kind", MALFORMED)
def test_malformed_rows_are_told_by_place(tmp_path: Path, kind: str) -> None:
    row, message = MALFORMED[kind]
    with pytest.raises(InvalidInput, match=message) as caught:
        read_detections(folder_with(tmp_path, rows=row))
    assert "prediction_results.csv, row 1" in str(caught.value)


def test_last_numbers_match_only_when_asked(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, rows=ROW.replace("'order 1777'", "'declaration 1777'"))
    first, _ = read_detections(folder, matching="last-number")
    assert first.drift.end_case == "declaration 1777"
    assert first.drift.end == datetime(2020, 4, 2, 8, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("windows", "message"),
    [
        ([], "expected"),
        ({"Orders": {}}, "has no windows"),
        ({"Orders": {"1": ["order 1"]}}, "window '1': expected"),
        ({"Orders": {"1": ["order 1", "yesterday"]}}, "'yesterday' is not a time"),
    ],
)
def test_malformed_windows_are_told_by_place(tmp_path: Path, windows: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_detections(folder_with(tmp_path, windows=windows))


def test_missing_files_and_columns_are_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="window_info.json: file not found"):
        read_detections(tmp_path)
    folder_with(tmp_path, header=HEADER.replace("Detected Drift Types", "Types"))
    with pytest.raises(InvalidInput, match="column missing: Detected Drift Types. It has: '', "):
        read_detections(tmp_path)
    (tmp_path / "prediction_results.csv").unlink()
    with pytest.raises(InvalidInput, match="prediction_results.csv: file not found"):
        read_detections(tmp_path)
    (tmp_path / "window_info.json").write_text("{")
    with pytest.raises(InvalidInput, match="window_info.json: not valid JSON: .* at line 1, column 2"):
        read_detections(tmp_path)


@pytest.mark.parametrize("time", ["0001-01-01 00:00:00+05:00", "9999-12-31 23:00:00-05:00"])
def test_a_time_outside_of_the_calendar_is_refused_with_its_window(tmp_path: Path, time: str) -> None:
    folder_with(tmp_path, windows={"Orders": {"1": ["order 1500", time]}})
    with pytest.raises(InvalidInput, match=r"log 'Orders', window '1': .* is not a time such as"):
        read_windows(tmp_path / "window_info.json")
