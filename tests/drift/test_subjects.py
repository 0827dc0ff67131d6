import json
import math
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from assay.core import Budget, InvalidInput, MissingExtra, Problem
from assay.drift import TRACK
from assay.drift import subjects as module
from assay.drift.documents.document import Corpus
from assay.drift.documents.sentence_model import PACKAGE
from assay.drift.examine.examination import examine
from assay.drift.problem.task import DriftTask, DriftTruth
from assay.drift.subjects import (
    SUBJECTS,
    Bm25,
    Bm25InWindow,
    DateOnly,
    Dense,
    Explainer,
    NamedDates,
    Random,
    RandomInWindow,
    reply_of,
)

DriftProblem = Problem[DriftTask, DriftTruth]

FIRST = "trips_drift_1_1"
GOLDEN, OTHER = "2020-03-02_New_Rule.txt", "2020-03-05_Canteen.txt"


def metric(problem: DriftProblem, subject: Any, name: str) -> float:
    return TRACK.metric(name).function(examine(problem, subject.solve(problem.task, Budget()), {}))


def test_the_explainer_finds_the_cause_and_quotes_it_verbatim(problem: DriftProblem) -> None:
    reply = Explainer().solve(problem.task, Budget()).replies[FIRST]
    assert reply.ranking[0] == GOLDEN
    assert len(reply.ranking) == 4
    assert reply.quotes[0].document == GOLDEN
    assert metric(problem, Explainer(), "faithfulness") == 1.0
    assert reply.confidence is not None


def test_dates_alone_take_the_nearest_document_and_undated_ones_last(problem: DriftProblem) -> None:
    answer = DateOnly().solve(problem.task, Budget())
    assert answer.replies[FIRST].ranking[:2] == (OTHER, GOLDEN)
    undated = Corpus.from_texts({"Notice.txt": "No day.", "1999-01-01_Old.txt": "Old."})
    ranking = DateOnly().solve(replace(problem.task, corpus=undated), Budget()).replies[FIRST].ranking
    assert ranking == ("1999-01-01_Old.txt", "Notice.txt")


def test_a_document_after_the_drift_is_less_likely_than_one_as_long_before(problem: DriftProblem) -> None:
    corpus = Corpus.from_texts({"2020-03-15_After.txt": "x", "2020-03-05_Before.txt": "x"})
    answer = DateOnly().solve(replace(problem.task, corpus=corpus), Budget())
    reply = answer.replies[FIRST]
    assert reply.ranking == ("2020-03-05_Before.txt", "2020-03-15_After.txt")
    assert reply.scores is not None
    assert reply.scores[0] > reply.scores[1]


def test_words_alone_put_last_what_speaks_of_something_else(problem: DriftProblem) -> None:
    ranking = Bm25().solve(problem.task, Budget()).replies[FIRST].ranking
    assert ranking[-1] == OTHER
    assert ranking.index(GOLDEN) < ranking.index("2019-05-01_Old_Rule.txt")  # it speaks of an approval, which changed
    assert Bm25(changes=False).name == "bm25(changes=False)"


def test_a_window_puts_words_of_the_right_days_first(problem: DriftProblem) -> None:
    ranking = Bm25InWindow().solve(problem.task, Budget()).replies[FIRST].ranking
    assert ranking[:2] == (GOLDEN, OTHER)
    assert Bm25InWindow(changes=False).name == "bm25-in-window(changes=False)"


def test_named_days_alone_prefer_the_text_that_names_the_day(problem: DriftProblem) -> None:
    reply = NamedDates().solve(problem.task, Budget()).replies[FIRST]
    assert set(reply.ranking[:2]) == {GOLDEN, OTHER}  # 10 and 12 March: days alone cannot tell them apart
    assert reply.ranking[-1] == "2019-05-01_Old_Rule.txt"


