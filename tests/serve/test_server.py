"""Two hundred readers at once, and a writer that is killed: the server goes on."""

from __future__ import annotations

import os
import signal
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.serve.conftest import Written
from tests.serve.test_app import data_of

from assay.core import AnyTrack, InvalidInput
from assay.harness import Store
from assay.harness.store.stored_answer import StoredAnswer
from assay.serve import server
from assay.serve.app import make_app

READERS = 200


@pytest.mark.soak
def test_two_hundred_readers_follow_a_run_whose_driver_is_killed(
    written: Written, tracks: dict[str, AnyTrack], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "make_app", lambda *given, **other: make_app(*given, **other, tracks=tracks))
    told: list[Any] = []
    heard = threading.Event()

    def started(place: str) -> None:
        told.append(place)
        heard.set()

    thread = threading.Thread(
        target=server.serve, args=([written.folder],), kwargs={"started": started, "stopped": told.append}
    )
    thread.start()
    assert heard.wait(60)
    stop, place = told
    listening = threading.Barrier(READERS + 1, timeout=120)

    def follow(_: int) -> int:
        """Listen until the second edition, then read the page: how many cells are in it."""
        with urllib.request.urlopen(f"{place}results/events", timeout=120) as stream:
            first = stream.readline()
            listening.wait()
            while not (line := stream.readline()).startswith(b"data:") or line == first:
                pass
        with urllib.request.urlopen(f"{place}results/", timeout=120) as page:
            return sum(cell[0] for row in data_of(page.read().decode())["cells"] for cell in row)

    with ThreadPoolExecutor(READERS) as readers:
        found = readers.map(follow, range(READERS))
        listening.wait()
        child = os.fork()
        if child == 0:
            with Store(written.folder) as store:
                store.commit((written.record(4), StoredAnswer(status="ok", payload=b"{}")))
                with store._transaction() as connection:
                    connection.execute("DELETE FROM records")
                    os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)
        assert set(found) == {5}
    stop()
    thread.join(30)
    assert not thread.is_alive()


@pytest.mark.parametrize("host", ["a" * 70 + ".example", "not.there.invalid", "nul\0l"])
def test_an_address_that_no_machine_has_is_named(host: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be listened on"):
        server._listening(host, 0)
