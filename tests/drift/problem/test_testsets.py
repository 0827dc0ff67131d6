from pathlib import Path

import pytest

from assay.core import InvalidInput, find_problems
from assay.drift.documents.folder import read_corpus
from assay.drift.logs.read import write_log
from assay.drift.problem.task import DriftTask, load
from assay.drift.problem.testsets import adopt, find_test_sets, read_test_set
from assay.testing.hiding import find_truth_in_task


def test_the_golden_column_goes_to_the_truth_and_nowhere_else(bare: Path) -> None:
    loaded = read_test_set(bare / "trips", corpus=read_corpus(bare.parent / "documents"))
    names = loaded.problem.truth.names(loaded.problem.task.corpus)
    assert names == (frozenset({"2020-03-02_New_Rule.txt"}), frozenset({"2020-06-01_Payment.txt"}))
    assert [drift.id for drift in loaded.problem.task.drifts] == ["trips_drift_1_1", "trips_drift_1_2"]
    assert find_truth_in_task(loaded.problem.task, loaded.problem.truth) is None
    assert "without a change profile" in loaded.notes[0]


def test_the_log_is_read_when_it_is_there_and_a_broken_one_is_told(bare: Path, task: DriftTask) -> None:
    corpus = read_corpus(bare.parent / "documents")
    write_log(task.logs["TripDeclarations"], bare / "trips" / "TripDeclarations.xes")
    loaded = read_test_set(bare / "trips", corpus=corpus)
    assert len(loaded.problem.task.logs["TripDeclarations"]) == 60
    assert loaded.notes == ()
    (bare / "trips" / "TripDeclarations.xes").write_text("version https://git-lfs.github.com/spec/v1\n")
    pointer = read_test_set(bare / "trips", corpus=corpus)
    assert pointer.problem.task.logs == {}
    assert "TripDeclarations.xes" in pointer.notes[0]
    assert "explained without a change profile" in pointer.notes[0]


def test_problem_folders_are_test_sets_too(folder: Path) -> None:
    loaded = read_test_set(folder)
    assert loaded.problem.id == "trips"
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
    results.write_text(text.replace("2020-03-02_new_rule", "2020-03-02_lost").replace("2020-06-01", "2020-06-07"))
    with pytest.raises(InvalidInput, match="golden documents of 'trips_drift_1_2': not in the corpus of 4 documents"):
        read_test_set(bare / "trips", corpus=corpus)
    results.write_text(text.splitlines()[0] + "\n")
    with pytest.raises(InvalidInput, match="lists no drift"):
        read_test_set(bare / "trips", corpus=corpus)
    with pytest.raises(InvalidInput, match="matching must be"):
        read_test_set(bare / "trips", corpus=corpus, matching="fuzzy")


def test_a_drift_whose_golden_document_is_unknown_is_left_out_and_the_others_stay(bare: Path) -> None:
    results = bare / "trips" / "prediction_results.csv"
    results.write_text(results.read_text().replace("2020-03-02_new_rule", "2020-03-02_lost"))
    loaded = read_test_set(bare / "trips", corpus=read_corpus(bare.parent / "documents"))
    assert [drift.id for drift in loaded.problem.task.drifts] == ["trips_drift_1_2"]
    assert loaded.problem.truth.names(loaded.problem.task.corpus) == (frozenset({"2020-06-01_Payment.txt"}),)
    (note,) = [note for note in loaded.notes if "left out" in note]
    assert "'trips_drift_1_1': not in the corpus of 4 documents: '2020-03-02_lost'" in note


def test_ids_can_be_counted_from_0(bare: Path) -> None:
    loaded = read_test_set(bare / "trips", corpus=read_corpus(bare.parent / "documents"), count_from=0)
    assert [drift.id for drift in loaded.problem.task.drifts] == ["trips_drift_0_0", "trips_drift_0_1"]


def test_test_sets_of_others_become_problem_folders_without_the_golden_column(bare: Path, tmp_path: Path) -> None:
    adopt(bare, tmp_path / "adopted")
    (folder,) = find_problems(tmp_path / "adopted")
    problem = load(folder)
    assert (problem.id, problem.truth.goldens) == ("trips", ((1,), (3,)))
    assert "gold" not in (folder / "prediction_results.csv").read_text()
    (bare.parent / "documents").rename(bare.parent / "texts")
    with pytest.raises(InvalidInput, match="no folder 'documents' in it.*drift evaluate with --documents"):
        adopt(bare, tmp_path / "again")


def test_a_test_set_without_golden_documents_cannot_be_evaluated(bare: Path, task: DriftTask) -> None:
    from assay.drift.problem.detector_files import write_detections

    write_detections(bare / "trips", task.drifts)
    with pytest.raises(InvalidInput, match="names no golden document"):
        read_test_set(bare / "trips", corpus=read_corpus(bare.parent / "documents"))
