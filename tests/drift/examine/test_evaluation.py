import csv
import io
from pathlib import Path

import pytest

from assay.core import Budget, InvalidInput, UnknownName
from assay.drift import subjects
from assay.drift.answer.answer import DriftAnswer, DriftReply
from assay.drift.answer.trec import read_qrels, read_run
from assay.drift.documents.folder import read_corpus
from assay.drift.examine.evaluation import Evaluation, evaluate
from assay.drift.examine.master_report import (
    MASTER_REPORT,
    master_report,
    summary_lines,
    summary_text,
    write_evaluation,
)
from assay.drift.problem.detector_files import write_detections
from assay.drift.problem.task import DriftTask

FIRST, SECOND = "trips_drift_1_1", "trips_drift_1_2"
GOLDEN, OTHER, PAYMENT = "2020-03-02_New_Rule.txt", "2020-03-05_Canteen.txt", "2020-06-01_Payment.txt"


@pytest.fixture
def evaluation(bare: Path) -> Evaluation:
    """A ready ranking with the first drift right and the second golden document in second place."""
    ready = DriftAnswer(
        replies={FIRST: DriftReply(ranking=(GOLDEN, OTHER)), SECOND: DriftReply(ranking=(OTHER, PAYMENT))}
    )
    corpus = read_corpus(bare.parent / "documents")
    return evaluate(bare, documents=corpus, ks=(1, 2), subjects=(), runs={"ready": ready})


def rows_of(report: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(report)))


def test_the_master_report_has_a_row_per_drift_and_closing_rows(evaluation: Evaluation) -> None:
    report = rows_of(master_report(evaluation))
    assert list(report[0]) == [
        *("test_set", "drift_id", "drift_type", "gold_document", "predicted_doc_1", "predicted_doc_2"),
        *("recall@1", "recall@2", "mrr"),
    ]
    first, second, trips, total = report
    assert (first["drift_id"], first["gold_document"], first["predicted_doc_1"]) == (FIRST, GOLDEN, GOLDEN)
    assert (first["recall@1"], first["recall@2"], first["mrr"]) == ("1", "1", "1")
    assert (second["drift_type"], second["recall@1"], second["recall@2"], second["mrr"]) == ("gradual", "0", "1", "0.5")
    assert (trips["test_set"], trips["drift_id"]) == ("trips", "ALL")
    assert (total["test_set"], total["recall@1"], total["recall@2"], total["mrr"]) == ("ALL", "0.5", "1", "0.75")


def test_baselines_stand_beside_the_evaluated_subject(evaluation: Evaluation) -> None:
    assert list(evaluation.rows) == ["ready", "date-only", "random-in-window", "random"]
    chance = evaluation.mean("mrr", subject="random").value
    assert chance == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)
    assert evaluation.mean("recall@1", subject="random").value == pytest.approx(0.25)
    assert evaluation.mean("recall@1", subject="random-in-window", type="sudden").value == pytest.approx(0.5)
    assert evaluation.mean("mrr", subject="date-only", type="sudden").value == 0.5  # the canteen is nearer in time
    text = summary_text(evaluation)
    assert "2 drifts in 1 test set, 2 of them with a golden document." in text
    for line in ("| ready | 50.0% [", "| date-only |", "| random |", "| sudden | 1 | 100.0%", "| gradual | 1 | 0.0%"):
        assert line in text


