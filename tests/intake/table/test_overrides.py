"""What the user says of a table wins, and is checked."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from assay.core import InvalidInput
from assay.intake.table.options import TableOptions
from assay.intake.table.read import read_user_table

TEXT = "number,note,kind,stamp\n" + "".join(
    f"{n * 3},text {n % 5},{'ab'[n % 2]},{n % 28 + 1:02}.03.2023 10:00\n" for n in range(60)
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(TEXT)
    return tmp_path / "t.csv"


def test_roles_that_are_named_win_and_ignored_columns_are_gone(path: Path) -> None:
    options = TableOptions(columns={"label": "number", "identifier": "note"}, ignore=("kind",))
    reading = read_user_table(path, options)
    assert [(column.name, column.role) for column in reading.columns] == [
        ("number", "label"),
        ("note", "identifier"),
        ("stamp", "time"),
    ]
    assert "kind" in reading.notes[-1]
    assert "kind" not in reading.frame


@pytest.mark.parametrize("name", ["it's", 'so "called"', "a<b", "#1", "a`b", "two words", "Fläche"])
def test_remedies_can_be_pasted_into_a_shell_whatever_a_column_is_called(name: str) -> None:
    flags = TableOptions(syntax="flags")
    assert shlex.split(flags.remedy("ignore", name), comments=True) == ["--ignore", name]
    assert shlex.split(flags.remedy("columns", name, role="label")) == ["--column", f"label={name}"]


def test_a_zone_makes_bare_times_utc(path: Path) -> None:
    times = read_user_table(path, TableOptions(timezone="Europe/Berlin")).times()
    assert times.iloc[0] == pd.Timestamp("2023-03-01 09:00", tz="UTC")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("created_at", {}),
        ("e", {"columns": {"time": "e"}}),
        ("e", {"columns": {"time": "e"}, "time_format": "epoch-seconds"}),
        ("e", {"time_format": "epoch-seconds"}),
    ],
)
@pytest.mark.parametrize("timezone", [None, "Europe/Berlin"])
def test_seconds_since_1970_are_utc_however_the_column_is_found(
    tmp_path: Path, name: str, options: dict[str, Any], timezone: str | None
) -> None:
    seconds = [1_577_836_800 + 900 * row for row in range(9)]
    (tmp_path / "t.csv").write_text(f"{name},value\n" + "".join(f"{number},{number % 7}.5\n" for number in seconds))
    reading = read_user_table(tmp_path / "t.csv", TableOptions(timezone=timezone, **options))
    assert reading[name].timezone == "UTC"
    assert reading.times(name).iloc[0] == pd.Timestamp("2020-01-01 00:00", tz="UTC")


def test_days_of_excel_are_local_times(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("e,value\n" + "".join(f"{43_831 + row},{row % 7}.5\n" for row in range(9)))
    options = TableOptions(columns={"time": "e"}, time_format="excel-serial", timezone="Europe/Berlin")
    reading = read_user_table(tmp_path / "t.csv", options)
    assert reading.times("e").iloc[0] == pd.Timestamp("2019-12-31 23:00", tz="UTC")


def test_roles_of_a_track_are_accepted(path: Path) -> None:
    reading = read_user_table(path, TableOptions(columns={"treatment": "kind"}), roles=("treatment",))
    assert reading.column("treatment").name == "kind"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": {"lable": "kind"}}, "Did you mean 'label'"),
        ({"columns": {"label": "knd"}}, "no column 'knd'. Did you mean 'kind'"),
        ({"columns": {"label": "kind", "case": "kind"}}, "cannot be label and case"),
        ({"columns": {"label": "kind"}, "ignore": ("kind",)}, "ignored as well"),
        ({"ignore": ("nte",)}, "Did you mean 'note'"),
        ({"separator": "ab"}, "separator 'ab' cannot"),
        ({"encoding": "utf-9"}, "encoding 'utf-9' is not known"),
        ({"encoding": "base64"}, "encoding 'base64' is not known"),
        ({"timezone": "Berlin"}, "time zone 'Berlin' is not known"),
        ({"time_format": "%m/%d/%Y"}, "'01.03.2023 10:00' in row 1 is not written as --time-format %m/%d/%Y"),
        ({"time_format": "dd.mm.yyyy"}, "names no part of a time"),
        ({"columns": {"time": "note"}}, "'text 0' in row 1, which is not a known time"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_remedy(path: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_user_table(path, TableOptions(syntax="flags", **options))  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_a_byte_that_the_encoding_does_not_have_is_named_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("a,b\nä,1\n".encode("cp1252"))
    with pytest.raises(InvalidInput, match="line 2 cannot be read as utf-8: byte 0xe4 at position 4"):
        read_user_table(tmp_path / "t.csv", TableOptions(encoding="utf-8"))


def test_times_with_and_without_a_zone_need_one(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("when,x\n2020-01-01T00:00:00Z,1.5\n2020-01-02T00:00:00,2.5\n")
    reading = read_user_table(tmp_path / "t.csv")
    assert "'2020-01-02T00:00:00' has none" in reading["when"].warning
    with pytest.raises(InvalidInput, match="without a zone"):
        reading.times()
    options = TableOptions(timezone="Europe/Berlin")
    assert str(read_user_table(tmp_path / "t.csv", options).times().iloc[1]) == "2020-01-01 23:00:00+00:00"


def test_german_months_are_read_with_a_format(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("tag,x\n3. Mai 2020,1\n4. Dezember 2021,2\n")
    times = read_user_table(tmp_path / "t.csv", TableOptions(time_format="%d. %B %Y")).times()
    assert times.iloc[1] == pd.Timestamp("2021-12-04")
