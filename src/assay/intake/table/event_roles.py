"""Event logs among tables: a case that repeats, an activity, a time; by their names and by how the rows follow each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.core.display import counted
from assay.intake.table.values import Column
from assay.intake.table.words import says, tokens

__all__ = ["find_event_roles"]


def find_event_roles(columns: Sequence[Column], given: Mapping[str, Column]) -> bool:
    """Give case, activity and resource, if the table is an event log; says whether it is one."""
    times = [column for column in columns if column.role == "time" and not _is_part(column)]
    if not times and "time" not in given:
        return False
    pair = _best_pair(columns, given)
    if pair is None:
        return False
    case, activity = pair
    case.role, activity.role = "case", "activity"
    case.why = f"{counted(case.distinct, 'case')} in {counted(case.rows, 'row')}" + (
        ", by its name" if says(case.name, "case") else ", values repeat"
    )
    named = says(activity.name, "activity")
    activity.why = f"{counted(activity.distinct, 'activity')}" + (", by its name" if named else ", cases begin alike")
    if "resource" not in given:
        resource = _resource(columns)
        if resource is not None:
            resource.role = "resource"
            resource.why = f"{counted(resource.distinct, 'value')}, by its name"
    return True


def _is_part(column: Column) -> bool:
    return column.time_format in ("%Y", "%m", "%d", "%H", "%M", "%S", "%V", "%b", "%B", "quarter")


def _best_pair(columns: Sequence[Column], given: Mapping[str, Column]) -> tuple[Column, Column] | None:
    cases = [given["case"]] if "case" in given else [column for column in columns if _could_be_case(column)]
    steps = [given["activity"]] if "activity" in given else [column for column in columns if _could_be_activity(column)]
    best: tuple[float, Column, Column] | None = None
    for case in cases:
        for activity in steps:
            if case is activity:
                continue
            score = _pair_score(case, activity, told=len(given) >= 2)
            if score > 0 and (best is None or score > best[0]):
                best = (score, case, activity)
    return None if best is None else (best[1], best[2])


def _could_be_case(column: Column) -> bool:
    if column.role in ("time", "constant", "free-text", "boolean") or column.kind not in ("number", "text"):
        return False
    if column.kind == "number" and (column.type != "integer" or says(column.name, "measure")):
        return False
    return 1 < column.distinct < column.rows


def _could_be_activity(column: Column) -> bool:
    if column.kind == "number" and column.type == "integer" and says(column.name, "strong-activity"):
        return 1 < column.distinct <= max(40, 0.25 * column.rows)
    if column.kind != "text" or column.role not in ("feature-category", "free-text", "identifier"):
        return False
    return 1 < column.distinct <= max(40, 0.25 * column.rows)


def _pair_score(case: Column, activity: Column, *, told: bool) -> float:
    """How well two columns are a case and its activities; not positive where they are none."""
    alike, varied, per_case = _structure(case, activity)
    named_case = (
        2.0
        if says(case.name, "strong-case")
        else 1.0
        if says(case.name, "case")
        else 0.5
        if says(case.name, "identifier")
        else 0.0
    )
    named_step = 2.0 if says(activity.name, "strong-activity") else 1.0 if says(activity.name, "activity") else 0.0
    if says(activity.name, "resource") and not named_step:
        return 0.0
    if told:
        return 1.0 + named_case + named_step + alike
    numbered = bool(case.levels[:200].str.contains(r"\d").mean() > 0.9)
    if per_case < 1.2 or not (numbered or named_case):
        return 0.0
    structure = alike >= 0.6 and varied >= 0.6 and per_case >= 1.5
    if named_case + named_step >= 3 or (named_case + named_step >= 1.5 and structure):
        return named_case + named_step + alike + varied
    return (
        0.5 * (alike + varied)
        if alike >= 0.8 and varied >= 0.7 and per_case >= 2 and (named_case or numbered) and activity.distinct >= 3
        else 0.0
    )


def _structure(case: Column, activity: Column) -> tuple[float, float, float]:
    """The share of cases that begin with the commonest beginning, of different steps in a case, and rows per case."""
    both = (case.codes >= 0) & (activity.codes >= 0)
    cases, steps = case.codes[both], activity.codes[both]
    if not len(cases):
        return 0.0, 0.0, 0.0
    found, first = np.unique(cases, return_index=True)
    begins = np.bincount(steps[first]).max() / len(found)
    pairs = len(np.unique(cases.astype(np.int64) * (steps.max() + 1) + steps))
    return float(begins), float(pairs / len(cases)), float(len(cases) / len(found))


def _resource(columns: Sequence[Column]) -> Column | None:
    able = [
        column
        for column in columns
        if column.role in ("feature-category", "identifier", "constant") and column.kind in ("text", "number") and column.distinct > 1
        and column.distinct < 0.7 * column.rows
    ]  # fmt: skip
    named = [column for column in able if says(column.name, "resource")]
    if not named:
        return None
    exact = [column for column in named if any(says(word, "resource") for word in tokens(column.name)[-1:])]
    weak = ("group", "role", "team", "department", "abteilung", "rolle", "gruppe")
    return min(exact or named, key=lambda column: (any(word in tokens(column.name) for word in weak), column.place))
