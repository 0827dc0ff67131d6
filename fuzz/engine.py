"""Feeds broken input to readers; only Assay's own errors may come out, soon, and without eating memory."""

from __future__ import annotations

import contextlib
import random
import resource
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from assay.core import AssayError
from fuzz.mutation import mutate
from fuzz.targets import Target

__all__ = ["Finding", "attack", "try_one"]

SLOW = 10.0  # seconds of processor time for one input
MEMORY = 3 << 30  # bytes of address space that a reader may add


class Finding(NamedTuple):
    """An input that brought out something else than a clear error."""

    target: str
    data: bytes
    trouble: str
    kind: str = ""  # what makes two findings the same one


def try_one(target: Target, data: bytes) -> Finding | None:
    """Read one input."""
    started = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            target.read(data)
    except AssayError as error:
        if not str(error).strip():
            return Finding(target.name, data, "an error without words")
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        kind = f"{type(error).__name__} ({place})"
        return Finding(target.name, data, f"{type(error).__name__}: {str(error)[:200]} ({place})", kind)
    if time.process_time() - started > SLOW:
        return Finding(target.name, data, f"took {time.process_time() - started:.1f} s")
    return None


def attack(target: Target, inputs: int, seed: int) -> Iterator[Finding]:
    """So many broken inputs, from the good ones; the same seed, the same inputs."""
    chance = random.Random(f"{target.name} {seed}")
    with bounded_memory():
        for _ in range(inputs):
            data = mutate(chance.choice(target.seeds), chance, target.seeds)
            finding = try_one(target, data)
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
