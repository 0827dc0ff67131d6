from __future__ import annotations

from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.harness import RunSpec, read_run_file


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "run.toml"
    path.write_text(text)
    return path


def test_a_run_file_is_read_with_paths_relative_to_itself(tmp_path: Path) -> None:
    text = 'track = "cases"\nsubjects = ["vote"]\nproblems = "p"\nseeds = [1, 2]\nout = "o"\nworkers = 2\n'
    file = read_run_file(write(tmp_path, text + "[budget]\nseconds = 5\nmemory_mb = 100\n[settings]\nx = 1\n"))
    (spec,) = file.runs
    assert (file.out, file.workers) == (tmp_path / "o", 2)
    assert (spec.track, spec.subjects, spec.problems, spec.seeds) == ("cases", ("vote",), ("p",), (1, 2))
    assert (spec.seconds, spec.memory_mb, spec.settings, spec.folder) == (5, 100, {"x": 1}, tmp_path)


def test_several_runs_go_into_one_folder(tmp_path: Path) -> None:
    text = '[[run]]\ntrack = "cases"\nsubjects = ["vote"]\n[[run]]\ntrack = "parity"\nsubjects = ["oracle"]\n'
    assert [spec.track for spec in read_run_file(write(tmp_path, text)).runs] == ["cases", "parity"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[[run]]\ntrack = "cases"\nsubjects = ["vote"]\n[[run]]\ntrack = "cases"\nsubjects = ["oracle"]\n',
            "two runs of track 'cases' go into one results folder",
        ),
        ('track = "cases"\nsubjects = [', r"not valid TOML: .*line 2"),
        ('trak = "cases"', "unknown key 'trak'. Did you mean 'track'"),
        ("subjects = ['vote']", "'track' is missing. There are: cases"),
        ('track = "cases"', "no subject to run"),
        ('track = "cases"\nsubjects = []', "no subject to run"),
        ('track = "cases"\nsubjects = [1]', "'subjects' must be a text or a list of texts"),
        ('track = "cases"\nsubjects = ["vote"]\nseeds = [1, 1]', "a seed is given twice"),
        ('track = "cases"\nsubjects = ["vote"]\nseeds = 3', "'seeds' must be a list of whole numbers, got 3"),
        ('track = "cases"\nsubjects = ["vote"]\nworkers = 0', "'workers' must be a whole number of at least 1, got 0"),
        ('track = "cases"\nsubjects = ["vote"]\n[budget]\nsecond = 1', "unknown key 'second'. Did you mean 'seconds'"),
        ('track = "cases"\nsubjects = ["vote"]\n[budget]\nseconds = -1', "seconds must be a positive number, got -1"),
        ('track = "cases"\nsubjects = ["vote"]\nout = 3', "'out' must be the path"),
        ("run = 3", "several runs are written as"),
    ],
)
def test_a_wrong_run_file_is_named_with_its_fault(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_run_file(write(tmp_path, text))


def test_a_missing_run_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="absent.toml: file not found"):
        read_run_file(tmp_path / "absent.toml")


def test_a_spec_needs_problems_and_seeds() -> None:
    with pytest.raises(InvalidInput, match="no problems to run on"):
        RunSpec(track="t", subjects=("s",), problems=())
    with pytest.raises(InvalidInput, match="no seed to run with"):
        RunSpec(track="t", subjects=("s",), seeds=())


@pytest.mark.parametrize(
    "text", [".".join(["a"] * 200_000) + " = 1\n", "[" + ".".join(['"b"'] * 200_000) + "]\n"], ids=["key", "table"]
)
def test_a_key_without_end_is_refused_at_once(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.toml").write_text(text)
    with pytest.raises(InvalidInput, match=r"run\.toml: a key has more than 100 parts"):
        read_run_file(tmp_path / "run.toml")


def test_a_long_word_and_many_numbers_are_no_endless_key(tmp_path: Path) -> None:
    numbers = ", ".join(["0.5"] * 300)
    (tmp_path / "run.toml").write_text(f'# {"a" * 200_000}\ntrack = "parity"\nsubjects = ["x"]\nseeds = [{numbers}]\n')
    with pytest.raises(InvalidInput, match="seed"):
        read_run_file(tmp_path / "run.toml")


def test_a_subjects_own_bounds_may_be_written_with_a_point() -> None:
    spec = RunSpec(
        track="parity", subjects=("a",), limits={"a": {"tasks": 20.0, "memory_mb": 300.0, "cpu_seconds": 1.5}}
    )
    budget = spec.budget(0, "a")
    assert (budget.tasks, budget.memory_mb, budget.cpu_seconds) == (20, 300, 1.5)
    with pytest.raises(InvalidInput, match="tasks"):
        RunSpec(track="parity", subjects=("a",), limits={"a": {"tasks": 1.5}})


def test_tokens_and_cost_reach_the_budget_from_options_and_run_files(tmp_path: Path) -> None:
    spec = RunSpec(track="parity", subjects=("a",), tokens=500, limits={"a": {"tokens": 20.0, "cost": 0.5}})
    assert (spec.budget(0).tokens, spec.budget(0).cost) == (500, None)
    assert (spec.budget(0, "a").tokens, spec.budget(0, "a").cost) == (20, 0.5)
    (tmp_path / "run.toml").write_text('track = "parity"\nsubjects = ["a"]\n[budget]\ntokens = 9\ncost = 0.25\n')
    (read,) = read_run_file(tmp_path / "run.toml").runs
    assert (read.budget(0).tokens, read.budget(0).cost) == (9, 0.25)
