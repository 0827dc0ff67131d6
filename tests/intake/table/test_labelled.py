"""A hundred labelled tables of two authors who had not read the reader: roles, types, formats, and traps.

Half of each set was open to who wrote the rules (every second one); the others were for measuring alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from assay.intake.table.read import read_user_table
from assay.intake.table.reading import TableReading

HERE = Path(__file__).parent


def _labels(folder: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((HERE / folder / "labels.json").read_text(encoding="utf-8"))
    return [{**entry, "file": f"{folder}/{entry['file']}"} for entry in entries]


SETS = {folder: _labels(folder) for folder in ("labelled", "labelled_more")}
LABELS = [label for labels in SETS.values() for label in labels]


@cache
def reading_of(file: str) -> TableReading:
    return read_user_table(HERE / file)


def misread(labels: Sequence[dict[str, Any]], *, what: str) -> tuple[list[str], int]:
    """The columns whose role or type is none of those that the author allows, and the number of all columns."""
    wrong, count = [], 0
    for label in labels:
        columns = reading_of(label["file"]).columns
        for place, expected in enumerate(label["columns"]):
            count += 1
            result = getattr(columns[place], what) if place < len(columns) else "missing"
            if result not in (expected[what], *expected.get(f"also_{what}", ())):
                wrong.append(f"{label['file']}: {expected['name']!r} is {expected[what]}, taken for {result}")
    return wrong, count


@pytest.mark.parametrize("folder", SETS)
@pytest.mark.parametrize(("what", "share"), [("role", 0.95), ("type", 0.97)])
def test_nearly_all_columns_are_taken_for_what_they_are(folder: str, what: str, share: float) -> None:
    wrong, count = misread(SETS[folder], what=what)
    assert count == sum(len(label["columns"]) for label in SETS[folder])
    assert len(wrong) <= (1 - share) * count, "\n".join(wrong)


def test_no_ambiguous_date_is_guessed() -> None:
    for label in LABELS:
        for expected, result in zip(label["columns"], reading_of(label["file"]).columns, strict=False):
            if expected.get("ambiguous_day_month"):
                assert result.ambiguous, f"{label['file']}: {expected['name']}"


@pytest.mark.parametrize("what", ["separator", "header"])
def test_the_writing_of_every_file_is_found(what: str) -> None:
    wrong = [label["file"] for label in LABELS if getattr(reading_of(label["file"]), what) != label[what]]
    assert not wrong


def test_every_file_gives_all_its_rows() -> None:
    assert {label["file"]: len(reading_of(label["file"]).frame) for label in LABELS} == {
        label["file"]: label["rows"] for label in LABELS
    }
