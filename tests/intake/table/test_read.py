"""Tables as users have them: what every column is taken for, and what is refused."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core import InvalidInput, MissingExtra
from assay.intake.table.options import TableOptions
from assay.intake.table.read import read_user_table
from assay.intake.table.reading import TableReading

NAMES = ("Anna", "Ben", "Cleo", "Dora")


def csv_of(tmp_path: Path, text: str, name: str = "table.csv", encoding: str = "utf-8") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    return path


@contextmanager
def suppress_clear_errors() -> Iterator[None]:
    """An error that wraps another one is a surprise."""
    try:
        yield
    except InvalidInput as error:
        if error.__cause__ is not None:
            raise


def roles(reading: TableReading) -> list[str]:
    return [column.role for column in reading.columns]


def rows(count: int, line: str) -> str:
    """Lines with the row's number, numbers that vary, and a word."""
    return "".join(
        line.format(n=n, x=(n * 7919 % 1000) / 10, k=n * 37 % 11, name=NAMES[n * 5 % 4], flag=("yes", "no")[n * 3 % 2])
        + "\n"
        for n in range(1, count + 1)
    )


def test_a_plain_table_has_identifier_features_and_a_label(tmp_path: Path) -> None:
    reading = read_user_table(csv_of(tmp_path, "customer_id,spend,town,churned\n" + rows(40, "{n},{x},{name},{flag}")))
    assert roles(reading) == ["identifier", "feature-number", "feature-category", "label"]
    assert [column.type for column in reading.columns] == ["integer", "float", "text", "boolean"]
    assert (reading.separator, reading.decimal, reading.encoding, reading.header) == (",", ".", "utf-8", True)
    assert reading.frame["churned"].dtype == bool


def test_a_european_table_keeps_its_numbers_and_letters(tmp_path: Path) -> None:
    text = "sep=;\nNr;Größe;Preis €\n" + "".join(f"{n};1.{n:03};{n},5{n % 10}\n" for n in range(1, 31))
    reading = read_user_table(csv_of(tmp_path, text, encoding="cp1252"))
    assert (reading.separator, reading.decimal, reading.encoding) == (";", ",", "cp1252")
    assert reading.frame["Preis €"].iloc[:2].tolist() == [1.51, 2.52]
    assert reading.frame["Größe"].iloc[0] == 1001  # the other column tells what the point means


def test_titles_units_totals_and_line_ends_are_passed_over_and_told(tmp_path: Path) -> None:
    text = "Sales 2023;;;\n;;;\nshop;area;sales;\n-;m2;EUR;\n" + rows(12, "{name} {n};{k};{x};") + "Total;66;612.5;\n"
    reading = read_user_table(csv_of(tmp_path, text))
    assert len(reading.frame) == 12
    assert [column.name for column in reading.columns] == ["shop", "area", "sales"]
    message = " ".join(reading.notes)
    assert all(word in message for word in ("Sales 2023", "units", "Total", "ends with a separator"))


def test_a_file_without_names_is_numbered(tmp_path: Path) -> None:
    reading = read_user_table(csv_of(tmp_path, rows(30, "{x},{k}.5,{name}"), "iris.data"))
    assert not reading.header
    assert [column.name for column in reading.columns] == ["#1", "#2", "#3"]
    assert len(reading.frame) == 30
    assert roles(reading)[-1] == "label"


def test_names_that_stand_twice_are_told_apart_by_place(tmp_path: Path) -> None:
    reading = read_user_table(csv_of(tmp_path, "a,score,score,b\n" + rows(20, "{n},{k},{x},{flag}")))
    assert [column.name for column in reading.columns] == ["a", "score", "score (2)", "b"]
    assert "'score' in place 3 is called 'score (2)'" in reading.notes[0]


@pytest.mark.parametrize(
    ("header", "stamp"),
    [
        ("Case ID,Activity,Complete Timestamp,Resource", "2020/01/{d:02} 0{h}:56:00.000"),
        ("Vorgangsnummer,Aktivität,Zeitstempel,Bearbeiter", "{d:02}.01.2020 0{h}:45"),
        ("dossier,étape,date,agent", "{d:02}/01/2020 0{h}:45"),
        ("case:concept:name,concept:name,time:timestamp,org:resource", "2020-01-{d:02}T0{h}:45:00+01:00"),
    ],
)
def test_event_logs_are_known_in_several_languages(tmp_path: Path, header: str, stamp: str) -> None:
    steps = ("open", "check", "pay", "close")
    lines = [f"C{n // 4},{steps[n % 4]},{stamp.format(d=n % 28 + 1, h=n % 9)},{NAMES[n * 7 % 3]}" for n in range(80)]
    reading = read_user_table(csv_of(tmp_path, "\n".join([header, *lines])))
    assert roles(reading) == ["case", "activity", "time", "resource"]
    assert reading.times().notna().all()


