"""A store of a small track, and a reader that asks the application in process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.report.conftest import SETTINGS, make_toy_cell, make_toy_record, make_toy_track
from tests.threads import run_async

from assay.core import AnyTrack, Record
from assay.harness import Cell, Plan, Store
from assay.harness.store.stored_answer import StoredAnswer
from assay.serve import make_app

pytest.importorskip("starlette", reason="the web view needs the extra serve")

TOKEN = "a-token-for-tests"
HOSTILE = "</script><img src=x onerror='harm()'>"
PROBLEMS = ("iris", "wine", "digits", "moons")
SUBJECTS = ("vote", HOSTILE)


@dataclass
class Reply:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class Reader:
    """Asks as a browser at the server's own address does, unless told otherwise."""

    application: Any
    token: str = TOKEN

    def get(self, path: str, **other: Any) -> Reply:
        return run_async(self.ask(f"/{self.token}/{path}", **other))

    async def ask(
        self,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        method: str = "GET",
        until: Callable[[Reply], bool] | None = None,
    ) -> Reply:
        """The reply; of a stream what has come when ``until`` is true of it."""
        reply, gone = Reply(), asyncio.Event()

        async def receive() -> MutableMapping[str, Any]:
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                reply.status = message["status"]
                reply.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            reply.body += message.get("body", b"")
            if until is not None and until(reply):
                gone.set()
            await asyncio.sleep(0)

        given = {"host": "127.0.0.1:8000", **(headers or {})}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
            "root_path": "",
            "scheme": "http",
            "http_version": "1.1",
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 8000),
        }
        called: Awaitable[None] = self.application(scope, receive, send)
        await asyncio.wait_for(called, timeout=60)
        return reply


@dataclass
class Written:
    """A results folder that grows record by record."""

    folder: Path
    cells: list[Cell] = field(default_factory=list)

    def plan(self, *subjects: str, seeds: tuple[int, ...] = (0,)) -> None:
        self.cells = [
            make_toy_cell(problem, subject, seed) for problem in PROBLEMS for subject in subjects for seed in seeds
        ]
        with Store(self.folder, create=True) as store:
            store.add_run(Plan(track="toy", settings=SETTINGS, cells=tuple(self.cells)))

    def record(self, place: int, share: float = 0.5, **other: Any) -> Record:
        return make_toy_record(self.cells[place], share, 1.0, **other)

    def write(self, *places: int, share: float = 0.5, log: str = "", **other: Any) -> None:
        with Store(self.folder) as store:
            for place in places:
                answer = StoredAnswer(status="ok", payload=b'{"claims": ["a claim"]}', log=log)
                store.commit((self.record(place, share, **other), answer))

    def key(self, place: int) -> str:
        return self.cells[place].record_key[:20]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Half of the cells are done."""
    made = Written(tmp_path / "results")
    made.plan(*SUBJECTS)
    details = {"truth": "the secret truth", "note": "noted of the secret truth"}
    made.write(0, 1, 2, 3, details=details, log="it printed this")
    return made


@pytest.fixture
def tracks() -> dict[str, AnyTrack]:
    return {"toy": make_toy_track()}


@pytest.fixture
def reader(written: Written, tracks: dict[str, AnyTrack]) -> Reader:
    return Reader(make_app([written.folder], token=TOKEN, tracks=tracks))
