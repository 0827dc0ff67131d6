"""Does the value for a row depend on that row's own label?

Labels are changed wherever they are: in the row, in the training table, in tables that repeat them. When all of them
change at once, honest statistics of other rows' labels change too; so a change is a suspicion, and a row is reported
only by a scenario in which its own label and nothing else is different.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from assay.insight.leakage.finding import ROUNDING, Finding, compare, find_alone, finding_of
from assay.insight.leakage.perturbations import BoolArray, IntArray, changed_labels, permuted_labels
from assay.insight.leakage.perturbed_runs import Candidate, PerturbedRuns, differ

__all__ = ["LabelUse", "check_few", "check_own_label", "outweighs_others", "perturbed_labels"]

_FEW = 4  # rows tried alone before anything else, so that a plain leak is found at once
_FIRST = 8  # suspicious rows tried alone first
_BLOCK = 64
_MOST_BLOCKS = 40
_ALONE = 24  # suspicious rows tried alone in all


@dataclass(slots=True)
class LabelUse:
    """How a function uses labels."""

    finding: Finding | None = None
    uses: bool = False  # labels of some rows, not necessarily the own
    alone: int = 0  # rows whose own label alone was changed
    contrast: bool = False  # equal labels, equal values: the own label can be read off


def perturbed_labels(runs: PerturbedRuns) -> list[tuple[str, pd.Series]]:
    """Other labels for all rows at once."""
    labels, kind = runs.setting.labels, runs.setting.task.problem_type
    every = np.ones(len(labels), dtype=np.bool_)
    rng = np.random.default_rng([runs.seed, 1])
    word = "shifted by the range of all" if kind == "regression" else "flipped"
    return [
        (f"labels {word}", changed_labels(labels, kind, every)),
        ("labels permuted", permuted_labels(labels, rng)),
    ]


def check_own_label(runs: PerturbedRuns, candidate: Candidate) -> LabelUse:
    """Change all labels; where that changes values, change labels one by one."""
    use = LabelUse()
    suspects = np.zeros(len(candidate.rows), dtype=np.bool_)
    only_row = not candidate.needs.whole and not runs.reaches_labels(candidate.needs)
    for test, labels in perturbed_labels(runs):
        outcome = runs.one(candidate, runs.setting.relabelled(labels))
        changed = compare(candidate, outcome)
        if changed.any() and only_row:  # a row holds one label, its own
            use.finding = finding_of("own label", test, candidate.rows, candidate.plain, outcome, changed)
            return use
        suspects |= changed
    if suspects.any():
        use.uses = True
        _isolate(runs, candidate, suspects, use)
        use.contrast = use.finding is None and _contrasts(runs, candidate)
    return use


def check_few(runs: PerturbedRuns, candidate: Candidate) -> Finding | None:
    """Change the labels of a few rows, each alone: what simply reads the own label is reported at once."""
    rows = _alternating(runs, np.random.default_rng([runs.seed, 10]).permutation(candidate.rows))
    use = LabelUse()
    for row in rows[:_FEW]:
        if _alone(runs, candidate, int(row), use):
            one = np.array([row])
            first, second = (runs.one(candidate, runs.setting.plain(), one, fresh=again) for again in (False, True))
            return None if differ(first.values, second.values).any() else use.finding
    return None


def _alternating(runs: PerturbedRuns, rows: IntArray) -> IntArray:
    """The rows so that every class comes early."""
    if runs.setting.task.problem_type == "regression":
        return rows
    codes = pd.factorize(runs.setting.labels.iloc[rows])[0]
    rank = pd.Series(codes).groupby(codes).cumcount().to_numpy()
    return rows[np.argsort(rank, kind="stable")]


def _isolate(runs: PerturbedRuns, candidate: Candidate, suspects: BoolArray, use: LabelUse) -> None:
    rng = np.random.default_rng([runs.seed, 2])
    rows = _alternating(runs, rng.permutation(candidate.rows[suspects]))
    for row in rows[:_FIRST]:
        if _alone(runs, candidate, int(row), use):
            return
    moved = _blocks(runs, candidate, rows)
    tried = set(rows[:_FIRST].tolist())
    strongest = sorted(moved, key=lambda row: -moved[row])
    rest = [row for row in rows.tolist() if row in moved]
    chosen = [row for row in dict.fromkeys([*strongest[: _ALONE // 3], *rest]) if row not in tried]
    for row in chosen[: _ALONE - _FIRST]:
        if _alone(runs, candidate, row, use):
            return


def _blocks(runs: PerturbedRuns, candidate: Candidate, rows: IntArray) -> dict[int, float]:
    """Rows that change when the labels of a block change, their own among them, and by how much.

    A block holds one class, so that changes of its labels cannot cancel. What stays as it was is cleared.
    """
    labels, kind = runs.setting.labels, runs.setting.task.problem_type
    groups = [rows] if kind == "regression" else [rows[labels.iloc[rows] == value] for value in labels.unique()]
    blocks = [group[start : start + _BLOCK] for group in groups for start in range(0, len(group), _BLOCK)]
    moved: dict[int, float] = {}
    for block in blocks[:_MOST_BLOCKS]:
        members = np.sort(block)
        chosen = np.isin(np.arange(len(labels)), members)
        scenario = runs.setting.relabelled(changed_labels(labels, kind, chosen))
        after = runs.one(candidate, scenario, members)
        before = candidate.plain_values(members)
        for place in np.flatnonzero(differ(before, after.values, tolerance=ROUNDING)):
            moved[int(members[place])] = _distance(before[place], after.values[place])
    return moved


def _distance(before: object, after: object) -> float:
    if isinstance(before, int | float) and isinstance(after, int | float):
        gap = abs(float(before) - float(after))
        return gap if gap == gap else float("inf")
    return float("inf")


def _alone(runs: PerturbedRuns, candidate: Candidate, row: int, use: LabelUse) -> bool:
    """Change the label of one row and look at that row; compared with the same single call without the change."""
    labels, task = runs.setting.labels, runs.setting.task
    chosen = np.arange(len(labels)) == row
    use.alone += 1
    for step in (1, -1) if task.problem_type == "multiclass" else (1,):
        scenario = runs.setting.relabelled(changed_labels(labels, task.problem_type, chosen, step=step))
        test = f"the row's own label changed{_copies(runs, candidate)}, all others as they were"
        use.finding = find_alone(runs, candidate, scenario, row, kind="own label", test=test)
        if use.finding is not None:
            return True
    return False


def _copies(runs: PerturbedRuns, candidate: Candidate) -> str:
    """Where tables repeat labels, and so the row's own changed with it; nothing for what reads no tables."""
    places = [f"{cell.column!r} of {name}" for name, cells in runs.setting.cells.items() for cell in cells]
    shown = places if candidate.needs.auxiliary else []
    return f", also where training labels are repeated ({', '.join(shown[:3])})" if shown else ""


