"""Logs as people export them: own headers, European dates, other encodings; one format for the whole file."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from assay.core import InvalidInput
from assay.drift.logs import sample, tables
from assay.drift.logs.read import from_frame, read_log, read_log_file
from assay.intake.table.options import TableOptions

STEPS = ("Antrag prüfen", "Bescheid erstellen", "Versand")
FLAGS = TableOptions(syntax="flags")


def events(cases: int = 30) -> pd.DataFrame:
    """Cases of three steps, a day apart, from January on."""
    start = pd.Timestamp("2023-01-02 08:30:00")
    rows = [
        (f"V-{1000 + case}", step, start + pd.Timedelta(days=case, hours=2 * place), ("Müller", "Groß")[place % 2])
        for case in range(cases)
        for place, step in enumerate(STEPS)
    ]
    return pd.DataFrame(rows, columns=["Vorgang", "Tätigkeit", "Zeitpunkt", "Bearbeiter"])


def csv_file(path: Path, time_format: str, *, cases: int = 30, separator: str = ";", encoding: str = "utf-8") -> Path:
    frame = events(cases)
    frame["Zeitpunkt"] = frame["Zeitpunkt"].dt.strftime(time_format)
    path.write_bytes(frame.to_csv(index=False, sep=separator).encode(encoding))
    return path


FORMATS = [
    "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%Y/%m/%d %H:%M:%S", "%m/%d/%Y %I:%M %p", "%d-%b-%Y %H:%M",
    "%d.%m.%y %H:%M",
]  # fmt: skip


@pytest.mark.parametrize("time_format", FORMATS)
def test_own_headers_and_usual_date_formats_are_recognised(tmp_path: Path, time_format: str) -> None:
    log = read_log(csv_file(tmp_path / "log.csv", time_format))
    assert log.cases[:2] == ("V-1000", "V-1001")
    assert log.trace(0) == STEPS
    assert log.resources == ("Müller", "Groß")
    assert log.start_of(0).isoformat() == "2023-01-02T08:30:00+00:00"
    assert log.start_of(29).isoformat() == "2023-01-31T08:30:00+00:00"
    (note,) = (note for note in log.notes if note.startswith("Columns taken"))
    assert f"case = 'Vorgang', activity = 'Tätigkeit', time = 'Zeitpunkt' ({time_format})" in note


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_encodings_and_separators_are_found(tmp_path: Path, encoding: str, separator: str) -> None:
    path = csv_file(tmp_path / "log.csv", "%d.%m.%Y %H:%M", separator=separator, encoding=encoding)
    assert read_log(path).trace(0) == STEPS
    assert read_log(path, encoding=encoding, separator=separator).trace(0) == STEPS


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("epoch-seconds", lambda times: times.astype("datetime64[s]").astype("int64")),
        ("epoch-milliseconds", lambda times: times.astype("datetime64[ms]").astype("int64")),
        ("excel-serial", lambda times: (times - pd.Timestamp("1899-12-30")) / pd.Timedelta(days=1)),
    ],
)
def test_times_as_numbers_are_read(tmp_path: Path, name: str, values: object) -> None:
    frame = events()
    frame["Zeitpunkt"] = values(frame["Zeitpunkt"])  # type: ignore[operator]
    frame.to_csv(tmp_path / "log.csv", index=False)
    for log in (read_log(tmp_path / "log.csv"), from_frame(frame), read_log(tmp_path / "log.csv", time_format=name)):
        assert log.start_of(0).isoformat() == "2023-01-02T08:30:00+00:00"
        assert log.start_of(29).isoformat() == "2023-01-31T08:30:00+00:00"


def test_day_and_month_that_cannot_be_told_apart_are_refused_with_both_remedies(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "log.csv", "%d/%m/%Y %H:%M", cases=9)
    with pytest.raises(InvalidInput, match=r"time_format='%d/%m/%Y %H:%M' or time_format='%m/%d/%Y %H:%M'"):
        read_log(path)
    with pytest.raises(InvalidInput, match=r"--time-format '%d/%m/%Y %H:%M' or --time-format '%m/%d/%Y %H:%M'"):
        read_log_file(path, options=FLAGS)
    assert read_log(path, time_format="%d/%m/%Y %H:%M").start_of(8).isoformat() == "2023-01-10T08:30:00+00:00"
    assert read_log(path, time_format="%m/%d/%Y %H:%M").start_of(0).isoformat() == "2023-02-01T08:30:00+00:00"


def test_the_format_of_the_sample_holds_and_a_later_misfit_is_named_by_row_and_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = csv_file(tmp_path / "log.csv", "%d/%m/%Y %H:%M", cases=400)
    lines = path.read_text().splitlines()
    lines[1150] = lines[1150].replace(lines[1150].split(";")[2], "06/25/2023 10:00")
    path.write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(sample, "_CHUNK", 8192)
    monkeypatch.setattr(sample, "_HEAD", 8192)
    monkeypatch.setattr(sample, "_BLOCK", 256)
    with pytest.raises(InvalidInput, match=r"row 1150: '06/25/2023 10:00' is not a time.*%d/%m/%Y.*--time-format"):
        read_log_file(path, options=FLAGS)
    monkeypatch.setattr(tables, "_PIECE", 20)
    good = csv_file(tmp_path / "good.csv", "%d/%m/%Y %H:%M", cases=400)
    assert (
        read_log(good).start_of(10).isoformat() == "2023-01-12T08:30:00+00:00"
    )  # 12/01 in a piece that alone is unclear


def test_the_sample_reaches_over_the_whole_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = csv_file(tmp_path / "log.csv", "%d.%m.%Y %H:%M", cases=300, encoding="cp1252")
    monkeypatch.setattr(sample, "_CHUNK", 1024)
    monkeypatch.setattr(sample, "_HEAD", 512)
    monkeypatch.setattr(sample, "_BLOCK", 256)
    layout = sample.take_sample(path, FLAGS)
    assert layout.encoding in ("cp1252", "latin-1")
    lines = layout.text.splitlines()
    assert lines[0].startswith("Vorgang;")
    assert all(line.count(";") == 3 for line in lines)
    assert any("V-12" in line for line in lines)
    assert len(layout.text) < path.stat().st_size / 2


def test_roles_can_be_named_and_columns_ignored(tmp_path: Path) -> None:
    frame = events().rename(columns={"Zeitpunkt": "Beginn"})
    frame["Ende"] = frame["Beginn"] + pd.Timedelta(hours=1)
    frame.to_csv(tmp_path / "log.csv", index=False)
    with pytest.raises(InvalidInput, match="Say which: --column time=Beginn or --column time=Ende"):
        read_log_file(tmp_path / "log.csv", options=FLAGS)
    assert read_log(tmp_path / "log.csv", columns={"time": "Ende"}).start_of(0).hour == 9
    assert read_log(tmp_path / "log.csv", ignore=["Ende"]).start_of(0).hour == 8
    with pytest.raises(InvalidInput, match="no column 'Endee'. Did you mean 'Ende'"):
        read_log(tmp_path / "log.csv", ignore=["Endee"])


def test_a_column_that_holds_no_times_is_named(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("case,activity,time\n1,A,soon\n1,B,later\n2,A,soon\n")
    with pytest.raises(InvalidInput, match="'time'.*'soon' in row 1, which is not a known time.*--time-format"):
        read_log_file(tmp_path / "log.csv", options=FLAGS)


def test_zones_in_other_formats_follow_the_same_rule(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = [f"{case},{step},{case + 1:02}.03.2023 10:00 +02:00" for case in range(20) for step in "AB"]
    path.write_text("\n".join(["case,activity,time", *rows]) + "\n")
    assert read_log(path).start_of(0).isoformat() == "2023-03-01T10:00:00+02:00"
    path.write_text(path.read_text() + "20,A,21.03.2023 10:00\n")
    with pytest.raises(InvalidInput, match="with and without a zone are mixed.*--timezone Europe/Berlin"):
        read_log_file(path, options=FLAGS)
    assert read_log(path, timezone="Europe/Berlin").start_of(20).isoformat() == "2023-03-21T10:00:00+01:00"


def test_a_format_that_is_given_may_name_months_in_any_language(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("case,activity,time\n1,A,3. März 2023\n1,B,4. Mai 2023\n")
    assert read_log(path, time_format="%d. %B %Y").start_of(0).isoformat() == "2023-03-03T00:00:00+00:00"
    with pytest.raises(InvalidInput, match="row 1: '3. März 2023' is not a time in the format of column 'time', %Y"):
        read_log(path, time_format="%Y")


def test_workbooks_are_logs_too(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    events().to_excel(tmp_path / "log.xlsx", index=False)
    log = read_log(tmp_path / "log.xlsx")
    assert log.name == "log"
    assert log.trace(0) == STEPS
    assert log.start_of(29).isoformat() == "2023-01-31T08:30:00+00:00"


def test_xes_takes_no_options_of_tables(tmp_path: Path) -> None:
    (tmp_path / "log.xes").write_text("<log/>")
    with pytest.raises(InvalidInput, match="Leave --sep ';' out"):
        read_log_file(tmp_path / "log.xes", options=TableOptions(separator=";", syntax="flags"))


def test_bare_times_mean_the_same_in_texts_and_in_frames_when_clocks_change() -> None:
    texts = ["2023-03-26 02:30:00", "2023-10-29 02:30:00", "2023-07-01 12:00:00"]
    frame = pd.DataFrame({"case": ["a", "b", "c"], "activity": "x", "time": texts})
    as_texts = from_frame(frame, timezone="Europe/Berlin")
    one_by_one = from_frame(frame.assign(time=frame["time"].astype(object)), timezone="Europe/Berlin")
    as_times = from_frame(frame.assign(time=pd.to_datetime(frame["time"])), timezone="Europe/Berlin")
    expected = ["2023-03-26T03:30:00+02:00", "2023-07-01T12:00:00+02:00", "2023-10-29T02:30:00+02:00"]
    for log in (as_texts, one_by_one, as_times):
        assert [log.start_of(case).isoformat() for case in range(3)] == expected


def test_a_column_that_comes_twice_is_refused() -> None:
    frame = pd.DataFrame([["1", "1", "a", "2020-01-01"]], columns=["case", "case", "activity", "time"])
    with pytest.raises(InvalidInput, match=r"2 columns are named 'case' .case.\. Rename all but one."):
        from_frame(frame)


def test_without_a_time_the_ignored_columns_are_named_and_not_offered() -> None:
    frame = events().set_axis(["Vorgang", "Schritt", "Zeitpunkt", *events().columns[3:]], axis=1)
    with pytest.raises(InvalidInput) as caught:
        from_frame(frame, ignore=["Zeitpunkt"])
    message = str(caught.value)
    assert "no column looks like the time. Name it with columns={'time': 'NAME'}" in message
    assert message.endswith("Ignored: 'Zeitpunkt'.")
    assert "Zeitpunkt" not in message.partition("Ignored:")[0]
