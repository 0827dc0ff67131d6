"""The task of a cell in the formula track, as the page of that cell shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.charts import Drawing, Scale
from assay.core import Panel
from assay.core.display import counted
from assay.formula.problem.task import FormulaTask, Part, bounds_of

__all__ = ["given"]

_ROWS, _VARIABLES, _PLOTTED, _DOTS = 6, 24, 4, 80
_SIDE, _GAP, _TOP = 190, 64, 24


def given(task: FormulaTask, answer: object) -> Mapping[str, Any]:
    """The target against the first variables, their ranges, and the first rows of each table."""
    inputs = np.concatenate([part.inputs for part in task.parts])
    named = list(zip(task.variables, inputs.min(axis=0), inputs.max(axis=0), strict=True))[:_VARIABLES]
    parts: dict[str, Any] = {
        "drawn": _against(task, task.parts[0]),
        "asks": f"a formula for {task.target} from {counted(len(task.variables), 'variable')}",
        "variables": [{"variable": name, "lowest": float(low), "highest": float(high)} for name, low, high in named],
    }
    for part in task.parts:
        noise = f", noise {part.noise:.0%}" if len(task.parts) > 1 else ""
        rows = np.column_stack([part.inputs[:_ROWS, :_VARIABLES], part.target[:_ROWS]]).tolist()
        columns = (*task.variables[:_VARIABLES], task.target)
        parts[f"{counted(len(part.target), 'training row')}{noise}"] = [
            dict(zip(columns, row, strict=True)) for row in rows
        ]
    if task.test_inputs is not None:
        parts["rows to predict"] = len(task.test_inputs)
    return parts


def _against(task: FormulaTask, part: Part) -> Panel:
    chosen = np.unique(np.linspace(0, len(part.target) - 1, _DOTS).astype(int))
    names = task.variables[:_PLOTTED]
    drawing = Drawing("The target against each variable", width=_GAP + (_SIDE + _GAP) * len(names))
    heights = part.target[chosen]
    up = Scale(*bounds_of(heights), _TOP + _SIDE, -_SIDE)
    for place, name in enumerate(names):
        values = part.inputs[chosen, place]
        across = Scale(*bounds_of(values), _GAP + (_SIDE + _GAP) * place, _SIDE)
        drawing.x_axis(across, up.start, ticks=(across.low, across.high), label="{:.3g}".format, title=name)
        drawing.y_axis(up, across.start, ticks=(up.low, up.high), label="{:.3g}".format)
        for x, y in zip(values.tolist(), heights.tolist(), strict=True):
            drawing.dot("series-1 faint", across(x), up(y), radius=2.5)
    shown = "" if len(names) == len(task.variables) else f" The first {len(names)} of {len(task.variables)} are drawn."
    return Panel(
        title=f"{task.target} against each variable",
        svg=drawing.svg(_TOP + _SIDE + 40),
        caption=f"{len(chosen)} of {counted(len(part.target), 'training row')}, at equal steps.{shown}",
        columns=(*names, task.target),
        rows=tuple(
            (*row[: len(names)], float(y)) for row, y in zip(part.inputs[chosen].tolist(), heights, strict=True)
        ),
    )
