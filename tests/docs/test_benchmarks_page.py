"""The ratios on the page of benchmarks are those that the benchmarks wrote into the details."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROW = re.compile(r"^\| (?P<what>.+?) \| (?P<peer>.+?) \| (?P<ratio>[\d.]+) \| .* \| `(?P<name>\w+)` \|$")


def measured(page: str) -> set[tuple[str, str]]:
    """Benchmark and ratio of every row that the run wrote."""
    rows = page.partition("<!-- measured: begin -->")[2].splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows if row.startswith("| ")]
    return {(cell[0], cell[4]) for cell in cells if cell[4]}


def shown(page: str) -> list[tuple[str, str]]:
    rows = [ROW.match(line) for line in page.splitlines()]
    return [(row["name"], row["ratio"]) for row in rows if row is not None]


@pytest.fixture(scope="module")
def details(root: Path) -> set[tuple[str, str]]:
    return measured((root / "docs" / "benchmarks-details.md").read_text(encoding="utf-8"))


def test_every_ratio_on_the_page_was_measured(root: Path, details: set[tuple[str, str]]) -> None:
    ratios = shown((root / "docs" / "benchmarks.md").read_text(encoding="utf-8"))
    assert len(ratios) >= 15
    assert [entry for entry in ratios if entry not in details] == []


def test_a_ratio_that_was_not_measured_is_noticed(details: set[tuple[str, str]]) -> None:
    planted = "| Read a log | pm4py | 0.120 | 8 times less | `drift_xes` |"
    assert shown(planted) == [("drift_xes", "0.120")]
    assert ("drift_xes", "0.120") not in details
