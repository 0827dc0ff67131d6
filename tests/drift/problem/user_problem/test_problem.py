"""Problems from an event log, documents and causes of one's own: what is written, what is checked, what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.drift.conftest import TEXTS, small_drift, small_log

from assay.core import InvalidInput
from assay.drift import Corpus, load, new_problem, write_log
from assay.drift.problem.detector_files import write_detections
from assay.intake.new_problem import NewProblem
from assay.intake.table.options import TableOptions

RULE, PAYMENT, CANTEEN = "2020-03-02_New_Rule.txt", "2020-06-01_Payment.txt", "2020-03-05_Canteen.txt"
GIVEN: Mapping[str, Any] = {"causes": {"2020-03-12": RULE}, "drifts": ["2020-03-10"]}  # the log changes on 10 March


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    return folder


def make(folder: Path, **given: Any) -> NewProblem:
    """The problem of trips, but for what is given."""
    usual = {**GIVEN, "log": small_log(), "documents": Corpus.from_texts(TEXTS)}
    return new_problem(folder / "trips", **{**usual, **given})


def refusal(folder: Path, **given: Any) -> str:
    """What is said; nothing may be left behind."""
    with pytest.raises(InvalidInput) as caught:
        make(folder, **given)
    assert not (folder / "trips").exists()
    assert not list(folder.glob(".trips*"))
    return str(caught.value)


def golden(folder: Path) -> list[list[str]]:
    problem = load(folder / "trips")
    return [sorted(names) for names in problem.truth.names(problem.task.corpus)]


def test_a_log_in_a_file_its_documents_and_a_cause_become_a_problem(tmp_path: Path, documents: Path) -> None:
    write_log(small_log(), tmp_path / "trips.csv")
    new = make(
        tmp_path,
        log=tmp_path / "trips.csv",
        documents=documents,
        process="Trip Declarations",
        glossary={"TD": "trip declaration"},
        tags={"year": 2020},
    )
    problem = load(tmp_path / "trips")
    (drift,) = problem.task.drifts
    assert (drift.process, drift.start_case, drift.type) == ("Trip Declarations", "case 30", "sudden")
    assert golden(tmp_path) == [[RULE]]
    assert new.oracle == {"trips": 1.0}
    assert problem.task.glossary == {"TD": "trip declaration"}
    assert problem.tags["year"] == 2020
    assert len(problem.task.logs["Trip Declarations"]) == 60
    assert len(problem.task.corpus) == 4
    assert new.facts["cause 1"] == f"2020-03-12: {RULE}; sudden drift of 2020-03-10, 2 days earlier"


def test_without_given_drifts_they_are_detected_and_those_without_a_cause_are_left_out(tmp_path: Path) -> None:
    log = small_log(cases=240)
    new = make(tmp_path, log=log, causes={"case 120": [RULE, CANTEEN]}, drifts=())
    assert golden(tmp_path) == [[RULE, CANTEEN]]
    assert "1 detected" in str(new.facts["drifts"])
    given = {"drifts": ["2020-03-10", "2020-03-20..2020-03-25"]}
    (tmp_path / "more").mkdir()
    more = make(tmp_path / "more", log=log, **given)
    assert more.warnings[0] == (
        "the drift of 2020-03-20 has no known cause and is left out. If no document explains it: "
        "causes={'2020-03-20': None}"
    )
    (tmp_path / "none").mkdir()
    make(tmp_path / "none", log=log, **given, causes=[("2020-03-10", RULE), ("2020-03-22", None)])
    assert golden(tmp_path / "none") == [[RULE], []]
    assert [drift.type for drift in load(tmp_path / "none" / "trips").task.drifts] == ["sudden", "gradual"]


def test_causes_of_a_table_are_found_by_what_its_columns_hold(tmp_path: Path, documents: Path) -> None:
    path = tmp_path / "causes.csv"
    path.write_text("Beleg;Datum\n2020-03-02 new rule;10.03.2020\n2020-06-01_Payment.txt;30.03.2020\n")
    given = {"documents": documents, "drifts": ["2020-03-10", "2020-03-30"], "causes": path}
    new = make(tmp_path, **given)
    assert golden(tmp_path) == [[RULE], [PAYMENT]]
    assert new.tables[0]["Datum"].role == "time"
    (tmp_path / "frame").mkdir()
    make(tmp_path / "frame", **{**given, "causes": pd.DataFrame({"at": ["case 30"], "text": [RULE]})})
    assert golden(tmp_path / "frame") == [[RULE]]


def test_drifts_and_causes_of_a_detector_are_taken_for_this_log(tmp_path: Path, documents: Path) -> None:
    drifts = [small_drift(1, 30), small_drift(2, 50)]
    write_detections(tmp_path / "found", drifts, golden=[[RULE], [PAYMENT]])
    make(tmp_path, drifts=(), causes={}, detections=tmp_path / "found")
    assert golden(tmp_path) == [[RULE], [PAYMENT]]


def test_a_document_after_its_drift_is_remarked(tmp_path: Path) -> None:
    new = make(tmp_path, causes={"2020-03-10": PAYMENT})
    assert f"{PAYMENT} is of 2020-06-01, after the drift of 2020-03-10 that it is to explain" in new.warnings


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"causes": {}}, "no cause is given, and known causes are the truth of a drift problem"),
        ({"causes": {"2020-03-10": "new_rul"}}, "no document 'new_rul' among 4. Did you mean '2020-03-02_New_R"),
        ({"causes": {"2020-03-10": None}}, "no cause names a document"),
        ({"causes": {"2019-03-10": RULE}}, "2019-03-10 lies outside the log, which covers 2020-02-09 to 2020-04-08"),
        ({"causes": {"2020-02-10": RULE}, "within": 7}, "no drift within 7 days of 2020-02-10; the nearest of 1 is on "
         "2020-03-10, 29 days later. Correct the date, allow more (within=29), or say where"),
        ({"causes": {"03/04/2020": RULE}}, "'03/04/2020' may be read with either order of day and month"),
        ({"causes": {"spring": RULE}}, "'spring' is neither a case of the log nor a date written as 2021-03-31"),
        ({"causes": {3: RULE}}, "causes: 3 is neither a date nor a case"),
        ({"causes": {"2020-03-10": 5}}, "causes: ('2020-03-10', 5) is not a pair of time and document"),
        ({"causes": {"2020-03-10": [5]}}, "causes, '2020-03-10': documents are given by name, got [5]"),
        ({"drifts": ["2020-03-01..2020-03-05..2020-03-20"]}, "'2020-03-05..2020-03-20' is neither a case of the log"),
        ({"causes": ["x"]}, "causes: 'x' is not a pair of time and document"),
        ({"causes": pd.DataFrame({"a": ["x"], "b": ["y"]})}, "no column names one of the 4 documents"),
        ({"causes": pd.DataFrame({"a": ["x"], "b": [RULE]})}, "no column besides 'b' holds dates, cases of the log"),
        ({"causes": pd.DataFrame({"a": ["03/04/2020", "04/03/2020"], "b": [RULE, RULE]})}, "either order of day and"),
        ({"drifts": ["2031-01-01"]}, "2031-01-01 lies outside the log"),
        ({"drifts": ["2020-03-20..2020-03-01"]}, "it ends before it starts"),
        ({"drifts": (), "log": small_log(cases=20)}, "no drift was detected in 20 cases. Say where it drifts: drifts="),
        ({"detections": "found"}, "drifts are given twice"),
        ({"documents": "nowhere"}, "documents folder 'nowhere' does not exist"),
        ({"log": "nowhere.csv"}, "nowhere.csv: file not found"),
        ({"process": "a/b"}, "the process 'a/b' cannot be a file name"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_the_remedy(given: dict[str, Any], words: str, tmp_path: Path) -> None:
    assert words in refusal(tmp_path, **given)


def test_an_empty_log_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("case,activity,time\n")
    (tmp_path / "documents").mkdir()
    assert "log.csv" in refusal(tmp_path, log=tmp_path / "log.csv")
    assert "no readable document" in refusal(tmp_path, documents=tmp_path / "documents")


def test_remedies_are_written_as_the_user_writes(tmp_path: Path) -> None:
    message = refusal(tmp_path, causes={"2020-02-10": RULE}, within=3, options=TableOptions(syntax="flags"))
    assert "(--within 29), or say where the drifts are: --drift 2020-02-10." in message


@pytest.mark.parametrize(
    "causes", [[("2020-03-10", None), ("2020-03-12", RULE)], [("2020-03-12", RULE), ("case 30", None)]]
)
def test_a_drift_is_not_both_explained_and_unexplained(causes: list[tuple[str, str | None]], tmp_path: Path) -> None:
    first, second = (f"causes, {when!r}" for when, _ in causes)
    message = refusal(tmp_path, causes=causes)
    assert message.startswith(f"{first} and {second}: both are of the sudden drift of 2020-03-10; one says that no")
    assert "Remove one of them." in message


def test_several_documents_of_one_drift_may_be_given_one_by_one(tmp_path: Path) -> None:
    make(tmp_path, causes=[("2020-03-10", RULE), ("2020-03-12", CANTEEN)])
    assert golden(tmp_path) == [[RULE, CANTEEN]]
