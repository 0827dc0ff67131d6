from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pandas as pd
import pytest

from assay.core import InvalidInput, UnknownName
from assay.drift.generate.simulate import simulate
from assay.drift.logs import tables
from assay.drift.logs.read import from_frame, read_log
from assay.drift.logs.tables import log_of_frame, write_table

CSV = """Case ID;Activity;Complete Timestamp;Resource
7;A;2020-01-01 10:00:00;Ann
7;B;2020-01-01 11:00;
8;A;2020-01-02;Bob
"""


def csv(folder: Path, text: str) -> Path:
    path = folder / "Log.csv"
    path.write_bytes(text.encode("utf-8", errors="surrogateescape"))
    return path


def test_usual_headers_and_separators_are_recognised(tmp_path: Path) -> None:
    log = read_log(csv(tmp_path, CSV))
    assert log.name == "Log"
    assert log.cases == ("7", "8")
    assert log.trace(0) == ("A", "B")
    assert log.resource_codes is not None
    assert log.resource_codes.tolist() == [0, -1, 1]
    assert log.start_of(0).isoformat() == "2020-01-01T10:00:00+00:00"
    assert read_log(csv(tmp_path, CSV), timezone="America/New_York").start_of(0) == datetime(2020, 1, 1, 15, tzinfo=UTC)


def test_rows_of_a_case_may_stand_apart(tmp_path: Path) -> None:
    text = "case,activity,time\nx,A,2020-01-01\ny,A,2020-01-02\nx,B,2020-01-03\n"
    log = read_log(csv(tmp_path, text))
    assert log.trace(0) == ("A", "B")
    assert log.resource_codes is None


def test_fields_beyond_the_header_move_no_column(tmp_path: Path) -> None:
    log = read_log(csv(tmp_path, "case,activity,time\n1,A,2020-01-01,9,9,9\n1,B,2020-01-02,9,9,9\n"))
    assert log.cases == ("1",)
    assert log.trace(0) == ("A", "B")


def test_columns_can_be_named_and_further_ones_kept(tmp_path: Path) -> None:
    path = csv(tmp_path, "order,step,at,amount\n1,A,2020-01-01,5.5\n1,B,2020-01-02,\n")
    log = read_log(path, columns={"case": "order", "activity": "step", "time": "at"}, attributes=["amount"])
    assert log.attributes["amount"][0] == "5.5"
    assert pd.isna(log.attributes["amount"][1])


def test_small_pieces_give_the_same_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = simulate(seed=4, cases=30).log
    for ending in ("csv", "parquet"):
        write_table(log, tmp_path / f"x.{ending}")
        monkeypatch.setattr(tables, "_PIECE", 100_000)
        whole = read_log(tmp_path / f"x.{ending}")
        monkeypatch.setattr(tables, "_PIECE", 7)
        pd.testing.assert_frame_equal(read_log(tmp_path / f"x.{ending}").to_frame(), whole.to_frame())


