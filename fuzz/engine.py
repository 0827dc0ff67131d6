"""Feeds broken input to readers; only Assay's own errors may come out, soon, and without eating memory."""

from __future__ import annotations

import contextlib
import random
import resource
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import NamedTuple, NoReturn

from assay.core import AssayError
from fuzz.targets import Target
from fuzz.watch import watched

__all__ = ["Finding", "attack", "bounded_memory", "broken_input", "try_one"]

SLOW = 10.0  # seconds of processor time for one input
HANG = 30.0  # seconds of the clock on the wall
MEMORY = 3 << 30  # bytes of address space that a reader may add


class Finding(NamedTuple):
    """An input that brought out something else than a clear error."""

    target: str
    data: bytes
    trouble: str
    kind: str = ""  # what makes two findings the same one


class _Hang(BaseException):
    """Raised by the alarm; no reader catches it."""


def try_one(target: Target, data: bytes) -> Finding | None:
    """Read one input."""
    started = time.process_time()
    troubles: list[str] = []
    try:
        with warnings.catch_warnings(), _alarm(), _watch(target) as troubles:
            warnings.simplefilter("ignore")
            target.read(data)
    except AssayError as error:
        if not str(error).strip():
            return Finding(target.name, data, "an error without words")
    except _Hang:
        return Finding(target.name, data, f"nothing after {HANG:g} s of the clock", "hang")
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        kind = f"{type(error).__name__} ({place})"
        return Finding(target.name, data, f"{type(error).__name__}: {str(error)[:200]} ({place})", kind)
    if troubles:
        return Finding(target.name, data, f"beside reading: {'; '.join(troubles)[:300]}", "beside reading")
    if time.process_time() - started > SLOW:
        return Finding(target.name, data, f"took {time.process_time() - started:.1f} s", "slow")
    return None


def _watch(target: Target) -> contextlib.AbstractContextManager[list[str]]:
    return contextlib.nullcontext([]) if target.root is None else watched(target.root)


@contextlib.contextmanager
def _alarm() -> Iterator[None]:
    """What hangs is interrupted; in other threads than the main one Python has no alarms."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: FrameType | None) -> NoReturn:
        raise _Hang

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, HANG)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def broken_input(target: Target, seed: int, number: int) -> bytes:
    """Input number so and so; the good ones come first. The same seed and number, the same input."""
    if number < len(target.seeds):
        return target.seeds[number]
    chance = random.Random(f"{target.name} {seed} {number}")
    return target.mutate(chance.choice(target.seeds), chance, target.seeds)


def attack(target: Target, inputs: int, seed: int) -> Iterator[Finding]:
    """So many inputs, in this process."""
    with bounded_memory():
        for number in range(inputs):
            finding = try_one(target, broken_input(target, seed, number))
            if finding is not None:
                yield finding


@contextlib.contextmanager
def bounded_memory() -> Iterator[None]:
    """A blow-up ends as MemoryError, which is a finding, instead of ending the machine."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
