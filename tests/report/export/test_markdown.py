from __future__ import annotations

import re

import pytest

from assay.report import Results, leaderboard
from assay.report.export.markdown import escape, markdown
from assay.report.wording import format_interval


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_the_table_has_one_row_per_subject_and_equal_widths(results: Results) -> None:
    lines = [line for line in markdown(results).splitlines() if line.startswith("|")]
    titles, rule, *rows = map(cells_of, lines)
    board = leaderboard(results.tracks[0])
    assert len({len(titles), len(rule), *map(len, rows)}) == 1
    assert set(rule) == {":---", "---:"}
    assert [row[1] for row in rows] == [row.subject for row in board.rows]
    wanted = [format_interval(row.mean("share")) for row in board.rows]
    assert [row[titles.index("share ↑")].replace("\\", "") for row in rows] == wanted


def test_the_facts_stand_above_the_table(results: Results) -> None:
    text = markdown(results)
    assert text.startswith("## toy\n\nDoes it &lt;i&gt;play&lt;/i&gt; \\| well?\n")
    assert "- cells: 27 of 30 finished, 1 of them failed\n" in text
    assert "- pending: 3, 1 of them lost" in text
    assert "- lost: worker died: no space left (1)" in text


def test_hostile_names_break_neither_rows_nor_page(hostile: Results) -> None:
    text = markdown(hostile, resamples=100)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 6
    assert len({len(cells_of(row)) for row in rows}) == 1
    assert "<" not in text
    assert "\x00" not in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a\\|b", "a\\\\\\|b"),
        ("`code` *star*", "\\`code\\` \\*star\\*"),
        ("[a](b) ![c](d)", "\\[a\\](b) \\!\\[c\\](d)"),
        ("two\nlines", "two\\\\nlines"),
        ("&lt;", "&amp;lt;"),
        ("$x$ ~~gone~~", "\\$x\\$ \\~\\~gone\\~\\~"),
        ("knn(k=5, weighting='cubed')", "knn(k=5, weighting='cubed')"),
    ],
)
def test_what_markdown_would_read_is_escaped(text: str, escaped: str) -> None:
    assert escape(text) == escaped


def test_gates_stand_first_and_failures_last(results: Results) -> None:
    verdicts = results.gate(fail_under=0.6)
    text = markdown(results, verdicts=verdicts)
    assert text.startswith(f"## Gates: {3 - len(verdicts.missed)} of 3 met\n")
    rows = [cells_of(line) for line in text.splitlines() if line.startswith(("| ✅", "| ❌"))]
    assert [row[0] for row in rows] == ["✅ met" if entry.passed else "❌ missed" for entry in verdicts]
    assert [row[2] for row in rows] == [entry.subject for entry in verdicts]
    assert text.index("## toy") < text.index("## 2 failures")
    assert "- toy: wine / vote / seed 1: failed (time-out): gave up on &lt;row&gt; 3" in text
