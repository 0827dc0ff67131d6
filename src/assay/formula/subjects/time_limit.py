"""A fit that is ended when its time is up; the regressor stays as it is at that moment, as SRBench has it."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

__all__ = ["fit_for"]


class _TimeUp(BaseException):
    """No Exception: regressors that go on after any error are ended too."""


def fit_for(estimator: Any, table: Any, target: Any, *, seconds: float) -> bool:
    """Fit, for some seconds at most; whether it came to its end.

    Code outside of Python is ended when it returns. Outside of the main thread nothing is ended.
    """
    if threading.current_thread() is not threading.main_thread():
        estimator.fit(table, target)
        return True

    def stop(signal_number: int, frame: FrameType | None) -> None:
        raise _TimeUp

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            estimator.fit(table, target)
        finally:  # the time may be up just before this line: the outer block catches that, too
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        return True
    except _TimeUp:
        return False
    finally:
        signal.signal(signal.SIGALRM, before)
