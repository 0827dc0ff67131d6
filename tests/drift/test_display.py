"""Logs, drifts, documents, explanations and answers as a terminal and a notebook show them."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import numpy as np
import pytest
from tests.display import HOSTILE, check_display

from assay.drift import (
    Corpus,
    Detection,
    Drift,
    DriftAnswer,
    DriftExplainer,
    DriftReply,
    DriftTask,
    DriftTruth,
    Evaluation,
    EventLog,
    change_profile,
    simulate,
)
from assay.drift.examine.evaluation import Failure
from assay.drift.generate.simulate import Simulated

DAY = datetime(2020, 3, 10, tzinfo=UTC)


@pytest.fixture(scope="module")
def simulated() -> Simulated:
    return simulate(seed=1, cases=200)


def drift(**changes: object) -> Drift:
    given = {"id": "d1", "process": "TravelPermits", "type": "sudden", "start_case": "7", "end_case": "7"}
    return Drift(**{**given, "start": DAY, "end": DAY, **changes})  # type: ignore[arg-type]


def test_a_log_says_its_sizes_and_its_period(simulated: Simulated) -> None:
    assert "200 cases, 2953 events, 17 activities, 2019-01-14 to 2020-01-10" in repr(simulated.log)
    check_display(simulated.log, says="Receive application")
    check_display(simulated, says="what changed")


def test_a_log_of_a_million_events_is_summed_up_in_no_time() -> None:
    events = 10**6
    log = EventLog(
        name=HOSTILE,
        cases=tuple(map(str, range(events // 10))),
        activities=tuple(f"{HOSTILE} {number}" for number in range(1000)),
        case_codes=np.repeat(np.arange(events // 10, dtype=np.int32), 10),
        activity_codes=np.arange(events, dtype=np.int32) % 1000,
        times=np.arange(events, dtype=np.int64) * 10**9,
        attributes={HOSTILE: np.zeros(events)},
        notes=(HOSTILE,) * 100,
    )
    started = time.process_time()
    check_display(log, says="980 more")
    assert time.process_time() - started < 2


def test_a_drift_says_when_what_and_how_sure() -> None:
    assert repr(drift()) == "Drift('d1': sudden in 'TravelPermits', 2020-03-10, confidence 1.00)"
    later = datetime(2020, 4, 1, tzinfo=UTC)
    assert "2020-03-10 to 2020-04-01" in repr(drift(type="gradual", end=later, end_case="9"))
    hostile = drift(id=HOSTILE, process=HOSTILE, start_case=HOSTILE, end_case=HOSTILE)
    check_display(hostile)
    check_display(Detection(hostile, (HOSTILE,) * 3))


def test_a_profile_lists_what_changed_for_sure(simulated: Simulated) -> None:
    profile = change_profile(simulated.log, simulated.drifts[0].drift)
    assert repr(profile) == "ChangeProfile(4 certain changes of 147 compared; 103 cases before, 97 after)"
    check_display(profile, says="Verify income")


def test_a_corpus_of_hostile_documents_is_harmless() -> None:
    corpus = Corpus.from_texts({f"2020-03-02_{HOSTILE}_{number}.txt": HOSTILE * 10 for number in range(40)})
    check_display(corpus, says="40 documents, issued 2020-03-02 to 2020-03-02")
    check_display(corpus.documents[0])
    assert repr(DriftExplainer(corpus)).startswith("DriftExplainer(Corpus(40 documents")


def test_an_explanation_ranks_documents_with_their_quotes() -> None:
    corpus = Corpus.from_texts(
        {
            "2020-03-02_Travel_Permits.txt": f"From 9 March 2020 travel permits need {HOSTILE} a second signature.",
            "2020-03-04_Canteen.txt": "The canteen has a new menu from 9 March 2020.",
        }
    )
    explanation = DriftExplainer(corpus).explain(drift())
    html = check_display(explanation, says="travel permits need <script>alert")
    assert html.index("2020-03-02_Travel") < html.index("2020-03-04_Canteen")
    assert repr(explanation).startswith("Explanation('d1': '2020-03-02_Travel_Permits.txt' (0.")
    abstaining = DriftExplainer(corpus, abstain_below=1.0).explain(drift())
    check_display(abstaining, says="No document tells the cause")
    assert "no document tells the cause" in repr(abstaining)


def test_answers_tasks_and_truths_show_their_sizes() -> None:
    reply = DriftReply(ranking=(HOSTILE, "b"), scores=(1.0, 0.5), quotes=((HOSTILE, 0, 1, HOSTILE),), confidence=0.25)  # type: ignore[arg-type]
    check_display(reply, says="0.25")
    check_display(DriftAnswer(replies=dict.fromkeys(map(str, range(500)), reply)), says="480 more")
    corpus = Corpus.from_texts({"rule.txt": "New."})
    task = DriftTask(name=HOSTILE, drifts=(drift(process=HOSTILE),) * 100, corpus=corpus)
    check_display(task, says="80 more")
    assert repr(DriftTruth(goldens=((0,), ()))) == "DriftTruth(2 drifts, 1 with a golden document)"


def test_an_evaluation_that_read_nothing_says_so() -> None:
    broken = tuple(Failure(HOSTILE, "", "", HOSTILE) for _ in range(50))
    check_display(Evaluation(ks=(1,), rows={}, broken=broken))
    assert (
        repr(Evaluation(ks=(1,), rows={}, broken=broken)) == "Evaluation(no subject on 0 drifts, 50 test sets not read)"
    )
