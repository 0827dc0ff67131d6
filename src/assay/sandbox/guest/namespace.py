"""The names that feature functions expect to find, and generators of randomness that repeat themselves."""

from __future__ import annotations

import collections
import functools
import importlib
import itertools
import json
import math
import os
import random
import re
import statistics
import string
import time
import typing
import warnings
from collections.abc import Callable
from datetime import datetime
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from assay.sandbox.guest.clock import PassesFor, stop_clock

__all__ = ["Randomness", "fill_namespace", "preload", "seed_randomness"]

# what a guest finds imported: reading libraries is allowed, but the warm server has done it already
_PRELOADED = """
abc array base64 bisect calendar cmath collections.abc contextlib copy csv ctypes dataclasses decimal difflib enum
fractions functools gc glob hashlib heapq inspect io itertools json keyword linecache locale lzma math numbers
operator pathlib pickle pprint queue random re secrets shutil signal socket statistics string struct subprocess
tempfile textwrap threading time traceback types typing unicodedata uuid warnings zlib zoneinfo bz2 gzip zipfile
multiprocessing concurrent.futures asyncio mmap select resource numpy numpy.linalg numpy.random numpy.ctypeslib
pandas pandas.api.types pyarrow pyarrow.compute dateutil.parser dateutil.relativedelta
"""

_MOST_GENERATORS = 1000  # that are put back before each call

_TYPING = """
Any Callable Dict Iterable Iterator List Mapping Optional Sequence Set Tuple Type Union cast
"""


def preload() -> None:
    """Import what guests may need; those that this installation lacks are left out."""
    for name in _PRELOADED.split():
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    pd.DataFrame({"day": pd.to_datetime(["2024-01-31"]), "word": ["x"]}).apply(lambda row: row["day"].month, axis=1)
    _group_without_threads()


def _group_without_threads() -> None:
    """Arrow groups texts on several threads and waits for them for ever; guests may start none."""
    pa.set_cpu_count(1)
    changed: Any = pa.TableGroupBy
    initialise = changed.__init__

    def start(self: Any, table: Any, keys: Any, use_threads: bool = True) -> None:
        initialise(self, table, keys, use_threads=False)

    changed.__init__ = start


class Randomness:
    """Every source of random numbers, repeatable: the generators, new ones without a seed, the system's entropy.

    Frozen, all of them, also those that a function made for itself, can be put back to where they began: then each call
    draws the same numbers, whatever was called before it. Frozen for tables, all numbers of one draw are the same too,
    whatever row they fall to.
    """

    def __init__(self, seed: int, *, frozen: str = "") -> None:
        self._seed = seed
        self._source = random.Random(seed)
        self._restores: list[Callable[[], object]] = []
        self._install()
        if frozen:
            self._freeze(still=frozen == "table")
        self.put_back()

    def put_back(self) -> None:
        """Every generator as it was when it began."""
        self._source.seed(self._seed)
        random.seed(self._seed)
        np.random.seed(self._seed % 2**32)  # noqa: NPY002 - the guest's code uses the global generator
        for restore in self._restores:
            restore()

    def _keep(self, restore: Callable[[], object]) -> None:
        if len(self._restores) < _MOST_GENERATORS:
            self._restores.append(restore)

    def _install(self) -> None:
        source, initialise = self._source, random.Random.__init__

        def entropy(size: int, /) -> bytes:
            return source.randbytes(size)

        def start(own: random.Random, x: Any = None) -> None:
            initialise(own, source.getrandbits(64) if x is None else x)

        changed: Any = random
        changed.Random.__init__ = start
        changed._urandom = entropy
        os.urandom = entropy

    def _freeze(self, *, still: bool) -> None:
        keep, fresh, initialise = self._keep, np.random.default_rng, random.Random.__init__

        def start(own: random.Random, x: Any = None) -> None:
            initialise(own, x)
            if type(own) is random.Random:
                keep(partial(own.setstate, own.getstate()))

        def default_rng(*arguments: Any, **options: Any) -> Any:
            generator = fresh(*arguments, **options)
            keep(partial(setattr, generator.bit_generator, "state", generator.bit_generator.state))
            return _Still(generator) if still else generator

        class RandomState(np.random.RandomState, metaclass=PassesFor):
            def __init__(self, *arguments: Any, **options: Any) -> None:
                super().__init__(*arguments, **options)
                keep(partial(self.set_state, self.get_state()))

            def __getattribute__(self, name: str) -> Any:
                attribute = super().__getattribute__(name)
                return _stilled(name, attribute) if still and callable(attribute) else attribute

        changed: Any = random
        changed.Random.__init__ = start
        library: Any = np.random
        library.default_rng = default_rng
        library.RandomState = RandomState
        if still:
            for name in dir(np.random.mtrand._rand):
                if not name.startswith("_") and hasattr(library, name):
                    setattr(library, name, _stilled(name, getattr(library, name)))


class _Still:
    """A generator all of whose numbers of one draw are the same."""

    def __init__(self, generator: Any) -> None:
        self._generator = generator

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._generator, name)
        return _stilled(name, attribute) if callable(attribute) else attribute


def _stilled(name: str, draw: Callable[..., Any]) -> Callable[..., Any]:
    def wrapper(*arguments: Any, **options: Any) -> Any:
        numbers = draw(*arguments, **options)
        many = isinstance(numbers, np.ndarray) and numbers.size > 0 and "perm" not in name
        return np.full_like(numbers, numbers.flat[0]) if many else numbers

    return wrapper


def seed_randomness(seed: int, *, frozen: str = "") -> Randomness:
    """Make every source of randomness repeatable."""
    return Randomness(seed, frozen=frozen)


def fill_namespace(moment: datetime) -> dict[str, Any]:
    """A fresh namespace for one function: libraries under their usual names, the clock standing still."""
    both = stop_clock(moment)
    names: dict[str, Any] = {
        "__name__": "feature_function",
        "__builtins__": __builtins__,
        "pd": pd,
        "pandas": pd,
        "np": np,
        "numpy": np,
        "datetime": both,
        "date": both.date,
        "timedelta": both.timedelta,
        "timezone": both.timezone,
        "Counter": collections.Counter,
        "defaultdict": collections.defaultdict,
        "OrderedDict": collections.OrderedDict,
        **{name: getattr(typing, name) for name in _TYPING.split()},
    }
    modules: tuple[ModuleType, ...] = (collections, functools, itertools, json, math, os, random, re, statistics)
    names |= {module.__name__: module for module in (*modules, string, time, typing, warnings)}
    return names
