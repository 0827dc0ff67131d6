"""A task as a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.core import InvalidInput, all_but_truth


def test_everything_but_truth_hidden_files_links_id_and_tags_is_handed_over(tmp_path: Path) -> None:
    problem = tmp_path / "problem"
    for name in ("truth/labels.csv", "data/deep/train.csv", ".complete", "train.csv"):
        (problem / name).parent.mkdir(parents=True, exist_ok=True)
        (problem / name).write_text(name)
    (problem / "link.csv").symlink_to(problem / "truth" / "labels.csv")
    (problem / "problem.json").write_text(json.dumps({"id": "p", "track": "t", "tags": {"a": 1}, "variables": ["x"]}))
    all_but_truth(problem, tmp_path / "task")
    result = sorted(
        path.relative_to(tmp_path / "task").as_posix() for path in (tmp_path / "task").rglob("*") if path.is_file()
    )
    assert result == ["data/deep/train.csv", "problem.json", "train.csv"]
    assert json.loads((tmp_path / "task" / "problem.json").read_text()) == {"track": "t", "variables": ["x"]}


def test_a_task_needs_a_folder_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "task").mkdir()
    with pytest.raises(InvalidInput, match="already exists"):
        all_but_truth(tmp_path, tmp_path / "task")
