from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import assay.conformal
from assay.conformal import METHODS, TRACK, generate
from assay.conformal.generate import FAMILIES, Draw, draw
from assay.core import Budget, InvalidInput, Track, find_problems, parse_call


def test_importing_the_track_imports_nothing_heavy() -> None:
    heavy = ("sklearn", "scipy", "pandas", "matplotlib", "pyarrow", "numba", "mapie", "crepes")
    code = f"import assay.conformal, sys; print([name for name in {heavy!r} if name in sys.modules])"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"


def test_the_headline_is_the_relative_size_and_lower_is_better() -> None:
    assert isinstance(TRACK, Track)
    assert TRACK.headline == "relative_size"
    assert TRACK.metric("relative_size").goal == "min"
    assert TRACK.headlines == ("relative_width",)


def test_all_that_is_public_exists_and_is_listed_once() -> None:
    assert len(set(assay.conformal.__all__)) == len(assay.conformal.__all__)
    assert all(hasattr(assay.conformal, name) for name in assay.conformal.__all__)


def test_every_subject_has_a_name_that_makes_it_again(tmp_path: Path) -> None:
    assert set(METHODS) < set(TRACK.subjects)
    generate(tmp_path, problems=1, seed=3, calibration=80, test=60)
    problem = TRACK.load(find_problems(tmp_path)[0])
    for name, make in TRACK.subjects.items():
        if name in ("mapie", "crepes"):
            continue
        subject = make()
        call = parse_call(subject.name)
        again = TRACK.subjects[call.name](**call.parameters)
        assert (again.name, again.digest) == (subject.name, subject.digest)
        answer = TRACK.encode(subject.solve(problem.task, Budget(seed=4)))
        assert answer == TRACK.encode(again.solve(problem.task, Budget(seed=4)))


def test_subjects_take_a_score_and_refuse_a_wrong_one() -> None:
    assert TRACK.subjects["max-rank"](score="raps(k_reg=2)").name == "max-rank(score='raps(k_reg=2)')"
    assert TRACK.subjects["auto"](score="lac").name == "auto(score='hinge')"
    for name in ("auto", "taskwise", "joint-model"):
        with pytest.raises(InvalidInput, match="Did you mean 'hinge'"):
            TRACK.subjects[name](score="hing")


@pytest.mark.parametrize("address", [TRACK.commands, TRACK.panels])
def test_commands_and_charts_are_where_the_track_says(address: str) -> None:
    module, _, attribute = address.partition(":")
    assert hasattr(importlib.import_module(module), attribute)


def test_generated_problems_are_seeded_and_run_through_the_families(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        generate(tmp_path / name, problems=7, seed=seed, calibration=40, test=30, missing=0.2)
    problems = {name: [TRACK.load(folder) for folder in find_problems(tmp_path / name)] for name in "abc"}
    assert [p.digest for p in problems["a"]] == [p.digest for p in problems["b"]]
    assert not {p.digest for p in problems["a"]} & {p.digest for p in problems["c"]}
    assert {(p.tags["family"], p.tags["guarantee"]) for p in problems["a"]} == {
        (family, guarantee)
        for family in ("correlated", "imbalanced", "unequal", "shift")
        for guarantee in ("taskwise", "joint")
        if (family, guarantee) != ("shift", "joint")
    }
    assert any((y == -1).any() for p in problems["a"] for y in p.task.calibration_labels)


def test_families_are_what_they_are_called() -> None:
    correlated, alone = draw("correlated", 4000, seed=0), draw("independent", 4000, seed=0)

    def together(data: Draw) -> float:
        wrong = [p.argmax(axis=1) != y for p, y in zip(data.probabilities, data.labels, strict=True)]
        return float((wrong[0] & wrong[1]).mean() / (wrong[0].mean() * wrong[1].mean()))

    assert together(correlated) > 1.2 > 1.1 > together(alone)
    rare = draw("imbalanced", 4000, seed=0)
    shares = [float((rare.labels[0] == c).mean()) for c in (0, 11)]
    assert shares[0] > 3 * shares[1]
    assert set(FAMILIES) == {"correlated", "imbalanced", "unequal", "shift", "independent"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"problems": 0}, "problems must be"),
        ({"seed": -1}, "seed must be"),
        ({"alpha": 1.0}, "alpha"),
        ({"families": ("corelated",)}, "Did you mean 'correlated'"),
        ({"guarantees": ("both",)}, "guarantee"),
        ({"missing": 1.0}, "missing must be"),
        ({"families": ()}, "at least one family"),
        ({"families": ("shift",), "guarantees": ("joint",)}, "shift has no joint problems"),
    ],
)
def test_plans_that_cannot_be_drawn_are_refused(options: dict[str, object], message: str, tmp_path: Path) -> None:
    plan = {"problems": 1, "seed": 0, "calibration": 20, "test": 20, **options}
    with pytest.raises(InvalidInput, match=message):
        generate(tmp_path, **plan)  # type: ignore[arg-type]


def test_the_template_is_a_subject_that_works(tmp_path: Path) -> None:
    generate(tmp_path, problems=1, seed=3, calibration=80, test=60)
    problem = TRACK.load(find_problems(tmp_path)[0])
    space: dict[str, object] = {}
    exec(compile(TRACK.template, "template", "exec"), space)
    answer = space["solve"](problem.task, Budget())  # type: ignore[operator]
    assert TRACK.metric("coverage").function(TRACK.examine(problem, answer, TRACK.settings)) > 0.7


def test_only_calibrating_groups_apart_survives_a_shift(tmp_path: Path) -> None:
    generate(tmp_path, problems=1, seed=8, families=("shift",), guarantees=("taskwise",), calibration=1000, test=2000)
    problem = TRACK.load(find_problems(tmp_path)[0])
    headline = TRACK.metric("relative_size").function
    values = {
        name: headline(TRACK.examine(problem, TRACK.subjects[name]().solve(problem.task, Budget()), TRACK.settings))
        for name in ("taskwise", "mondrian", "auto")
    }
    assert values["taskwise"] == 1.0
    assert values["mondrian"] == values["auto"] < 0.6


def test_the_top_shows_what_a_researcher_types_and_no_plumbing() -> None:
    assert len(assay.conformal.__all__) <= 30
    assert not set(assay.conformal.__all__) & {"encode", "decode", "examine", "oracle", "builtin", "parse_score"}


@pytest.mark.parametrize(
    ("name", "home"), [("aps", "assay.conformal.calibration.scores"), ("relative_size", "assay.conformal.metrics")]
)
def test_a_name_that_left_the_top_still_answers_and_names_its_new_place(name: str, home: str) -> None:
    with pytest.warns(DeprecationWarning, match=rf"use {home}\.{name}$"):
        value = getattr(assay.conformal, name)
    assert value is getattr(importlib.import_module(home), name)


def test_every_moved_name_is_found_where_the_warning_says() -> None:
    for name, home in assay.conformal._MOVED.items():
        assert hasattr(importlib.import_module(home), name), name
        assert name not in vars(assay.conformal), name
