"""The published implementation's leak check, as it is, for its preset; every rule of it is kept, also those that miss.

One answer for a whole solution. A source that spells the target between ``row[...]`` or ``row.get(...)`` leaks. Others
are called on five training rows, once as they are and once with None for the target, with an empty dictionary instead
of tables, and leak when the first ten characters of the two results differ. Functions see neither their module's
imports nor its other functions; whatever raises does not leak, and one that exits acquits the whole solution.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from assay.core import Problem
from assay.insight.answer.functions import FeatureFunction
from assay.insight.columns.spending import Spending
from assay.insight.problem.task import InsightTask, InsightTruth
from assay.sandbox import FunctionSource, Limits, Sandbox, Tables

__all__ = ["published_leak", "spells_target"]

_ROWS = 5
_LIMITS = Limits(function_seconds=10.0)

_PROBE = """
import inspect, json, typing

GIVEN = json.loads(__GIVEN__)
NAMES = "from typing import Dict, List, Any\\nimport pandas as pd\\nimport numpy as np\\nimport re\\n"

def probe(row):
    seen = {}
    try:
        # the function's globals are these: what its source defines at the top stays out of its sight
        exec(NAMES + GIVEN["code"], {"pd": pd, "__name__": "published"}, seen)
        function = seen[GIVEN["name"]]
        if "df_train" in inspect.signature(function).parameters:
            return "refused"
        first, second = row.copy(), row.copy()
        second[GIVEN["target"]] = None
        before = function(first, {})
        after = function(second, {})
        return "leak" if str(before)[:10] != str(after)[:10] else "same"
    except Exception:
        return "raised"
    except BaseException:
        return "exit"
"""


def published_leak(
    problem: Problem[InsightTask, InsightTruth],
    functions: Sequence[FeatureFunction],
    *,
    sandbox: Sandbox,
    spending: Spending | None = None,
) -> bool:
    """Whether the published check calls a solution leaking; its code runs in the sandbox only."""
    spending = spending or Spending(_LIMITS)
    task = problem.task
    start = len(task.train) // 10
    rows = task.train.iloc[start : start + _ROWS]
    sources = [
        FunctionSource("probe", _probe(function, task.target_column), spending.allowance(function))
        for function in functions
    ]
    results = sandbox.run(sources, Tables(rows=rows), limits=_LIMITS)
    replies: set[Any] = set()
    for result in results:
        replies.update(result.column.to_pylist() if result.status == "ok" else ["raised"])
    if "exit" in replies:
        return False
    return "leak" in replies or any(spells_target(function, task.target_column) for function in functions)


def _probe(function: FeatureFunction, target: str) -> str:
    facts = json.dumps({"name": function.name, "code": function.code, "target": target})
    return _PROBE.replace("__GIVEN__", repr(facts))


def spells_target(function: FeatureFunction, target: str) -> bool:
    """Whether the text of a function, comments included, up to the next one reads the target from ``row``.

    >>> spells_target(FeatureFunction(name="f", code="def f(row): return 1  # not row['y']"), "y")
    True
    """
    start = re.search(rf"^def {re.escape(function.name)}\b", function.code, re.MULTILINE)
    if start is None:
        return False
    following = re.search(r"^def ", function.code[start.end() :], re.MULTILINE)
    body = function.code[start.start() : start.end() + following.start() if following else None]
    return any(f"row{call}" in body for quote in "'\"" for call in _spellings(quote + target + quote))


def _spellings(quoted: str) -> tuple[str, str]:
    return f"[{quoted}]", f".get({quoted})"