def test_chance_has_its_expected_value(problem: DriftProblem) -> None:
    assert metric(problem, Random(), "mrr") == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)
    assert metric(problem, RandomInWindow(), "recall@1") == pytest.approx(0.5)
    assert metric(problem, RandomInWindow(before=7, after=0), "recall@1") == 0.0
    assert RandomInWindow(before=30).name == "random-in-window(after=3, before=30)"
    inside = Corpus.from_texts({"2020-03-12_After.txt": "x", "2020-03-14_Late.txt": "x", "2020-02-24_Early.txt": "x"})
    reply = RandomInWindow().solve(replace(problem.task, corpus=inside), Budget()).replies[FIRST]
    assert dict(zip(reply.ranking, reply.scores or (), strict=True)) == {
        "2020-03-12_After.txt": 1.0,
        "2020-03-14_Late.txt": 0.0,
        "2020-02-24_Early.txt": 0.0,
    }
    with pytest.raises(InvalidInput, match="before must be a number of days"):
        RandomInWindow(before=-1)


def test_a_dense_ranking_needs_no_network(problem: DriftProblem) -> None:
    pytest.importorskip("wordllama", reason="the extra 'dense' is not installed")
    assert metric(problem, Dense(), "mrr") >= 0.5
    assert metric(problem, Explainer(dense=True), "mrr") == 1.0
    assert Explainer(dense=True).name == "explainer(dense=True)"


def test_the_dense_model_is_an_extra_that_is_named_when_it_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    for make in (Dense, lambda: Explainer(dense=True)):
        with pytest.raises(MissingExtra, match=r"pip install 'wordllama>=0.4'"):
            make()


def test_what_is_installed_for_meaning_is_part_of_the_explainer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: name == PACKAGE or None)
    assert {"bm25s", "wordllama", PACKAGE} <= {*Explainer(dense=True).libraries}
    with pytest.raises(MissingExtra, match="wordllama"):  # it knows word vectors alone
        Dense()


@pytest.mark.parametrize("name", [name for name in SUBJECTS if name != "dense"])
def test_every_subject_ranks_all_documents_without_a_log_too(problem: DriftProblem, name: str) -> None:
    task = replace(problem.task, logs={})
    subject = SUBJECTS[name]()
    answer = subject.solve(task, Budget())
    for reply in answer.replies.values():
        assert sorted(reply.ranking) == sorted(task.corpus.names)
    assert subject.name == name
    assert len(subject.digest) == 64
    assert not math.isnan(metric(replace(problem, task=task), subject, "mrr"))


def test_scores_that_do_not_fall_along_the_ranking_do_not_reorder_it(problem: DriftProblem) -> None:
    explanation = Explainer().explainer(problem.task.corpus).explain(problem.task.drifts[0])
    assert reply_of(explanation).scores is not None
    turned = reply_of(replace(explanation, ranking=explanation.ranking[::-1]))
    assert turned.ranking[-1] == GOLDEN
    assert turned.scores is None


class Endpoint(BaseHTTPRequestHandler):
    """Says that the third candidate is the likeliest, and quotes it wrongly."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"order": [3, 1, 2, 4], "causes": [{"number": 3, "quote": "words that nobody wrote"}]}
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": json.dumps(message)}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Silence."""


def test_a_language_model_may_join_and_its_quotes_are_checked(problem: DriftProblem) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        subject = Explainer(chat_url=f"http://127.0.0.1:{server.server_port}/v1", chat_model="small")
        reply = subject.solve(problem.task, Budget()).replies[FIRST]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert metric(problem, Explainer(), "faithfulness") == 1.0
    assert all(problem.task.corpus[q.document].holds(q.text, q.start, q.end) for q in reply.quotes)
    alone = Explainer().solve(problem.task, Budget()).replies[FIRST]
    assert reply.scores == alone.scores  # places keep their scores
    assert subject.name.startswith("explainer(chat_model='small', chat_url='http://127.0.0.1:")


def test_a_language_model_needs_an_address_and_a_name() -> None:
    with pytest.raises(InvalidInput, match="needs both chat_url and chat_model"):
        Explainer(chat_url="http://localhost:1/v1")
