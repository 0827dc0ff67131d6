"""Where a subject would stand among the algorithms that SRBench published: by accuracy and by size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import mean
from typing import NamedTuple

from assay.formula.competition.published import Beside, Figures, middle

__all__ = ["Standing", "standing_summary", "standings"]


class Standing(NamedTuple):
    """A subject or an algorithm over data sets: medians, mean ranks among all, and the places that these give."""

    name: str
    ours: bool
    r2: float
    size: float
    r2_rank: float
    size_rank: float
    r2_place: int
    size_place: int


def standings(rows: Sequence[Beside], published: Mapping[tuple[str, str], Figures]) -> list[Standing]:
    """Every subject of the rows among all published algorithms, on the data sets that all of them have.

    Ranks are by data set, 1 for the best, shared ranks averaged; the place is that of the mean rank. The best R² is
    the highest, the best size the smallest.

    >>> ours = Beside("a", "mine", 1, 0, Figures(0.9, 5, 1.0), "", Figures(math.nan, math.nan, math.nan))
    >>> table = {("*GP", "a"): Figures(0.8, 40, 1.0), ("Linear", "a"): Figures(0.5, 3, 1.0)}
    >>> [(one.name, one.r2_place, one.size_place) for one in standings([ours], table)]
    [('mine', 1, 2), ('*GP', 2, 3), ('Linear', 3, 1)]
    """
    figures: dict[str, dict[str, Figures]] = {}
    for row in rows:
        figures.setdefault(row.subject, {})[row.dataset] = row.ours
    subjects = set(figures)
    for (algorithm, dataset), one in published.items():
        figures.setdefault(algorithm, {})[dataset] = one
    datasets = {row.dataset for row in rows}
    algorithms = [name for name in figures if name in subjects or datasets & set(figures[name])]
    shared = sorted(set.intersection(datasets, *(set(figures[name]) for name in algorithms)))
    if not shared:
        return []
    by_r2 = _mean_ranks([[_or_last(-figures[name][dataset].r2) for name in algorithms] for dataset in shared])
    by_size = _mean_ranks([[_or_last(figures[name][dataset].size) for name in algorithms] for dataset in shared])
    entries = [
        Standing(
            name=name,
            ours=name in subjects,
            r2=middle((figures[name][dataset].r2 for dataset in shared), unknown=-math.inf),
            size=middle((figures[name][dataset].size for dataset in shared), unknown=math.inf),
            r2_rank=by_r2[place],
            size_rank=by_size[place],
            r2_place=1 + sum(one < by_r2[place] for one in by_r2),
            size_place=1 + sum(one < by_size[place] for one in by_size),
        )
        for place, name in enumerate(algorithms)
    ]
    return sorted(entries, key=lambda one: (one.r2_place, one.size_place, one.name))


def _or_last(value: float) -> float:
    """What is unknown comes last."""
    return math.inf if math.isnan(value) else value


def _mean_ranks(table: Sequence[Sequence[float]]) -> list[float]:
    """Of every column, over the rows; the least value has rank 1."""
    ranks = [
        [sum(one < value for one in values) + (sum(one == value for one in values) + 1) / 2 for value in values]
        for values in table
    ]
    return [mean(column) for column in zip(*ranks, strict=True)]


def standing_summary(entries: Sequence[Standing]) -> str:
    """A line each; one's own subjects are marked."""
    if not entries:
        return "No data set is shared by all published algorithms."
    width = max(len(one.name) for one in entries) + 2
    lines = [f"{'':{width}}  median R²  mean rank  place   median size  mean rank  place"]
    lines += [
        f"{('> ' if one.ours else '  ') + one.name:{width}}  {one.r2:9.3f}  {one.r2_rank:9.1f}  {one.r2_place:5}"
        f"  {one.size:12.0f}  {one.size_rank:9.1f}  {one.size_place:5}"
        for one in entries
    ]
    return "\n".join(lines)
