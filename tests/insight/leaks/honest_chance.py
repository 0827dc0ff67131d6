"""Honest functions with clocks, chance, caches and a look at the interpreter."""

from __future__ import annotations

__all__ = ["ENTRIES"]

ENTRIES = [
    {
        "name": "age_of_observation",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "days until now, with the clock standing still",
        "code": """\
def age_of_observation(row):
    return (datetime.now() - pd.Timestamp(row['observed_on'])).days
""",
    },
    {
        "name": "seconds_of_the_clock",
        "expected": "clean or inconclusive",
        "kind": "none",
        "world": "static",
        "why": "the time of day in the value",
        "code": """\
import time

def seconds_of_the_clock(row):
    return row['age'] + time.time() % 1
""",
    },
    {
        "name": "stop_watch",
        "expected": "clean or inconclusive",
        "kind": "none",
        "world": "static",
        "why": "a stop watch that never repeats itself",
        "code": """\
import time

def stop_watch(row):
    return row['age'] + time.perf_counter() * 1e-9
""",
    },
    {
        "name": "jitter",
        "expected": "clean or inconclusive",
        "kind": "none",
        "world": "static",
        "why": "random noise on an honest value",
        "code": """\
import random

def jitter(row):
    return row['monthly_fee'] + random.random() * 0.01
""",
    },
    {
        "name": "numpy_jitter",
        "expected": "clean or inconclusive",
        "kind": "none",
        "world": "static",
        "why": "random noise of numpy",
        "code": """\
def numpy_jitter(row):
    return row['monthly_fee'] * np.random.normal(1, 0.001)
""",
    },
    {
        "name": "new_generator",
        "expected": "clean or inconclusive",
        "kind": "none",
        "world": "static",
        "why": "a generator without a seed",
        "code": """\
def new_generator(row):
    return row['age'] + np.random.default_rng().uniform()
""",
    },
    {
        "name": "seeded_noise",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "noise that is seeded by the row",
        "code": """\
def seeded_noise(row):
    return row['age'] + np.random.default_rng(int(row['customer_id'])).uniform()
""",
    },
    {
        "name": "unique_name",
        "expected": "clean or inconclusive",
        "kind": "none",
        "world": "static",
        "why": "a random identifier",
        "code": """\
import uuid

def unique_name(row):
    return uuid.uuid4().hex[:6]
""",
    },
    {
        "name": "hashed_word",
        "expected": "clean or inconclusive",
        "kind": "none",
        "world": "static",
        "why": "the hash of a text differs between interpreters",
        "code": """\
def hashed_word(row):
    return hash(row['region']) % 16
""",
    },
    {
        "name": "cached_helper",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "a cache of a pure function",
        "code": """\
from functools import lru_cache

@lru_cache(maxsize=None)
def _slow(plan):
    return sum(ord(letter) for letter in plan)

def cached_helper(row):
    return _slow(row['plan'])
""",
    },
    {
        "name": "own_memo",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "a memo of a pure function, by hand",
        "code": """\
_memo = {}

def own_memo(row):
    if row['region'] not in _memo:
        _memo[row['region']] = len(row['region']) * 3
    return _memo[row['region']]
""",
    },
    {
        "name": "looks_at_frames",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "the name of its own frame",
        "code": """\
import sys

def looks_at_frames(row):
    return len(sys._getframe().f_code.co_name) + row['age']
""",
    },
    {
        "name": "counts_objects",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "collects garbage and returns an honest value",
        "code": """\
import gc

def counts_objects(row):
    gc.collect(0)
    return row['tenure_months'] % 12
""",
    },
]
