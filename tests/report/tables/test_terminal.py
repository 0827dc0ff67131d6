from __future__ import annotations

import io
import os
import string
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from assay.report.tables.terminal import Column, TerminalTable, wrapped

NAMES = (
    st.text(string.ascii_letters + string.digits + "-_.@(=, )界", min_size=1, max_size=60).map(str.strip).filter(bool)
)
NUMBERS = st.floats(-1e6, 1e6).map(lambda value: f"{value:.3f} [{value - 1:.3f}, {value + 1:.3f}]")


def table_of(subjects: list[str], metrics: list[str], cells: list[str], *, place: bool) -> TerminalTable:
    rows = [
        (*([str(row + 1)] if place else []), subject, *(cells[(row + at) % len(cells)] for at in range(len(metrics))))
        for row, subject in enumerate(subjects)
    ]
    keys = (*([Column("#", key=True)] if place else []), Column("subject", key=True, number=False))
    return TerminalTable(
        title="cases", caption="How to read it.", columns=(*keys, *map(Column, metrics)), rows=tuple(rows)
    )


@settings(max_examples=60)
@given(
    subjects=st.lists(NAMES, min_size=1, max_size=4),
    metrics=st.lists(st.text(string.ascii_lowercase + "_@", min_size=1, max_size=40), min_size=1, max_size=12),
    cells=st.lists(NUMBERS, min_size=1, max_size=12),
    width=st.sampled_from([40, 60, 80, 120]),
    place=st.booleans(),
)
def test_every_name_and_every_number_is_whole_at_every_width(
    subjects: list[str], metrics: list[str], cells: list[str], width: int, place: bool
) -> None:
    table = table_of(subjects, metrics, cells, place=place)
    lines = table.text(width).splitlines()
    for row in table.rows:
        for cell in row:
            assert any(cell in line for line in lines)
    for name in metrics:
        assert any(name in line for line in lines)
    assert "…" not in table.text(width)
    wide = [line for line in lines if len(line) > width]
    assert all(any(name in line for name in (*subjects, *metrics, *cells)) for line in wide)  # one alone is wider


def test_what_fits_stands_side_by_side_and_what_does_not_is_stacked() -> None:
    table = table_of(["vote", "a" * 50], ["auroc", "brier"], ["0.912 [0.881, 0.940]"], place=True)
    assert len(table.text(120).splitlines()) == 1 + 1 + 2 + 2 + 1
    stacked = table.text(60).splitlines()
    assert f"2  {'a' * 50}" in stacked
    assert stacked[stacked.index(f"2  {'a' * 50}") + 1] == "  0.912 [0.881, 0.940]  0.912 [0.881, 0.940]"
    several = table_of(["vote"], ["auroc", "brier", "ece", "accuracy"], ["0.912 [0.881, 0.940]"], place=False)
    assert max(map(len, several.text(60).splitlines())) <= 60
    assert sum(line.startswith("vote") for line in several.text(60).splitlines()) == 2


def test_rows_may_be_short_and_headings_span() -> None:
    columns = (Column("subject", key=True, number=False), Column("mean"), Column("n"))
    table = TerminalTable(columns=columns, rows=("delay ↓", ("vote", "1.000", "3"), "spread ↓", ("vote", "0.5")))
    assert table.text(80) == "\n".join(
        ["subject   mean  n", "─────────────────", "delay ↓", "vote     1.000  3", "", "spread ↓", "vote       0.5"]
    )
    for width in (5, 20):
        assert "1.000" in table.text(width)


def test_words_are_never_broken() -> None:
    assert wrapped("lost: " + "x" * 70 + " and more-than-one", 40) == ["lost:", "x" * 70, "and more-than-one"]


@pytest.mark.parametrize(("columns", "most"), [(None, 80), ("120", 120)])
def test_into_a_pipe_tables_are_80_columns_wide_or_as_the_environment_says(columns: str | None, most: int) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    code = "from assay.report.tables.terminal import print_whole; print_whole('word ' * 99)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment | ({} if columns is None else {"COLUMNS": columns}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert most - 5 <= max(map(len, done.stdout.splitlines())) <= most


def test_a_console_does_not_crop_it() -> None:
    console = Console(file=io.StringIO(), width=30)
    console.print(table_of(["n" * 60], ["auroc"], ["0.5"], place=False), crop=False)
    assert isinstance(console.file, io.StringIO)
    assert "n" * 60 in console.file.getvalue()