def test_failed_drifts_count_zero_and_say_so(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Fragile:
        name, digest = "fragile", "f"

        def solve(self, task: DriftTask, _: Budget, /) -> DriftAnswer:
            if any(drift.id == SECOND for drift in task.drifts):
                raise RuntimeError("the second is too hard")
            return DriftAnswer(replies={drift.id: DriftReply(ranking=(GOLDEN,)) for drift in task.drifts})

    monkeypatch.setitem(subjects.SUBJECTS, "fragile", Fragile)
    evaluation = evaluate(bare, documents=read_corpus(bare.parent / "documents"), subjects=("fragile",), ks=(1,))
    assert evaluation.mean("mrr").value == 0.5
    assert [(failure.drift, failure.subject) for failure in evaluation.failed] == [(SECOND, "fragile")]
    report = rows_of(master_report(evaluation))
    assert (report[1]["predicted_doc_1"], report[1]["mrr"]) == ("N/A", "0")
    assert "RuntimeError: the second is too hard" in summary_text(evaluation)


def test_a_reply_with_unknown_documents_fails_its_drift_alone(bare: Path) -> None:
    ready = DriftAnswer(replies={FIRST: DriftReply(ranking=(GOLDEN,)), SECOND: DriftReply(ranking=("lost.pdf",))})
    evaluation = evaluate(bare, documents=read_corpus(bare.parent / "documents"), subjects=(), runs={"ready": ready})
    assert evaluation.mean("mrr").value == 0.5
    assert "'lost.pdf'" in evaluation.failed[0].message


def test_broken_test_sets_are_told_and_the_others_go_on(bare: Path, task: DriftTask) -> None:
    write_detections(bare / "lost", task.drifts, golden=[["nowhere.pdf"], []])
    write_detections(bare / "torn", task.drifts, golden=[[GOLDEN], [GOLDEN]])
    (bare / "torn" / "window_info.json").write_text("{")
    evaluation = evaluate(bare, documents=read_corpus(bare.parent / "documents"), subjects=("date-only",))
    assert {failure.test_set for failure in evaluation.broken} == {"lost", "torn"}
    assert {row.test_set for row in evaluation.rows["date-only"]} == {"trips"}
    text = summary_text(evaluation)
    assert "'nowhere.pdf'" in text
    assert "window_info.json" in text
    (bare / "trips" / "prediction_results.csv").unlink()
    with pytest.raises(InvalidInput, match="none of 2 test sets could be read"):
        evaluate(bare, documents=read_corpus(bare.parent / "documents"), subjects=("date-only",))


def test_drifts_without_a_cause_count_in_abstention_only(folder: Path) -> None:
    ready = DriftAnswer(replies={FIRST: DriftReply(ranking=(GOLDEN,)), SECOND: DriftReply(abstained=True)})
    evaluation = evaluate(folder, subjects=(), runs={"ready": ready}, ks=(1,))
    assert evaluation.mean("mrr").value == 1.0
    report = rows_of(master_report(evaluation))
    assert (report[1]["gold_document"], report[1]["recall@1"], report[1]["mrr"]) == ("", "", "")
    lines = {line.metric: line for line in summary_lines(evaluation) if (line.subject, line.group) == ("ready", "all")}
    assert (lines["mrr"].drifts, lines["abstention_precision"].value.value) == (1, 1.0)
    assert lines["decision_accuracy"].value.value == 1.0
    assert "abstention_recall: 100.0% of 1 causeless drift\n" in summary_text(evaluation)


def test_everything_is_written_and_can_be_evaluated_again(tmp_path: Path, bare: Path, evaluation: Evaluation) -> None:
    paths = write_evaluation(evaluation, tmp_path / "out")
    assert tmp_path / "out" / MASTER_REPORT in paths
    assert (tmp_path / "out" / MASTER_REPORT).read_text() == master_report(evaluation)
    assert read_qrels(tmp_path / "out" / "golden.qrels") == {FIRST: (GOLDEN,), SECOND: (PAYMENT,)}
    again = evaluate(
        bare,
        documents=read_corpus(bare.parent / "documents"),
        ks=(1, 2),
        subjects=(),
        runs={"ready": read_run(tmp_path / "out" / "runs" / "ready.run")},
    )
    assert master_report(again) == master_report(evaluation)


def test_what_cannot_be_evaluated_is_refused(tmp_path: Path, bare: Path) -> None:
    corpus = read_corpus(bare.parent / "documents")
    with pytest.raises(UnknownName, match="No subject named 'date'. Did you mean 'date-only'"):
        evaluate(bare, documents=corpus, subjects=("date",))
    with pytest.raises(InvalidInput, match="unexpected keyword"):
        evaluate(bare, documents=corpus, subjects=("date-only(k=3)",))
    with pytest.raises(InvalidInput, match="k must be a whole number"):
        evaluate(bare, documents=corpus, ks=(0,))
    with pytest.raises(InvalidInput, match="at least one k"):
        evaluate(bare, documents=corpus, ks=())
    evaluation = evaluate(bare, documents=corpus, subjects=("random",))
    with pytest.raises(UnknownName, match="No metric named 'recall@3'"):
        evaluation.mean("recall@3")
    with pytest.raises(UnknownName, match="No group named 'kind'"):
        evaluation.mean("mrr", kind="sudden")
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="cannot be made a folder"):
        write_evaluation(evaluation, tmp_path / "file")


def test_progress_is_told_from_nothing_to_all(bare: Path) -> None:
    seen: list[tuple[int, int, str]] = []
    corpus = read_corpus(bare.parent / "documents")
    evaluate(bare, documents=corpus, subjects=("random",), progress=lambda *given: seen.append(given))
    assert seen[0] == (0, 3, "trips: random")
    assert seen[-1] == (3, 3, "done")


def test_a_ranking_is_not_named_as_a_subject(bare: Path) -> None:
    corpus = read_corpus(bare.parent / "documents")
    with pytest.raises(InvalidInput, match="2 rankings or subjects are named 'random'"):
        evaluate(bare, documents=corpus, subjects=(), runs={"random": DriftAnswer()})
