import json
import math

import pytest

from assay.core import Problem, SubjectFailed, plain
from assay.drift.answer.answer import DriftAnswer, DriftReply, Quote
from assay.drift.examine.examination import describe, examine, oracle
from assay.drift.metrics import METRICS
from assay.drift.problem.task import DriftTask, DriftTruth

DriftProblem = Problem[DriftTask, DriftTruth]

FIRST, SECOND = "trips_drift_1_1", "trips_drift_1_2"
GOLDEN, OTHER = "2020-03-02_New_Rule.txt", "2020-03-05_Canteen.txt"


def scores(problem: DriftProblem, answer: DriftAnswer) -> dict[str, float]:
    evidence = examine(problem, answer, {})
    return {metric.name: metric.function(evidence) for metric in METRICS}


def test_the_truth_scores_what_every_metric_declares(problem: DriftProblem) -> None:
    figures = scores(problem, oracle(problem))
    for metric in METRICS:
        if metric.oracle is not None:
            assert figures[metric.name] == metric.oracle, metric.name


def test_every_metric_of_a_mixed_answer_by_hand(problem: DriftProblem) -> None:
    text = problem.task.corpus[OTHER].text
    answer = DriftAnswer(
        replies={
            FIRST: DriftReply(
                ranking=(OTHER, "2020-03-02_new rule"),
                quotes=(Quote(OTHER, 4, 11, text[4:11]), Quote(GOLDEN, 0, 5, "never")),
                confidence=0.6,
            ),
            SECOND: DriftReply(ranking=(OTHER,), abstained=True, confidence=0.2),
        }
    )
    figures = scores(problem, answer)
    assert figures["mrr"] == 0.5
    assert (figures["recall@1"], figures["recall@2"], figures["recall@5"]) == (0.0, 1.0, 1.0)
    assert (figures["success@1"], figures["success@2"]) == (0.0, 1.0)
    assert figures["ndcg"] == pytest.approx(1 / math.log2(3))
    assert figures["faithfulness"] == 0.5
    assert figures["abstention_precision"] == figures["abstention_recall"] == 1.0
    assert figures["decision_accuracy"] == 0.5
    assert figures["confidence_brier"] == pytest.approx((0.36 + 0.04) / 2)


def test_a_drift_without_a_reply_counts_zero(problem: DriftProblem) -> None:
    figures = scores(problem, DriftAnswer())
    assert figures["mrr"] == figures["recall@1"] == figures["ndcg"] == figures["decision_accuracy"] == 0.0
    assert figures["abstention_recall"] == 0.0
    assert math.isnan(figures["faithfulness"])
    assert math.isnan(figures["confidence_brier"])


def test_abstaining_does_not_hide_a_ranking_but_costs_the_decision(problem: DriftProblem) -> None:
    figures = scores(problem, DriftAnswer(replies={FIRST: DriftReply(ranking=(GOLDEN,), abstained=True)}))
    assert figures["mrr"] == 1.0
    assert figures["abstention_precision"] == 0.0
    assert figures["decision_accuracy"] == 0.0


def test_a_quote_must_stand_at_its_place_in_its_own_document(problem: DriftProblem) -> None:
    text = problem.task.corpus[GOLDEN].text
    for quote, holds in (
        (Quote(GOLDEN, 0, 4, text[:4]), 1.0),
        (Quote(GOLDEN, 1, 5, text[:4]), 0.0),
        (Quote(OTHER, 0, 4, text[:4]), 0.0),
        (Quote(GOLDEN, 0, 0, ""), 0.0),
        (Quote(GOLDEN, -4, len(text), text[-4:]), 0.0),
    ):
        figures = scores(problem, DriftAnswer(replies={FIRST: DriftReply(quotes=(quote,))}))
        assert figures["faithfulness"] == holds, quote


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ({FIRST: DriftReply(ranking=("lost.txt",))}, "drift 'trips_drift_1_1': not in the corpus.*'lost.txt'"),
        ({FIRST: DriftReply(quotes=(Quote("lost.txt", 0, 1, "x"),))}, "quotes of drift .*'lost.txt'"),
        ({"trips_drift_9_9": DriftReply()}, "No drift named 'trips_drift_9_9'. Did you mean"),
    ],
)
def test_unknown_documents_and_drifts_are_malformed(
    problem: DriftProblem, reply: dict[str, DriftReply], message: str
) -> None:
    with pytest.raises(SubjectFailed, match=message):
        examine(problem, DriftAnswer(replies=reply), {})


def test_the_details_hold_all_that_is_drawn(problem: DriftProblem) -> None:
    details = plain(describe(examine(problem, oracle(problem), {})))
    first, second = json.loads(json.dumps(details))["drifts"]
    assert first["drift"] == FIRST
    assert first["start"] == "2020-03-10"
    assert first["reciprocal_rank"] == 1.0
    assert first["documents"] == [{"name": GOLDEN, "rank": 1, "issued": "2020-03-02", "golden": True}]
    assert first["quotes"][0]["verbatim"] is True
    assert second["reciprocal_rank"] is None
    assert second["abstained"] is True
    assert first["answered"] is second["answered"] is True
    missed = plain(describe(examine(problem, DriftAnswer(replies={FIRST: DriftReply(ranking=(OTHER,))}), {})))
    assert json.loads(json.dumps(missed))["drifts"][1]["answered"] is False
    documents = json.loads(json.dumps(missed))["drifts"][0]["documents"]
    assert [(entry["name"], entry["rank"]) for entry in documents] == [(OTHER, 1), (GOLDEN, None)]
