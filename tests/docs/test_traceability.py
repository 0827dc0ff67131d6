"""The traceability page is true: its names import, its tests exist, and no document or installed track is left out."""

from __future__ import annotations

import ast
import importlib
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from assay.core import track_names

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "traceability.md"
DOCUMENTS = ("insight", "formula", "drift", "cases", "conformal")
HEADINGS = ["id", "the document says", "public name", "test"]
NOT_BUILT = "not built yet"
FEWEST = {"insight": 60, "formula": 30, "drift": 20, "cases": 35, "conformal": 40}  # no document shrinks unnoticed


class Row(NamedTuple):
    """One requirement."""

    id: str
    says: str
    name: str
    test: str

    @property
    def document(self) -> str:
        return self.id.rpartition("-")[0]


def rows_of(markdown: str) -> Iterator[Row]:
    """The rows of every table with our headings; a row of another width is an error."""
    inside = False
    for line in markdown.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
        if not line.startswith("|"):
            inside = False
        elif cells == HEADINGS:
            inside = True
        elif inside and not set(line) <= set("|-: "):
            assert len(cells) == len(HEADINGS), f"not four cells: {line}"
            yield Row(*cells)


ROWS = list(rows_of(PAGE.read_text(encoding="utf-8")))
BUILT = [row for row in ROWS if row.name != NOT_BUILT]


def quoted(cell: str) -> list[str]:
    """What stands in backticks; anything else in the cell is an error."""
    assert re.fullmatch(r"`[^`]+`(?:, `[^`]+`)*", cell), f"not a list of `names`: {cell!r}"
    return re.findall(r"`([^`]+)`", cell)


def resolve(name: str) -> object:
    """The object behind a dotted name: the longest prefix that is a module, then attributes."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[length:]:
            found = getattr(found, attribute)
        return found
    raise ModuleNotFoundError(name)


@cache
def defined_tests(file: Path) -> frozenset[str]:
    """The test functions of a file, those of classes as Class::test."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found = set()
    for node in tree.body:
        members = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        found |= {prefix + entry.name for entry in members if isinstance(entry, ast.FunctionDef)}
    return frozenset(name for name in found if name.rpartition("::")[2].startswith("test_"))


def exists(test: str) -> bool:
    file, _, name = test.partition("::")
    return (ROOT / file).is_file() and name.partition("[")[0] in defined_tests(ROOT / file)


@pytest.mark.parametrize("row", BUILT, ids=lambda row: row.id)
def test_every_name_of_a_line_is_public_and_imports(row: Row) -> None:
    for name in quoted(row.name):
        resolve(name)
        assert not any(part.startswith("_") for part in name.split(".")), f"{row.id}: {name} is private"


@pytest.mark.parametrize("row", BUILT, ids=lambda row: row.id)
def test_every_test_of_a_line_exists(row: Row) -> None:
    for test in quoted(row.test):
        assert exists(test), f"{row.id}: there is no test {test}"


def test_ids_are_unique_and_counted_through() -> None:
    twice = [name for name, count in Counter(row.id for row in ROWS).items() if count > 1]
    assert not twice
    for document in DOCUMENTS:
        numbers = [int(row.id.rpartition("-")[2]) for row in ROWS if row.document == document]
        assert numbers == list(range(1, len(numbers) + 1))


def test_every_document_has_its_lines_and_there_is_no_other() -> None:
    counts = Counter(row.document for row in ROWS)
    assert set(counts) == set(DOCUMENTS)
    assert all(counts[document] >= fewest for document, fewest in FEWEST.items())
    assert all(row.says for row in ROWS)


def test_a_line_is_built_in_both_columns_or_in_neither() -> None:
    assert not [row.id for row in ROWS if (row.name == NOT_BUILT) != (row.test == NOT_BUILT)]


def test_an_installed_track_has_no_line_that_is_not_built() -> None:
    installed = set(track_names())
    assert not [row.id for row in ROWS if row.document in installed and row.name == NOT_BUILT]


def test_a_wrong_name_or_test_would_be_noticed() -> None:
    with pytest.raises(AttributeError):
        resolve("assay.cases.metrics.compute_correspondance")
    with pytest.raises(ModuleNotFoundError):
        resolve("no_such_package.thing")
    assert exists("tests/docs/test_traceability.py::test_a_wrong_name_or_test_would_be_noticed[any]")
    assert not exists("tests/docs/test_traceability.py::test_that_nobody_wrote")
    assert not exists("tests/docs/test_nothing.py::test_that_nobody_wrote")
    with pytest.raises(AssertionError, match="not four cells"):
        list(rows_of("| id | the document says | public name | test |\n|---|---|---|---|\n| a | b | c |"))
