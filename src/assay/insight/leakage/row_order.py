"""Does the value for a row depend on where the row stands, on its number, or on the calls before it?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.insight.leakage.finding import Found, compare, found_in, place_of
from assay.insight.leakage.perturbations import IntArray, renumbered, shuffled
from assay.insight.leakage.perturbed_runs import Candidate, Trial, differ

__all__ = ["check_calls", "check_places", "drawn_order"]

_NEAR = 1e-12  # sums in another order differ in their last digits
_ALONE = 8  # rows that are moved
_PLACES = 2  # to as many places each
_OFTEN = 0.25


def drawn_order(trial: Trial, number: int) -> IntArray:
    """An order of the training rows, drawn by the seed."""
    return np.random.default_rng([trial.seed, 3, number]).permutation(len(trial.setting.labels))


def check_calls(trial: Trial, candidate: Candidate) -> Found | None:
    """Call in another order, first and last with rows of other labels: what a call keeps shows in those after it."""
    if candidate.needs.whole or candidate.random:  # one call only, or random numbers in the order of the calls
        return None
    labels = trial.setting.labels.to_numpy()
    order = np.random.default_rng([trial.seed, 9]).permutation(candidate.rows)
    for place, end in ((0, candidate.rows[0]), (-1, candidate.rows[-1])):
        others = np.flatnonzero(labels[order[1:-1]] != labels[end]) + 1
        if labels[order[place]] == labels[end] and len(others):
            order[[place, others[0]]] = order[[others[0], place]]
    every = np.concatenate([order, np.setdiff1d(np.arange(len(labels)), order)])
    outcome = trial.one(candidate, shuffled(trial.setting.plain(), every, together=False))
    changed = compare(candidate, outcome)
    if not changed.any():
        return None
    return found_in("order", "rows called in another order", candidate.rows, candidate.plain, outcome, changed)


def check_places(trial: Trial, candidate: Candidate) -> tuple[Found | None, list[str]]:
    """Move rows in the training table and let them know their new places.

    A function of the training table may change because ties among *other* rows are broken differently. So single rows
    decide: each is moved to other places.
    """
    plain = trial.setting.plain()
    order = drawn_order(trial, 0)
    moved = shuffled(plain, order, together=True) if candidate.needs.whole else renumbered(plain, order)
    outcome = trial.one(candidate, moved)
    changed = compare(candidate, outcome, tolerance=_NEAR, scale=candidate.scale)
    if not changed.any():
        return None, []
    if candidate.needs.known and not candidate.needs.train and not candidate.needs.whole:
        test = "rows numbered anew, in another order"
        return found_in("order", test, candidate.rows, candidate.plain, outcome, changed), []
    return _move_alone(trial, candidate, candidate.rows[changed])


def _move_alone(trial: Trial, candidate: Candidate, rows: IntArray) -> tuple[Found | None, list[str]]:
    """Move single rows to other places, all others in their order, and count how often that changes their values."""
    rng = np.random.default_rng([trial.seed, 4])
    plain = trial.setting.plain()
    count = len(plain.order)
    shown: list[Found] = []
    for row in rng.permutation(rows)[:_ALONE]:
        one = np.array([row])
        alone = None
        for place in rng.integers(count, size=_PLACES):
            order = np.insert(np.delete(plain.order, row), place, row)
            world = shuffled(plain, order, together=True) if candidate.needs.whole else renumbered(plain, order)
            after = trial.one(candidate, world, one)
            before = candidate.plain.values[place_of(candidate.rows, one)]
            if not after.comparable or not differ(before, after.values, tolerance=_NEAR, scale=candidate.scale).any():
                continue
            alone = alone or trial.one(candidate, plain, one)
            unequal = differ(alone.values, after.values, tolerance=_NEAR, scale=candidate.scale)
            if alone.comparable and unequal.any():
                shown.append(found_in("order", "the row moved to another place", one, alone, after, unequal))
            if len(shown) >= _OFTEN * _ALONE * _PLACES:  # a first or last entry is hit now and then, a place always
                rows_shown = [entry for found in shown for entry in found.rows]
                return replace(shown[0], changed=len(shown), rows=rows_shown), []
    return None, ["its value depends on the order of the training table (ties, first or last entries)"]
