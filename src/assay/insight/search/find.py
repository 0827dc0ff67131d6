"""The whole search: candidates of a task, the choice among them, and the functions that compute what was chosen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from assay.insight.answer.functions import FeatureFunction
from assay.insight.problem.task import InsightTask
from assay.insight.search.candidates.gather import gather_candidates
from assay.insight.search.choose import choose, responses_of
from assay.insight.search.recipes import Recipe
from assay.insight.search.run import run_function
from assay.insight.search.search_context import make_context
from assay.insight.search.write import name_for, write_function

__all__ = ["ExplainingColumn", "find_columns"]

_CERTAIN = 5  # of so many columns one may be plain and uncertain
_SPARE = 4  # columns chosen beyond those asked for, in case one cannot be written or run


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExplainingColumn:
    """A column that explains the target: its function, what it says in words, and its values."""

    function: FeatureFunction
    words: str
    train: list[float]
    test: list[float]


def find_columns(
    task: InsightTask, *, columns: int, candidates: int, transductive: bool, seed: int, most: int | None = None
) -> list[ExplainingColumn]:
    """The columns to keep, the best first: at most ``columns`` are chosen, and at most ``most`` of them written."""
    context = make_context(task, transductive=transductive, seed=seed)
    pool = gather_candidates(context, most=candidates)
    responses, logistic = responses_of(context.target, task.problem_type)
    chosen = choose(
        pool.matrix(), pool.costs(), responses, logistic=logistic, most=columns + _SPARE, further=columns // _CERTAIN
    )
    recipes = [pool.candidates[choice.place].recipe for choice in chosen]
    return _write(recipes, task, task.test if transductive else None, most=columns if most is None else most)


def _write(
    recipes: Iterable[Recipe], task: InsightTask, test: pd.DataFrame | None, *, most: int
) -> list[ExplainingColumn]:
    """The functions with the values that they give; those that cannot be written or run are left out."""
    columns: list[ExplainingColumn] = []
    names = {*map(str, task.train.columns)}
    for recipe in recipes:
        if len(columns) == most:
            break
        name = name_for(recipe, names)
        function = write_function(recipe, name, test, score=1.0 - len(columns) / 100)
        values = None if function is None else run_function(function, task)
        if function is None or values is None:
            continue
        names.add(name)
        columns.append(ExplainingColumn(function=function, words=recipe.words, train=values.train, test=values.test))
    return columns
