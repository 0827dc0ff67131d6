"""A language model's opinion, over a real connection to a server on this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from assay.chat import ChatClient
from assay.drift.detection.drift import Drift
from assay.drift.documents.document import Corpus
from assay.drift.explanation.explainer import DriftExplainer
from assay.drift.explanation.rerank import CANDIDATES, candidates, join
from assay.drift.explanation.retrieve import rank

DAY = datetime(2020, 3, 10, tzinfo=UTC)
DRIFT = Drift(id="d", process="TravelPermits", type="sudden", start_case="1", end_case="1", start=DAY, end=DAY)
TEXTS = {
    "2020-03-02_Aa.txt": "From 9 March 2020 travel permits must be signed\ntwice. This is strict. Forms are online.",
    "2020-03-03_Bb.txt": "From 9 March 2020 travel permits must be filed online. Kind regards.",
    "2020-03-04_Cc.txt": "The canteen serves soup.",
}
CORPUS = Corpus.from_texts(TEXTS)


@contextmanager
def server(reply_text: str, *, status: int = 200) -> Iterator[tuple[ChatClient, list[dict[str, Any]]]]:
    """A chat endpoint that always says the same, and what it was asked."""
    requests: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            body = json.dumps({"choices": [{"message": {"content": reply_text}}], "usage": {}}).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Silent."""

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    try:
        url = f"http://127.0.0.1:{running.server_port}/v1"
        yield ChatClient(base_url=url, model="test", key_variable=None, retries=0, seconds=20), requests
    finally:
        running.shutdown()
        running.server_close()
        thread.join()


def reply(**changes: object) -> str:
    content: dict[str, object] = {
        "order": [2, 1, 3],
        "causes": [
            {"number": 2, "quote": "travel permits must be filed online", "description": "It moves the filing."}
        ],
        "summary": "Permits are filed online.",
    }
    return json.dumps(content | changes)


def test_the_models_order_and_verbatim_quotes_are_used() -> None:
    before = DriftExplainer(CORPUS).explain(DRIFT)
    with server(f"```json\n{reply()}\n```") as (chat, _):
        after = DriftExplainer(CORPUS, chat=chat).explain(DRIFT)
    old = {scored.document: scored.score for scored in before.ranking}
    assert [scored.score for scored in after.ranking] == [scored.score for scored in before.ranking]
    moved = after.ranking[0].contributions["model"]
    assert moved == pytest.approx(before.ranking[0].score - old["2020-03-03_Bb.txt"])
    assert after.causes[0].document == "2020-03-03_Bb.txt"
    assert after.causes[0].quote == "travel permits must be filed online"
    assert after.causes[0].description.endswith("The language model adds: It moves the filing.")
    assert after.summary.endswith("In the words of the language model: Permits are filed online.")
    assert after.notes == before.notes


def test_a_quote_is_taken_from_the_document_even_when_its_line_breaks_differ() -> None:
    quote = "travel permits must be signed twice"
    with server(reply(causes=[{"number": 1, "quote": quote}])) as (chat, _):
        causes = DriftExplainer(CORPUS, chat=chat).explain(DRIFT).causes
    signed = next(cause for cause in causes if cause.document == "2020-03-02_Aa.txt")
    assert signed.quote == "travel permits must be signed\ntwice"
    assert CORPUS[signed.document].holds(signed.quote, signed.start, signed.end)


@pytest.mark.parametrize(
    "quote",
    [
        "travel permits must be signed thrice",
        "This is strict. Kind regards.",
        "travel permits must be filed online",
        "",
        7,
    ],
)
def test_invented_stitched_and_misattributed_quotes_are_left_out(quote: object) -> None:
    entry = {"number": 1, "quote": quote, "description": "Made up."}
    with server(reply(causes=[entry])) as (chat, _):
        explanation = DriftExplainer(CORPUS, chat=chat).explain(DRIFT)
    assert "A quote of the language model is not in 2020-03-02_Aa.txt" in explanation.notes[-1]
    assert all(CORPUS[cause.document].holds(cause.quote, cause.start, cause.end) for cause in explanation.causes)
    assert not any("Made up." in cause.description for cause in explanation.causes)
    assert "language model" not in explanation.summary


