"""Does the value for a row depend on where the row stands, on its number, or on the calls before it?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.insight.leakage.finding import ROUNDING, Finding, compare, find_alone, finding_of
from assay.insight.leakage.perturbations import IntArray, Scenario, renumbered, shuffled
from assay.insight.leakage.perturbed_runs import Candidate, PerturbedRuns

__all__ = ["check_calls", "check_places", "random_order"]

_ALONE = 8  # rows that are moved
_PLACES = 2  # to as many places each
_OFTEN = 0.25


def random_order(runs: PerturbedRuns, number: int) -> IntArray:
    """An order of the training rows, drawn by the seed."""
    return np.random.default_rng([runs.seed, 3, number]).permutation(len(runs.setting.labels))


def check_calls(runs: PerturbedRuns, candidate: Candidate) -> Finding | None:
    """Call in another order, first and last with rows of other labels: what a call keeps shows in those after it."""
    if candidate.needs.whole:  # one call only
        return None
    labels = runs.setting.labels.to_numpy()
    order = np.random.default_rng([runs.seed, 9]).permutation(candidate.rows)
    for place, end in ((0, candidate.rows[0]), (-1, candidate.rows[-1])):
        others = np.flatnonzero(labels[order[1:-1]] != labels[end]) + 1
        if labels[order[place]] == labels[end] and len(others):
            order[[place, others[0]]] = order[[others[0], place]]
    every = np.concatenate([order, np.setdiff1d(np.arange(len(labels)), order)])
    outcome = runs.one(candidate, shuffled(runs.setting.plain(), every, together=False))
    changed = compare(candidate, outcome)
    if not changed.any():
        return None
    return finding_of("order", "rows called in another order", candidate.rows, candidate.plain, outcome, changed)


def check_places(runs: PerturbedRuns, candidate: Candidate) -> tuple[Finding | None, list[str]]:
    """Move rows in the training table and let them know their new places.

    A function of the training table may change because ties among *other* rows are broken differently. So single rows
    decide: each is moved to other places.
    """
    plain = runs.setting.plain()
    outcome = runs.one(candidate, _moved(candidate, plain, random_order(runs, 0)))
    changed = compare(candidate, outcome, tolerance=ROUNDING, scale=candidate.scale)
    if not changed.any():
        return None, []
    if candidate.needs.known and not candidate.needs.train and not candidate.needs.whole:
        test = "rows numbered again, in another order"
        return finding_of("order", test, candidate.rows, candidate.plain, outcome, changed), []
    return _move_alone(runs, candidate, candidate.rows[changed])


def _moved(candidate: Candidate, plain: Scenario, order: IntArray) -> Scenario:
    """The training table in another order, as a function of its rows or of the whole table sees it."""
    return shuffled(plain, order, together=True) if candidate.needs.whole else renumbered(plain, order)


def _move_alone(runs: PerturbedRuns, candidate: Candidate, rows: IntArray) -> tuple[Finding | None, list[str]]:
    """Move single rows to other places, all others in their order, and count how often that changes their values."""
    rng = np.random.default_rng([runs.seed, 4])
    plain = runs.setting.plain()
    count = len(plain.order)
    shown: list[Finding] = []
    test = "the row moved to another place"
    for row in rng.permutation(rows)[:_ALONE]:
        for place in rng.integers(count, size=_PLACES):
            scenario = _moved(candidate, plain, np.insert(np.delete(plain.order, row), place, row))
            finding = find_alone(runs, candidate, scenario, row, kind="order", test=test, scale=candidate.scale)
            if finding is not None:
                shown.append(finding)
            if len(shown) >= _OFTEN * _ALONE * _PLACES:  # a first or last entry is hit now and then, a place always
                rows_shown = [entry for finding in shown for entry in finding.rows]
                return replace(shown[0], changed=len(shown), rows=rows_shown), []
    return None, ["its value depends on the order of the training table (ties, first or last entries)"]
