"""Each failure of an endpoint says what helps against it, and nothing that does not."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from tests.chat.scripted import Script, Served, serving

from assay.chat import ChatClient, ChatFailed
from assay.chat.remedies import connection_failure

ASK = [{"role": "user", "content": "hello"}]
URL = urlsplit("https://models.example/v1/chat/completions")


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Script]:
    monkeypatch.setenv("TEST_CHAT_KEY", "sk-1234")
    with serving() as script:
        yield script


def failure(base_url: str, **options: object) -> ChatFailed:
    fast = {"seconds": 5.0, "retries": 0, "key_variable": "TEST_CHAT_KEY", **options}
    with pytest.raises(ChatFailed) as caught:
        ChatClient(base_url=base_url, model="small", **fast).complete(ASK)  # type: ignore[arg-type]
    return caught.value


@pytest.mark.parametrize(
    ("served", "words"),
    [
        (Served(status=401), "The key in TEST_CHAT_KEY is not accepted"),
        (Served(status=403), "The key in TEST_CHAT_KEY may not use model 'small'"),
        (Served(status=404, body=b"the model `small` does not exist"), "It knows no model 'small'"),
        (Served(status=404, body=b"not found"), "Check base_url, which usually ends with /v1"),
        (Served(status=405), "Check base_url"),
        (Served(status=301), "give the final base_url"),
        (Served(status=429, body=b"slow down"), "run fewer (--workers 1)"),
        (Served(status=429, body=b"insufficient_quota"), "has no credit left"),
        (Served(status=503), "(--retry-failed)"),
        (Served(status=400, body=b"maximum context length is 4096"), "too long for the model"),
        (Served(status=413), "too long for the model"),
        (Served(status=422, body=b"temperature"), "compare what it said"),
        (Served(body=b"<html>welcome</html>"), "Is base_url an OpenAI-compatible endpoint?"),
        (Served(body=b"{}"), "Is base_url an OpenAI-compatible endpoint?"),
        (Served(pace="cut"), "if it uses TLS, write https://"),
    ],
)
def test_a_reply_of_no_use_comes_with_its_remedy(script: Script, served: Served, words: str) -> None:
    script.replies = [served]
    message = str(failure(script.base_url))
    assert words in message
    assert "--allow-network" not in message


def test_a_time_out_asks_for_more_seconds(script: Script) -> None:
    script.replies = [Served(pace="silent")]
    assert "Allow a request more seconds" in str(failure(script.base_url, seconds=0.2))


def test_a_key_that_is_not_set_is_asked_for(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEST_CHAT_KEY")
    script.replies = [Served(status=401)]
    assert "--pass-env TEST_CHAT_KEY" in str(failure(script.base_url))
    assert "name the variable" in str(failure(script.base_url, key_variable=None))


def test_a_server_without_tls_is_told_from_one_that_is_not_there(script: Script) -> None:
    error = failure(script.base_url.replace("http:", "https:"))
    assert "write http://127.0.0.1" in str(error)
    assert error.kind == "unreachable"


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (socket.gaierror(-2, "Name or service not known"), "unreachable", "Check the name of the host"),
        (OSError(101, "Network is unreachable"), "unreachable", "cannot reach the host"),
        (OSError(5, "Input/output error"), "unreachable", "Check base_url and the network"),
        (ssl.SSLCertVerificationError("certificate"), "refused", "SSL_CERT_FILE"),
        (PermissionError(1, "Operation not permitted"), "blocked", "--allow-network"),
    ],
)
def test_a_connection_that_fails_says_why_and_what_helps(error: OSError, kind: str, words: str) -> None:
    error.verify_message = "self-signed certificate"  # type: ignore[attr-defined]
    failed = connection_failure(error, URL, sent=False)
    assert (failed.kind, words in str(failed)) == (kind, True)
    assert ("--allow-network" in str(failed)) == (kind == "blocked")


def test_a_process_that_may_not_open_sockets_is_told_to_ask_for_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("assay.chat.remedies.socket.socket", refuse)
    error = connection_failure(socket.gaierror(-3, "Temporary failure in name resolution"), URL, sent=False)
    assert (error.kind, "--allow-network" in str(error)) == ("blocked", True)
