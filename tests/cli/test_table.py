"""``assay table`` and the options that all commands on tables share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.table import table_command
from assay.core import InvalidInput


@pytest.fixture
def path(tmp_path: Path) -> Path:
    lines = "".join(f"{n};0{n % 9 + 1}/0{n % 7 + 1}/2023;{n},5;{'ab'[n % 2]}\n" for n in range(30))
    (tmp_path / "t.csv").write_text("nr;day;size;kind\n" + lines)
    return tmp_path / "t.csv"


def test_the_command_tells_every_column(path: Path) -> None:
    result = CliRunner().invoke(table_command, [str(path)])
    assert result.exit_code == 0
    assert "separator semicolon, decimal mark comma" in result.output.replace("\n", " ")
    assert [line.split()[1] for line in result.output.splitlines() if line.startswith(("nr ", "kind "))] == [
        "identifier",
        "label",
    ]


def test_options_reach_the_reader(path: Path) -> None:
    options = [
        "--column",
        "label=size",
        "--ignore",
        "kind",
        "--time-format",
        "%d/%m/%Y",
        "--sep",
        ";",
        "--encoding",
        "utf-8",
    ]
    result = CliRunner().invoke(table_command, [str(path), *options, "--timezone", "Europe/Berlin", "--json"])
    columns = {column["name"]: column for column in json.loads(result.output)["columns"]}
    assert columns["size"]["role"] == "label"
    assert "kind" not in columns
    assert columns["day"]["time_format"] == "%d/%m/%Y"
    assert columns["day"]["timezone"] == "Europe/Berlin"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--column", "label"], "write it as --column ROLE=NAME"),
        (["--column", "label=kind", "--column", "label=size"], "given twice"),
        (["--column", "label=knd"], "--column label=knd: there is no column 'knd'. Did you mean 'kind'"),
    ],
)
def test_mistakes_are_answered_in_flags(path: Path, options: list[str], message: str) -> None:
    result = CliRunner().invoke(table_command, [str(path), *options])
    assert isinstance(result.exception, InvalidInput)
    assert message in str(result.exception)
