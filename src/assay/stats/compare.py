"""Two subjects on the same problems: how much they differ, and whether it could be chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from assay.core import Goal, Interval, InvalidInput
from assay.stats.clusters import cluster_count, cluster_sums, mean_intervals
from assay.stats.holm import holm
from assay.stats.intervals import IntervalMethod, negated
from assay.stats.resampling import FloatArray, IntArray
from assay.stats.rounding import differences
from assay.stats.scores import ScoreTable
from assay.stats.signflip import sign_flip_p_values, smallest_p_value

__all__ = [
    "Comparison",
    "Paired",
    "adjust",
    "compare",
    "compare_all",
    "compare_pairs",
    "paired_differences",
    "tiers",
]

TIER_LEVEL = 0.05
LIMIT = 500  # differences from which tiers use the limit of the sign-flip test, the normal distribution


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Subject ``a`` against subject ``b``: ``difference`` is the mean of a - b over the problems both have.

    Wins, ties and losses count problems from a's point of view, by the goal. ``adjusted_p_value`` accounts for the
    other comparisons made together with this one; ``smallest_p_value`` is the smallest that it could be, given the
    numbers of problems: above 0.05, there are too few of them for so many comparisons. Lost cells, of which there are
    ``lost_a`` and ``lost_b``, count with the floor, as failures do. ``clusters`` is the number of clusters that the
    problems form, whose differences are flipped and weighed together; 0 where no two problems share one.
    """

    a: str
    b: str
    metric: str
    goal: Goal
    difference: Interval
    p_value: float
    adjusted_p_value: float
    problems: int
    wins: int
    ties: int
    losses: int
    lost_a: int = 0
    lost_b: int = 0
    smallest_p_value: float = 0.0
    clusters: int = 0
    anytime: bool = False  # interval and p-value hold at any time of stopping: of a run that stopped when decided


def compare(
    table: ScoreTable,
    a: str,
    b: str,
    *,
    confidence: float = 0.95,
    method: IntervalMethod = "bca",
    resamples: int = 2000,
    seed: int = 0,
) -> Comparison:
    """One pair, failures as the floor: paired bootstrap interval and two-sided sign-flip test over problems.

    Exchanging a and b exchanges wins and losses and negates the difference, digit by digit. With fewer than two common
    problems the p-value is nan. Where problems share a cluster, whole clusters are flipped, and the interval is that of
    :func:`cluster_interval`.
    """
    (comparison,) = compare_pairs(table, [(a, b)], confidence=confidence, method=method, resamples=resamples, seed=seed)
    return comparison


def compare_pairs(
    table: ScoreTable,
    pairs: Sequence[tuple[str, str]],
    *,
    confidence: float = 0.95,
    method: IntervalMethod = "bca",
    resamples: int = 2000,
    seed: int = 0,
) -> tuple[Comparison, ...]:
    """:func:`compare` of each pair: the same digits, sooner; no correction for their number, see :func:`adjust`."""
    for a, b in pairs:
        if a == b:
            raise InvalidInput(f"subject {a!r} cannot be compared with itself: name two different subjects.")
    # one orientation for the random draws, so that (b, a) mirrors (a, b)
    paired = [paired_differences(table, *sorted(pair)) for pair in pairs]
    intervals = mean_intervals(
        [entry.values for entry in paired],
        [entry.clusters for entry in paired],
        confidence=confidence,
        method=method,
        resamples=resamples,
        seed=seed,
    )
    p_values = sign_flip_p_values([entry.flipped for entry in paired], seed=seed)
    rows = zip(pairs, paired, intervals, p_values, strict=True)
    return tuple(_comparison(table, a, b, entry, difference, p) for (a, b), entry, difference, p in rows)


class Paired(NamedTuple):
    """Differences on the problems that two subjects have, and the clusters of these; None where they share none."""

    values: FloatArray
    clusters: IntArray | None

    @property
    def flipped(self) -> FloatArray:
        """The values whose signs the test flips: differences, or their sums over clusters."""
        return self.values if self.clusters is None else cluster_sums(self.values, self.clusters)


