from __future__ import annotations

from datetime import datetime

import pandas as pd
import pytest

from assay.core import InvalidInput
from assay.sandbox import FunctionResult, FunctionSource, Limits, Sandbox, Tables
from assay.sandbox.cache import ResultCache

FRAME = pd.DataFrame({"x": [1, 2]})
ONE = FunctionSource("one", "def one(row): return row['x']")
TWO = FunctionSource("two", "def two(row): return 2 * row['x']")


def computed(sandbox: Sandbox, *arguments: object, **options: object) -> list[bool]:
    """Which results were computed just now: a remembered one is the very same object."""
    before = {id(result) for result in sandbox._cache._results.values()}
    return [id(result) not in before for result in sandbox.run(*arguments, **options)]  # type: ignore[arg-type]


def test_only_what_differs_in_any_respect_runs_again() -> None:
    tables = Tables(rows=FRAME, auxiliary={"a": FRAME})
    with Sandbox(remember=50) as sandbox:
        assert computed(sandbox, [ONE], tables) == [True]
        assert computed(sandbox, [TWO, ONE], Tables(rows=FRAME.copy(), auxiliary={"a": FRAME})) == [True, False]
        assert sandbox.run([TWO, ONE, TWO], tables)[2].column.to_pylist() == [2, 4]
        for other in (
            Tables(rows=FRAME.iloc[::-1], auxiliary={"a": FRAME}),
            Tables(rows=FRAME, auxiliary={"b": FRAME}),
            Tables(rows=FRAME, train=FRAME),
            Tables(rows=FRAME, auxiliary={"a": FRAME, "b": FRAME}),
        ):
            assert computed(sandbox, [ONE], other) == [True]
        assert computed(sandbox, [ONE], tables, seed=1) == [True]
        assert computed(sandbox, [ONE], tables, clock=datetime(2020, 1, 1)) == [True]
        assert computed(sandbox, [ONE], tables, limits=Limits(memory_mb=100)) == [True]
        assert computed(sandbox, [FunctionSource("one", ONE.code + " + 1")], tables) == [True]
        assert computed(sandbox, [ONE], tables) == [False]
        assert computed(sandbox, [ONE], tables, fresh=True) == [True]


def test_failures_that_a_busy_machine_could_cause_are_not_remembered() -> None:
    cache = ResultCache(10)
    for status in ("ok", "exception", "invalid output", "timeout", "memory", "crashed"):
        cache.put(status, FunctionResult(name="f", status=status))
    assert [cache.get(status) is None for status in ("ok", "exception", "invalid output")] == [False] * 3
    assert [cache.get(status) is None for status in ("timeout", "memory", "crashed")] == [True] * 3


def test_the_least_recently_used_result_goes_first() -> None:
    cache = ResultCache(2)
    for name in ("a", "b"):
        cache.put(name, FunctionResult(name=name, status="ok"))
    cache.get("a")
    cache.put("c", FunctionResult(name="c", status="ok"))
    assert [cache.get(name) is not None for name in "abc"] == [True, False, True]


def test_code_with_any_character_has_a_key() -> None:
    assert ResultCache(1).key(FunctionSource("f", "'\ud800'"), [("rows", "x")], {}) != ""


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(InvalidInput, match="remember must be a whole number of at least 0, got -1"):
        Sandbox(remember=-1)
