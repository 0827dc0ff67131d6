"""The example projects do what their pages say."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_example_suite_fails_for_the_regression_with_problem_difference_and_interval(
    pytester: pytest.Pytester,
) -> None:
    shutil.copytree(EXAMPLES / "pytest-regression", pytester.path / "project")
    options = ("-p", "no:cacheprovider", "-p", "no:xdist", "-v")
    result = pytester.runpytest_inprocess("project", *options)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*test_sets_have_not_grown[[]steady] PASSED*"])
    message = result.stdout.str()
    assert re.search(
        r"changed is not shown to be at most 0\.02 worse than released: relative_size 0\.\d+ \[0\.\d+, 0\.\d+\] over "
        r"9 problems",
        message,
    )
    assert re.search(r"digits-taskwise: 0\.\d+ changed, 0\.\d+ released, difference \+0\.\d+", message)