def test_day_and_month_are_never_guessed(tmp_path: Path) -> None:
    text = "order,shipped,weight\n" + "".join(f"A{n},0{n % 9 + 1}/0{n % 7 + 1}/2023 05:00,{n}.5\n" for n in range(40))
    reading = read_user_table(csv_of(tmp_path, text), TableOptions(syntax="flags"))
    column = reading["shipped"]
    assert column.role == "time"
    assert column.ambiguous
    assert reading.frame["shipped"].iloc[0] == "01/01/2023 05:00"
    with pytest.raises(InvalidInput) as caught:
        reading.times()
    assert "'01/01/2023 05:00'" in str(caught.value)
    assert "--time-format '%d/%m/%Y %H:%M' or --time-format '%m/%d/%Y %H:%M'" in str(caught.value)
    options = TableOptions(time_format="%m/%d/%Y %H:%M")
    assert read_user_table(csv_of(tmp_path, text), options).times().iloc[10] == pd.Timestamp("2023-02-04 05:00")


def test_measurements_that_all_differ_are_features_and_registers_are_identifiers(tmp_path: Path) -> None:
    lines = [f"{1500000000 + n * 7919 % 997},{98000 + n * 31 % 4999},{n * 3},{NAMES[n % 3]}" for n in range(60)]
    reading = read_user_table(csv_of(tmp_path, "\n".join(["company_no,pressure_pa,odometer_km,grade", *lines])))
    assert roles(reading) == ["identifier", "feature-number", "feature-number", "label"]


def test_sentinels_are_missing_only_where_they_lie_outside(tmp_path: Path) -> None:
    lines = [f"{999 if n % 9 == 0 else 20 + n},{999 if n % 9 == 0 else 500 + n * 31},{n}.25" for n in range(60)]
    reading = read_user_table(csv_of(tmp_path, "\n".join(["age,steps,outcome", *lines])))
    assert reading["age"].missing == 7
    assert "999" in reading["age"].warning
    assert reading["steps"].missing == 0


def test_a_late_value_that_does_not_fit_is_told_and_never_lost(tmp_path: Path) -> None:
    lines = [f"{n},{n}.5" for n in range(3000)]
    lines[2900] = "2900,oops"
    reading = read_user_table(csv_of(tmp_path, "\n".join(["n,value", *lines])))
    assert "'oops' in row 2901 is not a number: 1 such value read as missing" in reading["value"].warning
    assert reading["value"].type == "float"
    assert reading["value"].missing == 1


def test_frames_and_parquet_keep_their_types(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "Belegnummer": [n // 4 for n in range(40)],
            "Schritt": ["an", "prüfen", "buchen", "zu"] * 10,
            "Zeit": pd.date_range("2022-01-01", periods=40, freq="h"),
            "ok": [True, False] * 20,
        }
    )
    frame.to_parquet(tmp_path / "log.parquet")
    for source in (frame, tmp_path / "log.parquet"):
        reading = read_user_table(source)
        assert roles(reading) == ["case", "activity", "time", "boolean"]
        assert reading["Zeit"].time_format == "native timestamp"
        assert reading.separator is None
    assert frame["Zeit"].dtype.kind == "M"  # the caller's frame is as it was


def test_polars_frames_are_read() -> None:
    polars = pytest.importorskip("polars")
    reading = read_user_table(polars.DataFrame({"x": [1.5, 2.5, 3.5], "y": ["a", "b", "a"]}))
    assert [column.type for column in reading.columns] == ["float", "text"]
    assert len(reading.frame) == 3


def test_excel_sheets_are_read_with_their_titles_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [
        ["Report"],
        [],
        ["when", "shop", "sales"],
        *([pd.Timestamp(2023, 1, n), NAMES[n % 4], n / 4] for n in range(1, 20)),
    ]:
        book.active.append(row)
    book.save(tmp_path / "book.xlsx")
    reading = read_user_table(tmp_path / "book.xlsx")
    assert roles(reading) == ["time", "feature-category", "label"]
    assert len(reading.frame) == 19
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(MissingExtra, match="openpyxl"):
        read_user_table(tmp_path / "book.xlsx")