def outweighs_others(runs: PerturbedRuns, candidate: Candidate, row: int, after: object) -> bool:
    """Whether a row's value moves more with its own label than with the labels of all the others."""
    labels, one = runs.setting.labels, np.array([row])
    others = np.arange(len(labels)) != row
    scenario = runs.setting.relabelled(changed_labels(labels, runs.setting.task.problem_type, others))
    before = runs.one(candidate, runs.setting.plain(), one)
    moved = runs.one(candidate, scenario, one)
    if not differ(before.values, moved.values, tolerance=ROUNDING).any():
        return True
    return _distance(before.values[0], after) > _distance(before.values[0], moved.values[0])


def _contrasts(runs: PerturbedRuns, candidate: Candidate) -> bool:
    """Whether nearly every frequent value belongs to one label only, as means that leave the own row out do."""
    if runs.setting.task.problem_type == "regression":
        return False
    table = pd.DataFrame(
        {
            "value": [str(v) for v in candidate.plain.values],
            "label": runs.setting.labels.iloc[candidate.rows].astype(str),
        }
    )
    groups = table.groupby("value")["label"].agg(["size", "nunique"])
    often = groups[groups["size"] >= 5]
    pure = often.loc[often["nunique"] == 1, "size"].sum()
    return len(often) > 1 and bool(pure >= 0.95 * often["size"].sum()) and bool(often["size"].sum() >= 0.5 * len(table))
