"""Work in a thread of its own: a browser that other tests of a worker share keeps an event loop in theirs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

__all__ = ["in_thread", "run_async"]

T = TypeVar("T")


def in_thread(work: Callable[[], T]) -> T:
    """Call it in a new thread, and give what it gives."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def run_async(coroutine: Coroutine[Any, Any, T]) -> T:
    """What ``asyncio.run`` gives, also where this thread has a loop already."""
    return in_thread(lambda: asyncio.run(coroutine))
