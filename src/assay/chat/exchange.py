"""One request and its response over HTTP, within a time and a size; redirects are not followed."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import SplitResult

from assay.chat.failure import ChatFailed
from assay.chat.remedies import connection_failure

__all__ = ["Response", "post"]

_CHUNK = 65536


class Response(NamedTuple):
    """A status, the header that says when to come back, and the body."""

    status: int
    retry_after: str | None
    body: bytes


def post(url: SplitResult, body: bytes, headers: Mapping[str, str], *, seconds: float, largest: int) -> Response:
    """Send a body and read the response, both within ``seconds``, whatever the server's pace."""
    connection = _connection(url, seconds)
    expired = threading.Event()
    lines: list[socket.socket] = []
    watch = threading.Timer(seconds, _cut, (lines, expired))
    watch.daemon = True
    sent = False
    try:
        watch.start()
        connection.connect()
        lines.append(connection.sock)  # the connection itself forgets it when the response says that it will close
        if expired.is_set():  # the watch found no line to cut
            raise _too_late(seconds)
        sent = True
        connection.request("POST", url.path, body=body, headers=dict(headers))
        response = connection.getresponse()
        retry_after = response.getheader("Retry-After")
        content = _read(response, largest)
        if expired.is_set():  # a body without a declared length ends where the line was cut
            raise _too_late(seconds)
        return Response(response.status, retry_after, content)
    except TimeoutError:
        raise _too_late(seconds) from None
    except (OSError, http.client.HTTPException) as error:
        if expired.is_set():
            raise _too_late(seconds) from None
        raise connection_failure(error, url, sent=sent) from None
    finally:
        watch.cancel()
        watch.join()  # no thread of ours outlives the call
        connection.close()


def _connection(url: SplitResult, seconds: float) -> http.client.HTTPConnection:
    host = url.hostname or ""
    if url.scheme == "https":
        return http.client.HTTPSConnection(host, url.port, timeout=seconds, context=ssl.create_default_context())
    return http.client.HTTPConnection(host, url.port, timeout=seconds)


def _cut(lines: list[socket.socket], expired: threading.Event) -> None:
    """End a connection that is still open: a server that sends a byte now and then never runs into a socket's limit."""
    expired.set()
    for line in lines:
        with suppress(OSError):
            socket.socket.shutdown(line, socket.SHUT_RDWR)  # not TLS's own, which changes the object under its reader


def _read(response: http.client.HTTPResponse, largest: int) -> bytes:
    parts, size = [], 0
    while part := response.read(_CHUNK):
        size += len(part)
        if size > largest:
            raise ChatFailed("malformed", f"the reply is larger than {largest} bytes")
        parts.append(part)
    if response.length:  # of the declared length: a read in chunks ends without a word
        raise http.client.IncompleteRead(b"", response.length)
    return b"".join(parts)


def _too_late(seconds: float) -> ChatFailed:
    remedy = "Allow a request more seconds, or use a faster model or server."
    return ChatFailed("time-out", f"no complete reply within {seconds:g} s", remedy=remedy)
