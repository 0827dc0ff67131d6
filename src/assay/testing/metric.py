"""The contract of a metric."""

from __future__ import annotations

import doctest
import inspect
import io
import sys
from typing import Any

from assay.core import Metric
from assay.testing.failure import CheckFailed, require

__all__ = ["check_metric"]


def check_metric(metric: Metric[Any]) -> None:
    """A metric has a name, a goal, a formula, and examples that hold when they are run.

    Parameters
    ----------
    metric : Metric
        The metric to check.

    Raises
    ------
    CheckFailed
        When one of them is missing or wrong.

    Examples
    --------
    >>> from assay.cases import TRACK
    >>> check_metric(TRACK.metric("auroc"))
    """
    label = f"metric {metric.name!r}"
    require(bool(metric.name.strip()) and metric.name == metric.name.strip(), f"{label}: the name is blank or padded.")
    require(metric.goal in ("max", "min"), f"{label}: the goal is 'max' or 'min', not {metric.goal!r}.")
    require(metric.version >= 1, f"{label}: the version must be at least 1, not {metric.version!r}.")
    text = inspect.getdoc(metric.definition) or ""
    require(bool(metric.summary), f"{label}: the definition has no docstring.")
    require("$$" in text, f"{label}: the definition's docstring has no formula between $$ and $$.")
    require(">>>" in text, f"{label}: the definition's docstring has no example.")
    _run_examples(metric, label)


def _run_examples(metric: Metric[Any], label: str) -> None:
    definition = inspect.unwrap(metric.definition)
    module = sys.modules[definition.__module__]
    finder = doctest.DocTestFinder(recurse=False)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS, verbose=False)
    output = io.StringIO()
    for test in finder.find(definition, name=metric.name, module=module, globs=dict(vars(module))):
        runner.run(test, out=output.write)
    if runner.failures:
        raise CheckFailed(f"{label}: an example of its definition does not hold.\n{output.getvalue()}")
