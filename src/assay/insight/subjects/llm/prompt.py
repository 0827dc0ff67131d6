"""The messages to a language model: the task, its tables, the rules, and the results of its functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from assay.insight.problem.task import InsightTask
from assay.insight.subjects.llm.trial import Tried

__all__ = ["ask_for_more", "ask_for_repair", "describe_task", "feedback", "rules"]

_EXAMPLES = 6  # values of a column, rows of a table
_LONGEST_VALUE = 40
_MOST_COLUMNS = 60  # of one table
_SHOWN_ERRORS = 5
_METRICS = {"binary": "AUC", "multiclass": "macro AUC", "regression": "R²"}


def rules(functions: int) -> str:
    """The instructions, which are the same for every task."""
    return (
        "You are a data scientist who looks for insights: facts about the rows of a table that explain its target. "
        "Write each insight as a Python function. A random forest will be trained on the columns that your functions "
        "compute, and your columns will be compared with those of experts who know what drives the target.\n\n"
        "Rules:\n"
        f"- Answer with one fenced block of Python that defines at most {functions} functions, nothing else in it.\n"
        "- def name(df, aux_dataframes): df is the primary table without the target, aux_dataframes maps file names to "
        "data frames. Return a pandas Series of numbers with df's index (end with .reindex(df.index)). Prefer merges "
        "and groupby to loops. def name(row, aux_dataframes) is called row by row and slower.\n"
        "- Begin each function with a docstring: one plain sentence that says what the insight means.\n"
        "- pandas is pd, numpy is np. There are no files, no network and no other tables.\n"
        "- Dates are texts in the files: use pd.to_datetime.\n"
        "- The target is not available and must not be used.\n"
        "- Each function is run on the training rows. You are told its first values, how many are missing or distinct, "
        "how they go with the target, or why it failed, and can repair it.\n"
        "- Good insights: counts, sums, means, shares and distinct values over related rows; windows of time; the last "
        "window against the one before; days since the last event; conditions on a category or a threshold; ratios and "
        "differences of columns; values found by way of two tables."
    )


def describe_task(task: InsightTask) -> str:
    """The task in words: the question, each table with its columns, and which rows are known at which time."""
    parts = [
        f"Task: {task.name}. {task.description}",
        f"Domain: {task.domain}." if task.domain else "",
        f"Target: {task.target_column!r} ({task.problem_type}); {_target(task)}",
        _table("primary table (df)", task.train[list(task.base_columns)]),
        *(_table(f"aux_dataframes[{name!r}]", frame, _shared(task, frame)) for name, frame in task.tables.items()),
        _times(task),
        "Write your functions.",
    ]
    return "\n\n".join(part for part in parts if part)


def feedback(task: InsightTask, tried: Sequence[Tried], problems: Sequence[str], *, base: float, total: float) -> str:
    """The results of one reply's functions on the training rows."""
    metric = _METRICS[task.problem_type]
    lines = [
        f"On a validation part of the training rows the base columns alone reach {metric} {base:.4f}, with all your "
        f"functions so far {total:.4f}."
    ]
    if not tried and not problems:
        lines.append("There was no Python function in your answer: send one fenced block of Python.")
    lines += [f"Part of your code could not be parsed: {problem}" for problem in problems[:_SHOWN_ERRORS]]
    for entry in tried:
        if entry.status == "ok":
            lines.append(f"- {entry.name}: {metric} {entry.gain:+.4f} added to the base columns. {_facts(entry)}")
        else:
            lines.append(f"- {entry.name}: dropped, {entry.status}. {entry.message}")
    return "\n".join(lines)


def ask_for_more() -> str:
    """The request after functions that all work, or that could not be repaired."""
    return (
        "Look for further insights that differ from those above: other tables, windows, conditions, combinations. "
        "Answer with one fenced block of Python as before; do not repeat functions that work."
    )


