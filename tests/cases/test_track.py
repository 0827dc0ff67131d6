import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import assay.cases
from assay.cases import TRACK, generate
from assay.core import Budget, Track, find_problems, get_track


def test_importing_the_track_imports_nothing_heavy() -> None:
    heavy = ("sklearn", "scipy", "pandas", "matplotlib", "pyarrow")
    code = f"import assay.cases, sys; print([name for name in {heavy!r} if name in sys.modules])"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"


def test_the_track_is_found_by_its_name() -> None:
    assert get_track("cases") is TRACK
    assert isinstance(TRACK, Track)
    assert TRACK.headline == "auroc"
    assert "\n" not in TRACK.question


def test_all_that_is_public_exists_and_is_listed_once() -> None:
    assert len(set(assay.cases.__all__)) == len(assay.cases.__all__)
    assert all(hasattr(assay.cases, name) for name in assay.cases.__all__)


def test_every_subject_goes_all_the_way_and_none_beats_the_oracle(tmp_path: Path) -> None:
    generate(tmp_path, problems=2, seed=11, cases=120, queries=100)
    for path in find_problems(tmp_path):
        problem = TRACK.load(path)
        best = TRACK.examine(problem, TRACK.decode(TRACK.encode(TRACK.oracle(problem))), {})
        assert TRACK.metric("auroc").function(best) == 1.0
        for make in TRACK.subjects.values():
            subject = make()
            data = TRACK.encode(subject.solve(problem.task, Budget()))
            assert data == TRACK.encode(subject.solve(problem.task, Budget(seed=5)))
            evidence = TRACK.examine(problem, TRACK.decode(data), TRACK.configure({}))
            assert 0.5 < TRACK.metric("auroc").function(evidence) < 1.0
            assert TRACK.details(evidence)["queries"] == 100


@pytest.mark.parametrize("module", TRACK.preload)
def test_preloaded_modules_exist(module: str) -> None:
    import importlib

    assert importlib.import_module(module).__name__ == module


def test_the_top_shows_what_a_researcher_types_and_no_plumbing() -> None:
    assert len(assay.cases.__all__) <= 30
    assert not set(assay.cases.__all__) & {"encode", "decode", "examine", "oracle", "builtin", "brier"}


@pytest.mark.parametrize(("name", "home"), [("encode", "assay.cases.answer.answer"), ("brier", "assay.cases.metrics")])
def test_a_name_that_left_the_top_still_answers_and_names_its_new_place(name: str, home: str) -> None:
    with pytest.warns(DeprecationWarning, match=rf"use {home}\.{name}$"):
        value = getattr(assay.cases, name)
    assert value is getattr(importlib.import_module(home), name)


def test_every_moved_name_is_found_where_the_warning_says() -> None:
    for name, home in assay.cases._MOVED.items():
        assert hasattr(importlib.import_module(home), name), name
        assert name not in vars(assay.cases), name
