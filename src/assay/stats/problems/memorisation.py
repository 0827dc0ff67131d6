"""The memorisation gap: how much better a subject is on problems that are public than on fresh ones of their kind."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

import numpy as np

from assay.core import Goal, Interval, InvalidInput, Record, UnknownName
from assay.stats.clusters import cluster_interval
from assay.stats.means import exact_mean
from assay.stats.rounding import differences
from assay.stats.signflip import sign_flip_p_value

__all__ = ["BASE", "DRAWN", "FRESH", "PUBLIC", "MemorisationGap", "memorisation_gaps"]

BASE = "base"  # a tag: problems of one base are drawings of the same thing
DRAWN = "drawn"  # a tag: public or fresh
PUBLIC, FRESH = "public", "fresh"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorisationGap:
    """Public minus fresh score of one subject, over ``pairs``: the bases that have both.

    A positive gap means better on public problems, whichever way the metric goes. ``p_value`` is that of a two-sided
    sign-flip test over pairs. ``public`` and ``fresh`` are the means of the metric itself.
    """

    subject: str
    metric: str
    gap: Interval
    p_value: float
    pairs: int
    public: float
    fresh: float

    @property
    def found(self) -> bool:
        """Whether the interval excludes 0 on the side of the public problems."""
        return self.gap.low > 0


def memorisation_gaps(
    records: Iterable[Record], metric: str, *, goal: Goal = "max", confidence: float = 0.95
) -> tuple[MemorisationGap, ...]:
    r"""The memorisation gap of each subject, in the order of names.

    $$\frac{1}{B} \sum_{b} \bigl(\bar x^{\mathrm{public}}_b - \bar x^{\mathrm{fresh}}_b\bigr)$$

    Problems are paired by their tag ``base``, so that how hard a base is cancels; several drawings of a base and
    several seeds are averaged first. The interval is that of Student's t over bases, nan for fewer than three. A
    subject that remembers nothing cannot tell a public drawing from a fresh one: its differences are then as likely
    positive as negative. Undefined scores are left out, and bases that lack either side; a failure counts with its
    floor.

    >>> def record(problem, base, drawn, score):
    ...     return Record(key=problem, answer_key="", track="formula", problem=problem, problem_digest="", subject="s",
    ...                   subject_digest="", seed=0, status="ok", scores={"r2": score},
    ...                   tags={"base": base, "drawn": drawn})
    >>> scores = {"a": (1.0, 0.6), "b": (1.0, 0.5), "c": (0.9, 0.5)}
    >>> cells = [(f"{base}{side}", base, side, score) for base, both in scores.items()
    ...          for side, score in zip(("public", "fresh"), both)]
    >>> (gap,) = memorisation_gaps([record(*cell) for cell in cells], "r2")
    >>> [round(bound, 2) for bound in gap.gap], gap.pairs, gap.found
    ([0.43, 0.29, 0.58], 3, True)
    """
    if goal not in get_args(Goal):
        raise UnknownName("goal", goal, get_args(Goal))
    scores: dict[str, dict[str, dict[str, list[float]]]] = {}
    for record in records:
        sides = scores.setdefault(record.subject, {PUBLIC: {}, FRESH: {}})
        side, base = record.tags.get(DRAWN), record.tags.get(BASE)
        if side not in sides or base is None:
            raise InvalidInput(
                f"problem {record.problem!r}: has no tags {BASE!r} and {DRAWN!r} ({PUBLIC} or {FRESH}), which the "
                "memorisation gap pairs problems by. Draw problems with: assay arena."
            )
        if metric not in record.scores:
            raise InvalidInput(f"problem {record.problem!r}: its record of {record.subject!r} lacks {metric!r}.")
        if not math.isnan(record.scores[metric]):
            sides[str(side)].setdefault(str(base), []).append(record.scores[metric])
    return tuple(
        _gap(subject, metric, sides[PUBLIC], sides[FRESH], 1.0 if goal == "max" else -1.0, confidence)
        for subject, sides in sorted(scores.items())
    )


def _gap(
    subject: str,
    metric: str,
    public: dict[str, list[float]],
    fresh: dict[str, list[float]],
    sign: float,
    confidence: float,
) -> MemorisationGap:
    bases = sorted(set(public) & set(fresh))
    left = np.array([exact_mean(np.sort(public[base])) for base in bases])
    right = np.array([exact_mean(np.sort(fresh[base])) for base in bases])
    gaps = sign * differences(left, right)
    return MemorisationGap(
        subject=subject,
        metric=metric,
        gap=cluster_interval(gaps, np.arange(len(bases)), confidence=confidence),
        p_value=sign_flip_p_value(gaps),
        pairs=len(bases),
        public=exact_mean(left),
        fresh=exact_mean(right),
    )