def test_packed_text_is_read_and_what_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 500))
    assert len(read_user_table(path).frame) == 500
    monkeypatch.setattr("assay.intake.limits.LARGEST_TABLE", 1000)
    with pytest.raises(InvalidInput, match="more than the 1000 allowed"):
        read_user_table(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"a,b\n", "no rows"),
        (b"a,b\n1,2\n1,2,3\n1,2\n", "line 3 has 3 cells"),
        (b"a,b,c\n1,2\n1,3\n1,2\n", "names 3 columns, the rows have 2 cells"),
        (b'a,b\n1,2\n1,"2\n3,4\n', "inside quotation marks"),
        (b"a\0b,c\n\0\0\0\0", "NUL at byte 1"),
        (b"\xff\xfea", "cannot be read as utf-16"),
        (b"PAR1 nothing", None),
    ],
)
def test_what_is_no_table_is_refused_with_its_place(tmp_path: Path, data: bytes, message: str | None) -> None:
    path = tmp_path / ("t.csv" if message else "t.parquet")
    path.write_bytes(data)
    with pytest.raises(InvalidInput, match=message or "t.parquet"):
        read_user_table(path)


@pytest.mark.parametrize("source", [3, ["a"], {"a": [1]}, None])
def test_what_is_neither_path_nor_frame_is_refused(source: object) -> None:
    with pytest.raises(InvalidInput, match="a path or a data frame"):
        read_user_table(source)


def test_a_cell_of_any_length_is_refused_by_its_column(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="column number 2 is longer than the 1000000 characters"):
        read_user_table(csv_of(tmp_path, f"a,b\n1,{'x' * 1_000_001}\n"))


