"""The task of an insight problem as files, for agents that are programs: the public layout without what is hidden."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

from assay.core import InvalidInput, Json, demand_closed, plain, read_json
from assay.intake.csv_lines import write_rows
from assay.intake.csv_scan import longest_cells, scan_csv
from assay.intake.fields import text_of

__all__ = ["hand_over"]

_FILE = Path("problem", "problem.json")
_DATA = Path("problem", "data")
# keys that an agent may see; id, tags and comments would reveal how the problem was made
_SHOWN_KEYS = ("name", "description", "problem_domain", "target_column", "problem_type", "time_column", "tables")


def hand_over(problem: Path, target: Path) -> None:
    """Write the task of a problem's folder into a new folder: no ground truth, no test target, no id, no tags.

    ``problem/problem.json`` and ``problem/data/*.csv`` are as in the public benchmark; ``test.csv`` lacks the target.
    """
    problem, target = Path(problem), Path(target)
    if target.exists():
        raise InvalidInput(f"{target}: already exists. Write the task into a new folder.")
    demand_closed(problem)
    content = read_json(problem / _FILE)
    column = text_of(content, "target_column", problem / _FILE)
    shown: dict[str, Json] = {name: plain(content[name]) for name in _SHOWN_KEYS if name in content}
    (target / _DATA).mkdir(parents=True)
    text = json.dumps(shown, indent=2, sort_keys=True, ensure_ascii=False)
    # half a character is written as JSON's own escape
    (target / _FILE).write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
    for path in sorted((problem / _DATA).glob("*.csv")):
        if path.is_symlink() or not path.is_file():
            raise InvalidInput(f"{path}: a link or a device; a task is made of files of its own. Copy it here.")
        if path.name == "test.csv":
            _copy_without(path, target / _DATA / path.name, column)
        else:
            shutil.copyfile(path, target / _DATA / path.name)


def _copy_without(path: Path, target: Path, column: str) -> None:
    """A CSV file without one of its columns; every other cell keeps its text."""
    names = scan_csv(path)
    position = names.index(column) if column in names else len(names)
    with (
        longest_cells(),
        path.open(encoding="utf-8-sig", newline="") as source,
        target.open("w", encoding="utf-8", newline="") as sink,
    ):
        rows = (row for row in csv.reader(source) if row and (len(row) > 1 or row[0].strip()))  # blank lines are none
        write_rows(sink, (row[:position] + row[position + 1 :] for row in rows))
