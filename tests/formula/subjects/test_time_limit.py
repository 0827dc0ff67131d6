"""Fits that are ended when their time is up."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

from assay.formula.subjects.time_limit import fit_for


class Fitted:
    """Calls a function as its fit."""

    def __init__(self, work: Callable[[], object]) -> None:
        self.work = work

    def fit(self, table: Any, target: Any) -> None:
        self.work()


def test_a_fit_that_takes_too_long_is_ended_and_one_in_time_is_not() -> None:
    before = signal.getsignal(signal.SIGALRM)
    assert not fit_for(Fitted(lambda: time.sleep(30)), None, None, seconds=0.05)
    assert fit_for(Fitted(lambda: None), None, None, seconds=30)
    assert signal.getsignal(signal.SIGALRM) is before


def test_time_that_is_up_as_the_fit_ends_ends_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGALRM)
    set_timer = signal.setitimer

    def late(which: int, seconds: float) -> object:
        if not seconds:  # the alarm comes just before it is taken back
            signal.raise_signal(signal.SIGALRM)
        return set_timer(which, seconds)

    monkeypatch.setattr(signal, "setitimer", late)
    assert not fit_for(Fitted(lambda: None), None, None, seconds=30)
    monkeypatch.undo()
    set_timer(signal.ITIMER_REAL, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before
