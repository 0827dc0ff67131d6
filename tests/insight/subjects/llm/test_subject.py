"""The agent against a scripted endpoint, over real HTTP: what it asks, what it keeps, what it says of itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
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
    return Llm(
        **{
            "base_url": script.base_url,
            "model": "scripted",
            "rounds": 2,
            "repairs": 0,
            "request_seconds": 5.0,
            **options,
        }
    )


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
    assert "wrong: dropped, exception. KeyError: 'no such column' (line 2: return df['no such column'])" in said_back
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
    script.replies = [said(fenced(truth_code(problem)[0]))]
    agent(script).solve(problem.task, Budget())
    sent = script.requests[1].body.decode()  # with all that the first holds, and what became of the function
    for row in problem.task.test["purchase_id"]:
        assert f" {row}," not in sent


def test_a_failing_function_is_repaired_within_its_round(
    problem: InsightProblem, script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    code = (
        "def count(row, aux_dataframes):\n    table = aux_dataframes[{0!r}]\n"
        "    return int((table['customer_id'] == row['customer_id']).sum())"
    )
    table = "visits.csv"
    bare = table.removesuffix(".csv")
    script.replies = [said(fenced(code.format(bare), truth_code(problem)[0])), said(fenced(code.format(table)))]
    subject = agent(script, rounds=1, repairs=3)
    answer = subject.solve(problem.task, Budget())
    assert set(answer.columns) == {"count", problem.truth.columns[0]}
    assert len(script.requests) == 2  # all work after one repair
    fault = json.loads(script.requests[1].body)["messages"][-1]["content"]
    assert "count: dropped, exception. at row 0" in fault
    assert f"KeyError: {bare!r} (line 2: table = aux_dataframes[{bare!r}]). Did you mean {table!r}?" in fault
    assert "Repair what failed (count), under the same names" in fault
    assert f"{table!r} with '" in fault
    assert "rank correlation" in fault  # of the function that worked
    assert "count: AUC" in answer.notes[-1]
    assert "round 1, repair 1: 1 functions, 0 failed, 2 kept" in capsys.readouterr().err


@pytest.mark.soak
def test_repairs_end_and_the_next_round_begins(problem: InsightProblem, script: Script) -> None:
    broken = "def broken(row):\n    return row['nothing']"
    script.replies = [said(fenced(broken, truth_code(problem)[0])), said(fenced(broken))]
    agent(script, rounds=2, repairs=1).solve(problem.task, Budget())
    asked = [json.loads(request.body)["messages"][-1]["content"] for request in script.requests]
    assert ["Repair what failed" in text for text in asked] == [False, True, False, True]
    assert "do not repeat functions that work" in asked[2]


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (
            "I am sorry, I cannot do that.",
            "no function",
            "in 2 replies of the model. .* The last: 'I am",
        ),
        ("", "no function", "in 2 replies"),
        (
            fenced("def bad(row):\n    return row['x']"),
            "no usable function",
            "the last, bad: exception. at row 0 .*: KeyError",
        ),
        (fenced("def flat(df):\n    return df['paid'] * 0"), "no usable function", "the last, flat: constant"),
        (fenced("def f(row:\n    x"), "no usable function", "the last could not be parsed: line 1: '\\(' was never"),
    ],
)
def test_an_answer_without_a_function_is_a_failure_with_the_conversation_in_the_log(
    problem: InsightProblem, script: Script, capsys: pytest.CaptureFixture[str], reply: str, kind: str, words: str
) -> None:
    script.replies = [said(reply)]
    subject = agent(script, rounds=1, repairs=1)
    with pytest.raises(SubjectFailed, match=words) as caught:
        subject.solve(problem.task, Budget())
    assert caught.value.kind == kind
    assert subject.usage["requests"] == 2
    printed = capsys.readouterr().err
    assert printed.count("[assistant]") == 2
    assert reply[:20] in printed
    assert len(printed) < 4000


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


@pytest.mark.parametrize(
    ("status", "words"), [(401, "The key in ASSAY_CHAT_KEY is not accepted"), (404, "Check base_url")]
)
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
    monkeypatch.setattr("assay.insight.subjects.llm.conversation._MOST_COLUMNS", 5)
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
        ({"repairs": -1}, "repairs must be a whole number"),
        ({"reply_tokens": 0}, "reply_tokens must be a whole number"),
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


def honest(text: str, spent: list[int]) -> Callable[[bytes], Served]:
    """An endpoint that counts four letters as a token, as many do, and keeps to the limit of a reply."""

    def reply(body: bytes) -> Served:
        request = json.loads(body)
        prompt = sum(len(message["content"]) // 4 + 4 for message in request["messages"])
        shown = text[: 4 * request["max_tokens"]]
        spent.append(prompt + len(shown) // 4)
        return said(shown, prompt=prompt, completion=len(shown) // 4)

    return reply


@pytest.mark.parametrize(("tokens", "requests"), [(2200, 1), pytest.param(40_000, 2, marks=pytest.mark.soak)])
def test_a_budget_of_tokens_is_never_exceeded(
    problem: InsightProblem, script: Script, tokens: int, requests: int
) -> None:
    spent: list[int] = []
    script.replies = [honest(fenced(truth_code(problem)[0]), spent)]
    subject = agent(script)
    answer = subject.solve(problem.task, Budget(tokens=tokens))
    assert len(spent) == requests
    assert sum(spent) == subject.usage["prompt_tokens"] + subject.usage["completion_tokens"] <= tokens
    assert answer.columns == problem.truth.columns[:1]
    assert any("does not allow another request" in note for note in answer.notes) == (requests == 1)
    assert [json.loads(request.body)["max_tokens"] <= 4096 for request in script.requests] == [True] * requests


def test_a_budget_of_cost_is_never_exceeded(problem: InsightProblem, script: Script) -> None:
    script.replies = [honest(fenced(truth_code(problem)[0]), [])]
    subject = agent(script, rounds=9, prompt_price=2.0, completion_price=10.0)
    subject.solve(problem.task, Budget(cost=0.006))
    assert len(script.requests) == 1
    assert 0.002 < subject.usage["cost"] <= 0.006


def test_a_budget_too_small_for_one_request_sends_none(problem: InsightProblem, script: Script) -> None:
    with pytest.raises(
        SubjectFailed, match=r"about \d+ tokens, and 200 for a reply; .*--limit SUBJECT:tokens=N"
    ) as caught:
        agent(script).solve(problem.task, Budget(tokens=500))
    assert caught.value.kind == "budget"
    assert not script.requests


def test_with_a_budget_a_request_that_may_have_cost_is_not_sent_again(problem: InsightProblem, script: Script) -> None:
    script.replies = [Served(body=b"<html>")]
    subject = agent(script, retries=4)
    with pytest.raises(SubjectFailed, match="the reply is not JSON"):
        subject.solve(problem.task, Budget(tokens=50_000))
    assert len(script.requests) == subject.usage["requests"] == 1
    assert subject.usage["estimated_tokens"] == subject.usage["prompt_tokens"] > 0


def test_tokens_that_the_endpoint_does_not_count_are_estimated(problem: InsightProblem, script: Script) -> None:
    script.replies = [said(fenced(truth_code(problem)[0]), prompt=0, completion=0)]
    subject = agent(script, rounds=9)
    subject.solve(problem.task, Budget(tokens=3000))
    assert len(script.requests) == 1
    total = subject.usage["prompt_tokens"] + subject.usage["completion_tokens"]
    assert 1500 < total == subject.usage["estimated_tokens"] <= 3000


@pytest.mark.parametrize(
    ("seconds", "request_seconds", "kind", "words"),
    [
        (20.0, 0.3, "endpoint", "The limit is request_seconds=0.3"),
        (1.0, 5.0, "timeout", r"The time of the whole answer, 1 s, was over\.$"),
    ],
)
def test_a_time_out_names_the_limit_that_it_ran_into(
    problem: InsightProblem, script: Script, seconds: float, request_seconds: float, kind: str, words: str
) -> None:
    script.replies = [Served(pace="silent")]
    with pytest.raises(SubjectFailed, match=words) as caught:
        agent(script, request_seconds=request_seconds, retries=0).solve(problem.task, Budget(seconds=seconds))
    assert caught.value.kind == kind


def test_a_budget_of_cost_needs_prices(problem: InsightProblem, script: Script) -> None:
    with pytest.raises(SubjectFailed, match="must know prompt_price"):
        agent(script).solve(problem.task, Budget(cost=1.0))
    assert not script.requests


def test_what_can_change_an_answer_is_part_of_the_name() -> None:
    plain = {"base_url": "http://127.0.0.1:9/v1", "model": "m"}
    others = [{"reply_tokens": 100}, {"prompt_price": 1.0}, {"completion_price": 1.0}, {"rounds": 1}, {"repairs": 0}]
    names = [Llm(**plain, **other).name for other in ({}, *others)]  # type: ignore[arg-type]
    assert len({*names}) == len(names)
    assert Llm(**plain, retries=0, key_variable="MINE").name == names[0]  # type: ignore[arg-type]
