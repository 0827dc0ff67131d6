"""What a leak check finds: a kind, the test that showed it, the rows that show it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from assay.core import Json
from assay.insight.leakage.perturbations import BoolArray, IntArray, Scenario
from assay.insight.leakage.perturbed_runs import Candidate, Outcome, PerturbedRuns, differ
from assay.insight.leakage.verdict import Examples, examples

__all__ = ["ROUNDING", "Finding", "compare", "find_alone", "finding_of"]

ROUNDING = 1e-12  # sums in another order, or without the own row by subtraction, differ in their last digits


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Reason enough to report a leak."""

    kind: str
    test: str
    changed: int = 0
    rows: Examples = field(default_factory=list)
    statistic: dict[str, Json] = field(default_factory=dict)


def compare(candidate: Candidate, other: Outcome, *, tolerance: float = 0.0, scale: float = 0.0) -> BoolArray:
    """Where a candidate's values in another scenario differ from its plain ones; nowhere when a limit stopped it."""
    if not other.comparable:
        return np.zeros(len(candidate.rows), dtype=np.bool_)
    return differ(candidate.plain.values, other.values, tolerance=tolerance, scale=scale)


def finding_of(kind: str, test: str, rows: IntArray, before: Outcome, after: Outcome, changed: BoolArray) -> Finding:
    """A finding that shows the changed rows."""
    shown = examples(rows, before.values, after.values, changed)
    return Finding(kind=kind, test=test, changed=int(changed.sum()), rows=shown)


def find_alone(
    runs: PerturbedRuns, candidate: Candidate, scenario: Scenario, row: int, *, kind: str, test: str, scale: float = 0.0
) -> Finding | None:
    """Look at one row under a scenario; what changes is compared with the same single call without it."""
    one = np.array([row])
    after = runs.one(candidate, scenario, one)
    before = candidate.plain_values(one)
    if not after.comparable or not differ(before, after.values, tolerance=ROUNDING, scale=scale).any():
        return None
    alone = runs.one(candidate, runs.setting.plain(), one)
    changed = differ(alone.values, after.values, tolerance=ROUNDING, scale=scale)
    return finding_of(kind, test, one, alone, after, changed) if alone.comparable and changed.any() else None
