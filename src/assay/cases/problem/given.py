"""What a subject of the cases track was given, for the page of its cell: cases, and queries beside their neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from assay.cases.answer.answer import CasesAnswer
from assay.cases.problem.task import CasesTask
from assay.charts import Drawing
from assay.core import Panel

__all__ = ["given"]

_ROWS, _COLUMNS, _QUERIES, _NEIGHBOURS = 5, 16, 5, 5
_SIDE, _DARKEST = 8, 16  # of the images of digits that everybody knows
_PIXEL, _STEP, _ROW = 8, 110, 102


class _Shown(NamedTuple):
    """A query or a training case, with its values."""

    name: str
    label: str
    values: Any


def given(task: CasesTask, answer: CasesAnswer | None) -> Mapping[str, Any]:
    """Sizes and classes, the first training cases, and the queries of least trust with the cases they rest on."""
    cases = [_case(task, row) for row in range(min(_ROWS, len(task.train_y)))]
    queries = _queries(task, answer)
    parts: dict[str, Any] = {
        "training cases": len(task.train_y),
        "queries": len(task.predicted),
        "columns": len(task.feature_names),
        "classes": [
            {"class": str(label), "training cases": int(np.sum(task.train_y == label))} for label in task.classes
        ],
    }
    query_title = "queries of least trust, and the cases they rest on" if queries.neighbours else "queries"
    if _is_image(task):
        rows = [[query, *queries.neighbours.get(query.name, ())] for query in queries.queries]
        parts["images"] = _images(rows, cases, query_title)
        return parts
    names = task.feature_names[:_COLUMNS]
    if len(names) < len(task.feature_names):
        parts["columns"] = f"{len(task.feature_names)}, of which the first {_COLUMNS} are shown"
    listed = [one for query in queries.queries for one in (query, *queries.neighbours.get(query.name, ()))]
    for title, entries in (("first training cases", cases), (query_title, listed)):
        parts[title] = [
            {"": one.name, "class": one.label, **dict(zip(names, one.values.tolist(), strict=False))} for one in entries
        ]
    return parts


class _Queries(NamedTuple):
    queries: Sequence[_Shown]
    neighbours: Mapping[str, Sequence[_Shown]]


def _queries(task: CasesTask, answer: CasesAnswer | None) -> _Queries:
    """Those that the answer trusts least, else the first."""
    count = len(task.predicted)
    scores = None if answer is None or len(answer.scores) != count else answer.scores
    order = np.arange(count) if scores is None else np.argsort(scores, kind="stable")
    queries, neighbours = [], {}
    for row in order[:_QUERIES].tolist():
        trust = "" if scores is None else f", trust {scores[row]:.3g}"
        query = _Shown(f"query {row}{trust}", f"predicted {task.predicted[row]}", task.query_X[row])
        queries.append(query)
        if scores is not None and answer is not None and answer.neighbors is not None:
            near = [case for case in answer.neighbors[row].tolist() if 0 <= case < len(task.train_y)]
            neighbours[query.name] = [_case(task, case) for case in near[:_NEIGHBOURS]]
    return _Queries(queries, neighbours)


def _case(task: CasesTask, row: int) -> _Shown:
    return _Shown(f"case {row}", str(task.train_y[row]), task.train_X[row])


def _is_image(task: CasesTask) -> bool:
    """Whether the columns are the pixels of such an image: 64 whole numbers from 0 to 16."""
    values = task.train_X
    is_grey = values.shape[1] == _SIDE**2 and values.size > 0 and values.min() >= 0 and 1 < values.max() <= _DARKEST
    return bool(is_grey and np.array_equal(values, np.round(values)))


def _images(rows: Sequence[Sequence[_Shown]], cases: Sequence[_Shown], query_title: str) -> Panel:
    drawing = Drawing("Images of queries and training cases", width=_STEP * (1 + _NEIGHBOURS) + 60)
    for down, row in enumerate([*rows, cases]):
        for place, one in enumerate(row):
            x, y = _STEP * place + (40 if place and down < len(rows) else 0), _ROW * down
            drawing.text(x, y + 12, one.name, style="axis strong" if down < len(rows) and not place else "axis")
            drawing.text(x, y + 27, one.label, style="axis ink", longest=20 if not place else 14, title=one.label)
            drawing.image(one.values.reshape(_SIDE, _SIDE) / _DARKEST, x, y + 33, _PIXEL)
    return Panel(
        title="Images",
        svg=drawing.svg(_ROW * (len(rows) + 1)),
        caption=f"In each row a query, and behind it cases with their labels: {query_title}. The last row: the first "
        "training cases.",
    )
