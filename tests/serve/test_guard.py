"""Without the token, under another name or from another page there is nothing."""

from __future__ import annotations

import pytest
from tests.serve.conftest import TOKEN, Reader
from tests.threads import run_async

from assay.serve.guard import Guard, new_token

NOTHING = b"Not found"


@pytest.mark.parametrize(
    "path", ["/", "/results/", "//results/", f"/{TOKEN}", f"/{TOKEN}x/results/", f"/x/{TOKEN}/results/", "/é/results/"]
)
def test_without_the_token_nothing_is_there(reader: Reader, path: str) -> None:
    reply = run_async(reader.ask(path))
    assert (reply.status, reply.body) == (404, NOTHING)
    assert "location" not in reply.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example:8000"},
        {"host": "127.0.0.1.evil.example"},
        {"host": ""},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe"},
        {"sec-fetch-site": "same-site", "sec-fetch-dest": "empty"},
    ],
)
def test_other_names_and_other_origins_are_refused_even_with_the_token(reader: Reader, headers: dict[str, str]) -> None:
    for path in ("results/", "results/events", "results/history"):
        reply = reader.get(path, headers=headers)
        assert (reply.status, reply.body) == (404, NOTHING)


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "localhost:1234"},
        {"host": "[::1]:8000"},
        {"origin": "http://127.0.0.1:8000", "sec-fetch-site": "same-origin", "sec-fetch-dest": "empty"},
        {"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"},
    ],
)
def test_names_of_this_machine_own_pages_and_links_are_let_through(reader: Reader, headers: dict[str, str]) -> None:
    assert reader.get("results/", headers=headers).status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_nothing_but_reading_is_possible(reader: Reader, method: str) -> None:
    assert reader.get("results/", method=method).status == 404


@pytest.mark.parametrize(
    "path", ["../results/", "results/../../etc/passwd", "results/cell/..%2f..", "etc/", "results/x"]
)
def test_paths_cannot_escape(reader: Reader, path: str) -> None:
    assert reader.get(path).status == 404


def test_every_reply_forbids_frames_caches_and_guesses(reader: Reader) -> None:
    headers = reader.get("results/").headers
    assert headers["content-security-policy"] == "frame-ancestors 'none'"
    assert headers["x-frame-options"] == "DENY"
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"


def test_a_machine_s_other_addresses_are_numbers_or_its_own_name() -> None:
    wide = Guard(None, token="t", host="0.0.0.0")  # type: ignore[arg-type]
    assert wide._is_ours("192.168.0.7:80")
    assert not wide._is_ours("evil.example")
    assert Guard(None, token="t", host="box.example")._is_ours("box.example:80")  # type: ignore[arg-type]


def test_tokens_are_long_and_differ() -> None:
    assert len(new_token()) == 32
    assert new_token() != new_token()


def test_a_server_on_another_loopback_address_answers_under_it() -> None:
    other = Guard(None, token="t", host="127.0.0.2")  # type: ignore[arg-type]
    assert other._is_ours("127.0.0.2:80")
    assert other._is_ours("localhost:80")
    assert not other._is_ours("127.0.0.3:80")
    assert not other._is_ours("evil.example")
