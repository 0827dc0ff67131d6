"""Relational problems with planted insights: a target that follows from tables, and experts who know how."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.core import UnknownName
from assay.core.arrays import FloatArray
from assay.core.checks import demand_whole
from assay.insight.answer.functions import FeatureFunction
from assay.insight.generate.planted import Insight, insights
from assay.insight.generate.relations import Relations, draw_relations
from assay.insight.generate.themes import THEMES, Theme
from assay.insight.problem.task import InsightTask, InsightTruth, ProblemType, TableTime, write_problem

__all__ = ["Difficulty", "builtin", "generate"]

Difficulty: TypeAlias = Literal["easy", "medium", "hard"]

FEWEST_ROWS = 60
_SEED = 7
_TEST_SHARE = 3  # one row in three is a test row
# signal against noise, and how many insights share the signal
_SIGNAL = {"easy": 6.0, "medium": 3.5, "hard": 2.5}
_INSIGHTS = {"easy": 3, "medium": 4, "hard": 5}
_DRAWS = 20
_POSITIVE_FROM = 0.65  # quantile of the latent value where a positive is as likely as not
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
    folder: Path,
    *,
    seed: int,
    problem_type: ProblemType = "binary",
    rows: int = 900,
    timed: bool = False,
    difficulty: Difficulty = "medium",
    family: str = "shop",
) -> Path:
    """Write one problem folder inside a folder, the same bytes for the same arguments; returns its path.

    Two rows in three are for training. The target follows from three (easy) to five (hard) planted insights and, more
    weakly, from one base column; other base columns say nothing. ``timed`` declares times: the insights then look back
    from each row's own date, entities occur once, and the tables hold later rows that betray the target.
    """
    if family not in THEMES:
        raise UnknownName("family of insight problems", family, THEMES)
    kinds, difficulties = get_args(ProblemType), get_args(Difficulty)
    for what, value, known in (("problem type", problem_type, kinds), ("difficulty", difficulty, difficulties)):
        if value not in known:
            raise UnknownName(what, str(value), known)
    demand_whole(rows, "generate: rows", least=FEWEST_ROWS)
    demand_whole(seed, "generate: seed")
    theme = THEMES[family]
    places = (list(THEMES).index(family), kinds.index(problem_type), difficulties.index(difficulty), int(timed))
    rng = np.random.default_rng([seed, rows, *places])
    relations = draw_relations(rng, theme, rows=rows, timed=timed)
    pool = insights(theme, timed=timed)
    chosen = [pool[place] for place in sorted(rng.permutation(len(pool))[: _INSIGHTS[difficulty]])]
    planted = _values(relations, chosen)
    # the informative base column is the last cause
    causes = np.column_stack(
        [_standard(planted[name].to_numpy()) for name in planted] + [_standard(relations.segments)]
    )
    weights = np.array([1.0] * len(chosen) + [_BASE_WEIGHT])
    target = _target(rng, theme, problem_type, causes, weights, _SIGNAL[difficulty])
    if timed:
        relations.betray(rng, target.high)
    id = f"{family}-{problem_type}-{'timed' if timed else 'static'}-{difficulty}-{seed}"
    task, truth = _assemble(problem_type, relations, chosen, planted, target.values)
    tags = {
        "family": family,
        "type": problem_type,
        "difficulty": difficulty,
        "timed": "yes" if timed else "no",
        "origin": "generated",
    }
    write_problem(Path(folder) / id, id=id, task=task, truth=truth, tags=tags)
    return Path(folder) / id


class _Target(NamedTuple):
    """The target's values, and which of them count as high: positives, the last class, the upper half."""

    values: npt.NDArray[Any]
    high: npt.NDArray[np.bool_]


def _values(relations: Relations, chosen: Sequence[Insight]) -> pd.DataFrame:
    """The planted columns, rounded as each insight says."""
    histories = list(relations.histories())
    columns = {}
    for insight in chosen:
        values = np.array([round(insight.value(history), insight.digits) for history in histories])
        columns[insight.name] = values if insight.digits else values.astype(np.int64)
    return pd.DataFrame(columns)


