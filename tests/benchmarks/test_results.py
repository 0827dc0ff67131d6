"""Figures survive the way through a file, and the table shows them with what is missing."""

from __future__ import annotations

import json
import math
import os
import platform
from pathlib import Path

from benchmarks.measure import Unmeasured, beside, counted, shown
from benchmarks.results import BEGIN, END, Results, machine_facts, table, write_table

FOUND = Results(
    rows={
        "search": [
            beside("CPU", 0.5, "s", peer="other | one", theirs=10.0),
            counted("memory", 2.391, "x data"),
            shown("wall time", 123456.0, "s"),
            Unmeasured(name="recall", reason="no faiss"),
        ],
        "broken": [],
    },
    failed={"broken": "exit status 1"},
    machine={"date": "2026-01-02", "cores": 2, "libraries": {"numpy": "2.4"}},
)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "results.json"
    FOUND.write(path)
    assert Results.read(path) == FOUND


def test_an_undefined_figure_becomes_null_and_nan(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    Results(rows={"search": [shown("time", math.nan, "s")]}).write(path)
    assert json.loads(path.read_text())["rows"]["search"][0]["value"] is None
    assert math.isnan(Results.read(path).measured()["search: time"].value)


def test_the_table_shows_figures_peers_and_gaps() -> None:
    text = table(FOUND)
    assert "| search | CPU | 0.500 s | other \\| one: 10 s | 0.0500 | less is better |" in text
    assert "| search | memory | 2.39 x data |  |  | less is better |" in text
    assert "| search | wall time | 1.23e+05 s |  |  |  |" in text
    assert "- search: recall: no faiss" in text
    assert "- broken: broke: exit status 1" in text


def test_a_page_with_marks_keeps_all_but_what_lies_between_them(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Before\n\n{BEGIN}\nold\n{END}\n\nAfter.\n")
    write_table(FOUND, page)
    write_table(FOUND, page)
    text = page.read_text()
    assert text.startswith("# Before\n")
    assert text.endswith("\n\nAfter.\n")
    assert "old" not in text
    assert text.count("| search | memory |") == 1


def test_a_file_without_marks_becomes_the_table(tmp_path: Path) -> None:
    path = tmp_path / "table.md"
    write_table(FOUND, path)
    assert path.read_text() == table(FOUND)


def test_facts_about_the_machine_do_not_tell_its_name_or_a_path() -> None:
    text = json.dumps(machine_facts())
    assert platform.node() not in text
    assert str(Path.home()) not in text
    assert os.sep not in text
