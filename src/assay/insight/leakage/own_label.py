"""Does the value for a row depend on that row's own label?

Labels are changed wherever they are: in the row, in the training table, in tables that repeat them. When all of them
change at once, honest statistics of other rows' labels change too; so a change is a suspicion, and a row is convicted
only by a world in which its own label and nothing else is different.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from assay.insight.leakage.finding import Found, compare, found_in, place_of
from assay.insight.leakage.perturbations import BoolArray, IntArray, changed_labels, permuted_labels
from assay.insight.leakage.perturbed_runs import Candidate, Outcome, Trial, differ

__all__ = ["LabelUse", "check_few", "check_own_label", "label_worlds"]

_FEW = 4  # rows tried alone before anything else, so that a plain leak is found at once
_FIRST = 8  # suspicious rows tried alone first
_BLOCK = 64
_MOST_BLOCKS = 40
_ALONE = 24  # suspicious rows tried alone in all
_ROUNDING = 1e-12  # sums that leave the own row out by subtraction differ in their last digits


class LabelUse:
    """What was learnt of a function's use of labels."""

    def __init__(self) -> None:
        self.found: Found | None = None
        self.uses = False  # labels of some rows, not necessarily the own
        self.alone = 0  # rows whose own label alone was changed
        self.contrast = False  # equal labels, equal values: the own label can be read off


def label_worlds(trial: Trial) -> list[tuple[str, pd.Series]]:
    """Other labels for all rows at once."""
    labels, kind = trial.setting.labels, trial.setting.task.problem_type
    every = np.ones(len(labels), dtype=np.bool_)
    rng = np.random.default_rng([trial.seed, 1])
    word = "shifted by the range of all" if kind == "regression" else "flipped"
    return [
        (f"labels {word}", changed_labels(labels, kind, every)),
        ("labels permuted", permuted_labels(labels, rng)),
    ]


def check_own_label(trial: Trial, candidate: Candidate) -> LabelUse:
    """Change all labels; where that changes values, change labels one by one."""
    use = LabelUse()
    suspects = np.zeros(len(candidate.rows), dtype=np.bool_)
    needs = candidate.needs
    only_row = needs.known and not needs.train and not needs.whole
    only_row &= not (needs.auxiliary and trial.setting.cells)
    for test, labels in label_worlds(trial):
        outcome = trial.one(candidate, trial.setting.relabelled(labels))
        changed = compare(candidate, outcome)
        if changed.any() and only_row:  # a row holds one label, its own
            use.found = found_in("own label", test, candidate.rows, candidate.plain, outcome, changed)
            return use
        suspects |= changed
    if suspects.any():
        use.uses = True
        _isolate(trial, candidate, suspects, use)
        use.contrast = use.found is None and _contrasts(trial, candidate)
    return use


def check_few(trial: Trial, candidate: Candidate) -> Found | None:
    """Change the labels of a few rows, each alone: what simply reads the own label is convicted at once."""
    rows = _alternating(trial, np.random.default_rng([trial.seed, 10]).permutation(candidate.rows))
    use = LabelUse()
    for row in rows[:_FEW]:
        if _alone(trial, candidate, int(row), use):
            one = np.array([row])
            first, second = (trial.one(candidate, trial.setting.plain(), one, fresh=again) for again in (False, True))
            return None if differ(first.values, second.values).any() else use.found
    return None


def _alternating(trial: Trial, rows: IntArray) -> IntArray:
    """The rows so that every class comes early."""
    if trial.setting.task.problem_type == "regression":
        return rows
    codes = pd.factorize(trial.setting.labels.iloc[rows])[0]
    rank = pd.Series(codes).groupby(codes).cumcount().to_numpy()
    return rows[np.argsort(rank, kind="stable")]


def _isolate(trial: Trial, candidate: Candidate, suspects: BoolArray, use: LabelUse) -> None:
    rng = np.random.default_rng([trial.seed, 2])
    rows = _alternating(trial, rng.permutation(candidate.rows[suspects]))
    for row in rows[:_FIRST]:
        if _alone(trial, candidate, int(row), use):
            return
    moved = _blocks(trial, candidate, rows)
    tried = set(rows[:_FIRST].tolist())
    strongest = sorted(moved, key=lambda row: -moved[row])
    rest = [row for row in rows.tolist() if row in moved]
    chosen = [row for row in dict.fromkeys([*strongest[: _ALONE // 3], *rest]) if row not in tried]
    for row in chosen[: _ALONE - _FIRST]:
        if _alone(trial, candidate, row, use):
            return


def _blocks(trial: Trial, candidate: Candidate, rows: IntArray) -> dict[int, float]:
    """Rows that change when the labels of a block change, their own among them, and by how much.

    A block holds one class, so that changes of its labels cannot cancel. What stays as it was is cleared.
    """
    labels, kind = trial.setting.labels, trial.setting.task.problem_type
    groups = [rows] if kind == "regression" else [rows[labels.iloc[rows] == value] for value in labels.unique()]
    blocks = [group[start : start + _BLOCK] for group in groups for start in range(0, len(group), _BLOCK)]
    moved: dict[int, float] = {}
    for block in blocks[:_MOST_BLOCKS]:
        members = np.sort(block)
        chosen = np.isin(np.arange(len(labels)), members)
        world = trial.setting.relabelled(changed_labels(labels, kind, chosen))
        after = trial.one(candidate, world, members)
        before = candidate.plain.values[place_of(candidate.rows, members)]
        for place in np.flatnonzero(differ(before, after.values, tolerance=_ROUNDING)):
            moved[int(members[place])] = _distance(before[place], after.values[place])
    return moved


def _distance(before: object, after: object) -> float:
    if isinstance(before, int | float) and isinstance(after, int | float):
        gap = abs(float(before) - float(after))
        return gap if gap == gap else float("inf")
    return float("inf")


def _alone(trial: Trial, candidate: Candidate, row: int, use: LabelUse) -> bool:
    """Change the label of one row and look at that row; compared with the same single call without the change."""
    labels, task = trial.setting.labels, trial.setting.task
    one = np.array([row])
    chosen = np.arange(len(labels)) == row
    use.alone += 1
    for step in (1, -1) if task.problem_type == "multiclass" else (1,):
        world = trial.setting.relabelled(changed_labels(labels, task.problem_type, chosen, step=step))
        after = trial.one(candidate, world, one)
        before = candidate.plain.values[place_of(candidate.rows, one)]
        if not after.comparable or not differ(before, after.values, tolerance=_ROUNDING).any():
            continue
        alone: Outcome = trial.one(candidate, trial.setting.plain(), one)
        changed = differ(alone.values, after.values, tolerance=_ROUNDING)
        if alone.comparable and changed.any():
            test = "the row's own label changed, all others as they were"
            use.found = found_in("own label", test, one, alone, after, changed)
            return True
    return False


def _contrasts(trial: Trial, candidate: Candidate) -> bool:
    """Whether nearly every frequent value belongs to one label only, as means that leave the own row out do."""
    if trial.setting.task.problem_type == "regression":
        return False
    table = pd.DataFrame(
        {
            "value": [str(v) for v in candidate.plain.values],
            "label": trial.setting.labels.iloc[candidate.rows].astype(str),
        }
    )
    groups = table.groupby("value")["label"].agg(["size", "nunique"])
    often = groups[groups["size"] >= 5]
    pure = often.loc[often["nunique"] == 1, "size"].sum()
    return len(often) > 1 and bool(pure >= 0.95 * often["size"].sum()) and bool(often["size"].sum() >= 0.5 * len(table))