@pytest.mark.parametrize(
    ("reply_text", "note"),
    [
        ("I think it is the second one.", "no JSON object"),
        ("{broken", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        (reply(order=[9, "x", True], causes=[]), "gave no order"),
        (reply(order="2"), "gave no order"),
        (reply(causes=[{"number": 17, "quote": "x"}]), "a document that it was not given"),
        (reply(causes=["nonsense"]), "a document that it was not given"),
    ],
)
def test_useless_replies_are_noted_and_never_break_an_explanation(reply_text: str, note: str) -> None:
    with server(reply_text) as (chat, _):
        explanation = DriftExplainer(CORPUS, chat=chat).explain(DRIFT)
    assert any(note in entry for entry in explanation.notes)
    assert len(explanation.ranking) == len(TEXTS)


def test_a_failing_endpoint_leaves_the_offline_explanation_as_it_is() -> None:
    with server("", status=500) as (chat, _):
        explanation = DriftExplainer(CORPUS, chat=chat).explain(DRIFT)
    assert explanation.ranking == rank(CORPUS, DRIFT) or repr(explanation.ranking) == repr(rank(CORPUS, DRIFT))
    assert "The language model gave no answer" in explanation.notes[-1]


def test_the_model_sees_documents_by_name_without_scores_and_nothing_random() -> None:
    with server(reply()) as (chat, requests):
        for _ in range(2):
            DriftExplainer(CORPUS, chat=chat).explain(DRIFT)
    assert requests[0] == requests[1]
    assert requests[0]["temperature"] == 0.0
    question = requests[0]["messages"][1]["content"]
    places = [question.index(text[:20]) for text in TEXTS.values()]
    assert places == sorted(places)
    assert "confidence" not in question


def test_without_an_order_the_ranking_stays() -> None:
    from assay.drift.explanation.rerank import Opinion

    ranking = rank(CORPUS, DRIFT)
    assert join(ranking, Opinion((), {}, {}, "", ())) == ranking


def test_the_models_order_decides_among_eighteen_candidates_of_the_date_window() -> None:
    notices = {
        f"2020-03-{day:02d}_N{day:02d}.txt": f"From 9 March 2020 travel permits get form {day}." for day in range(1, 23)
    }
    old = {
        f"2018-01-{day:02d}_O{day:02d}.txt": "From 1 February 2018 travel permits get a form." for day in range(1, 9)
    }
    corpus = Corpus.from_texts(notices | old)
    shown = candidates(rank(corpus, DRIFT))
    assert len(shown) == CANDIDATES == 18
    assert all(name.startswith("2020") for name in shown)
    last = sorted(shown).index(shown[-1]) + 1
    quote = [{"number": last, "quote": "travel permits get form"}]
    with server(reply(order=[last], causes=quote)) as (chat, _):
        explanation = DriftExplainer(corpus, chat=chat).explain(DRIFT)
    assert explanation.ranking[0].document == shown[-1]
    assert len(explanation.ranking) == len(corpus)


def test_a_model_that_finds_no_cause_makes_the_explainer_abstain() -> None:
    with server(reply(none=True)) as (chat, _):
        assert DriftExplainer(CORPUS, chat=chat).explain(DRIFT).abstained
    with server(reply(none=False)) as (chat, _):
        assert not DriftExplainer(CORPUS, chat=chat).explain(DRIFT).abstained


def test_what_is_near_in_meaning_is_a_candidate_whatever_its_place() -> None:
    ranking = rank(Corpus.from_texts({f"2020-02-{day:02d}_n.txt": "Permits." for day in range(1, 29)}), DRIFT)
    last = ranking[20]
    near = tuple(one._replace(signals={**one.signals, "dense": float(one is last)}) for one in ranking)
    assert last.document in candidates(near)
    assert last.document not in candidates(ranking)
