from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.core import InvalidInput, digest_folder, find_problems
from assay.formula import TRACK, generate, load, parse
from assay.formula.generate.families import grade
from assay.formula.generate.problems import builtin, make_problem
from assay.formula.problem.task import Property
from assay.testing.hiding import find_truth_in_task

SMALL: dict[str, Any] = {"rows": 40, "test_rows": 40}


def test_the_built_in_suite_has_twelve_problems_of_all_five_properties(tmp_path: Path) -> None:
    builtin(tmp_path)
    problems = [load(path) for path in find_problems(tmp_path)]
    assert len(problems) == 12
    counts = Counter(problem.truth.property for problem in problems)
    assert counts == {"rediscovery": 4, "local-optima": 2, "features": 2, "extrapolation": 2, "noise": 2}
    for problem in problems:
        assert problem.tags["property"] == problem.truth.property
        assert {"family", "difficulty", "noise", "variables"} <= set(problem.tags)
    assert {problem.tags["family"] for problem in problems} >= {"physics", "surrogates"}


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(tmp_path: Path) -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        generate(tmp_path / name, problems=15, seed=seed, **SMALL)
    assert digest_folder(tmp_path / "a") == digest_folder(tmp_path / "b") != digest_folder(tmp_path / "c")
    files = [sorted(path.name for path in (tmp_path / name).iterdir()) for name in "abc"]
    assert files[0] == files[1] != files[2]


def test_the_built_in_suite_is_the_same_everywhere(tmp_path: Path) -> None:
    """Twelve digits are kept, so that the last bit of a sine on another machine does not make another suite."""
    builtin(tmp_path)
    formulas = {path.name: (path / "truth" / "formula.txt").read_text().strip() for path in tmp_path.iterdir()}
    assert formulas["exact-3"] == "h + v*t - g*t**2/2"
    assert (tmp_path / "exact-3" / "train.csv").read_text().startswith("h,v,t,g,y\n")


def test_problems_run_through_properties_and_difficulties(tmp_path: Path) -> None:
    generate(tmp_path, problems=15, seed=2, physics=0.0, **SMALL)
    tags = [load(path).tags for path in find_problems(tmp_path)]
    pairs = Counter((tag["property"], tag["difficulty"]) for tag in tags)
    assert len(pairs) == 15
    assert set(pairs.values()) == {1}
    for path in find_problems(tmp_path):
        problem = load(path)
        if problem.truth.property != "local-optima":
            tree = parse(str(problem.truth.formula), names=problem.task.variables, dialect="plain")
            assert grade(tree) == problem.tags["difficulty"]


def test_what_the_formula_is_does_not_move_with_the_number_of_rows() -> None:
    whole_formulas: tuple[Property, ...] = ("rediscovery", "extrapolation", "features")
    for property in whole_formulas:
        few, many = (make_problem(property, "medium", (3,), rows=rows)[0] for rows in (50, 500))
        assert few.truth.formula == many.truth.formula


def test_noise_can_be_put_into_every_training_table(tmp_path: Path) -> None:
    generate(tmp_path, problems=5, seed=3, noise=0.1, rows=200, test_rows=50)
    for path in find_problems(tmp_path):
        problem = load(path)
        levels = [part.noise for part in problem.task.parts]
        assert levels == ([0.0, 0.05, 0.1, 0.2] if problem.truth.property == "noise" else [0.1])
        evidence = TRACK.examine(problem, TRACK.oracle(problem), {**TRACK.settings, "simplification": "canonical"})
        assert TRACK.metric("property_score").function(evidence) == 1.0
        assert TRACK.metric("rediscovery_noisy").function(evidence) == 1.0


def test_no_task_tells_its_truth(tmp_path: Path) -> None:
    generate(tmp_path, problems=30, seed=4, **SMALL)
    for path in find_problems(tmp_path):
        problem = load(path)
        assert find_truth_in_task(problem.task, problem.truth) is None
        assert problem.task.name == f"task-{problem.digest[:8]}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"problems": 0}, "problems must be a whole number of at least 1"),
        ({"seed": -1}, "seed must be"),
        ({"seed": True}, "seed must be"),
        ({"rows": 5}, "rows must be a whole number of at least 20"),
        ({"features": 2}, "features must be"),
        ({"noise": 1.0}, "noise must lie between 0 and 0.9"),
        ({"physics": 2}, "physics must lie between 0 and 1"),
        ({"levels": (0.0,)}, "levels must be at least two"),
        ({"levels": (0.1, 0.1)}, "levels must be at least two different"),
        ({"levels": (0.0, "much")}, "levels must lie"),
        ({"surrogate_noise": 0.0}, "surrogates' best fit"),
        ({"properties": ()}, "at least one property"),
        ({"properties": "noise"}, "at least one property"),
        ({"properties": ["nois"]}, "Did you mean 'noise'"),
        ({"difficulties": ["extreme"]}, "No difficulty named 'extreme'"),
    ],
)
def test_impossible_wishes_are_refused(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    wishes = {"problems": 2, "seed": 0, **SMALL, **options}
    with pytest.raises(InvalidInput, match=message):
        generate(tmp_path, **wishes)
