"""The agent against a scripted endpoint, over real HTTP: what it asks, what it keeps, what it says of itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.chat.scripted import Script, Served, said, serving

from assay.core import Budget, InvalidInput, Problem, SubjectFailed
from assay.insight import TRACK, InsightTask, InsightTruth, Llm, evaluate, generate, load
from assay.insight.answer.answer import decode, encode

InsightProblem = Problem[InsightTask, InsightTruth]


@pytest.fixture(scope="module")
def problem(tmp_path_factory: pytest.TempPathFactory) -> InsightProblem:
    return load(generate(tmp_path_factory.mktemp("p"), seed=3, rows=180, difficulty="easy"))


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Script]:
    monkeypatch.setenv("ASSAY_CHAT_KEY", "sk-in-no-record")
    with serving() as script:
        yield script


def agent(script: Script, **options: Any) -> Llm:
    return Llm(**{"base_url": script.base_url, "model": "scripted", "rounds": 2, "request_seconds": 5.0, **options})


def fenced(*sources: str) -> str:
    return "Let me think.\n\n```python\n" + "\n\n".join(sources) + "\n```\nThat should do."


CLONE = "def n{0}(df, aux_dataframes):\n    return df['basket_size'] * {0}"


def truth_code(problem: InsightProblem) -> list[str]:
    return [function.code for function in problem.truth.functions]


def test_rounds_feed_errors_and_gains_back_and_the_best_is_kept(problem: InsightProblem, script: Script) -> None:
    wrong = "def wrong(df, aux_dataframes):\n    return df['no such column']"
    script.replies = [
        said(fenced(wrong, truth_code(problem)[0]), prompt=900, completion=80),
        said(fenced(*truth_code(problem)[1:]), prompt=1200, completion=120),
    ]
    subject = agent(script, prompt_price=2.0, completion_price=10.0)
    answer = decode(encode(subject.solve(problem.task, Budget(seed=1))))
    assert set(answer.columns) == set(problem.truth.columns)
    scores = [function.score for function in answer.functions]
    assert scores == sorted(scores, key=lambda score: -(score or 0.0))
    assert evaluate(problem, answer, check_leakage="never").scores["coverage"] > 0.95
    assert answer.train is not None
    for name in answer.columns:
        assert answer.train[name].tolist() == problem.truth.train[name].tolist()
    first, second = (json.loads(request.body) for request in script.requests)
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert [message["role"] for message in second["messages"]] == ["system", "user", "assistant", "user"]
    said_back = second["messages"][-1]["content"]
    assert "wrong: dropped, exception. KeyError: 'no such column' (line 2)" in said_back
    assert f"{problem.truth.columns[0]}: AUC" in said_back
    assert first["seed"] == 1
    assert subject.usage["prompt_tokens"] == 2100
    assert subject.usage["completion_tokens"] == 200
    assert subject.usage["requests"] == 2
    assert subject.usage["cost"] == pytest.approx(2100 * 2e-6 + 200 * 10e-6)


def test_the_transcript_is_kept_and_holds_no_key(problem: InsightProblem, script: Script) -> None:
    script.replies = [said(f"the key was sk-in-no-record\n{fenced(truth_code(problem)[0])}")]
    answer = agent(script, rounds=1).solve(problem.task, Budget())
    roles = [json.loads(note)["role"] for note in answer.notes]
    assert roles == ["system", "user", "assistant", "user"]
    assert "[key]" in answer.notes[2]
    assert b"sk-in-no-record" not in encode(answer)
    details = evaluate(problem, answer, check_leakage="never").details
    assert details["subject_notes"] == list(answer.notes)
    assert script.requests[0].headers["Authorization"] == "Bearer sk-in-no-record"


def test_the_same_replies_give_the_same_answer(problem: InsightProblem, script: Script) -> None:
    script.replies = [said(fenced(*truth_code(problem)))]
    one, other = (encode(agent(script, rounds=1).solve(problem.task, Budget(seed=4))) for _ in range(2))
    assert one == other


def test_neither_the_test_rows_nor_the_labels_beside_rows_are_sent(problem: InsightProblem, script: Script) -> None:
    script.replies = [said("nothing")]
    agent(script, rounds=1).solve(problem.task, Budget())
    sent = script.requests[0].body.decode()
    for row in problem.task.test["purchase_id"]:
        assert f" {row}," not in sent


def test_prose_without_code_is_an_answer_without_columns(problem: InsightProblem, script: Script) -> None:
    script.replies = [said("I am sorry, I cannot do that.")]
    answer = agent(script).solve(problem.task, Budget())
    assert (answer.columns, answer.functions, answer.train) == ((), (), None)
    assert "no Python function" in json.loads(script.requests[1].body)["messages"][-1]["content"]


@pytest.mark.soak
def test_rate_limits_malformed_replies_and_stalls_are_survived(problem: InsightProblem, script: Script) -> None:
    script.replies = [
        Served(status=429, headers={"Retry-After": "0.1"}),
        Served(body=b"<html>not JSON</html>"),
        Served(pace="silent"),
        said(fenced(truth_code(problem)[0])),
    ]
    answer = agent(script, rounds=1, request_seconds=1.0).solve(problem.task, Budget())
    assert answer.columns == problem.truth.columns[:1]
    assert len(script.requests) == 4


def test_an_endpoint_that_fails_later_costs_only_the_later_rounds(problem: InsightProblem, script: Script) -> None:
    script.replies = [said(fenced(truth_code(problem)[0])), Served(status=400, body=b"too long")]
    answer = agent(script).solve(problem.task, Budget())
    assert answer.columns == problem.truth.columns[:1]
    assert "HTTP 400" in answer.notes[-1]


@pytest.mark.parametrize(("status", "words"), [(401, "set the key in ASSAY_CHAT_KEY"), (404, "HTTP 404")])
def test_an_endpoint_that_never_answers_is_the_subjects_failure(
    problem: InsightProblem, script: Script, status: int, words: str
) -> None:
    script.replies = [Served(status=status)]
    with pytest.raises(SubjectFailed, match=words) as caught:
        agent(script).solve(problem.task, Budget())
    assert caught.value.kind == "endpoint"


def test_functions_that_hang_leave_time_for_the_others(problem: InsightProblem, script: Script) -> None:
    hang = "def hang(df):\n    while True:\n        pass"
    script.replies = [said(fenced(hang, truth_code(problem)[0]))]
    answer = agent(script, rounds=1).solve(problem.task, Budget(seconds=30))
    assert answer.columns == problem.truth.columns[:1]
    assert "timeout" in answer.notes[-1]


def test_clones_are_offered_once_and_no_more_columns_than_count(
    problem: InsightProblem, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.insight.subjects.llm.subject._MOST_COLUMNS", 5)
    clones = [CLONE.format(number) for number in (1, 2, 3)]
    others = [f"def o{number}(df):\n    return (df['paid'] * {number + 3}) % {number + 7}" for number in range(6)]
    script.replies = [said(fenced(*clones, *others))]
    answer = agent(script, rounds=1).solve(problem.task, Budget(seconds=120))
    assert len(answer.columns) == 5
    assert sum(column.startswith("n") for column in answer.columns) <= 1


def test_it_is_named_by_its_endpoint_and_registered() -> None:
    subject = TRACK.subjects["llm"](base_url="https://models.example/v1", model="small", rounds=5)
    assert subject.name == "llm(base_url='https://models.example/v1', model='small', rounds=5)"
    assert len(subject.digest) == 64
    assert TRACK.subjects["llm"]().name == "llm"


def test_without_an_endpoint_it_says_what_it_needs(problem: InsightProblem) -> None:
    with pytest.raises(SubjectFailed, match="base_url"):
        Llm().solve(problem.task, Budget())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rounds": 0}, "rounds must be a whole number"),
        ({"temperature": -1.0}, "temperature must be a number"),
        ({"prompt_price": "2"}, "prompt_price must be a number"),
        ({"base_url": "nowhere", "model": "m"}, "base_url must be of the form"),
        ({"base_url": "https://host/v1"}, "model must be a name"),
    ],
)
def test_bad_parameters_are_refused_before_any_cell_runs(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        Llm(**options)


@pytest.mark.parametrize(
    ("budget", "requests"),
    [(Budget(tokens=500), 1), (Budget(tokens=2000), 2), (Budget(cost=0.001), 1), (Budget(cost=1), 2)],
)
def test_no_round_begins_once_tokens_or_cost_are_spent(
    problem: InsightProblem, script: Script, budget: Budget, requests: int
) -> None:
    script.replies = [said(fenced(truth_code(problem)[0]), prompt=900, completion=80)] * 2
    answer = agent(script, prompt_price=2.0, completion_price=10.0).solve(problem.task, budget)
    assert len(script.requests) == requests
    assert len(answer.columns) == 1
    assert any("is spent" in note for note in answer.notes) == (requests == 1)


def test_a_budget_of_cost_needs_prices(problem: InsightProblem, script: Script) -> None:
    with pytest.raises(SubjectFailed, match="must know prompt_price"):
        agent(script).solve(problem.task, Budget(cost=1.0))
    assert not script.requests
