"""The client against a scripted server on loopback, over real HTTP."""

from __future__ import annotations

import json
import logging
import pickle
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from traceback import walk_tb

import pytest
from tests.chat.scripted import Script, Served, said, serving

from assay.chat import ChatClient, ChatFailed, ChatReply
from assay.core import InvalidInput

SECRET = "sk-very/secret+value"
ASK = [{"role": "user", "content": "hello"}]


@pytest.fixture
def script() -> Iterator[Script]:
    with serving() as script:
        yield script


def client(script: Script, **options: object) -> ChatClient:
    fast = {"seconds": 5.0, "first_wait": 0.01, "key_variable": "TEST_CHAT_KEY", **options}
    return ChatClient(base_url=script.base_url, model="scripted", **fast)  # type: ignore[arg-type]


def test_a_reply_carries_text_tokens_and_seconds(script: Script) -> None:
    script.replies = [said("good day", prompt=12, completion=3)]
    reply = client(script).complete(ASK, temperature=0.5, seed=7)
    assert reply[:3] == ("good day", 12, 3)
    assert 0 < reply.seconds < 5
    assert reply.attempts == 1
    [request] = script.requests
    assert request.path == "/v1/chat/completions"
    assert json.loads(request.body) == {"model": "scripted", "messages": ASK, "temperature": 0.5, "seed": 7}


