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
from datetime import datetime
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from assay.sandbox.guest.clock import stop_clock

__all__ = ["fill_namespace", "preload", "seed_randomness"]

# what a guest finds imported: reading libraries is allowed, but the warm server has done it already
_PRELOADED = """
abc array base64 bisect calendar cmath collections.abc contextlib copy csv ctypes dataclasses decimal difflib enum
fractions functools gc glob hashlib heapq inspect io itertools json keyword linecache locale lzma math numbers
operator pathlib pickle pprint queue random re secrets shutil signal socket statistics string struct subprocess
tempfile textwrap threading time traceback types typing unicodedata uuid warnings zlib zoneinfo bz2 gzip zipfile
multiprocessing concurrent.futures asyncio mmap select resource numpy numpy.linalg numpy.random numpy.ctypeslib
pandas pandas.api.types pyarrow pyarrow.compute dateutil.parser dateutil.relativedelta
"""

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


def seed_randomness(seed: int) -> None:
    """Make every source of randomness repeatable: the generators, unseeded new ones, and the system's entropy."""
    source = random.Random(seed)
    initialise = random.Random.__init__

    def entropy(size: int, /) -> bytes:
        return source.randbytes(size)

    def start(self: random.Random, x: Any = None) -> None:
        initialise(self, source.getrandbits(64) if x is None else x)

    random.seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002 - the guest's code uses the global generator
    changed: Any = random
    changed.Random.__init__ = start
    changed._urandom = entropy
    os.urandom = entropy


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
