"""The corpus of leaking and honest functions: every leak is convicted with evidence, no honest function is."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from assay.insight.answer.functions import FeatureFunction
from assay.insight.leakage.check import check_leakage
from assay.insight.leakage.verdict import KINDS, LeakVerdict
from assay.sandbox import Sandbox

HERE = Path(__file__).parent
EXPECTED = {
    "leak": {"leak"},
    "clean": {"clean"},
    "clean or inconclusive": {"clean", "inconclusive"},
    "blocked": {"blocked"},
}


def module(stem: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"leaks_{stem}", HERE / f"{stem}.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


WORLD = module("world")
STEMS = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in ("world", "test_corpus"))
CORPUS: dict[str, list[dict[str, str]]] = {stem: module(stem).ENTRIES for stem in STEMS}
# it takes minutes: every second leak that only times can show, or without times, is always tried; all in the long tests
LONG = [(stem, "timed") for stem in STEMS if stem != "temporal"] + [("honest_train", "static")]
CALLS = [
    pytest.param(stem, world, first, id=f"{stem}-{world}-{first}", marks=[pytest.mark.soak] if is_long else [])
    for stem in STEMS
    for world in ("static", "timed")
    for first, is_long in ((0, (stem, world) in LONG), (1, True))
    if sum(entry["world"] == world for entry in CORPUS[stem]) > first
]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox.start() as started:
        yield started


def test_the_corpus_is_large_and_says_what_it_expects() -> None:
    entries = [entry for stem in STEMS for entry in CORPUS[stem]]
    names = [entry["name"] for entry in entries]
    assert len(set(names)) == len(names)
    assert sum(entry["expected"] == "leak" for entry in entries) >= 45
    assert sum(entry["expected"].startswith("clean") for entry in entries) >= 45
    for entry in entries:
        assert set(entry) == {"name", "expected", "kind", "world", "why", "code"}, entry["name"]
        assert entry["expected"] in EXPECTED, entry["name"]
        assert entry["world"] in ("static", "timed"), entry["name"]
        assert entry["kind"] in {*KINDS, "any", "none"}, entry["name"]
        assert (entry["kind"] == "none") == entry["expected"].startswith("clean"), entry["name"]


def test_every_source_is_python_with_no_mark_left() -> None:
    signatures = set()
    for entry in (entry for stem in STEMS for entry in CORPUS[stem]):
        code = WORLD.filled(entry["code"])
        tree = ast.parse(code)
        assert "@LABELS@" not in code
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == entry["name"]:
                required = len(node.args.args) - len(node.args.defaults)
                signatures.add(tuple(argument.arg[:3] for argument in node.args.args[:required]))
    assert signatures >= {("row",), ("row", "aux"), ("row", "df_"), ("row", "df_", "aux"), ("df",), ("df", "aux")}


@pytest.mark.parametrize(("stem", "world", "first"), CALLS)
def test_every_leak_is_convicted_and_no_honest_function_is(stem: str, world: str, first: int, sandbox: Sandbox) -> None:
    entries = [entry for entry in CORPUS[stem] if entry["world"] == world][first::2]
    functions = [FeatureFunction(name=entry["name"], code=WORLD.filled(entry["code"])) for entry in entries]
    report = check_leakage(WORLD.problem(world), functions, sandbox=sandbox)
    assert [verdict.name for verdict in report.functions] == [entry["name"] for entry in entries]
    wrong = {}
    for entry, verdict in zip(entries, report.functions, strict=True):
        trouble = disagreement(entry, verdict)
        if trouble:
            wrong[entry["name"]] = f"{trouble} ({entry['why']}): {verdict}"
    assert not wrong, "\n".join(f"{name}: {trouble}" for name, trouble in wrong.items())
    assert report.target_leak == any(verdict.verdict == "leak" for verdict in report.functions)


def disagreement(entry: dict[str, str], verdict: LeakVerdict) -> str:
    if verdict.verdict not in EXPECTED[entry["expected"]]:
        return f"{verdict.verdict} instead of {entry['expected']}"
    if verdict.verdict == "blocked":
        return "" if verdict.evidence["attempts"] else "blocked without an attempt"
    if verdict.verdict == "inconclusive":
        return (
            "" if verdict.kind in ("nondeterministic", "not run") else f"inconclusive without a reason: {verdict.kind}"
        )
    if verdict.verdict == "clean":
        return "" if verdict.status == "ok" else f"clean although it ran with {verdict.status}"
    if entry["kind"] not in ("any", verdict.kind):
        return f"kind {verdict.kind!r} instead of {entry['kind']!r}"
    return "" if has_evidence(verdict) else "no evidence"


def has_evidence(verdict: LeakVerdict) -> bool:
    """Rows with a value before and another after, or the statistic that convicts."""
    rows: Any = verdict.evidence.get("rows")
    if verdict.kind == "memorised":
        return any(isinstance(value, int | float) for value in verdict.evidence.values())
    return bool(rows) and all(row["before"] != row["after"] for row in rows)
