"""Separators are found by which sign cuts the lines alike."""

from __future__ import annotations

import pytest

from assay.intake.table.layout.separators import cut_lines, find_separator, split_rows
from assay.intake.table.options import TableOptions


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (["a,b", "1,2", "3,4"], ","),
        (["a;b", "1,5;2,5", "3,5;4,5"], ";"),
        (["a;b;c", "1,5;x, y;2,5", "3,5;z, w;4,5"], ";"),
        (["id,text", '1,"a; b; c"', '2,"d; e; f"'], ","),
        (["a b\tc", "1 2\t3", "4 5\t6"], "\t"),
        (["a|b", "1|2,5", "3|4,5"], "|"),
        (["  x    y", " 1.0  2", "10.5 33"], "whitespace"),
        (["a§b", "1§2"], ","),
    ],
)
def test_the_separator_is_found(lines: list[str], name: str) -> None:
    result = find_separator(lines, TableOptions(), "t").name
    assert result.removesuffix(", two or more") == name


def test_aligned_names_and_gaps_are_cut_by_place() -> None:
    lines = ["city      pop  note", "New York   12  ok", "Ulm", "San Jose    3  bad"]
    cut = find_separator(lines, TableOptions(), "t")
    rows = [cells for _, cells in split_rows(cut_lines("\n".join(lines), cut).split("\n"), cut)]
    assert rows[1] == ["New York", "12", "ok"]
    assert rows[2] == ["Ulm", "", ""]
