"""A baseline of aggregates and ratios drawn at random, without any selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from assay.core import Budget, NamedSubject
from assay.core.checks import demand_whole
from assay.insight.answer.answer import InsightAnswer, words_of
from assay.insight.answer.functions import FeatureFunction
from assay.insight.problem.task import InsightTask

__all__ = ["RandomFeatures"]

_AGGREGATES = ("mean", "max", "min", "sum", "nunique")
_MOST_DRAWS = 20  # per feature, before there are fewer features
_MOST_PAIRS = 3_000_000  # rows of a join by key, before rows that are too late are dropped


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomFeatures(NamedSubject):
    """So many features drawn by the seed: of a table's rows with the same key, or a ratio of two base columns.

    Where times are declared, only rows that were known at the row's time count. The target is never looked at.
    """

    title = "random-features"
    count: int = 10

    def __post_init__(self) -> None:
        demand_whole(self.count, "random-features: count", least=1)

    def solve(self, task: InsightTask, budget: Budget, /) -> InsightAnswer:
        """Features by name; their values are computed with the very code that is submitted."""
        rng = np.random.default_rng([budget.seed, self.count])
        choices = [*_keyed(task), *_numbers(task)]
        chosen: dict[str, str] = {}
        for _ in range(_MOST_DRAWS * self.count if choices else 0):
            name, body = _draw(rng, task, choices[int(rng.integers(len(choices)))])
            chosen.setdefault(name, f"import pandas as pd\n\n\ndef {name}(df, aux_dataframes):\n{body}")
            if len(chosen) == self.count:
                break
        parts = {
            part: pd.DataFrame({name: _run(name, code, rows, task) for name, code in chosen.items()}, index=rows.index)
            for part, rows in (("train", task.train), ("test", task.test))
        }
        return InsightAnswer(
            solved_by=self.name,
            columns=tuple(chosen),
            descriptions=tuple(map(words_of, chosen)),
            functions=tuple(FeatureFunction(name=name, code=code) for name, code in chosen.items()),
            train=parts["train"] if chosen else None,
            test=parts["test"] if chosen else None,
        )


def _keyed(task: InsightTask) -> list[tuple[str, ...]]:
    """Table, key and column: what can be aggregated by a key that both tables name alike; no column means counting."""
    choices: list[tuple[str, ...]] = []
    for table, frame in task.tables.items():
        declared = task.table_times.get(table)
        dated = declared.time_column if declared is not None else None
        for key in task.base_columns:
            kinds = {task.train[key].dtype.kind, frame[key].dtype.kind} if key in frame.columns else set()
            if len(kinds) != 1 or "f" in kinds or key == task.time_column:
                continue
            if dated is not None and _pairs(task.train[key], frame[key]) > _MOST_PAIRS:
                continue
            choices.append((table, key))
            choices += [(table, key, str(column)) for column in frame.columns if column not in (key, dated)]
    return choices


def _pairs(rows: pd.Series[Any], table: pd.Series[Any]) -> int:
    """How many rows a join by these keys has."""
    return int((rows.map(table.value_counts()).fillna(0)).sum())


def _numbers(task: InsightTask) -> list[tuple[str, ...]]:
    """Pairs of number columns of the primary table."""
    names = [name for name in task.base_columns if task.train[name].dtype.kind in "iuf"]
    return [(first, second, "", "") for first in names for second in names if first != second]


def _draw(rng: np.random.Generator, task: InsightTask, choice: tuple[str, ...]) -> tuple[str, str]:
    """A name and the lines that compute it."""
    if len(choice) == 4:
        first, second = choice[:2]
        return _name("ratio", first, second), f"    return df[{first!r}] / df[{second!r}].where(df[{second!r}] != 0)\n"
    table, key, *rest = choice
    declared = task.table_times.get(table)
    time = None if declared is None else declared.time_column
    numeric = bool(rest) and task.tables[table][rest[0]].dtype.kind in "iuf"
    aggregate = str(rng.choice(_AGGREGATES)) if numeric else "nunique"
    of = f"[{rest[0]!r}].{aggregate}()" if rest else ".size()"
    if time is None:
        lines = [
            f"found = aux_dataframes[{table!r}].groupby({key!r}){of}",
            f"return df[{key!r}].map(found)",
        ]
    else:
        now = str(task.time_column)
        moment = "seen[{!r}]"
        if task.train[now].dtype.kind not in "iuf":
            moment = f"pd.to_datetime({moment}, format='ISO8601', utc=True)"
        lines = [
            f"rows = df[[{key!r}, {now!r}]].add_prefix('row ').rename_axis('which row').reset_index()",
            f"seen = rows.merge(aux_dataframes[{table!r}], left_on={'row ' + key!r}, right_on={key!r})",
            f"seen = seen[{moment.format(time)} <= {moment.format('row ' + now)}]",
            f"return seen.groupby('which row'){of}.reindex(df.index)",
        ]
    name = _name(aggregate, rest[0], table, key) if rest else _name("count", table, key)
    return name, "".join(f"    {line}\n" for line in lines)


def _name(*parts: str) -> str:
    """A name that Python can use, from names that it may not be able to."""
    text = "_".join(part.removesuffix(".csv") for part in parts)
    return "random_" + "".join(char if char.isascii() and char.isalnum() else "_" for char in text)


def _run(name: str, code: str, rows: pd.DataFrame, task: InsightTask) -> Any:
    """Run a function in this process: the code is Assay's own."""
    names: dict[str, Any] = {}
    exec(compile(code, f"<{name}>", "exec", dont_inherit=True), names)
    return names[name](rows, dict(task.tables.items()))
