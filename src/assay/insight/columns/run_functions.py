"""A solution's functions at work in the sandbox: the columns they compute, and the verdicts on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from assay.core import Problem
from assay.insight.answer.functions import FeatureFunction
from assay.insight.columns.spending import Spending, function_limits
from assay.insight.examine.config import InsightConfig
from assay.insight.examine.evidence import FunctionFinding
from assay.insight.problem.task import InsightTask, InsightTruth

if TYPE_CHECKING:
    from assay.insight.columns.compute import ComputedColumn, ComputedColumns
    from assay.insight.leakage.verdict import LeakVerdict

__all__ = ["FunctionRun", "run_functions"]

_LONGEST_SOURCE = 4_000  # characters of a leaking function's source in a record


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FunctionRun:
    """What running the functions gave; ``checked`` says whether there are verdicts on all of them."""

    findings: tuple[FunctionFinding, ...] = ()
    computed: ComputedColumns | None = None
    checked: bool = False
    isolation: str = "not run"
    notes: tuple[str, ...] = ()

    @property
    def values(self) -> dict[str, tuple[pd.Series[Any], pd.Series[Any]]]:
        """Computed columns by name."""
        return {} if self.computed is None else self.computed.ok

    @property
    def leaks(self) -> bool:
        """Whether any function was found to leak."""
        return any(finding.verdict == "leak" for finding in self.findings)


def run_functions(
    problem: Problem[InsightTask, InsightTruth],
    functions: Sequence[FeatureFunction],
    config: InsightConfig,
    *,
    compute: bool,
    spending: Spending | None = None,
) -> FunctionRun:
    """Values, if they are to be computed, and verdicts, if they are to be taken."""
    if not functions or not (compute or config.takes_verdicts):
        findings = tuple(FunctionFinding(name=function.name, status="not run") for function in functions)
        return FunctionRun(findings=findings, checked=not functions)
    from assay.insight.columns.compute import compute_columns
    from assay.insight.columns.distinct_rows import DistinctRows
    from assay.insight.columns.sandbox_pool import shared_sandbox
    from assay.insight.leakage.check import take_verdicts

    limits = function_limits(config.function_seconds)
    shared: dict[str, Any] = {"limits": limits, "config": config, "spending": spending or Spending(limits)}
    with shared_sandbox(config.sandbox) as sandbox:
        shared["distinct"] = DistinctRows(sandbox)
        computed = compute_columns(problem, functions, sandbox=sandbox, **shared) if compute else None
        report = take_verdicts(problem, functions, **shared) if config.takes_verdicts else None
        level = sandbox.level
    columns: Sequence[ComputedColumn | None] = [None] * len(functions) if computed is None else computed.columns
    verdicts: Sequence[LeakVerdict | None] = [None] * len(functions) if report is None else report.functions
    notes = (*(() if computed is None else computed.notes), *(() if report is None else report.notes))
    return FunctionRun(
        findings=tuple(map(_finding, functions, columns, verdicts)),
        computed=computed,
        checked=report is not None,
        isolation=level,
        notes=tuple(dict.fromkeys(notes)),
    )


def _finding(function: FeatureFunction, column: ComputedColumn | None, verdict: LeakVerdict | None) -> FunctionFinding:
    status = "not run"
    if column is not None:
        is_named = column.message.startswith(column.status)  # as in "timeout: no result within 5 s"
        status = (
            column.message if is_named else f"{column.status}: {column.message}" if column.message else column.status
        )
    elif verdict is not None:
        status = verdict.status
    if verdict is None:
        return FunctionFinding(name=function.name, status=status)
    evidence = dict(verdict.evidence)
    if verdict.verdict == "leak":
        evidence["code"] = function.code[:_LONGEST_SOURCE]  # so that a report can show the line that leaks
    return FunctionFinding(
        name=function.name, status=status, verdict=verdict.verdict, kind=verdict.kind, evidence=evidence
    )
