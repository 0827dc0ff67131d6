"""The headline per seed: how much a subject's score depends on its randomness."""

from __future__ import annotations

import math

import numpy as np

from assay.charts.lines import Line, named_lines
from assay.charts.scale import scale_around
from assay.report.figures.figure import Basis, Figure, plain_value
from assay.report.wording import format_number, shown
from assay.stats import score_table
from assay.stats.ranks import mean_scores

__all__ = ["seed_lines"]

_MOST = 12
_FEWEST = 2


def seed_lines(basis: Basis) -> Figure | None:
    """The mean over problems of each seed alone; none where there is one seed."""
    seeds = basis.results.table.labels["seed"]
    names = sorted(seeds.values, key=int)
    if len(names) < _FEWEST:
        return None
    board, means = basis.board, []
    chosen = [row.subject for row in board.rows[:_MOST]]
    for seed in names:
        part = basis.results.part(np.flatnonzero(seeds.codes == seeds.values.index(seed)))
        table = score_table(part.table, board.headline, goal=board.columns[0].goal)
        means.append(dict(zip(table.subjects, mean_scores(table).tolist(), strict=True)))
    lines = [
        Line(
            shown(name),
            basis.marks[name],
            [by_subject.get(name, math.nan) for by_subject in means],
            [
                f"{shown(name)}, seed {seed}: {format_number(by_subject.get(name, math.nan))}"
                for seed, by_subject in zip(names, means, strict=True)
            ],
        )
        for name in chosen
    ]
    return Figure(
        key="seeds",
        title="Seed by seed",
        svg=named_lines(
            lines,
            [str(seed) for seed in names],
            scale_around(value for line in lines for value in line.values),
            x_axis="seed",
            y_axis=f"{basis.headline}, mean over problems",
            label=f"{board.headline} by seed",
        ),
        caption="The mean over the problems of each seed alone. A flat line: the subject's own randomness does not "
        f"matter.{basis.cut_words(len(chosen))}",
        columns=("seed", "subject", f"mean_{board.headline}"),
        rows=tuple(
            (int(seed), name, plain_value(value))
            for seed, by_subject in zip(names, means, strict=True)
            for name, value in by_subject.items()
        ),
    )
