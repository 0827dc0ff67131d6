"""Which tests start processes or need something special, told from their folder and from what their code reaches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

TESTS = Path(__file__).parent
FOLDERS = {"browser": "browser", "cli": "process", "docs": "docs", "fuzz": "fuzz"}
STARTERS = {
    "subprocess",
    "multiprocessing",
    "assay.api.running.rescore",
    "assay.api.running.run",
    "assay.harness.rescoring.rescore",
    "assay.harness.run.run",
    "assay.harness.runners.local.LocalRunner",
    "assay.insight.columns.sandbox_pool.shared_sandbox",
    "assay.insight.examine.examination.examine",
    "assay.sandbox.host.Sandbox",
}
RAY = "assay.harness.runners.ray"


def mark(items: list[pytest.Item]) -> None:
    """Add the markers that follow from folder, name and code."""
    for item in items:
        if folder := _folder(str(item.path)):
            for name in _markers(item, folder):
                item.add_marker(name)


@cache
def _folder(file: str) -> str:
    """The folder of the tests that a file lies in; empty for one that lies elsewhere."""
    path = Path(file)
    return path.relative_to(TESTS).parts[0] if path.is_relative_to(TESTS) else ""


def _markers(item: pytest.Item, folder: str) -> Iterator[str]:
    if marker := FOLDERS.get(folder):
        yield marker
    if any("ASSAY_BENCHMARKS" in skip.kwargs.get("reason", "") for skip in item.iter_markers("skipif")):
        yield "golden"
    names = frozenset[str]().union(*(_reached(function) for function in _functions(item)))
    if "ASSAY_BENCHMARKS" in names:
        yield "golden"
    if names & STARTERS or "fork" in names:
        yield "process"
    if any(name.startswith(RAY) for name in names) or "ray" in re.split(r"[\W_]", item.name):
        yield "ray"


def _functions(item: pytest.Item) -> Iterator[FunctionType]:
    """The test itself, and the fixtures of ours that it asks for."""
    if not isinstance(item, pytest.Function):
        return
    for function in (item.function, *(known[-1].func for known in item._fixtureinfo.name2fixturedefs.values())):
        function = getattr(getattr(function, "hypothesis", None), "inner_test", function)
        function = getattr(function, "__wrapped__", function)
        if isinstance(function, FunctionType) and _ours(function):
            yield function


def _ours(function: FunctionType) -> bool:
    return bool(_folder(function.__code__.co_filename))


@cache
def _reached(function: FunctionType) -> frozenset[str]:
    """Full names of all that a function of the tests mentions, itself or through others of the tests."""
    names: set[str] = set()
    seen = {function}
    waiting = [function]
    while waiting:
        current = waiting.pop()
        for name in _mentioned(current.__code__):
            value: Any = current.__globals__.get(name)
            names.add(_full_name(value) or name)
            members = vars(value).values() if isinstance(value, type) else [value]
            further = {member for member in members if isinstance(member, FunctionType) and _ours(member)} - seen
            seen |= further
            waiting += further
    return frozenset(names)


def _mentioned(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _mentioned(constant)
        elif isinstance(constant, str):
            yield constant


def _full_name(value: object) -> str:
    if isinstance(value, ModuleType):
        return value.__name__
    return f"{value.__module__}.{value.__qualname__}" if isinstance(value, FunctionType | type) else ""
