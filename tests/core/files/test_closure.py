"""What a module reaches is what it runs: followed by name through packages, never by importing anything."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.core import MissingExtra, get_track, track_names
from assay.core.files import closure
from assay.core.files.closure import code_digest, reach

Package = Callable[[dict[str, str]], None]

FILES = {
    "__init__.py": "",
    "room/__init__.py": "from reached.room.inner import parse\nfrom .other import print_\nfrom .star import *\n",
    "room/inner.py": "def parse(): ...\n",
    "room/other.py": "def print_(): ...\n",
    "room/star.py": "starred = 1\n",
    "lazy/__init__.py": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from reached.lazy.later import Late\n"
        "def __getattr__(name): ...\n"
    ),
    "lazy/later.py": "class Late: ...\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    """Writes the package ``reached``, which is never imported."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(files: dict[str, str]) -> None:
        for name, text in {**FILES, **files}.items():
            path = tmp_path / "reached" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    return write


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("from reached.room import parse", ["reached.room.inner"]),
        ("from .room import parse", ["reached.room.inner"]),
        ("from reached.room import starred", ["reached.room.star"]),
        ("from reached.room import inner", ["reached.room.inner"]),
        ("import reached.room.other", ["reached.room.other"]),
        ("import reached.room", ["reached.room.inner", "reached.room.other", "reached.room.star"]),
        ("def later():\n    from reached.room.star import starred", ["reached.room.star"]),
        ("from importlib import import_module\nimport_module('reached.room.star')", ["reached.room.star"]),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from reached.room import parse", []),
        (
            "import typing\nif typing.TYPE_CHECKING:\n    ...\nelse:\n    import reached.room.star",
            ["reached.room.star"],
        ),
        ("from reached.lazy import Late", ["reached.lazy.later"]),
        ("from reached.lazy import other", ["reached.lazy"]),
    ],
)
def test_an_import_leads_to_the_module_that_defines_the_name(package: Package, code: str, names: list[str]) -> None:
    package({"start.py": code + "\n"})
    assert sorted(set(reach("reached.start").files) - {"reached.start"}) == names
    assert "reached" not in sys.modules


def test_what_the_package_assay_defines_counts_for_a_package_beside_it_too(package: Package) -> None:
    package({"start.py": "import numpy.linalg\nimport json\nfrom assay.core import Budget\n"})
    result = reach("reached.start")
    assert {"reached.start", "assay.core.budget", "assay.core.checks"} <= set(result.files)
    assert "assay.core.track" not in result.files
    assert result.libraries == {"numpy"}


def test_data_beside_a_module_that_its_texts_name_count(package: Package, tmp_path: Path) -> None:
    code = '"""Reads notes.txt."""\nWEIGHTS, WORDS, ROOM = "weights.json", "words", "room"\n'
    files = {"start.py": code, "weights.json": "1", "words/en.toml": "2", "words/old/de.toml": "3", "notes.txt": "4"}
    package(files)
    before = reach("reached.start").parts()
    names = ["", ":weights.json", ":words/en.toml", ":words/old/de.toml"]
    assert sorted(before) == [f"reached.start{name}" for name in names]
    package({**files, "weights.json": "1.5", "notes.txt": "5"})
    after = reach("reached.start").parts()
    assert [name for name in before if after[name] != before[name]] == ["reached.start:weights.json"]


def test_the_explainer_is_another_subject_with_other_weights() -> None:
    data = set(reach(type(get_track("drift").subjects["explainer"]()).__module__).parts())
    assert {"assay.drift.explanation.retrieve:weights.json", "assay.drift.documents.language:languages/de.toml"} <= data


def test_comments_docstrings_imports_and_types_are_no_code(tmp_path: Path) -> None:
    texts = (
        "def answer(): return 1\n",
        '"""Doc."""\nfrom a import b  # why\ndef answer():\n    """Doc."""\n    return 1\n',
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from c import d\ndef answer():\n\n    return 1\n",
        "async def answer(): return 1\n",
        "def answer(): return 1.0\n",
    )
    paths = [tmp_path / f"{place}.py" for place in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    one, two, three, four, five = map(code_digest, paths)
    assert one == two == three
    assert len({one, four, five}) == 3


def test_empty_texts_that_python_3_12_finds_in_formats_are_no_code() -> None:
    source = "text = f'{value:.{digits}f} and {other}'\n"
    plain_tree, other_tree = ast.parse(source), ast.parse(source)
    for node in ast.walk(other_tree):
        if isinstance(node, ast.JoinedStr):
            node.values.insert(0, ast.Constant(value=""))
    texts: list[list[str]] = [[], []]
    for tree, text in zip((plain_tree, other_tree), texts, strict=True):
        closure._write(tree, text)
    assert texts[0] == texts[1]


WATCH = """
import sys
from pathlib import Path
from assay.core import Budget, find_problems, get_track
from assay.core.files.closure import reach
track = get_track(sys.argv[1])
folder = Path(sys.argv[2])
track.builtin(folder)
problem = track.load(find_problems(folder, marker=track.marker)[0])
ran = set()
def watch(frame, event, argument):
    if event == "call":
        ran.add(frame.f_globals.get("__name__", ""))
for name in sys.argv[3:]:
    subject = track.subjects[name]()
    ran.clear()
    sys.setprofile(watch)
    subject.solve(problem.task, Budget(seconds=4))
    sys.setprofile(None)
    mine = {name for name in ran if name.startswith("assay.")}
    assert type(subject).__module__ in mine, mine
    print(name, sorted(mine - set(reach(type(subject).__module__).files)))
"""


@pytest.mark.parametrize(
    ("track", "subjects"),
    [
        ("formula", ["linear", "polynomial"]),
        pytest.param("cases", ["detector", "trust-score"], marks=pytest.mark.soak),
        pytest.param("conformal", ["auto", "weighted-bonferroni"], marks=pytest.mark.soak),
        pytest.param("drift", ["explainer", "bm25-in-window"], marks=pytest.mark.soak),
        pytest.param("insight", ["relational", "base-columns"], marks=pytest.mark.soak),
    ],
)
def test_every_module_that_runs_while_a_built_in_subject_solves_is_in_its_digest(
    track: str, subjects: list[str], tmp_path: Path
) -> None:
    # in a process of its own, where nothing else runs
    command = [sys.executable, "-c", WATCH, track, str(tmp_path), *subjects]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [f"{name} []" for name in subjects]


def test_no_built_in_subject_reaches_the_harness_the_report_or_the_command_line() -> None:
    for name in track_names():
        for make in get_track(name).subjects.values():
            try:
                module = type(make()).__module__
            except MissingExtra:  # its library is not installed
                continue
            parts = {part for file in reach(module).files for part in file.split(".")}
            assert parts.isdisjoint({"harness", "report", "cli", "panels", "generate"}), module
