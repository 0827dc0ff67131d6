"""Functions by an author who has not read the checker: leaks are convicted or blocked, honest ones are not convicted.

Each lies in a folder named by its label; its first comments name the problem. Hostile ones must leave the evaluator
alive and end within their limits. A sample of the quick ones runs always, all of them in the long tests.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from assay.insight import FeatureFunction, check_leakage, generate_problems, load
from assay.insight.columns.spending import function_limits
from assay.sandbox import FunctionSource, Sandbox, Tables

HERE = Path(__file__).parent
EXPECTED = {
    "leaks": {"leak", "blocked"},
    "honest": {"clean"},
    "blocked": {"blocked"},
    "hostile": {"leak", "clean", "blocked", "inconclusive"},
}
# whole or floating, according to the label: a column holds numbers of one type, so that no model can see it
ARGUED = {"51_lines_as_value": {"clean", "leak"}}
HOSTILE_SECONDS = 4.0
_EVERY = 24  # of so many, one runs always
_HEADER = re.compile(r"^# (problem|label|kind|why|harm): *(.*)$", re.MULTILINE)


class Authored(NamedTuple):
    """One function and what its author says of it."""

    path: Path
    problem: str
    why: str
    function: FeatureFunction


def read(path: Path) -> Authored:
    """A function without the comments that tell what it is."""
    text = path.read_text(encoding="utf-8")
    said = dict(_HEADER.findall(text))
    code = _HEADER.sub("", text).lstrip("\n")
    name = path.stem.partition("_")[2]
    return Authored(path, said["problem"].strip(), said.get("why", ""), FeatureFunction(name=name, code=code))


def cases() -> list[object]:
    """Every function, most of them as long tests; those on golden problems are slow."""
    found: list[object] = []
    for label in EXPECTED:
        quick = 0
        for path in sorted((HERE / label).glob("[0-9]*_*.py")):
            golden = re.search(r"^# problem: P\d", path.read_text(encoding="utf-8"), re.MULTILINE)
            quick += not golden
            always = not golden and quick % _EVERY == 1
            marks = [] if always else [pytest.mark.soak]
            found.append(pytest.param(label, path, id=f"{label}/{path.stem}", marks=marks))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The generated problems, as the author had them."""
    out = tmp_path_factory.mktemp("authored")
    generate_problems(out, problems=3, seed=2301, rows=360, difficulty="medium")
    generate_problems(out, problems=2, seed=2302, rows=300, difficulty="easy", domain="retail")
    return out


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox.start(parallel=2, remember=256) as started:
        yield started


def find(problem: str, folder: Path) -> Path:
    if (folder / problem).is_dir():
        return folder / problem
    golden = os.environ.get("ASSAY_BENCHMARKS")
    place = Path(golden or "") / "insight" / "problems" / problem
    if not golden or not place.is_dir():
        pytest.skip(f"needs the golden problem {problem!r}")
    return place


@pytest.mark.skipif(not any((HERE / label).is_dir() for label in EXPECTED), reason="the corpus is not here")
def test_the_corpus_has_every_kind() -> None:
    for label, words in (("leaks", "leak"), ("honest", "honest"), ("blocked", "blocked"), ("hostile", "hostile")):
        paths = sorted((HERE / label).glob("[0-9]*_*.py"))
        assert paths, label
        assert all(re.search(rf"^# label: {words}$", path.read_text(), re.MULTILINE) for path in paths)


@pytest.mark.parametrize(("label", "path"), cases())
def test_an_authored_function_is_judged_by_its_label(label: str, path: Path, folder: Path, sandbox: Sandbox) -> None:
    authored = read(path)
    problem = load(find(authored.problem, folder))
    seconds = HOSTILE_SECONDS if label == "hostile" else 300.0  # a busy machine is no verdict
    begun = time.monotonic()
    report = check_leakage(problem, [authored.function], sandbox=sandbox, limits=function_limits(seconds))
    taken = time.monotonic() - begun
    (verdict,) = report.functions
    assert verdict.verdict in ARGUED.get(path.stem, EXPECTED[label]), f"{verdict} ({authored.why}): {verdict.evidence}"
    if label == "hostile":
        assert taken < 2 * HOSTILE_SECONDS + 60, "not ended within its limits"
        rows = problem.task.test.head(3)
        (alive,) = sandbox.run([FunctionSource("f", "def f(row): return 7")], Tables(rows=rows))
        assert alive.column.to_pylist() == [7, 7, 7]
