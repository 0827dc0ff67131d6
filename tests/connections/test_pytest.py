"""The pytest plugin, in sessions of pytest's own tester."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import assay
from assay import Results
from assay.connections.pytest import assert_beats, assert_not_worse
from assay.core import InvalidInput

pytest_plugins = ["pytester"]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return assay.run(
        "conformal", ["oracle", "full-set", "likeliest-class"], out=tmp_path_factory.mktemp("results"), progress=False
    )


def test_a_better_subject_beats_a_weaker_one(results: Results) -> None:
    assert_beats(results, "oracle", "full-set")
    assert_beats(results, "oracle", "full-set", margin=0.1)


def test_a_weaker_subject_is_told_with_difference_interval_and_problems(results: Results) -> None:
    comparison = results.compare("full-set", "oracle")
    with pytest.raises(AssertionError) as caught:
        assert_beats(results, "full-set", "oracle")
    first, *problems = str(caught.value).splitlines()
    low, high = comparison.difference.low, comparison.difference.high
    assert first == (
        "full-set is not shown to be better than oracle by more than 0: relative_size "
        f"{comparison.difference.value:.3f} [{low:.3f}, {high:.3f}] over {comparison.problems} problems"
    )
    frame = results.scores.query("metric == 'relative_size'")
    scores = {(row["problem"], row["subject"]): float(row["value"]) for _, row in frame.iterrows()}
    worst = max(results.problems, key=lambda problem: scores[problem, "full-set"] - scores[problem, "oracle"])
    assert problems[0].startswith(f"  {worst}: 1.000 full-set, {scores[worst, 'oracle']:.3f} oracle, difference +")
    assert len(problems) == 6
    assert problems[-1] == f"  and {comparison.problems - 5} more"


def test_a_tie_is_no_loss_and_no_win(results: Results) -> None:
    assert_not_worse(results, "oracle", "full-set", "coverage")
    with pytest.raises(AssertionError, match=r"better than full-set by more than 0: coverage 0\.000"):
        assert_beats(results, "oracle", "full-set", "coverage")


def test_a_margin_decides_what_is_too_much(results: Results) -> None:
    loss = -results.compare("likeliest-class", "full-set", metric="coverage").difference.low
    assert loss > 0.01
    with pytest.raises(AssertionError, match=r"not shown to be at most 0\.01 worse than full-set: coverage"):
        assert_not_worse(results, "likeliest-class", "full-set", "coverage", margin=0.01)
    assert_not_worse(results, "likeliest-class", "full-set", "coverage", margin=loss)


def test_an_earlier_run_is_compared_by_problem(results: Results, tmp_path: Path) -> None:
    worse = assay.run("conformal", {"oracle": "full-set"}, out=tmp_path / "worse", progress=False)
    assert_not_worse(results, "oracle", worse)
    with pytest.raises(AssertionError, match="cannot be excluded at 95 %") as caught:
        assert_not_worse(worse, "oracle", results)
    assert ": 1.000 now, " in str(caught.value).splitlines()[1]


@pytest.mark.parametrize("margin", [-0.1, float("nan"), "0.1", True])
def test_a_margin_that_is_none_is_refused(margin: float, results: Results) -> None:
    with pytest.raises(InvalidInput, match="margin: must be a number of at least 0"):
        assert_beats(results, "oracle", "full-set", margin=margin)


SUITE = """
import pytest
from assay.connections.pytest import assert_beats, assert_not_worse

@pytest.fixture(scope="session")
def results(assay_run):
    return assay_run("conformal", ["full-set", "oracle"], problems=["digits-joint", "digits-taskwise"])

def test_is_best(results):
    assert_beats(results, "full-set", "oracle")

def test_is_as_before(results, assay_baseline):
    assert_not_worse(results, "full-set", assay_baseline)
"""


def test_a_suite_keeps_its_results_and_names_the_numbers(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # of the suite that runs this test
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_inprocess("--assay-out", "kept", "-rs", "-p", "no:cacheprovider", "-p", "no:xdist")
    result.assert_outcomes(failed=1, skipped=1)
    result.stdout.fnmatch_lines(
        ["*AssertionError: full-set is not shown to be better than oracle*at least 6 problems*"]
    )
    result.stdout.fnmatch_lines(["*no earlier results to compare with: give --assay-baseline RESULTS*"])
    result.stdout.fnmatch_lines(["assay results: kept/conformal"])
    result.stdout.no_fnmatch_line("*asserting.py*")  # the traceback ends in the user's own test
    assert assay.load(pytester.path / "kept" / "conformal").subjects == ("full-set", "oracle")
    result = pytester.runpytest_inprocess("--assay-baseline", "kept/conformal", "-p", "no:xdist", "-k", "before")
    result.stdout.fnmatch_lines(["*full-set: relative_size*to exclude a loss*"])


def test_the_plugin_imports_nothing_heavy(pytester: pytest.Pytester) -> None:
    code = "import sys, assay.connections.pytest; print([name for name in ('numpy', 'pandas') if name in sys.modules])"
    assert pytester.run(sys.executable, "-c", code).outlines == ["[]"]
