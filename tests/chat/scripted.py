"""A chat endpoint on loopback that says what a test wrote down, over real HTTP."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_PATIENCE = 5.0  # seconds that a stalling reply lasts at most


@dataclass(frozen=True)
class Served:
    """One response; ``pace`` is "whole", "silent", "headers" or "body" (a byte now and then), or "cut"."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    pace: str = "whole"


@dataclass(frozen=True)
class Request:
    """What a client sent, and when."""

    path: str
    headers: Mapping[str, str]
    body: bytes
    moment: float


@dataclass
class Script:
    """Responses in order, the last one for ever, or functions of the request's body; requests as they came."""

    base_url: str = ""
    replies: list[Served | Callable[[bytes], Served]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    over: threading.Event = field(default_factory=threading.Event)


def said(text: str, *, prompt: int = 10, completion: int = 5) -> Served:
    """A well-formed reply with a text."""
    content = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion},
    }
    return Served(body=json.dumps(content).encode())


@contextmanager
def serving() -> Iterator[Script]:
    """A server for the length of a test; every thread and socket of it ends with the test."""
    script = Script()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            with script.lock:
                script.requests.append(Request(self.path, dict(self.headers.items()), body, time.monotonic()))
                reply = script.replies.pop(0) if len(script.replies) > 1 else script.replies[0]
            with suppress(OSError):  # a client that went away
                self.answer(reply if isinstance(reply, Served) else reply(body))

        def answer(self, reply: Served) -> None:
            head = f"HTTP/1.1 {reply.status} Scripted\r\nContent-Length: {len(reply.body)}\r\n"
            head += "".join(f"{name}: {value}\r\n" for name, value in reply.headers.items()) + "\r\n"
            if reply.pace == "silent":
                script.over.wait(_PATIENCE)
            elif reply.pace == "headers":
                self.drip(head.encode())
            elif reply.pace == "body":
                self.wfile.write(head.encode())
                self.drip(reply.body)
            elif reply.pace == "cut":
                self.wfile.write(head.encode().replace(b"Content-Length: 0", b"Content-Length: 10"))
                self.wfile.write(b'{"cho')
            else:
                self.wfile.write(head.encode() + reply.body)

        def drip(self, content: bytes) -> None:
            end = time.monotonic() + _PATIENCE
            for place in range(len(content)):
                if script.over.wait(0.05) or time.monotonic() > end:
                    return
                self.wfile.write(content[place : place + 1])
                self.wfile.flush()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    script.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield script
    finally:
        script.over.set()
        server.shutdown()
        thread.join()
        server.server_close()
