"""Fresh problems: random tables, insights planted by difficulty, a target, traps, and the baselines' scores as tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from assay.core import Budget, InvalidInput, Problem, Setting
from assay.core.checks import demand_whole
from assay.insight.examine.evaluation import evaluate
from assay.insight.generate.arguments import (
    DIFFICULTIES,
    PROBLEM_TYPES,
    Difficulty,
    demand_choice,
)
from assay.insight.generate.assembly import assemble
from assay.insight.generate.domains import DOMAINS
from assay.insight.generate.draft import AUXILIARY, FloatArray, IntArray
from assay.insight.generate.draw import draw
from assay.insight.generate.insight import Insight
from assay.insight.generate.log_insights import log_insights
from assay.insight.generate.row_insights import row_insights
from assay.insight.generate.target import make_target, standard
from assay.insight.problem.task import InsightTask, InsightTruth, ProblemType, write_problem
from assay.insight.subjects.builtin import BaseColumns, ground_truth
from assay.insight.subjects.random_features import RandomFeatures

__all__ = ["generate_problem", "generate_problems"]

FEWEST_ROWS = 120
_DRAWS = 20  # of whole problems, until the truth is ahead of the baselines
_CLEARLY = 0.05  # by how much
_MOST_ALIKE = 0.6  # rank correlation of two insights of one problem
_MOST_EQUAL = 0.6  # share of a single value in an insight's column
_SCORED: Mapping[str, Setting] = {"trust_columns": True, "check_leakage": "never"}


class _Recipe(NamedTuple):
    """What a difficulty means: insights by grade, how many tables, ceilings, what a surrogate tells."""

    grades: tuple[int, ...]
    tables: tuple[int, int]
    auc: float
    r2: float
    surrogate: float  # share of its variance that is the insight's


_RECIPES: dict[Difficulty, _Recipe] = {
    "easy": _Recipe((1, 1, 2), (1, 3), 0.96, 0.90, 0.7),
    "medium": _Recipe((1, 2, 2, 3), (2, 4), 0.93, 0.82, 0.5),
    "hard": _Recipe((2, 3, 3, 2, 3), (3, 5), 0.90, 0.74, 0.3),
}


def generate_problems(
    folder: str | Path,
    *,
    problems: int,
    seed: int,
    difficulty: Difficulty | None = None,
    problem_type: ProblemType | None = None,
    domain: str | None = None,
    rows: int = 900,
) -> list[Path]:
    """Write several problem folders; the same arguments give the same bytes.

    Difficulties, types and domains that are not given go round.

    Parameters
    ----------
    folder : str or Path
        Where the problem folders are written.
    problems : int
        How many.
    seed : int
        Random seed.
    difficulty : {"easy", "medium", "hard"}, optional
        One for all.
    problem_type : {"binary", "multiclass", "regression"}, optional
        One for all.
    domain : str, optional
        One for all.
    rows : int, default 900
        Rows of the primary table.

    Returns
    -------
    list of Path
        The problem folders.

    Raises
    ------
    InvalidInput
        A number is out of range.

    Examples
    --------
    >>> generate_problems(Path("nowhere"), problems=0, seed=1)
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: generate: problems must be a whole number of at least 1, got 0.
    """
    demand_whole(problems, "generate: problems", least=1)
    domains = [domain] if domain is not None else list(DOMAINS)
    kinds = [problem_type] if problem_type is not None else PROBLEM_TYPES
    grades = [difficulty] if difficulty is not None else DIFFICULTIES
    return [
        generate_problem(
            folder,
            seed=seed,
            number=number,
            domain=domains[number % len(domains)],
            problem_type=kinds[number % len(kinds)],
            difficulty=grades[number // len(kinds) % len(grades)],
            rows=rows,
        )
        for number in range(problems)
    ]


def generate_problem(
    folder: str | Path,
    *,
    seed: int,
    number: int = 0,
    domain: str = "telecom",
    problem_type: ProblemType = "binary",
    difficulty: Difficulty = "medium",
    rows: int = 900,
    tables: int | None = None,
) -> Path:
    """Write one problem folder of a drawn domain; the same arguments give the same bytes.

    Times are declared; the tables hold rows later than the predictions, some of which betray the target. One base
    column is a surrogate of an insight, two say nothing. Tags hold the ceiling and the scores of baselines and truth.

    Parameters
    ----------
    folder : str or Path
        Where the problem folder is written.
    seed : int
        Random seed.
    number : int, default 0
        Which problem of that seed.
    domain : str, default "telecom"
        The field that it is from.
    problem_type : {"binary", "multiclass", "regression"}, default "binary"
        What the target is.
    difficulty : {"easy", "medium", "hard"}, default "medium"
        How hard the insights are to find.
    rows : int, default 900
        Rows of the primary table.
    tables : int, optional
        How many auxiliary tables there are.

    Returns
    -------
    Path
        The problem folder.

    Raises
    ------
    InvalidInput
        A number is out of range.
    UnknownName
        No such domain.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     generate_problem(folder, seed=1, rows=120, difficulty="easy").name
    'telecom-binary-easy-1-000'
    """
    demand_choice("domain", domain, DOMAINS)
    demand_choice("problem type", problem_type, PROBLEM_TYPES)
    demand_choice("difficulty", difficulty, DIFFICULTIES)
    demand_whole(rows, "generate: rows", least=FEWEST_ROWS)
    demand_whole(seed, "generate: seed", least=0)
    demand_whole(number, "generate: number", least=0)
    if tables is not None and (type(tables) is not int or not 1 <= tables <= len(AUXILIARY)):
        raise InvalidInput(f"generate: tables must be a whole number from 1 to {len(AUXILIARY)}, got {tables!r}.")
    places = (list(DOMAINS).index(domain), PROBLEM_TYPES.index(problem_type), DIFFICULTIES.index(difficulty))
    name = f"{domain}-{problem_type}-{difficulty}-{seed}-{number:03d}"
    for attempt in range(_DRAWS):
        rng = np.random.default_rng([seed, number, rows, *places, attempt])
        problem = _make(rng, name, problem_type, difficulty, domain, rows, tables)
        if problem is not None:
            write_problem(Path(folder) / name, id=name, task=problem.task, truth=problem.truth, tags=problem.tags)
            return Path(folder) / name
    raise InvalidInput(f"generate: no usable problem {name!r} in {_DRAWS} draws. Give it more rows or another seed.")


def _make(
    rng: np.random.Generator,
    name: str,
    kind: ProblemType,
    difficulty: Difficulty,
    domain: str,
    rows: int,
    tables: int | None,
) -> Problem[InsightTask, InsightTruth] | None:
    """A problem with its tags; None when too few insights could be planted or the truth is not clearly ahead."""
    recipe = _RECIPES[difficulty]
    count = int(rng.integers(recipe.tables[0], recipe.tables[1] + 1)) if tables is None else tables
    draft = draw(rng, DOMAINS[domain], rows=rows, tables=count)
    chosen = _choose(rng, [*row_insights(draft, rng), *log_insights(draft, rng)], recipe.grades)
    if chosen is None:
        return None
    causes = np.column_stack([standard(insight.values) for insight in chosen])
    ceiling = recipe.r2 if kind == "regression" else recipe.auc
    target = make_target(rng, kind, causes, draft.domain.outcomes, ceiling=ceiling)
    draft.betray(rng, draft.events, target.high)
    base = draft.primary().assign(**{draft.domain.surrogate: _surrogate(rng, causes, recipe.surrogate)})
    task, truth = assemble(draft, kind, chosen, target, base=base, timed=True)
    problem = Problem(id=name, digest="", task=task, truth=truth)
    scores = {
        "base_columns_score": evaluate(problem, BaseColumns().solve(task, Budget()), **_SCORED).scores,
        "random_features_score": evaluate(problem, RandomFeatures().solve(task, Budget()), **_SCORED).scores,
        "ground_truth_score": evaluate(problem, ground_truth(problem), **_SCORED).scores,
    }
    rounded = {key: round(value["combined_score"], 4) for key, value in scores.items()}
    baselines = [rounded["base_columns_score"], rounded["random_features_score"]]
    if not rounded["ground_truth_score"] > max(baselines) + _CLEARLY:
        return None
    tags: dict[str, str | float] = {
        "family": domain,
        "type": kind,
        "difficulty": difficulty,
        "timed": "yes",
        "origin": "generated",
        "tables": float(count),
        "insights": float(len(chosen)),
        "ceiling": ceiling,
        "measured_difficulty": round(1.0 - sum(baselines) / 2.0, 4),
        **rounded,
    }
    return Problem(id=name, digest="", task=task, truth=truth, tags=tags)


def _choose(rng: np.random.Generator, pool: Sequence[Insight], grades: Sequence[int]) -> list[Insight] | None:
    """Insights of the wanted grades, of different kinds while there are any, none nearly constant or like another."""
    usable = [insight for insight in pool if _varied(insight)]
    chosen: list[Insight] = []
    for grade in grades:
        suitable = [
            insight
            for insight in usable
            if insight.grade == grade and all(_alike(insight, other) < _MOST_ALIKE for other in chosen)
        ]
        kinds = {insight.kind for insight in chosen}
        fresh = [insight for insight in suitable if insight.kind not in kinds] or suitable
        if not fresh:
            return None
        chosen.append(fresh[int(rng.integers(len(fresh)))])
    return chosen


def _varied(insight: Insight) -> bool:
    _, counts = np.unique(insight.values, return_counts=True)
    return len(counts) > 3 and bool(counts.max() <= _MOST_EQUAL * counts.sum())


def _alike(one: Insight, other: Insight) -> float:
    if one.name == other.name:
        return 1.0
    return abs(float(np.mean(standard(one.values) * standard(other.values))))


def _surrogate(rng: np.random.Generator, causes: FloatArray, share: float) -> IntArray:
    """A whole number that goes along with one of the causes."""
    cause = causes[:, int(rng.integers(causes.shape[1]))]
    mixed = np.sqrt(share) * cause + np.sqrt(1.0 - share) * rng.normal(size=len(cause))
    numbers: IntArray = np.round(50.0 + 12.0 * mixed).astype(np.int64)
    return numbers
