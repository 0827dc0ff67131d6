"""Difficulty and discrimination of each problem, as a map."""

from __future__ import annotations

import math

from assay.charts import Mark
from assay.charts.scale import Scale, scale_around
from assay.charts.scatter import Spot, scatter
from assay.report.analysis.items import analysed_items
from assay.report.figures.figure import Basis, Figure, cell_place, plain_value
from assay.report.wording import format_number, shown
from assay.stats import Item

__all__ = ["problem_map"]

_WIDTH, _HEIGHT = 1180, 400
_MOST = 1500  # dots; more are sampled as the list of problems is
_NAMED = 8
_PLAIN, _ODD = Mark(1, "circle"), Mark(2, "diamond")


def problem_map(basis: Basis) -> Figure | None:
    """A dot per problem; none where no problem's discrimination can be told."""
    analysis = analysed_items(basis.results)
    count = len(analysis.items)
    listed = {problem: place for place, problem in enumerate(basis.listed)}
    items = [item for item in analysis.items if math.isfinite(item.discrimination)]
    if len(items) < 2:
        return None
    sample = items if len(items) <= _MOST else [item for item in items if item.problem in listed] or items[:_MOST]
    named = {item.problem for item in sorted(sample, key=lambda item: item.discrimination)[:_NAMED] if _is_odd(item)}
    spots = [
        Spot(
            item.mean,
            item.discrimination,
            _ODD if _is_odd(item) else _PLAIN,
            f"{shown(item.problem)}: mean {format_number(item.mean)}, "
            f"discrimination {format_number(item.discrimination)}, difficulty {item.difficulty} of {count}",
            shown(item.problem) if item.problem in named else "",
            None,
            cell_place(listed[item.problem], -1) if item.problem in listed else "",
        )
        for item in sample
    ]
    untold = count - len(items)
    lowest = min(-0.2, *(item.discrimination for item in sample))
    return Figure(
        key="problem-map",
        title="What each problem tells",
        svg=scatter(
            spots,
            scale_around(item.mean for item in sample),
            Scale(max(-1.0, math.floor(lowest * 5) / 5), 1.0, 0, 1),
            x_axis=f"mean {basis.headline} of all subjects: "
            + ("harder on the left" if basis.board.columns[0].goal == "max" else "harder on the right"),
            y_axis="discrimination: does who is good elsewhere do well here?",
            label="Difficulty and discrimination of the problems",
            width=_WIDTH,
            height=_HEIGHT,
        ),
        caption="A dot per problem; choose one to open it. Discrimination is the correlation over subjects of the "
        "score here with the mean over the other problems. Diamonds are at 0 or below: they do not tell better "
        "subjects from worse ones, or contradict the others."
        + (f" {untold} without one: all subjects score alike there, or too few have one." if untold else ""),
        columns=("problem", f"mean_{analysis.metric}", "discrimination", "agreement", "difficulty", "solved_by"),
        rows=tuple(
            (
                item.problem,
                plain_value(item.mean),
                plain_value(item.discrimination),
                plain_value(item.agreement),
                item.difficulty,
                item.solved_by,
            )
            for item in (analysis.items if count <= _MOST else sample)
        ),
    )


def _is_odd(item: Item) -> bool:
    return item.discrimination <= 0
