from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path

import pytest
from tools.floor_plan import ENGINE_ROOMS, violations

import assay

PACKAGE = Path(assay.__file__).parent
TESTS = Path(__file__).parents[1]
WITHOUT_MIRROR = {"benchmarks", "browser", "docs", "external_metrics", "external_track", "fuzz", "tools"}


def test_every_file_lies_in_a_room_of_the_floor_plan_and_no_import_leads_in_a_circle() -> None:
    assert violations(PACKAGE) == []


@pytest.mark.parametrize("track", ENGINE_ROOMS)
def test_what_makes_up_a_track_lies_in_the_room_of_its_name(track: str) -> None:
    rooms = {"Task": "problem", "Truth": "problem", "Answer": "answer", "Evidence": "examine"}
    package = import_module(f"assay.{track}")
    kinds = {noun: getattr(package, f"{track.capitalize()}{noun}").__module__ for noun in rooms}
    functions = {"problem": "load", "answer": "decode", "examine": "examine"}
    places = {room: getattr(package.TRACK, name).__module__ for room, name in functions.items()}
    for room, module in [*((rooms[noun], module) for noun, module in kinds.items()), *places.items()]:
        assert module.startswith(f"assay.{track}.{room}."), module


def test_tests_lie_where_the_code_lies() -> None:
    folders = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    mirrored = [folder for folder in sorted(folders) if folder.parts and folder.parts[0] not in WITHOUT_MIRROR]
    assert [str(folder) for folder in mirrored if not _in_package(folder)] == [
        "harness/attacks",
        "insight/authored",
        "insight/leaks",
    ]  # a corpus of functions


def _in_package(folder: Path) -> bool:
    return (PACKAGE / folder).is_dir() or (PACKAGE / f"{folder}.py").is_file()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(PACKAGE, tmp_path / "assay", ignore=shutil.ignore_patterns("__pycache__", "*.html")))


def test_a_file_at_the_top_of_a_track_is_reported(copy: Path) -> None:
    (copy / "formula" / "helpers.py").write_text("")
    assert violations(copy) == ["formula: 'helpers' is neither a room of the floor plan nor a declared engine room"]


@pytest.mark.parametrize("track", ENGINE_ROOMS)
def test_a_missing_room_is_reported(track: str, copy: Path) -> None:
    (copy / track / "panels.py").unlink()
    assert violations(copy) == [f"{track}: the room 'panels' is missing"]


def test_a_crowded_folder_is_reported(copy: Path) -> None:
    for number in range(16):
        (copy / "chat" / f"more_{number}.py").write_text("")
    (report,) = violations(copy)
    assert report.startswith("chat: ")
    assert report.endswith("modules, at most 15")


@pytest.mark.parametrize("statement", ["from assay.charts import two", "def f():\n    import assay.charts.two\n"])
def test_a_cycle_is_reported_with_its_path(statement: str, copy: Path) -> None:
    (copy / "charts" / "one.py").write_text(statement)
    (copy / "charts" / "two.py").write_text("from assay.charts.one import thing")
    (report,) = violations(copy)
    assert report in (
        "import cycle: assay.charts.one -> assay.charts.two -> assay.charts.one",
        "import cycle: assay.charts.two -> assay.charts.one -> assay.charts.two",
    )