def test_damaged_files_never_raise_anything_else(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    good = ("id;when;value\n" + rows(20, "{n};0{k}.01.2020;{x}")).encode()
    signs = [b";", b"\n", b'"', b"\xe4", b"#", b"12/13/2020", b",", b"\r", b"9" * 30]
    for _ in range(60):
        data = bytearray(good[: random.integers(1, len(good))])
        for place in random.integers(0, len(data), 6):
            data[place:place] = signs[random.integers(len(signs))]
        path = tmp_path / "damaged.csv"
        path.write_bytes(bytes(data))
        with suppress_clear_errors():
            assert read_user_table(path).text()


def test_where_many_values_do_not_fit_or_each_counts_the_column_stays_text(tmp_path: Path) -> None:
    lines = [f"{n * 3},{n}.5" for n in range(100)]
    lines[7:90:9] = [f"X{n},<{n}" for n in range(10)]
    reading = read_user_table(csv_of(tmp_path, "\n".join(["order_id,value", *lines])))
    assert [column.type for column in reading.columns] == ["text", "text"]
    assert "most are numbers, but '<0' in row 8 is not: kept as text" in reading["value"].warning
    assert reading.frame["order_id"].iloc[7] == "X0"


def test_comments_among_the_rows_and_dates_as_names_are_known(tmp_path: Path) -> None:
    text = (
        "shop,2020-01-01,2020-01-02\n"
        + rows(9, "{n},{k},{x}")
        + "# checked, by, hand\n# end\n"
        + rows(9, "{n},{k},{x}")
    )
    reading = read_user_table(csv_of(tmp_path, text))
    assert len(reading.frame) == 18
    assert [column.name for column in reading.columns] == ["shop", "2020-01-01", "2020-01-02"]


def test_lines_beneath_the_table_are_told(tmp_path: Path) -> None:
    text = "a;b\n" + rows(9, "{n};{x}") + "\nSource: the office, 2023\n"
    reading = read_user_table(csv_of(tmp_path, text))
    assert len(reading.frame) == 9
    assert "Source: the office" in reading.notes[0]


def test_small_labels_of_files_without_names_are_found(tmp_path: Path) -> None:
    wine = "".join(f"{n % 3 + 1},{n}.5,{n * 7 % 13}.25\n" for n in range(40))
    assert roles(read_user_table(csv_of(tmp_path, wine, "wine.data"))) == [
        "label",
        "feature-number",
        "feature-number",
    ]
    cancer = "".join(f"{842302 + n * 7919},{'MB'[n % 2]},{n}.5,{n * 3}.25\n" for n in range(40))
    assert roles(read_user_table(csv_of(tmp_path, cancer, "wdbc.data"))) == [
        "identifier",
        "label",
        "feature-number",
        "feature-number",
    ]


def test_a_table_of_things_has_no_label(tmp_path: Path) -> None:
    text = "Artikel;Bestand;Preis;Lieferant\n" + rows(40, "{n}-0815;{k};{x};{name}")
    assert roles(read_user_table(csv_of(tmp_path, text)))[1:] == [
        "feature-number",
        "feature-number",
        "feature-category",
    ]


def test_epochs_clocks_and_durations_are_told_from_numbers(tmp_path: Path) -> None:
    lines = ["ts_ms,clock_time,Half,pace"]
    lines += [
        f"{1_640_995_200_000 + 7919 * n},{n % 24:02}{n:02}{(7 * n) % 60:02},{n % 3}:{n:02}:10,{n + 20}:{n:02}"
        for n in range(60)
    ]
    reading = read_user_table(csv_of(tmp_path, "\n".join(lines)))
    assert [column.time_format for column in reading.columns] == ["epoch-milliseconds", "%H%M%S", None, None]
    assert roles(reading)[:3] == ["time", "time", "feature-number"]
    assert reading.frame["Half"].iloc[1] == 3600 + 60 + 10


def test_who_did_it_is_found_in_other_words_and_by_names_of_people(tmp_path: Path) -> None:
    people = ["Ana Ruiz", "Ben Weber", "Eva Novak", "Jan Lind", "Tom Hall"]
    for name, cells in (
        ("pracownik", people),
        ("crew", ["c1", "c2", "c3"]),
        ("org:resource", ["112", "118", "131"]),
        ("zz", people),
    ):
        lines = [f"case,activity,ts,{name}"]
        for case in range(20):
            lines += [
                f"C{case},{step},2023-01-{case + 1:02} {hour:02}:00,{cells[(case + hour) % len(cells)]}"
                for hour, step in enumerate(["open", "check", "decide", "close"], start=8)
            ]
        assert roles(read_user_table(csv_of(tmp_path, "\n".join(lines))))[3] == "resource", name


def test_months_are_read_in_other_languages_and_unclear_ones_refused(tmp_path: Path) -> None:
    for months in (["ledna", "února", "září"], ["stycznia", "lutego", "września"], ["januari", "maj", "augusti"]):
        lines = ["day,x"] + [f"{n % 28 + 1} {months[n % 3]} 2023,{n / 7:.2f}" for n in range(40)]
        assert read_user_table(csv_of(tmp_path, "\n".join(lines))).columns[0].type == "datetime"
    lines = ["day,x"] + [f"{n % 28 + 1} jui 2023,{n / 7:.2f}" for n in range(40)]
    assert read_user_table(csv_of(tmp_path, "\n".join(lines))).columns[0].type == "text"


def test_a_file_of_separators_alone_is_refused_by_what_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "blank.csv"
    path.write_text(",,\n,,\n")
    with pytest.raises(InvalidInput, match=r"blank\.csv: no row of the table was found"):
        read_user_table(path)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (pd.Categorical([3, 1, None]), "integer"),
        (pd.Categorical([True, False, None]), "boolean"),
        ([2**70, 1, 2], "text"),
        (np.array([2**63 + 1, 2, 3], dtype=np.uint64), "integer"),
        ([1e300, None, 3.0], "integer"),
    ],
)
def test_columns_of_a_frame_with_gaps_or_huge_numbers_are_read(values: Any, kind: str) -> None:
    reading = read_user_table(pd.DataFrame({"u": values, "v": [1, 2, 3]}))
    assert reading["u"].type == kind
    assert "-" not in reading["u"].why


def test_columns_of_one_name_are_told_apart_by_places_that_are_alike_in_both_tables(tmp_path: Path) -> None:
    first = read_user_table(csv_of(tmp_path, "sum,sum,age,kind\n1,2,3,a\n2,1,4,b\n", "train.csv"))
    assert first.repeated == ("sum",)
    same = csv_of(tmp_path, "sum,sum,age\n7,8,9\n7,9,9\n")
    assert read_user_table(same, like=first).frame["sum (2)"].tolist() == [8, 9]
    other = csv_of(tmp_path, "age,sum,sum\n9,8,7\n9,9,7\n")
    with pytest.raises(InvalidInput, match="are called 'sum', and .* another order than in .*train.csv"):
        read_user_table(other, like=first)
