"""The columns of an answer that are scored: which ones, from where, and whether their rows are the problem's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from assay.core import Problem, SubjectFailed
from assay.insight.answer.alignment import differs
from assay.insight.answer.answer import InsightAnswer
from assay.insight.examine.config import InsightConfig
from assay.insight.problem.task import InsightTask, InsightTruth

__all__ = ["Solution", "chosen_columns", "gather", "malformed", "shipped_tables"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """Insight columns with their values in both parts, row by row those of the problem."""

    columns: tuple[str, ...]
    train: pd.DataFrame
    test: pd.DataFrame
    notes: tuple[str, ...] = ()


def gather(
    problem: Problem[InsightTask, InsightTruth],
    answer: InsightAnswer,
    names: Sequence[str],
    config: InsightConfig,
    *,
    computed: Mapping[str, tuple[pd.Series[Any], pd.Series[Any]]] | None = None,
) -> Solution:
    """The values of the columns to score.

    A declared base column without values of its own is promoted: its values are the problem's. All others are the ones
    computed from their functions or, where the config trusts them, the shipped ones.
    """
    task = problem.task
    notes: list[str] = []
    shipped: tuple[pd.DataFrame, pd.DataFrame] | None = None
    train: dict[str, pd.Series[Any]] = {}
    test: dict[str, pd.Series[Any]] = {}
    for name in names:
        if computed is not None and name in computed:
            train[name], test[name] = computed[name]
            continue
        if name in task.base_columns and not _has_other_values(answer, name, task):
            train[name], test[name] = task.train[name], task.test[name]
            continue
        if not config.trust_columns and answer.train is None:
            raise SubjectFailed(
                "malformed answer",
                f"column {name!r} is declared but has neither code nor values; give a function of this name, or "
                "enriched tables with the column.",
            )
        if not config.trust_columns:
            raise SubjectFailed(
                "untrusted columns",
                f"column {name!r} is shipped as values without a function that computes them; to score shipped "
                "values, set trust_columns = true (--trust-columns).",
            )
        if shipped is None:
            shipped = shipped_tables(answer, task)
            notes += _unaligned(shipped[0], task.train, names, "train")
            notes += _unaligned(shipped[1], task.test, names, "test")
        train[name], test[name] = shipped[0][name], shipped[1][name]
    return Solution(
        columns=tuple(names),
        train=pd.DataFrame(train, index=pd.RangeIndex(len(task.train))),
        test=pd.DataFrame(test, index=pd.RangeIndex(len(task.test))),
        notes=tuple(notes),
    )


def _has_other_values(answer: InsightAnswer, name: str, task: InsightTask) -> bool:
    """Whether a solution ships values for a base column that are not the problem's."""
    for shipped, own in ((answer.train, task.train), (answer.test, task.test)):
        if shipped is None or name not in shipped.columns:
            continue
        if len(shipped) != len(own) or differs(shipped[name], own[name]).any():
            return True
    return False


def chosen_columns(answer: InsightAnswer, task: InsightTask, config: InsightConfig) -> tuple[list[str], list[str]]:
    """The declared columns that are scored, at most MAX_FEATURES, and a note where others are omitted."""
    names = list(answer.columns)
    if task.target_column in names:
        raise malformed(f"a column is named like the target, {task.target_column!r}; give it another name")
    if len(names) <= config.MAX_FEATURES:
        return names, []
    chosen = _highest(names, answer, config.MAX_FEATURES)
    omitted = [name for name in names if name not in chosen]
    by = "that the solution ranks highest" if any(f.score is not None for f in answer.functions) else "listed first"
    note = f"{len(names)} columns declared: the {len(chosen)} {by} are scored (MAX_FEATURES)"
    return chosen, [f"{note}, left out: {', '.join(omitted)}"]


def shipped_tables(answer: InsightAnswer, task: InsightTask) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The enriched tables of an answer, with as many rows as the problem's."""
    if answer.train is None or answer.test is None:
        raise malformed("there are no enriched tables, so the declared columns have no values")
    for part, shipped, own in (("train", answer.train, task.train), ("test", answer.test, task.test)):
        if len(shipped) != len(own):
            raise malformed(
                f"the enriched {part} table has {len(shipped)} rows, {part}.csv has {len(own)}; give one row for each"
            )
        for name in answer.columns:
            if name not in shipped.columns and name not in task.base_columns:
                raise malformed(f"the enriched {part} table has no column {name!r}, which the solution declares")
    return answer.train, answer.test


def malformed(message: str) -> SubjectFailed:
    """The failure of an answer that cannot be scored."""
    return SubjectFailed("malformed answer", f"{message}.")


def _highest(names: Sequence[str], answer: InsightAnswer, count: int) -> list[str]:
    """The columns of the highest scores, in the order declared; those without a score come last."""
    scores = {function.name: function.score for function in answer.functions if function.score is not None}
    ranked = sorted(names, key=lambda name: (name not in scores, -scores.get(name, 0.0)))  # stable
    best = set(ranked[:count])
    return [name for name in names if name in best]


def _unaligned(shipped: pd.DataFrame, own: pd.DataFrame, declared: Sequence[str], part: str) -> list[str]:
    """Base columns of a shipped table that are not the problem's; when none is, its rows are in another order."""
    shared = [
        name
        for name in own.columns
        if name in shipped.columns and name not in declared and own[name].nunique(dropna=False) > 1
    ]
    changed = {name: int(differs(shipped[name], own[name]).sum()) for name in shared}
    if shared and all(changed.values()):
        raise malformed(
            f"the rows of the enriched {part} table are not those of {part}.csv: none of its base columns agrees "
            f"({', '.join(shared[:5])})"
        )
    return [
        f"the enriched {part} table has other values of base column {name!r} in {count} rows; the problem's are used"
        for name, count in changed.items()
        if count
    ]
