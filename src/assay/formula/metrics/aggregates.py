"""Scores that exist only among the subjects of a run: ranks into one number."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from assay.core import Aggregate, Record
from assay.formula.metrics.judging import (
    competition_2022_scores,
    competition_2022_simplicity,
    competition_2023_scores,
    property_judgement,
)

__all__ = ["AGGREGATES"]

_Table = npt.NDArray[np.float64]
_EARLIER = {"plain_property_score": "property_score"}  # its name in records of earlier versions


def judged(records: Sequence[Record]) -> dict[str, float]:
    r"""Harmonic mean of the rank values of accuracy, simplicity and property per problem, averaged over problems.

    $$S_s = \frac{1}{D} \sum_d \frac{3}{1/a_{ds} + 1/c_{ds} + 1/p_{ds}}$$

    Over the subjects of the run: means over seeds, rounded to 3 decimals, dense ranks with value N - k + 1. Simplicity
    is the size of the simplified model; a failed subject ranks last in it.
    """
    subjects, (r2, size, score) = _tables(records, "r2", "simplified_complexity", "property_score")
    return _named(subjects, property_judgement(r2, -size, score)) if len(r2) else {}


def judged_2022(records: Sequence[Record]) -> dict[str, float]:
    r"""As ``judged``, by the rules of the 2022 competition: sizes as logarithms, and the last place is worth 0.

    $$S_s = \frac{1}{D} \sum_d \frac{3}{1/(N - k^a_{ds}) + 1/(N - k^c_{ds}) + 1/(N - k^p_{ds})}$$

    On this run's problems and our node counts of the simplified models, with the plain score of the property as in that
    competition; ``assay formula judge`` replays entries.
    """
    subjects, (r2, size, score) = _tables(records, "r2", "simplified_complexity", "plain_property_score")
    if not len(r2):
        return {}
    simplicity = [[nodes if math.isnan(nodes) else competition_2022_simplicity(nodes) for nodes in row] for row in size]
    return _named(subjects, competition_2022_scores(r2, simplicity, score))


def judged_2023(records: Sequence[Record]) -> dict[str, float]:
    r"""Harmonic mean of the rank values of accuracy and of size over all problems, by the 2023 competition's rules.

    $$S_s = \frac{2n}{\sum_{d=1}^{n} \left(1/a_{ds} + 1/c_{ds}\right)}$$

    Not rounded, on the test R² and our node counts of the models as written; ``assay formula judge`` replays entries.
    """
    subjects, (r2, size) = _tables(records, "r2", "complexity")
    return _named(subjects, competition_2023_scores(r2, size)) if len(r2) else {}


def _tables(records: Sequence[Record], *names: str) -> tuple[list[str], list[_Table]]:
    """One row per problem and one column per subject for each score: means over the seeds."""
    subjects = sorted({record.subject for record in records})
    problems = sorted({record.problem for record in records})
    tables = [np.full((len(problems), len(subjects)), np.nan) for _ in names]
    cells: dict[tuple[str, str], list[list[float]]] = {}
    for record in records:  # numbers only: there may be more records than memory holds
        values = cells.setdefault((record.problem, record.subject), [[] for _ in names])
        for cell, name in zip(values, names, strict=True):
            cell.append(record.scores.get(name, record.scores.get(_EARLIER.get(name, name), math.nan)))
    row = {problem: place for place, problem in enumerate(problems)}
    column = {subject: place for place, subject in enumerate(subjects)}
    for (problem, subject), values in cells.items():
        for table, cell in zip(tables, values, strict=True):
            table[row[problem], column[subject]] = _mean(cell)
    return subjects, tables


def _mean(values: Sequence[float]) -> float:
    defined = sorted(value for value in values if not math.isnan(value))  # arrival order must not move a digit
    return sum(defined) / len(defined) if defined else math.nan


def _named(subjects: Sequence[str], scores: Sequence[float]) -> dict[str, float]:
    return dict(zip(subjects, scores, strict=True))


AGGREGATES: tuple[Aggregate, ...] = (
    Aggregate("judged", judged, version=2),
    Aggregate("judged_2022", judged_2022),
    Aggregate("judged_2023", judged_2023),
)