def _comparison(table: ScoreTable, a: str, b: str, paired: Paired, difference: Interval, p_value: float) -> Comparison:
    values = paired.values
    if a > b:
        values = -values
        difference = negated(difference)
    gains = values if table.goal == "max" else -values
    return Comparison(
        a=a,
        b=b,
        metric=table.metric,
        goal=table.goal,
        difference=difference,
        p_value=p_value,
        adjusted_p_value=p_value,
        problems=gains.size,
        wins=int(np.sum(gains > 0)),
        ties=int(np.sum(gains == 0)),
        losses=int(np.sum(gains < 0)),
        lost_a=int(table.lost[table.row(a)]),
        lost_b=int(table.lost[table.row(b)]),
        smallest_p_value=smallest_p_value(paired.flipped.size),
        clusters=cluster_count(paired.clusters),
    )


def compare_all(
    table: ScoreTable,
    *,
    baseline: str | None = None,
    confidence: float = 0.95,
    method: IntervalMethod = "bca",
    resamples: int = 2000,
    seed: int = 0,
) -> tuple[Comparison, ...]:
    """All pairs, or every other subject against a baseline, in the order of names; Holm's correction over them all."""
    if baseline is None:
        pairs = list(combinations(table.subjects, 2))
    else:
        table.row(baseline)  # an unknown baseline is an error even where there is nothing to compare
        pairs = [(subject, baseline) for subject in table.subjects if subject != baseline]
    return adjust(compare_pairs(table, pairs, confidence=confidence, method=method, resamples=resamples, seed=seed))


def adjust(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """The same comparisons as one family: Holm's correction over all of them."""
    adjusted = holm([comparison.p_value for comparison in comparisons])
    smallest = holm([comparison.smallest_p_value for comparison in comparisons])
    return tuple(
        replace(comparison, adjusted_p_value=float(value), smallest_p_value=float(least))
        for comparison, value, least in zip(comparisons, adjusted, smallest, strict=True)
    )


def tiers(table: ScoreTable, subjects: Sequence[str], *, level: float = TIER_LEVEL, seed: int = 0) -> tuple[int, ...]:
    """The tier of each subject, given best first: those that cannot be told apart from the first of a tier share it.

    A tier's first is compared with all that stand below it (sign-flip test over the problems or clusters that both
    have, Holm's correction over these comparisons); the first of them that differs at this level starts the next tier.

    >>> from assay.core import Record
    >>> from assay.stats import score_table
    >>> def record(subject, problem, score):
    ...     return Record(key=f"{subject}{problem}", answer_key="", track="cases", problem=str(problem), seed=0,
    ...                   problem_digest="", subject=subject, subject_digest="", status="ok", scores={"auroc": score})
    >>> scores = {"a": 0.9, "b": 0.9, "c": 0.4}
    >>> records = [record(name, p, score + 0.01 * (p % 3)) for name, score in scores.items() for p in range(8)]
    >>> tiers(score_table(records, "auroc"), ["a", "b", "c"])
    (1, 1, 2)
    """
    numbers: list[int] = []
    while len(numbers) < len(subjects):
        first, *below = subjects[len(numbers) :]
        flipped = [paired_differences(table, *sorted((first, other))).flipped for other in below]
        differ = holm(_tier_p_values(flipped, seed)) < level
        members = 1 + (int(np.argmax(differ)) if differ.any() else len(below))
        numbers += [numbers[-1] + 1 if numbers else 1] * members
    return tuple(numbers)


def _tier_p_values(samples: Sequence[FloatArray], seed: int) -> list[float]:
    """Sign-flip p-values; of very many differences by their limit, since tiers compute them many times."""
    from scipy.special import ndtr

    few = iter(sign_flip_p_values([sample for sample in samples if sample.size <= LIMIT], seed=seed))
    p_values = []
    for sample in samples:
        if sample.size <= LIMIT:
            p_values.append(next(few))
        elif not np.isfinite(sample).all():
            p_values.append(math.nan)
        else:
            scaled = sample / max(1e-300, float(np.abs(sample).max()))
            spread = float(np.sqrt(np.sum(scaled**2)))
            p_values.append(float(2 * ndtr(-abs(float(np.sum(scaled))) / spread)) if spread else 1.0)
    return p_values


def paired_differences(table: ScoreTable, first: str, second: str) -> Paired:
    """First minus second on the problems where both have a value."""
    left, right = table.with_floor[table.row(first)], table.with_floor[table.row(second)]
    both = ~np.isnan(left) & ~np.isnan(right)
    clusters = None if table.clusters is None else table.clusters[both]
    return Paired(differences(left[both], right[both]), clusters if cluster_count(clusters) else None)