BROKEN = {
    "empty": ("", "the file is empty"),
    "header only": ("case,activity,time\n", "a header and no events"),
    "no time column": ("case,activity\n1,A\n", r"no column looks like the time.*columns=\{'time': 'NAME'\}"),
    "empty time": ("case,activity,time\n1,A,2020-01-01\n1,B,\n", r"row 2: the time \(column 'time'\) is empty"),
    "empty case": ("case,activity,time\n ,A,2020-01-01\n", "row 1: the case .* is empty"),
    "empty activity": ("case,activity,time\n1,,2020-01-01\n", "row 1: the activity .* is empty"),
    "bad time": ("case,activity,time\n1,A,2020-01-01\n1,B,13/13/2020\n", "row 2: '13/13/2020' is not a time in ISO"),
    "mixed zones": ("case,activity,time\n1,A,2020-01-01T10:00Z\n1,B,2020-01-01T11:00\n",
                    "mixed: .*row 1 has one, .*row 2 none"),
    "far time": ("case,activity,time\n1,A,9999-01-01\n", "row 1: .*outside the years 1678 to 2261"),
    "short row": ("case,activity,time\n1,A,2020-01-01\n1,A\n", "row 2: the time .* is empty"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_tables_are_told_by_row_and_remedy(tmp_path: Path, kind: str) -> None:
    text, message = BROKEN[kind]
    with pytest.raises(InvalidInput, match=message) as caught:
        read_log(csv(tmp_path, text))
    assert "Log.csv" in str(caught.value)


def test_unknown_columns_get_a_suggestion(tmp_path: Path) -> None:
    path = csv(tmp_path, CSV)
    with pytest.raises(InvalidInput, match="no column 'activty'. Did you mean 'Activity'"):
        read_log(path, columns={"activity": "activty"})
    with pytest.raises(InvalidInput, match="no column 'amount'"):
        read_log(path, attributes=["amount"])
    with pytest.raises(UnknownName, match="No column of a log named 'step'"):
        read_log(path, columns={"step": "Activity"})


def test_broken_parquet_and_archives_are_told(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(InvalidInput, match="not readable as Parquet"):
        read_log(tmp_path / "x.parquet")
    write_table(simulate(seed=1, cases=30).log, tmp_path / "x.parquet")
    body = bytearray((tmp_path / "x.parquet").read_bytes())
    body[4:200] = bytes(196)  # the end, where the columns are listed, stays whole
    (tmp_path / "x.parquet").write_bytes(bytes(body))
    with pytest.raises(InvalidInput, match="not readable as Parquet"):
        read_log(tmp_path / "x.parquet")
    write_table(simulate(seed=1, cases=30).log, tmp_path / "x.csv.gz")
    (tmp_path / "x.csv.gz").write_bytes((tmp_path / "x.csv.gz").read_bytes()[:300])
    with pytest.raises(InvalidInput, match="not readable as CSV"):
        read_log(tmp_path / "x.csv.gz")


def test_frames_with_every_kind_of_time_agree() -> None:
    naive = pd.to_datetime(["2020-07-01 10:00", "2020-07-01 12:00"])
    plain = {"case": ["1", "1"], "activity": ["A", "B"]}
    east = timezone(timedelta(hours=2))
    variants = [
        from_frame(pd.DataFrame({**plain, "time": naive.tz_localize("Europe/Berlin")})),
        from_frame(pd.DataFrame({**plain, "time": naive}), timezone="Europe/Berlin"),
        from_frame(pd.DataFrame({**plain, "time": naive.astype("datetime64[s]")}), timezone="Europe/Berlin"),
        from_frame(pd.DataFrame({**plain, "time": ["2020-07-01T10:00+02:00", "2020-07-01T12:00+02:00"]})),
        from_frame(
            pd.DataFrame(
                {
                    **plain,
                    "time": pd.Series([datetime(2020, 7, 1, hour, tzinfo=east) for hour in (10, 12)], dtype=object),
                }
            )
        ),
    ]
    for log in variants:
        assert log.start_of(0) == datetime(2020, 7, 1, 8, tzinfo=UTC)
        assert log.times[1] - log.times[0] == 2 * 3600 * 10**9


def test_times_out_of_range_are_refused() -> None:
    frame = pd.DataFrame({"case": [1], "activity": ["A"], "time": pd.to_datetime(["1500-01-01"]).as_unit("s")})
    with pytest.raises(InvalidInput, match="outside the years 1678 to 2261"):
        from_frame(frame)


def test_case_ids_of_other_types_become_text() -> None:
    log = log_of_frame(
        pd.DataFrame({"case": [12, 12], "activity": ["A", "B"], "time": pd.to_datetime(["2020-01-01", "2020-01-02"])}),
        name="numbers",
    )
    assert log.cases == ("12",)


def test_carriage_returns_stay_within_their_cells(tmp_path: Path) -> None:
    frame = simulate(seed=4, cases=20).log.to_frame()
    log = log_of_frame(frame.assign(**{"concept:name": frame["concept:name"] + "\rby hand"}), name="log")
    write_table(log, tmp_path / "log.csv")
    assert read_log(tmp_path / "log.csv").trace(0) == log.trace(0)


@pytest.mark.parametrize("times", [pd.to_datetime(["2020-01-01"]), ["2020-01-01"]])
@pytest.mark.parametrize("names", [("case", "activity", "time"), ("Vorgang", "Schritt", "Zeitpunkt")])
def test_a_frame_without_rows_is_refused(times: object, names: tuple[str, str, str]) -> None:
    frame = pd.DataFrame(dict(zip(names, (["a"], ["x"], times), strict=True)))
    with pytest.raises(InvalidInput, match=r"frame 'log': it has no rows\. Give a frame with a row per event\."):
        from_frame(frame.head(0))
