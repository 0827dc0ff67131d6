"""An agent without a language model: it searches the tables for columns that explain the target, and writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from assay.core import Budget, InvalidInput, NamedSubject
from assay.core.checks import demand_whole
from assay.insight.answer.answer import InsightAnswer
from assay.insight.problem.task import InsightTask

if TYPE_CHECKING:
    from assay.insight.search.find import ExplainingColumn

__all__ = ["Relational"]

MOST_COLUMNS = 20
MOST_CANDIDATES = 8_000
_PER_SECOND = 400  # candidates that a second of the budget allows
_MOST_CALLS = 1_500_000  # of functions with rows, so that very many rows get fewer columns
_FEWEST_COLUMNS = 4
_LARGEST_POOL = 400_000  # cells of test rows that functions may carry along


@dataclass(frozen=True, slots=True, kw_only=True)
class Relational(NamedSubject):
    """A subject that searches columns without a language model.

    It infers keys, times and types, enumerates transforms, joins and aggregates, and keeps what explains the target.

    Parameters
    ----------
    columns : int, default 20
        The most columns that it gives.
    candidates : int, default 8000
        The most that it keeps to choose from; it looks at up to two and a half times as many.
    transductive : bool, default True
        Count the inputs of the test rows too in aggregates of the primary table; never where times are declared: there
        every column looks back from its row's own time only.

    Raises
    ------
    InvalidInput
        A number is out of range.

    Examples
    --------
    >>> import tempfile
    >>> from assay.core import Budget
    >>> from assay.insight import generate, load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     task = load(generate(folder, seed=3, rows=60, difficulty="easy")).task
    ...     Relational(candidates=50).solve(task, Budget(seconds=60))
    InsightAnswer('relational(candidates=50)': 7 columns, 7 functions, with values)
    """

    title = "relational"
    columns: int = MOST_COLUMNS
    candidates: int = MOST_CANDIDATES
    transductive: bool = True

    def __post_init__(self) -> None:
        for name in ("columns", "candidates"):
            demand_whole(getattr(self, name), f"relational: {name}", least=1)
        if not isinstance(self.transductive, bool):
            raise InvalidInput(f"relational: transductive must be true or false, got {self.transductive!r}.")

    def solve(self, task: InsightTask, budget: Budget, /) -> InsightAnswer:
        """Functions, the best first, with their values; base columns where nothing is found."""
        try:
            columns = self._search(task, budget)
        except Exception:  # noqa: BLE001 - whatever odd data raise, an answer is better than none
            columns = []
        if not columns:
            return InsightAnswer(
                solved_by=self.name, columns=task.base_columns[: self.columns], train=task.train, test=task.test
            )
        train = {entry.function.name: entry.train for entry in columns}
        test = {entry.function.name: entry.test for entry in columns}
        return InsightAnswer(
            solved_by=self.name,
            columns=tuple(train),
            descriptions=tuple(entry.words for entry in columns),
            functions=tuple(entry.function for entry in columns),
            train=_enriched(task.train, train),
            test=_enriched(task.test, test),
        )

    def _search(self, task: InsightTask, budget: Budget) -> list[ExplainingColumn]:
        from assay.insight.search.find import find_columns

        rows = len(task.train) + len(task.test)
        return find_columns(
            task,
            columns=self.columns,
            candidates=min(self.candidates, max(int(budget.seconds * _PER_SECOND), 100)),
            transductive=self.transductive and task.time_column is None and task.test.size <= _LARGEST_POOL,
            seed=budget.seed,
            most=min(self.columns, max(_MOST_CALLS // max(rows, 1), _FEWEST_COLUMNS)),
        )


def _enriched(part: pd.DataFrame, values: Mapping[str, list[float]]) -> pd.DataFrame:
    """The primary table with the new columns beside its own, as solutions ship it."""
    return pd.concat([part.reset_index(drop=True), pd.DataFrame(values, index=range(len(part)))], axis=1)