def test_the_key_is_read_with_each_request(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    script.replies = [said("a"), said("b"), said("c")]
    asking = client(script)
    for value in (SECRET, "another", None):
        if value is None:
            monkeypatch.delenv("TEST_CHAT_KEY")
        else:
            monkeypatch.setenv("TEST_CHAT_KEY", value)
        asking.complete(ASK)
    assert [request.headers.get("Authorization") for request in script.requests] == [
        f"Bearer {SECRET}",
        "Bearer another",
        None,
    ]


@pytest.mark.parametrize("status", [401, 400, 500])
def test_the_key_is_in_no_error_log_repr_or_pickle(
    script: Script, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    monkeypatch.setenv("TEST_CHAT_KEY", SECRET)
    script.replies = [Served(status=status, body=f"the key {SECRET} is not welcome".encode())] * 2
    asking = client(script, retries=1)
    with caplog.at_level(logging.DEBUG), pytest.raises(ChatFailed) as caught:
        asking.complete(ASK)
    shown = [str(caught.value), repr(caught.value), repr(asking), caplog.text]
    shown += [repr(pickle.dumps(caught.value)), repr(pickle.dumps(asking))]
    assert caught.value.__context__ is None
    for frame, _ in walk_tb(caught.tb):  # what a debugger or a traceback with variables would print
        if "src/assay/" in frame.f_code.co_filename:  # the folder of a clone may be called assay too
            shown.append(repr(frame.f_locals))
    assert len(shown) > 6
    assert "[key]" in str(caught.value)
    assert not [text for text in shown if SECRET in text]


def test_a_key_that_the_model_repeats_does_not_reach_the_reply(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_CHAT_KEY", SECRET)
    spelled = json.dumps({"choices": [{"message": {"content": f"you sent {SECRET}"}}]}).replace("/", "\\/")
    script.replies = [Served(body=spelled.encode())]
    assert client(script).complete(ASK).text == "you sent [key]"


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_rate_limits_and_server_errors_are_tried_again(script: Script, status: int) -> None:
    script.replies = [Served(status=status), Served(status=status), said("at last")]
    reply = client(script).complete(ASK)
    assert (reply.text, reply.attempts) == ("at last", 3)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 301])
def test_refusals_are_not_tried_again(script: Script, status: int) -> None:
    script.replies = [Served(status=status, headers={"Location": "http://127.0.0.1:9/"})]
    with pytest.raises(ChatFailed, match=f"HTTP {status}") as caught:
        client(script).complete(ASK)
    assert caught.value.status == status
    assert len(script.requests) == 1


def test_a_refused_key_names_its_variable(script: Script) -> None:
    script.replies = [Served(status=401)]
    with pytest.raises(ChatFailed, match="Set the key in TEST_CHAT_KEY"):
        client(script).complete(ASK)


def test_attempts_end_and_are_counted(script: Script) -> None:
    script.replies = [Served(status=503, body=b"busy")] * 3
    with pytest.raises(ChatFailed, match=r"HTTP 503 \(attempts: 3\)\. .* It said: busy"):
        client(script, retries=2).complete(ASK)
    assert len(script.requests) == 3


def test_the_wait_that_a_server_asks_for_is_kept(script: Script) -> None:
    script.replies = [Served(status=429, headers={"Retry-After": "0.4"}), said("now")]
    client(script).complete(ASK)
    first, second = (request.moment for request in script.requests)
    assert second - first >= 0.4


def test_a_server_that_asks_for_too_long_is_not_waited_for(script: Script) -> None:
    script.replies = [Served(status=429, headers={"Retry-After": "3600"})]
    began = time.monotonic()
    with pytest.raises(ChatFailed, match="429"):
        client(script).complete(ASK)
    assert time.monotonic() - began < 2


def test_waits_grow_without_a_word_from_the_server(script: Script) -> None:
    script.replies = [*([Served(status=500)] * 4), said("x")]
    client(script, first_wait=0.04).complete(ASK)
    moments = [request.moment for request in script.requests]
    gaps = [later - earlier for earlier, later in pairwise(moments)]
    assert all(gap >= 0.02 * 2**place for place, gap in enumerate(gaps))


@pytest.mark.parametrize("pace", ["silent", "headers", "body"])
@pytest.mark.parametrize("headers", [{}, {"Connection": "close"}])
def test_a_server_that_stalls_or_drips_runs_into_the_time(script: Script, pace: str, headers: dict[str, str]) -> None:
    script.replies = [Served(pace=pace, body=b"x" * 200, headers=headers)]
    began = time.monotonic()
    with pytest.raises(ChatFailed, match=r"within 0\.4 s") as caught:
        client(script, seconds=0.4, retries=0).complete(ASK)
    assert caught.value.kind == "time-out"
    assert time.monotonic() - began < 2


def test_a_time_out_is_tried_again(script: Script) -> None:
    script.replies = [Served(pace="silent"), said("awake")]
    assert client(script, seconds=0.4).complete(ASK).text == "awake"


def test_all_attempts_together_stay_within_the_time_given(script: Script) -> None:
    script.replies = [Served(status=503)] * 50
    began = time.monotonic()
    with pytest.raises(ChatFailed):
        client(script, retries=50, first_wait=0.1).complete(ASK, within=0.5)
    assert time.monotonic() - began < 1.5
    with pytest.raises(ChatFailed, match="no time left"):
        client(script).complete(ASK, within=0.0)


@pytest.mark.parametrize(
    "body",
    [
        b"<html>bad gateway</html>",
        b"",
        b"[]",
        b"{}",
        b'{"choices": []}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": {"content": 5}}]}',
        b'{"choices": [{"message": {}}]}',
        b'{"choices": "none"}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_malformed_replies_are_tried_again_and_named(script: Script, body: bytes) -> None:
    script.replies = [Served(body=body), said("better")]
    assert client(script).complete(ASK).text == "better"
    script.replies = [Served(body=body)]
    with pytest.raises(ChatFailed) as caught:
        client(script, retries=0).complete(ASK)
    assert caught.value.kind == "malformed"


def test_a_connection_that_breaks_off_is_tried_again(script: Script) -> None:
    script.replies = [Served(pace="cut"), said("whole")]
    assert client(script).complete(ASK).text == "whole"


def test_a_reply_beyond_the_largest_size_is_not_read_on(script: Script) -> None:
    script.replies = [Served(body=b"x" * 300_000)]
    with pytest.raises(ChatFailed, match="larger than 100000 bytes"):
        client(script, retries=0, largest_reply=100_000).complete(ASK)


def test_nobody_at_the_address_is_said_in_words() -> None:
    nobody = ChatClient(base_url="http://127.0.0.1:9/v1", model="m", retries=0)
    with pytest.raises(
        ChatFailed, match="no connection to 127.0.0.1:9 .Connection refused.*start the server"
    ) as caught:
        nobody.complete(ASK)
    assert caught.value.kind == "unreachable"
    assert "--allow-network" not in str(caught.value)


def test_parts_and_silence_are_texts_too(script: Script) -> None:
    parts = {"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"text": "b"}, {"image": 1}]}}]}
    silent = {"choices": [{"message": {"content": None}}], "usage": {"prompt_tokens": True, "completion_tokens": -4}}
    script.replies = [Served(body=json.dumps(content).encode()) for content in (parts, silent)]
    assert client(script).complete(ASK).text == "ab"
    assert client(script).complete(ASK)[:3] == ("", 0, 0)


def test_a_failure_survives_pickling_with_its_words() -> None:
    failure = pickle.loads(pickle.dumps(ChatFailed("status", "HTTP 500", reply="no", status=500, attempts=2)))
    assert (failure.kind, failure.status, failure.attempts) == ("status", 500, 2)
    assert str(failure) == "chat endpoint: HTTP 500 (attempts: 2). It said: no"


def test_a_client_survives_pickling() -> None:
    asking = ChatClient(base_url="https://models.example/v1/", model="m")
    assert pickle.loads(pickle.dumps(asking)) == asking
    assert replace(asking, base_url="https://models.example/v1/chat/completions").url == asking.url


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base_url": "ftp://host/v1"}, "must be of the form https://host/v1"),
        ({"base_url": "localhost:8000"}, "must be of the form https://host/v1"),
        ({"base_url": "https://me:sk-123@host/v1"}, "must hold no user"),
        ({"base_url": "https://host/v1?key=sk-123"}, "must hold no user"),
        ({"base_url": "https://host/v 1"}, "without spaces"),
        ({"base_url": "https://host:99999/v1"}, "not a URL"),
        ({"model": ""}, "model must be a name"),
        ({"seconds": 0}, "seconds must be a positive number"),
        ({"retries": -1}, "retries must be a whole number of at least 0"),
        ({"max_tokens": 0}, "max_tokens must be a whole number of at least 1"),
    ],
)
def test_bad_options_name_the_remedy_and_no_secret(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        ChatClient(**{"base_url": "https://host/v1", "model": "m", **options})  # type: ignore[arg-type]
    assert "sk-123" not in str(caught.value)


@pytest.mark.parametrize("messages", [[], [{"role": "user"}], [{"role": "user", "content": 3}]])
def test_messages_need_a_role_and_a_content(messages: list[dict[str, str]]) -> None:
    with pytest.raises(InvalidInput, match="'role' and 'content'"):
        ChatClient(base_url="https://host/v1", model="m").complete(messages)


def test_a_key_that_no_header_can_carry_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_CHAT_KEY", "bad\nkey")
    with pytest.raises(InvalidInput, match="TEST_CHAT_KEY") as caught:
        ChatClient(base_url="http://127.0.0.1:9", model="m", key_variable="TEST_CHAT_KEY").complete(ASK)
    assert "bad" not in str(caught.value)


def test_a_reply_is_a_plain_tuple() -> None:
    assert ChatReply("a", 1, 2, 0.5) == ("a", 1, 2, 0.5, 1)


@pytest.mark.parametrize("served", [Served(pace="silent"), Served(pace="cut"), Served(body=b"<html>")])
def test_with_paid_once_a_request_that_may_have_cost_is_not_sent_again(script: Script, served: Served) -> None:
    script.replies = [Served(status=503), served, said("never asked for")]
    with pytest.raises(ChatFailed) as caught:
        client(script, seconds=0.4).complete(ASK, paid_once=True)
    assert caught.value.may_have_worked
    assert (len(script.requests), caught.value.attempts) == (2, 2)


def test_the_limit_of_a_reply_is_sent_by_the_name_that_the_model_knows(script: Script) -> None:
    complaint = b'{"error": {"message": "Unsupported parameter: use \'max_completion_tokens\' instead."}}'
    script.replies = [Served(status=400, body=complaint), said("short")]
    assert client(script).complete(ASK, max_tokens=50).text == "short"
    old, new = (json.loads(request.body) for request in script.requests)
    assert (old["max_tokens"], new["max_completion_tokens"]) == (50, 50)
    assert "max_tokens" not in new
    script.replies = [Served(status=400, body=complaint)]
    with pytest.raises(ChatFailed, match="does not take this request"):  # once is enough
        client(script).complete(ASK, max_tokens=50)
    assert len(script.requests) == 4
