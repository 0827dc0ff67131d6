"""Event logs: a case that repeats, an activity and a time, found by column names and by the order of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.core.display import counted
from assay.intake.table.values.column import Column
from assay.intake.table.values.words import says

__all__ = ["find_event_roles"]

_LARGEST = 500_000_000  # pairs of a case and an activity that are looked at


def find_event_roles(columns: Sequence[Column], chosen: Mapping[str, Column]) -> bool:
    """Give case, activity and resource, if the table is an event log; says whether it is one."""
    times = [column for column in columns if column.role == "time" and not _is_part(column)]
    if not times and "time" not in chosen:
        return False
    pair = _best_pair(columns, chosen)
    if pair is None:
        return False
    case, activity = pair
    case.role, activity.role = "case", "activity"
    case.why = f"{counted(case.distinct, 'case')} in {counted(case.rows, 'row')}" + (
        ", by its name" if says(case.name, "case") else ", values repeat"
    )
    named = says(activity.name, "activity")
    activity.why = f"{counted(activity.distinct, 'activity')}" + (", by its name" if named else ", cases begin alike")
    if "resource" not in chosen:
        match = _resource(columns, case)
        if match is not None:
            resource, reason = match
            resource.role = "resource"
            resource.why = f"{counted(resource.distinct, 'value')}, {reason}"
    return True


def _is_part(column: Column) -> bool:
    return column.time_format in ("%Y", "%m", "%d", "%H", "%M", "%S", "%V", "%b", "%B", "quarter")


def _best_pair(columns: Sequence[Column], named: Mapping[str, Column]) -> tuple[Column, Column] | None:
    cases = [named["case"]] if "case" in named else [column for column in columns if _could_be_case(column)]
    steps = [named["activity"]] if "activity" in named else [column for column in columns if _could_be_activity(column)]
    pairs = [(case, activity) for case in cases for activity in steps if case is not activity]
    scores = [_pair_score(case, activity, chosen=len(named) >= 2) for case, activity in pairs]
    best = max(scores, default=0.0)
    return pairs[scores.index(best)] if best > 0 else None


def _could_be_case(column: Column) -> bool:
    if column.role in ("time", "constant", "free-text", "boolean") or column.kind not in ("number", "text"):
        return False
    if column.kind == "number" and (column.type != "integer" or says(column.name, "measure")):
        return False
    return 1 < column.distinct < column.rows


def _could_be_activity(column: Column) -> bool:
    numbered = column.kind == "number" and column.type == "integer" and says(column.name, "strong-activity")
    texts = column.kind == "text" and column.role in ("feature-category", "free-text", "identifier")
    return (numbered or texts) and 1 < column.distinct <= max(40, 0.25 * column.rows)


def _pair_score(case: Column, activity: Column, *, chosen: bool) -> float:
    """How well two columns are a case and its activities; not positive where they are none."""
    if case.distinct * activity.distinct > _LARGEST:
        return 0.0
    alike, varied, per_case = _structure(case, activity)
    named_case = _points(case.name, {"strong-case": 2.0, "case": 1.0, "identifier": 0.5})
    named_step = _points(activity.name, {"strong-activity": 2.0, "activity": 1.0})
    if (says(activity.name, "resource") or says(activity.name, "resource-group")) and not named_step:
        return 0.0
    if chosen:
        return 1.0 + named_case + named_step + alike
    numbered = bool(case.levels[:200].str.contains(r"\d").mean() > 0.9)
    if per_case < 1.2 or not (numbered or named_case):
        return 0.0
    structure = alike >= 0.6 and varied >= 0.6 and per_case >= 1.5
    if named_case + named_step >= 3 or (named_case + named_step >= 1.5 and structure):
        return named_case + named_step + alike + varied
    unnamed = alike >= 0.8 and varied >= 0.7 and per_case >= 2 and activity.distinct >= 3
    return 0.5 * (alike + varied) if unnamed else 0.0


def _points(name: str, concepts: Mapping[str, float]) -> float:
    """The points of the first concept that a name contains."""
    return next((points for concept, points in concepts.items() if says(name, concept)), 0.0)


def _structure(case: Column, activity: Column) -> tuple[float, float, float]:
    """The share of cases that begin with the commonest beginning, of different steps in a case, and rows per case."""
    both = (case.codes >= 0) & (activity.codes >= 0)
    cases, steps = case.codes[both], activity.codes[both]
    if not len(cases):
        return 0.0, 0.0, 0.0
    first = np.full(case.distinct, -1)
    first[cases[::-1]] = steps[::-1]  # reversed, so that the first row of each case is written last
    began = first[first >= 0]
    pairs = np.zeros(case.distinct * activity.distinct, dtype=bool)
    pairs[cases.astype(np.int64) * activity.distinct + steps] = True
    alike = np.bincount(began).max() / len(began)
    return float(alike), float(pairs.sum() / len(cases)), float(len(cases) / len(began))


def _resource(columns: Sequence[Column], case: Column) -> tuple[Column, str] | None:
    """The resource column and why: by its name, people before groups and machines, else by names of people in it."""
    able = [
        column
        for column in columns
        if (column.role in ("feature-category", "identifier") or (column.kind == "number" and column.type == "integer"))
        and column.role not in ("time", "case", "activity", "constant")
        and 1 < column.distinct < 0.7 * column.rows
        and not says(column.name, "no-resource")
    ]
    for concept in ("resource", "resource-group"):
        named = [column for column in able if says(column.name, concept)]
        named = [column for column in named if column.kind == "text" or not says(column.name, "measure")]
        if named:
            best = min(named, key=lambda column: (says(column.name, "resource-group"), column.place))
            return best, "by its name"
    people = [column for column in able if _holds_people(column) and _varies(case, column)]
    return (people[0], "names of people") if people else None


def _holds_people(column: Column) -> bool:
    """Most texts look like names of people: ``Ana Ruiz``, ``Weber, T.``, ``j.smith``."""
    if column.kind != "text" or column.distinct < 3:
        return False
    some = column.levels[:200]
    person = r"[A-ZÀ-Ž][\w'’-]+,? (?:[A-ZÀ-Ž][\w'’-]*\.? ?){1,2}|[A-ZÀ-Ž]\. ?[A-ZÀ-Ž][\w'’-]+|[a-z]+[._][a-z]+"
    return bool(some.str.fullmatch(person).mean() >= 0.8)


def _varies(case: Column, column: Column) -> bool:
    """Whether a column changes within cases: the customer of a case does not."""
    both = (case.codes >= 0) & (column.codes >= 0)
    if not both.any() or case.distinct * column.distinct > _LARGEST:
        return False
    pairs = np.unique(case.codes[both].astype(np.int64) * column.distinct + column.codes[both])
    return bool(len(pairs) > 1.3 * len(np.unique(case.codes[both])))