def ask_for_repair(task: InsightTask, names: Sequence[str]) -> str:
    """The request after functions that failed, with the names of columns and tables that they may use."""
    tables = "; ".join(f"{name!r} with {_listed(frame.columns)}" for name, frame in task.tables.items())
    request = "Answer with one fenced block of Python."
    if names:
        request = (
            f"Repair what failed ({', '.join(names)}), under the same names: answer with one fenced block of Python "
            "that holds the corrected functions and no others."
        )
    return f"{request} df has {_listed(task.base_columns)}. Keys of aux_dataframes: {tables or 'none'}."


def _listed(names: Iterable[object]) -> str:
    texts = [repr(str(name)) for name in names]
    more = f" and {len(texts) - _MOST_COLUMNS} more" if len(texts) > _MOST_COLUMNS else ""
    return ", ".join(texts[:_MOST_COLUMNS]) + more


def _facts(entry: Tried) -> str:
    """The values of a function in one line."""
    values = entry.train
    assert values is not None
    shown = ", ".join(
        "missing" if value != value or value is None else f"{value!s:.40}" for value in values.head(_EXAMPLES)
    )
    facts = [f"First rows: {shown}", f"{values.isna().mean():.1%} missing, {values.nunique()} distinct values"]
    if entry.correlation is not None:
        facts.append(f"rank correlation {entry.correlation:+.3f} with {entry.correlated}")
    facts.append(f"took {'about ' + format(entry.seconds, '.0f') if entry.seconds >= 1.5 else 'under 2'} s")
    return "; ".join([*facts, *([entry.message] if entry.message else [])]) + "."


def _target(task: InsightTask) -> str:
    values = task.train[task.target_column]
    if task.problem_type == "regression":
        low, middle, high = (float(values.quantile(share)) for share in (0.05, 0.5, 0.95))
        return f"5 %, 50 % and 95 % quantiles {low:g}, {middle:g}, {high:g}."
    shares = values.value_counts(normalize=True)
    return "shares " + ", ".join(f"{value!s}: {share:.3f}" for value, share in shares.items()) + "."


def _table(title: str, frame: pd.DataFrame, note: str = "") -> str:
    lines = [f"{title}: {len(frame)} rows.{note}"]
    lines += [f"- {name!r}: {_column(frame[name])}" for name in list(frame.columns)[:_MOST_COLUMNS]]
    if len(frame.columns) > _MOST_COLUMNS:
        lines.append(f"- and {len(frame.columns) - _MOST_COLUMNS} more columns")
    return "\n".join(lines)


def _column(values: pd.Series[Any]) -> str:
    present = values.dropna()
    distinct = int(present.nunique())
    missing = f", {values.isna().mean():.1%} missing" if len(present) < len(values) else ""
    if not len(present):
        return "empty"
    if values.dtype.kind in "iuf" and distinct > _EXAMPLES:
        low, middle, high = (float(present.quantile(share)) for share in (0.05, 0.5, 0.95))
        kind = "whole number" if values.dtype.kind in "iu" else "number"
        return f"{kind}, {distinct} values, quantiles {low:g} / {middle:g} / {high:g}{missing}"
    common = present.value_counts().head(_EXAMPLES).index
    shown = ", ".join(repr(str(value)[:_LONGEST_VALUE]) for value in common)
    return f"{values.dtype}, {distinct} values, such as {shown}{missing}"


def _shared(task: InsightTask, frame: pd.DataFrame) -> str:
    names = [repr(name) for name in frame.columns if name in task.base_columns]
    return f" It shares {', '.join(names)} with the primary table." if names else ""


def _times(task: InsightTask) -> str:
    if task.time_column is None:
        return ""
    dated = {name: entry.time_column for name, entry in task.table_times.items() if entry.time_column is not None}
    listed = "; ".join(f"{name!r} by {column!r}" for name, column in dated.items())
    return (
        f"Times: each row is predicted at its {task.time_column!r}. A function may use only those auxiliary rows whose "
        f"time is not later ({listed}); one that looks ahead is dropped. Filter them yourself."
    )
