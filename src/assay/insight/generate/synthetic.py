"""Problems of three families, with and without times: the built-in ones are of this kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from assay.core import Tags
from assay.core.checks import demand_whole
from assay.insight.generate.arguments import (
    DIFFICULTIES,
    PROBLEM_TYPES,
    Difficulty,
    demand_choice,
)
from assay.insight.generate.assembly import assemble
from assay.insight.generate.domains import FAMILIES, Domain
from assay.insight.generate.simple_draw import draw_simple
from assay.insight.generate.simple_insights import simple_insights
from assay.insight.generate.target import make_simple_target, standard
from assay.insight.problem.task import ProblemType, write_problem

__all__ = ["FEWEST_ROWS", "builtin", "generate", "write_generated"]

FEWEST_ROWS = 60
_SEED = 7
# signal against noise, and how many insights share the signal
_SIGNAL = {"easy": 6.0, "medium": 3.5, "hard": 2.5}
_INSIGHTS = {"easy": 3, "medium": 4, "hard": 5}
_BASE_WEIGHT = 0.35  # of the informative base column, an insight has 1


def builtin(folder: Path) -> None:
    """Write the built-in problems: each kind of target, with and without declared times."""
    plans: tuple[tuple[str, ProblemType, bool, Difficulty], ...] = (
        ("shop", "binary", False, "easy"),
        ("clinic", "binary", True, "hard"),
        ("factory", "multiclass", False, "medium"),
        ("shop", "multiclass", True, "easy"),
        ("clinic", "regression", False, "easy"),
        ("factory", "regression", True, "medium"),
    )
    for number, (family, kind, timed, difficulty) in enumerate(plans):
        generate(folder, seed=_SEED + number, problem_type=kind, timed=timed, difficulty=difficulty, family=family)


def generate(
    folder: str | Path,
    *,
    seed: int,
    problem_type: ProblemType = "binary",
    rows: int = 900,
    timed: bool = False,
    difficulty: Difficulty = "medium",
    family: str = "shop",
) -> Path:
    """Write one problem folder about a shop; the same arguments give the same bytes.

    Two rows in three are for training. The target follows from three (easy) to five (hard) planted insights and, more
    weakly, from one base column; other base columns say nothing.

    Parameters
    ----------
    folder : str or Path
        Where the problem folder is written.
    seed : int
        Random seed.
    problem_type : {"binary", "multiclass", "regression"}, default "binary"
        What the target is.
    rows : int, default 900
        Rows of the primary table.
    timed : bool, default False
        Declare times: the insights then look back from each row's own date, entities occur once, and the tables hold
        later rows that betray the target.
    difficulty : {"easy", "medium", "hard"}, default "medium"
        How many insights there are, and how strong.
    family : str, default "shop"
        The words that tables and columns are named with.

    Returns
    -------
    Path
        The problem folder.

    Raises
    ------
    InvalidInput
        A number is out of range.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     generate(folder, seed=3, rows=60, difficulty="easy").name
    'shop-binary-static-easy-3'
    """
    demand_choice("family of insight problems", family, FAMILIES)
    demand_choice("problem type", problem_type, PROBLEM_TYPES)
    demand_choice("difficulty", difficulty, DIFFICULTIES)
    demand_whole(rows, "generate: rows", least=FEWEST_ROWS)
    demand_whole(seed, "generate: seed", least=0)
    places = (list(FAMILIES).index(family), PROBLEM_TYPES.index(problem_type), DIFFICULTIES.index(difficulty))
    rng = np.random.default_rng([seed, rows, *places, int(timed)])
    name = f"{family}-{problem_type}-{'timed' if timed else 'static'}-{difficulty}-{seed}"
    return write_generated(
        Path(folder) / name,
        FAMILIES[family],
        rng,
        problem_type=problem_type,
        rows=rows,
        timed=timed,
        difficulty=difficulty,
        tags={"family": family},
    )


def write_generated(
    folder: Path,
    domain: Domain,
    rng: np.random.Generator,
    *,
    problem_type: ProblemType,
    rows: int,
    timed: bool,
    difficulty: Difficulty,
    tags: Tags,
) -> Path:
    """Write one problem in the words of a domain; the folder's name is its id."""
    draft = draw_simple(rng, domain, rows=rows, timed=timed)
    pool = simple_insights(draft, timed=timed)
    chosen = [pool[place] for place in sorted(rng.permutation(len(pool))[: _INSIGHTS[difficulty]])]
    # the informative base column is the last cause
    causes = np.column_stack([*(standard(insight.values) for insight in chosen), standard(draft.segments)])
    weights = np.array([1.0] * len(chosen) + [_BASE_WEIGHT])
    target = make_simple_target(rng, problem_type, causes, weights, domain.outcomes, signal=_SIGNAL[difficulty])
    if timed:
        draft.betray(rng, draft.contacts, target.high)
    ids = [f"{part}_id" for part in (domain.row, domain.entity, domain.item)]
    order = [*ids[:2], f"{domain.row}_date", ids[2], domain.amount, domain.segment, domain.region, domain.size]
    task, truth = assemble(draft, problem_type, chosen, target, base=draft.primary()[order], timed=timed)
    all_tags = {
        **tags,
        "type": problem_type,
        "difficulty": difficulty,
        "timed": "yes" if timed else "no",
        "origin": "generated",
    }
    write_problem(folder, id=folder.name, task=task, truth=truth, tags=all_tags)
    return folder
