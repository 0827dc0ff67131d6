import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core import InvalidInput, Problem, digest_folder
from assay.drift.problem.task import DriftTask, DriftTruth, load, read_glossary, write_problem
from assay.testing.hiding import find_truth_in_task


def test_a_problem_survives_the_disk(folder: Path, task: DriftTask, truth: DriftTruth) -> None:
    loaded = load(folder)
    assert loaded.id == "trips"
    assert loaded.task.drifts == task.drifts
    assert loaded.truth == truth
    assert {document.name: document.text for document in loaded.task.corpus} == {
        d.name: d.text.strip() for d in task.corpus
    }
    log, again = task.logs["TripDeclarations"], loaded.task.logs["TripDeclarations"]
    assert again.cases == log.cases
    assert [again.trace(case) for case in (0, 59)] == [log.trace(case) for case in (0, 59)]
    assert loaded.tags == {"difficulty": "easy", "drifts": 2, "caused": 1}


def test_the_same_problem_gives_the_same_bytes(
    tmp_path: Path, folder: Path, task: DriftTask, truth: DriftTruth
) -> None:
    write_problem(tmp_path / "again", id="trips", task=task, truth=truth, tags={"difficulty": "easy"})
    assert digest_folder(folder) == digest_folder(tmp_path / "again")


def test_a_task_can_go_to_another_process_and_hides_its_truth(problem: Problem[DriftTask, DriftTruth]) -> None:
    again = pickle.loads(pickle.dumps(problem.task))
    assert again.drifts == problem.task.drifts
    assert again.corpus.names == problem.task.corpus.names
    assert find_truth_in_task(problem.task, problem.truth) is None


def test_no_golden_document_is_named_where_a_subject_could_read_it(folder: Path) -> None:
    outside = [path for path in folder.rglob("*") if path.is_file() and "truth" not in path.parts]
    for path in outside:
        if path.parent.name != "documents" and path.suffix != ".gz":
            assert "New_Rule" not in path.read_text(), path


def test_golden_names_are_found_by_their_stem(task: DriftTask) -> None:
    truth = DriftTruth.of(task.corpus, [["2020-03-02_new rule.PDF"], ["2019-05-01_OLD_RULE", "2020-03-05_Canteen.txt"]])
    names = truth.names(task.corpus)
    assert names == (
        frozenset({"2020-03-02_New_Rule.txt"}),
        frozenset({"2019-05-01_Old_Rule.txt", "2020-03-05_Canteen.txt"}),
    )


def test_a_glossary_travels_along(tmp_path: Path, task: DriftTask, truth: DriftTruth) -> None:
    terms = {"TD": "trip declaration, a claim", "PO\rold": "purchase\r\norder", "PR": "purchase\rrequisition"}
    write_problem(tmp_path / "p", id="p", task=replace(task, glossary=terms), truth=truth, tags={})
    assert load(tmp_path / "p").task.glossary == terms


def change_json(path: Path, change: Callable[[dict[str, object]], None]) -> None:
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def test_a_golden_document_that_is_not_in_the_corpus_is_an_error_at_load(folder: Path) -> None:
    (folder / "documents" / "2020-03-02_New_Rule.txt").unlink()
    with pytest.raises(InvalidInput, match=r"golden.json: golden documents: not in the corpus of 3 documents: '20"):
        load(folder)


def test_a_drift_without_an_entry_and_an_entry_without_a_drift_are_told(folder: Path) -> None:
    path = folder / "truth" / "golden.json"
    whole = path.read_text()
    change_json(path, lambda content: content["goldens"].pop("trips_drift_1_2"))  # type: ignore[attr-defined]
    with pytest.raises(InvalidInput, match="lacks drift 'trips_drift_1_2'"):
        load(folder)
    path.write_text(whole)
    change_json(path, lambda content: content["goldens"].update({"x": []}))  # type: ignore[attr-defined]
    with pytest.raises(InvalidInput, match="names 'x', which is not a drift here"):
        load(folder)
    path.write_text('{"goldens": []}')
    with pytest.raises(InvalidInput, match='must be {"goldens"'):
        load(folder)
    path.write_text('{"goldens": {"trips_drift_1_1": "a", "trips_drift_1_2": []}}')
    with pytest.raises(InvalidInput, match="must have a list of document names"):
        load(folder)


def test_a_golden_column_in_the_open_is_refused(folder: Path, task: DriftTask) -> None:
    from assay.drift.problem.detector_files import write_detections

    write_detections(folder, task.drifts, golden=[["2020-03-02_New_Rule.txt"], ["a"]])
    with pytest.raises(InvalidInput, match=r"where a subject would see them. Move them to truth/golden.json"):
        load(folder)


def test_a_problem_without_drifts_or_documents_is_refused(folder: Path) -> None:
    results = folder / "prediction_results.csv"
    lines = results.read_text().splitlines()
    results.write_text(lines[0] + "\n")
    with pytest.raises(InvalidInput, match="lists no drift"):
        load(folder)
    results.write_text("\n".join(lines) + "\n")
    for path in (folder / "documents").iterdir():
        path.unlink()
    with pytest.raises(InvalidInput, match="documents"):
        load(folder)


def test_a_broken_log_is_told_and_a_missing_one_is_no_problem(folder: Path) -> None:
    (folder / "TripDeclarations.xes.gz").unlink()
    assert load(folder).task.logs == {}
    (folder / "TripDeclarations.xes").write_text("<log><trace>")
    with pytest.raises(InvalidInput, match=r"TripDeclarations.xes"):
        load(folder)


def test_what_cannot_be_written_is_refused(tmp_path: Path, task: DriftTask, truth: DriftTruth) -> None:
    from assay.drift.documents.document import Corpus

    with pytest.raises(InvalidInput, match="1 golden entries for 2 drifts"):
        write_problem(tmp_path / "p", id="p", task=task, truth=DriftTruth(goldens=((0,),)), tags={})
    pdf = replace(task, corpus=Corpus.from_texts({"2020-03-02_New_Rule.pdf": "text"}))
    with pytest.raises(InvalidInput, match=r"'2020-03-02_New_Rule.pdf' cannot be written; name it \*.txt"):
        write_problem(tmp_path / "p", id="p", task=pdf, truth=DriftTruth(goldens=((0,), ())), tags={})


def test_a_glossary_needs_its_two_columns(tmp_path: Path) -> None:
    path = tmp_path / "glossary.csv"
    with pytest.raises(InvalidInput, match="glossary.csv: file not found"):
        read_glossary(path)
    path.write_text("word,meaning\na,b\n")
    with pytest.raises(InvalidInput, match="needs the columns 'term' and 'definition', has 'word', 'meaning'"):
        read_glossary(path)
    path.write_text("term,definition\nPO, purchase order \n,nothing\n")
    assert read_glossary(path) == {"PO": "purchase order"}


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_a_glossary_is_read_with_any_usual_separator(sign: str, tmp_path: Path) -> None:
    path = tmp_path / "glossary.csv"
    rows = [("term", "definition"), ("VO", "Verordnung"), ("TD", '"Trip, or; declaration"')]
    path.write_text("".join(f"{sign.join(row)}\n" for row in rows))
    assert read_glossary(path) == {"VO": "Verordnung", "TD": "Trip, or; declaration"}


def test_an_empty_glossary_is_said_to_be_empty(tmp_path: Path) -> None:
    path = tmp_path / "glossary.csv"
    path.write_text("\n")
    with pytest.raises(InvalidInput, match=r"glossary.csv: the file is empty\. Give a header line"):
        read_glossary(path)
