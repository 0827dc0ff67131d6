"""``assay harbor``, and what it shares with ``assay mcp``: naming problems."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.conftest import Assay


def test_tasks_are_written_and_told(assay: Assay, tmp_path: Path) -> None:
    assay("formula", "generate", "--out", "made", "--problems", "1")
    (built,) = (tmp_path / "made").iterdir()
    result = assay("harbor", f"formula={built}", "-o", "tasks", "--package", "assay @ file:///wheel", "--json")
    (task,) = json.loads(result.stdout)
    assert (task["metric"], task["floor"], task["oracle"]) == ("property_score", 0.0, 1.0)
    assert "'assay @ file:///wheel'" in (tmp_path / task["folder"] / "tests" / "Dockerfile").read_text()
    assert "exists already" in assay("harbor", f"formula={built}", "-o", "tasks", code=2).stderr


@pytest.mark.parametrize("command", ["harbor", "mcp"])
def test_problems_that_are_none_are_told(command: str, assay: Assay) -> None:
    assert "write the problems after '=', as in formula=FOLDER" in assay(command, "formula=", code=2).stderr
    assert "No track named 'formulas'" in assay(command, "formulas", code=2).stderr
