import json
from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.drift.documents.folder import read_corpus
from assay.drift.explanation import explain_log
from assay.drift.explanation.explain_log import evaluation_text, explain_one_log, explanation_text, to_json
from assay.drift.logs.read import write_log
from assay.drift.problem.task import DriftTask

GOLDEN = "2020-03-02_New_Rule.txt"


def test_a_folder_is_explained_with_what_changed_and_judged_by_its_golden_column(bare: Path, task: DriftTask) -> None:
    corpus = read_corpus(bare.parent / "documents")
    write_log(task.logs["TripDeclarations"], bare / "trips" / "TripDeclarations.xes")
    run = explain_one_log(bare / "trips", corpus)
    assert [entry.golden for entry in run.explained] == [
        frozenset({GOLDEN}),
        frozenset({"2020-06-01_Payment.txt"}),
    ]
    text = explanation_text(run.explained[0])
    assert f"1. {GOLDEN} (golden), confidence" in text
    assert "Approve again" in text
    shown = evaluation_text(run, (1, 2))
    assert "trips_drift_1_1: Recall@1 100.0%, Recall@2 100.0%, MRR 1.000 (golden: 2020-03-02_New_Rule.txt)" in shown
    assert "all 2 drifts: Recall@1 " in shown


def test_a_missing_log_is_noted_and_one_drift_can_be_picked(bare: Path) -> None:
    corpus = read_corpus(bare.parent / "documents")
    run = explain_one_log(bare / "trips", corpus, number=1, gold=["2020-03-02_NEW RULE"])
    assert len(run.explained) == 1
    assert run.links == ()
    assert "there is no event log TripDeclarations.xes" in run.notes[0]
    assert "What changed" not in explanation_text(run.explained[0])
    (shown,) = json.loads(json.dumps(to_json(run, (1,))))["drifts"]
    assert shown["scores"] == {"recall@1": 1.0, "mrr": 1.0}
    assert shown["causes"][0]["quote"] in corpus[GOLDEN].text


def test_a_problem_folder_is_judged_by_its_truth(folder: Path) -> None:
    run = explain_one_log(folder, read_corpus(folder / "documents"))
    assert [entry.golden for entry in run.explained] == [frozenset({GOLDEN}), frozenset()]
    assert evaluation_text(run, (1,)).splitlines()[1:] == [
        f"trips_drift_1_1: Recall@1 100.0%, MRR 1.000 (golden: {GOLDEN})"
    ]


def test_without_a_known_cause_nothing_is_judged(bare: Path, task: DriftTask) -> None:
    from assay.drift.problem.detector_files import write_detections

    write_detections(bare / "trips", task.drifts)
    run = explain_one_log(bare / "trips", read_corpus(bare.parent / "documents"))
    assert evaluation_text(run, (1, 2)) == ""


def test_a_log_without_a_drift_has_nothing_to_explain(tmp_path: Path, bare: Path) -> None:
    from assay.drift.generate.simulate import simulate

    write_log(simulate(seed=1, cases=150, drifts=()).log, tmp_path / "calm.xes")
    with pytest.raises(InvalidInput, match="no drift was detected in 150 cases"):
        explain_one_log(tmp_path / "calm.xes", read_corpus(bare.parent / "documents"))


def test_what_changed_at_a_drift_that_is_picked_ends_at_its_neighbours(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: list[int] = []
    monkeypatch.setattr(explain_log, "profile_of", lambda task, drift: known.append(len(task.drifts)))
    assert len(explain_one_log(folder, read_corpus(folder / "documents"), number=1).explained) == 1
    assert known == [2]
