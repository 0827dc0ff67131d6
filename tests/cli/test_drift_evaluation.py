"""The subjects of ``assay drift evaluate``, called through the harness."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.cli.drift_evaluation import solve_all
from assay.drift.answer.answer import DriftReply
from assay.drift.examine.evaluation import assess
from assay.drift.generate.problems import generate
from assay.drift.problem.testsets import find_test_sets, read_test_sets
from assay.report import load

FRAGILE = """
from assay.drift.answer.answer import DriftAnswer, DriftReply


class Fragile:
    name, digest = "fragile", "f"

    def solve(self, task, budget, /):
        if any(drift.id.endswith("_2") and len(task.drifts) > 1 for drift in task.drifts):
            raise RuntimeError("two are too many")
        return DriftAnswer(replies={drift.id: DriftReply(ranking=task.corpus.names[:1]) for drift in task.drifts})
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    generate(tmp_path / "sets", problems=1, seed=4, cases=200, types=("sudden", "gradual"), difficulty=("easy",))
    return tmp_path / "sets"


@pytest.mark.soak
def test_a_subject_that_fails_on_a_test_set_is_called_for_each_drift_alone(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "fragile.py").write_text(FRAGILE)
    folders = find_test_sets(folder)
    material = read_test_sets(folders)
    replies = solve_all(
        material,
        folders=folders,
        documents=None,
        texts=tmp_path / "none",
        subjects={"fragile": f"fragile={tmp_path / 'fragile.py'}:Fragile", "random": "random"},
        scratch=tmp_path / "scratch",
        out=tmp_path / "results",
        quiet=True,
    )
    ((name, loaded),) = material.sets.items()
    drifts = {drift.id for drift in loaded.problem.task.drifts}
    assert set(replies[name, "fragile"]) == set(replies[name, "random"]) == drifts
    assert all(isinstance(reply, DriftReply) for reply in replies[name, "fragile"].values())
    assert not assess(material, replies, ks=(1,)).failed
    (track,) = load(tmp_path / "results").tracks
    statuses = {record.subject: record.status for record in track.records}
    assert statuses == {"fragile": "failed", "random": "ok"}
