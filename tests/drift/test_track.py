import importlib
import subprocess
import sys

import pytest

import assay.drift
from assay.drift import TRACK


def test_importing_the_track_imports_nothing_heavy() -> None:
    heavy = ("sklearn", "scipy", "pandas", "matplotlib", "pyarrow", "bm25s", "wordllama", "pypdf", "numba")
    code = f"import assay.drift, sys; print([name for name in {heavy!r} if name in sys.modules])"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"


def test_all_that_is_public_exists_and_is_listed_once() -> None:
    assert len(set(assay.drift.__all__)) == len(assay.drift.__all__)
    assert all(hasattr(assay.drift, name) for name in assay.drift.__all__)


def test_the_template_is_a_subject_that_runs() -> None:
    from assay.core import Budget
    from assay.drift.generate.problems import draw_problem

    scope: dict[str, object] = {}
    exec(compile(TRACK.template, "template", "exec"), scope)
    task = draw_problem("t", seed=[1], cases=120, types=("sudden",)).task
    solve = scope["solve"]
    assert callable(solve)
    answer = solve(task, Budget())
    assert sorted(answer.replies["t_drift_1_1"].ranking) == sorted(task.corpus.names)


def test_preloaded_modules_exist() -> None:
    import importlib

    for module in TRACK.preload:
        assert importlib.import_module(module).__name__ == module


LEFT = """
    Cause ChangeRow Chunk DRIFT_TYPES DriftType Link PlantedDrift Quote Scored Simulated Verdict Weights
    builtin decode encode oracle rank read_qrels read_run write_detections write_evaluation write_problem
    write_qrels write_run
"""
METRICS = sorted(set(assay.drift.metrics.__all__) - set(assay.drift.__all__))


@pytest.mark.parametrize("name", [*LEFT.split(), *METRICS])
def test_a_name_that_left_the_top_still_answers_and_says_where_it_is(name: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"assay.drift.{name} has moved; .* use assay.drift.") as caught:
        names = getattr(assay.drift, name)
    home, _, _ = str(caught[0].message).rpartition(" use ")[2].rpartition(".")
    assert getattr(importlib.import_module(home), name) is names
