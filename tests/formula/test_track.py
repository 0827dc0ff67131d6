"""The track as a whole."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import assay.formula
from assay.core import Budget, Track, find_problems
from assay.formula import TRACK, FormulaAnswer, generate
from assay.testing import check_metric


def test_importing_the_track_imports_nothing_heavy() -> None:
    heavy = ("sklearn", "scipy", "pandas", "sympy", "gplearn", "pyoperon", "pysindy", "mpmath")
    code = f"import assay.formula, sys; print([name for name in {heavy!r} if name in sys.modules])"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"


def test_all_that_is_public_exists_and_is_listed_once() -> None:
    assert len(set(assay.formula.__all__)) == len(assay.formula.__all__)
    assert all(hasattr(assay.formula, name) for name in assay.formula.__all__)
    assert isinstance(TRACK, Track)
    assert TRACK.headline == "property_score"


@pytest.mark.parametrize("metric", TRACK.metrics, ids=lambda metric: metric.name)
def test_every_metric_has_a_formula_and_examples_that_hold(metric: object) -> None:
    check_metric(metric)  # type: ignore[arg-type]


def test_the_template_is_a_working_subject(tmp_path: Path) -> None:
    generate(tmp_path, problems=5, seed=8, rows=40, test_rows=40)
    space: dict[str, object] = {}
    exec(compile(TRACK.template, "template.py", "exec"), space)
    solve = space["solve"]
    for path in find_problems(tmp_path):
        problem = TRACK.load(path)
        answer = solve(problem.task, Budget())  # type: ignore[operator]
        assert isinstance(answer, FormulaAnswer)
        evidence = TRACK.examine(problem, TRACK.decode(TRACK.encode(answer)), TRACK.settings)
        scores = SimpleNamespace(**{metric.name: metric.function(evidence) for metric in TRACK.metrics})
        assert scores.prediction_mismatch < 1e-9
        assert scores.solved == 0.0
        assert 0.0 <= scores.property_score <= 1.0


DEPRECATED = """
    Apply Certificate Counterexample MovedConstant Number Part Simplified Symbol VERDICTS Verdict builtin
    canonical decode edit_distance encode oracle parse_domain symbols_of sympy_nodes tree_closeness
    write_problem
"""


@pytest.mark.parametrize(
    "name", [*DEPRECATED.split(), *sorted(set(assay.formula.metrics.__all__) - set(assay.formula.__all__))]
)
def test_a_name_that_left_the_top_still_answers_and_says_where_it_is(name: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"assay.formula.{name} has moved; .* use assay.formula.") as caught:
        scores = getattr(assay.formula, name)
    home, _, _ = str(caught[0].message).rpartition(" use ")[2].rpartition(".")
    assert getattr(importlib.import_module(home), name) is scores
