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
    figures: dict[tuple[str, bool], dict[str, Figures]] = {}  # a subject of one's own may be called as an algorithm
    for row in rows:
        figures.setdefault((row.subject, True), {})[row.dataset] = row.ours
    for (algorithm, dataset), one in published.items():
        figures.setdefault((algorithm, False), {})[dataset] = one
    datasets = {row.dataset for row in rows}
    shared = sorted(set.intersection(datasets, *(set(one) for one in figures.values() if datasets & set(one))))
    if not shared:
        return []
    compared = {key: [one[dataset] for dataset in shared] for key, one in figures.items() if datasets & set(one)}
    by_r2 = _mean_ranks([[_or_last(-one.r2) for one in row] for row in compared.values()])
    by_size = _mean_ranks([[_or_last(one.size) for one in row] for row in compared.values()])
    entries = [
        Standing(
            name=name,
            ours=ours,
            r2=middle((one.r2 for one in row), unknown=-math.inf),
            size=middle((one.size for one in row), unknown=math.inf),
            r2_rank=by_r2[place],
            size_rank=by_size[place],
            r2_place=1 + sum(one < by_r2[place] for one in by_r2),
            size_place=1 + sum(one < by_size[place] for one in by_size),
        )
        for place, ((name, ours), row) in enumerate(compared.items())
    ]
    return sorted(entries, key=lambda one: (one.r2_place, one.size_place, one.name))


def _or_last(value: float) -> float:
    """What is unknown comes last."""
    return math.inf if math.isnan(value) else value


def _mean_ranks(table: Sequence[Sequence[float]]) -> list[float]:
    """Of every row, over the columns; the least value of a column has rank 1."""
    ranks = [
        [sum(one < value for one in values) + (sum(one == value for one in values) + 1) / 2 for value in values]
        for values in zip(*table, strict=True)
    ]
    return [mean(row) for row in zip(*ranks, strict=True)]


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
