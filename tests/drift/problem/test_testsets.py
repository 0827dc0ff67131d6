from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.drift.documents.folder import read_corpus
from assay.drift.logs.read import write_log
from assay.drift.problem.task import DriftTask
from assay.drift.problem.testsets import find_test_sets, read_test_set
from assay.testing.hiding import find_truth_in_task


def test_the_golden_column_goes_to_the_truth_and_nowhere_else(bare: Path) -> None:
    found = read_test_set(bare / "trips", corpus=read_corpus(bare.parent / "documents"))
    names = found.problem.truth.names(found.problem.task.corpus)
    assert names == (frozenset({"2020-03-02_New_Rule.txt"}), frozenset({"2020-06-01_Payment.txt"}))
    assert [drift.id for drift in found.problem.task.drifts] == ["trips_drift_1_1", "trips_drift_1_2"]
    assert find_truth_in_task(found.problem.task, found.problem.truth) is None
    assert "without a change profile" in found.notes[0]


def test_the_log_is_read_when_it_is_there_and_a_broken_one_is_told(bare: Path, task: DriftTask) -> None:
    corpus = read_corpus(bare.parent / "documents")
    write_log(task.logs["TripDeclarations"], bare / "trips" / "TripDeclarations.xes")
    found = read_test_set(bare / "trips", corpus=corpus)
    assert len(found.problem.task.logs["TripDeclarations"]) == 60
    assert found.notes == ()
    (bare / "trips" / "TripDeclarations.xes").write_text("version https://git-lfs.github.com/spec/v1\n")
    pointer = read_test_set(bare / "trips", corpus=corpus)
    assert pointer.problem.task.logs == {}
    assert "TripDeclarations.xes" in pointer.notes[0]
    assert "explained without a change profile" in pointer.notes[0]


def test_problem_folders_are_test_sets_too(folder: Path) -> None:
    found = read_test_set(folder)
    assert found.problem.id == "trips"
    assert find_test_sets(folder.parent) == {"trips": folder}
    assert find_test_sets(folder) == {"trips": folder}


def test_what_is_no_test_set_is_told(tmp_path: Path, bare: Path) -> None:
    with pytest.raises(InvalidInput, match="folder of test sets not found"):
        find_test_sets(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match="no test set here. Each is a folder with prediction_results.csv"):
        find_test_sets(tmp_path / "empty")
    corpus = read_corpus(bare.parent / "documents")
    results = bare / "trips" / "prediction_results.csv"
    text = results.read_text()
    results.write_text(text.replace("2020-03-02_new_rule", "2020-03-02_lost"))
    with pytest.raises(InvalidInput, match="golden documents: not in the corpus of 4 documents: '2020-03-02_lost'"):
        read_test_set(bare / "trips", corpus=corpus)
    results.write_text(text.splitlines()[0] + "\n")
    with pytest.raises(InvalidInput, match="lists no drift"):
        read_test_set(bare / "trips", corpus=corpus)
    with pytest.raises(InvalidInput, match="matching must be"):
        read_test_set(bare / "trips", corpus=corpus, matching="fuzzy")


def test_a_test_set_without_golden_documents_cannot_be_evaluated(bare: Path, task: DriftTask) -> None:
    from assay.drift.problem.detector_files import write_detections

    write_detections(bare / "trips", task.drifts)
    with pytest.raises(InvalidInput, match="names no golden document"):
        read_test_set(bare / "trips", corpus=read_corpus(bare.parent / "documents"))
