from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from assay.api.progress import BarProgress, NotebookProgress, choose_progress
from assay.harness import NoProgress

CELL: Any = None


class Handle:
    def __init__(self) -> None:
        self.shown: list[str] = []

    def update(self, bundle: dict[str, str], *, raw: bool) -> None:
        self.shown.append(bundle["text/plain"])


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Handle:
    """A notebook's kernel, as far as the progress looks at it."""
    handle = Handle()

    def display(bundle: dict[str, str], *, raw: bool, display_id: bool) -> Handle:
        assert raw
        assert display_id
        handle.shown.append(bundle["text/html"])
        return handle

    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    return handle


def test_a_notebook_gets_one_display_that_is_replaced(kernel: Handle, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 10.0, *([11.0] * 8), *([20.0] * 9)])
    monkeypatch.setattr("assay.api.progress.time.monotonic", lambda: next(clock))
    watch = choose_progress(None)
    assert isinstance(watch, NotebookProgress)
    watch.start(5, 1)
    watch.advance(CELL, "ok")
    watch.advance(CELL, "failed")
    watch.stop()
    assert kernel.shown[0] == "<progress value='1' max='5'></progress> 1 of 5 cells, 1 from the store, 1.0 s"
    assert kernel.shown[-1].startswith("3 of 5 cells, 1 from the store, 1 failed, 1")
    assert kernel.shown[-1].endswith("s left")


def test_without_a_terminal_and_without_a_notebook_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: False))
    assert isinstance(choose_progress(None), NoProgress)
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: True, write=len, flush=lambda: None))
    assert isinstance(choose_progress(None), BarProgress)
    assert isinstance(choose_progress(False), NoProgress)
    own = NoProgress()
    assert choose_progress(own) is own
