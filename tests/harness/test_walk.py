"""The walk of one answer: few functions, and from evidence to the stored row no type that only carries others."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from assay.core import Record
from assay.formula.examine.evidence import FormulaEvidence
from assay.harness import Finished, RunSpec, StoredAnswer, run
from assay.harness.execute import Examiner, Job

WALK = Path(__file__).parents[2] / "docs" / "walk.md"
MOST_FUNCTIONS = 30


def walk() -> list[str]:
    return re.findall(r"^\| [^|]+ \| `([\w.]+)` \|", WALK.read_text(), re.MULTILINE)


def locate(name: str) -> Any:
    """The object of a dotted name."""
    parts = name.split(".")
    for size in range(len(parts), 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:size]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[size:]:
            value = getattr(value, attribute)
        return value
    raise AssertionError(f"nothing is named {name}")


def test_every_function_of_the_walk_exists_and_they_are_few() -> None:
    names = walk()
    assert 20 < len(names) <= MOST_FUNCTIONS
    assert len(set(names)) == len(names)
    for name in names:
        assert callable(locate(name)), name


class InThisProcess:
    """Examines cells in this process, where the test can see them."""

    name = "here"

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch

    def map(self, jobs: Iterable[Job], /, *, hidden: object = ()) -> Iterator[Finished]:
        examiner = Examiner(self._scratch)
        try:
            for job in jobs:
                yield examiner.finish(job)
        finally:
            examiner.close()


class Returns:
    """What the functions of the harness return, in order, from the end of examine to the stored row."""

    def __init__(self) -> None:
        self.values: list[object] = []
        self._watching = False

    def __call__(self, frame: FrameType, event: str, value: object) -> None:
        module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_name
        if event != "return" or name.startswith("<"):  # comprehensions are frames of their own
            return
        self._watching = self._watching or (module, name) == ("assay.harness.execute", "_examine")
        if self._watching and module.startswith("assay.harness."):
            self.values.append(value)
        if name == "record_row":
            self._watching = False


def own_types(values: Iterable[object]) -> list[type]:
    """The types of this package among the values, in order of appearance; pairs and lists are looked into."""
    types: dict[type, None] = {}
    for value in values:
        for part in value if isinstance(value, tuple | list) else (value,):
            if type(part).__module__.startswith("assay."):
                types[type(part)] = None
    return list(types)


def test_from_examine_to_the_row_there_are_evidence_scores_and_details_and_the_record(tmp_path: Path) -> None:
    spec = RunSpec(track="formula", subjects=("linear",), problems=(_one_problem(tmp_path),), folder=tmp_path)
    returned = Returns()
    before = sys.getprofile()
    sys.setprofile(returned)
    try:
        result = run([spec], out=tmp_path / "out", runner=InThisProcess)
    finally:
        sys.setprofile(before)
    (record,) = result.records
    assert record.status == "ok", record.error
    evidence, *others = returned.values
    assert isinstance(evidence, FormulaEvidence)
    scores, details = next(value for value in others if isinstance(value, tuple))  # before it, single numbers
    assert (set(scores), set(details)) == (set(record.scores), set(record.details))
    assert own_types(returned.values) == [FormulaEvidence, StoredAnswer, Record]
    row = returned.values[-1]
    assert isinstance(row, tuple)
    assert [type(part) for part in row] == [str, str, str, bytes]
    assert row[0] == record.key


def _one_problem(folder: Path) -> str:
    from assay.core import find_problems, get_track

    get_track("formula").builtin(folder / "problems")
    return str(find_problems(folder / "problems", marker=get_track("formula").marker)[0])


@pytest.mark.parametrize("name", ["assay.harness.no_such_function", "assay.nowhere.run"])
def test_a_name_that_is_gone_is_noticed(name: str) -> None:
    with pytest.raises((AssertionError, AttributeError)):
        locate(name)
