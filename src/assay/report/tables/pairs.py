"""Every two subjects of a track on the headline: differences, intervals and p-values corrected together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.core import Goal
from assay.core.display import counted
from assay.report.tables.standings import Leaderboard
from assay.report.track_records import TrackRecords
from assay.report.wording import format_p_value
from assay.stats import Comparison, adjust, compare_pairs
from assay.stats.intervals import negated
from assay.stats.signflip import smallest_p_value

__all__ = [
    "MOST_SUBJECTS",
    "SURE",
    "Pairs",
    "at_any_time",
    "corrected_p_value",
    "is_sure",
    "mirrored",
    "problems_words",
    "subject_pairs",
    "too_few_problems",
]

MOST_SUBJECTS = 24  # 276 pairs; with more, those on the first places are compared
SURE = 0.05  # a corrected p-value below this is said to be unlikely chance


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """All comparisons of the subjects that are compared, in the leaderboard's order.

    The pairs of contenders are one family of tests, and those with a reference are another.
    """

    metric: str
    goal: Goal
    subjects: tuple[str, ...]
    comparisons: Mapping[tuple[str, str], Comparison]  # a stands above b
    references: frozenset[str]  # subjects that were given the truth
    left_out: int  # subjects that are not compared, since they are too many

    def of(self, a: str, b: str) -> Comparison:
        """The comparison of a with b, whichever stands above."""
        return self.comparisons[a, b] if (a, b) in self.comparisons else mirrored(self.comparisons[b, a])

    def family(self, comparison: Comparison) -> int:
        """How many tests the comparison was corrected for."""
        mine = self._with_reference(comparison.a, comparison.b)
        return sum(self._with_reference(a, b) == mine for a, b in self.comparisons)

    def _with_reference(self, a: str, b: str) -> bool:
        return a in self.references or b in self.references

    @property
    def ordered(self) -> tuple[Comparison, ...]:
        """Each pair once."""
        return tuple(self.comparisons.values())


def subject_pairs(
    results: TrackRecords, board: Leaderboard, *, confidence: float = 0.95, seed: int = 0, resamples: int = 2000
) -> Pairs:
    """Every pair of subjects on the headline, lost cells as the floor, with Holm's correction per family."""
    goal = results.track.metric(board.headline).goal
    names = [row.subject for row in board.rows]
    chosen = names[:MOST_SUBJECTS]
    places = [(a, b) for position, a in enumerate(chosen) for b in chosen[position + 1 :]]
    references = frozenset(row.subject for row in board.rows if row.reference)
    comparisons: dict[tuple[str, str], Comparison] = {}
    if places:
        table = results.scores(board.headline)
        for family in (False, True):
            part = [(a, b) for a, b in places if (a in references or b in references) is family]
            single = compare_pairs(table, part, confidence=confidence, resamples=resamples, seed=seed)
            comparisons |= dict(zip(part, adjust(single), strict=True))
    comparisons = {place: at_any_time(results, comparison) for place, comparison in comparisons.items()}
    return Pairs(
        metric=board.headline,
        goal=goal,
        subjects=tuple(chosen),
        comparisons={place: comparisons[place] for place in places},
        references=references,
        left_out=len(names) - len(chosen),
    )


def at_any_time(results: TrackRecords, comparison: Comparison) -> Comparison:
    """The comparison as a run that stopped when decided may tell it; any other as it is.

    The p-value and the interval then hold at any time of stopping, and are corrected for all pairs of the run.
    """
    decisions = results.run.decisions
    if decisions is None or decisions.metric != comparison.metric or decisions.trouble:
        return comparison
    pair = decisions.of(comparison.a, comparison.b)
    if pair is None:
        return comparison
    return replace(
        comparison,
        difference=pair.difference,
        p_value=pair.p_value,
        adjusted_p_value=pair.p_value,
        smallest_p_value=0.0,
        anytime=True,
    )


def mirrored(comparison: Comparison) -> Comparison:
    """The same comparison from the other side."""
    return replace(
        comparison,
        a=comparison.b,
        b=comparison.a,
        difference=negated(comparison.difference),
        wins=comparison.losses,
        losses=comparison.wins,
        lost_a=comparison.lost_b,
        lost_b=comparison.lost_a,
    )


def is_sure(comparison: Comparison) -> bool:
    """Whether chance is an unlikely explanation, all comparisons considered; an undefined p-value is not sure."""
    return not math.isnan(comparison.adjusted_p_value) and comparison.adjusted_p_value < SURE


def corrected_p_value(comparison: Comparison) -> str:
    """The corrected p-value, or a word in its place where it could never have been small."""
    return "too few" if too_few_problems(comparison) else format_p_value(comparison.adjusted_p_value)


def problems_words(comparison: Comparison) -> str:
    """The problems behind a comparison, and in how many clusters they are."""
    problems = counted(comparison.problems, "problem")
    return f"{problems} in {counted(comparison.clusters, 'cluster')}" if comparison.clusters else problems


def too_few_problems(comparison: Comparison) -> str:
    """A sentence where no outcome on so many problems could have been sure, all comparisons considered; else empty."""
    if not comparison.smallest_p_value > SURE:
        return ""
    problems = problems_words(comparison)
    few = "Too few problems"
    if smallest_p_value(comparison.clusters or comparison.problems) > SURE:
        return f"{few}: with {problems} no p-value can fall below {SURE}."
    return f"{few} for so many comparisons: with {problems} no corrected p-value can fall below {SURE}."