def _standard(values: npt.NDArray[Any]) -> FloatArray:
    """Ranks with mean 0 and deviation 1: the few large values of a skewed column must not carry the signal alone."""
    ranks = pd.Series(values).rank().to_numpy(dtype=np.float64)
    spread = ranks - ranks.mean()
    standard: FloatArray = spread / spread.std() if spread.any() else spread
    return standard


def _pulls(rng: np.random.Generator, causes: FloatArray, weights: FloatArray, outcomes: int) -> FloatArray:
    """How the causes act on each outcome, [causes, outcomes], drawn so that causes that go together do not cancel."""
    best, clearest = np.zeros((causes.shape[1], outcomes)), -1.0
    for _ in range(_DRAWS):
        pulls = np.zeros_like(best)
        for cause in range(len(pulls)):
            up, down = rng.permutation(max(outcomes, 2))[:2]
            if outcomes == 1:
                pulls[cause] = 1.0 if up else -1.0
            else:
                pulls[cause, up], pulls[cause, down] = 1.0, -1.0
        drawn = weights[:, None] * pulls
        if not drawn.any(axis=0).all():  # an outcome that nothing acts on
            continue
        effects = causes @ drawn
        together = np.abs(causes[:, :-1].T @ (effects - effects.mean(axis=0)) / effects.std(axis=0)) / len(causes)
        clear = float(together.max(axis=1).min())
        if clear > clearest:
            best, clearest = drawn, clear
    return best


def _target(
    rng: np.random.Generator, theme: Theme, kind: ProblemType, causes: FloatArray, weights: FloatArray, signal: float
) -> _Target:
    """Logistic, multinomial or linear in the causes, [rows, causes]; the last cause is the base column."""
    outcomes = len(theme.levels) if kind == "multiclass" else 1
    effects = causes @ _pulls(rng, causes, weights, outcomes)
    effects /= effects.std()
    if kind == "multiclass":
        places = np.argmax(signal * effects + rng.gumbel(size=effects.shape), axis=1)
        return _Target(np.asarray(theme.levels)[places], places == outcomes - 1)
    latent = effects[:, 0]
    if kind == "regression":
        values = np.round(50.0 + 10.0 * (latent + rng.normal(0.0, 1.5 / signal, size=len(latent))), 2)
        return _Target(values, values > np.median(values))
    chance = 1.0 / (1.0 + np.exp(-signal * (latent - np.quantile(latent, _POSITIVE_FROM))))
    labels = (rng.random(len(latent)) < chance).astype(np.int64)
    return _Target(labels, labels == 1)


def _assemble(
    kind: ProblemType, relations: Relations, chosen: Sequence[Insight], planted: pd.DataFrame, target: npt.NDArray[Any]
) -> tuple[InsightTask, InsightTruth]:
    theme = relations.theme
    base = relations.primary()
    column = {"binary": theme.flag, "multiclass": theme.level, "regression": theme.measure}[kind]
    split = len(base) - len(base) // _TEST_SHARE
    times = {
        f"{theme.events}.csv": TableTime(time_column=f"{theme.event}_date"),
        f"{theme.contacts}.csv": TableTime(time_column=f"{theme.contact}_date"),
        f"{theme.items}.csv": TableTime(static=True),
    }
    task = InsightTask(
        name=theme.title,
        description=theme.question,
        domain=theme.domain,
        target_column=column,
        problem_type=kind,
        train=base[:split].assign(**{column: target[:split]}),
        test=base[split:].reset_index(drop=True),
        tables=relations.tables(),
        time_column=f"{theme.row}_date" if relations.timed else None,
        table_times=times if relations.timed else {},
    )
    truth = InsightTruth(
        test_target=pd.Series(target[split:]),
        columns=tuple(planted.columns),
        descriptions=tuple(insight.words for insight in chosen),
        train=planted[:split],
        test=planted[split:].reset_index(drop=True),
        functions=tuple(FeatureFunction(name=insight.name, code=insight.code) for insight in chosen),
    )
    return task, truth
