"""A track's outcome in a few sentences: leader, lead and certainty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.core import Metric
from assay.core.display import counted
from assay.report.page.facts import FEW_PROBLEMS
from assay.report.tables.pairs import Pairs, is_sure, too_few_problems
from assay.report.tables.standings import Leaderboard, Standing, lost_words
from assay.report.track_records import TrackRecords
from assay.report.wording import format_interval, format_number, format_p_value
from assay.stats import Comparison
from assay.stats.intervals import negated

__all__ = ["Outcome", "outcome"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Sentences for the reader in a hurry; each is plain text."""

    leaders: tuple[str, ...]  # none where nobody is better than one that fails everywhere
    short: str  # what to say after the leaders' names
    score: str
    lead: str
    sureness: str
    reference: str
    cautions: tuple[str, ...]


def outcome(results: TrackRecords, board: Leaderboard, pairs: Pairs) -> Outcome | None:
    """The outcome of a leaderboard; nothing when nothing is finished. Nobody leads who is at the floor."""
    if not board.rows:
        return None
    field = board.contenders or board.rows
    able = [row for row in field if _is_above_floor(row, results.track.metric(board.headline))]
    leaders = [row for row in able if row.place == able[0].place]
    chasers = [row for row in field if row not in leaders]
    comparison = _comparison(leaders[0], chasers[0], pairs) if len(leaders) == 1 and chasers else None
    return Outcome(
        leaders=tuple(row.subject for row in leaders),
        short=_short(board, leaders, chasers, comparison),
        score=_score(board, (leaders or field)[0]),
        lead=_lead(leaders, chasers, comparison),
        sureness="" if comparison is None else _sureness(leaders[0], chasers, comparison, pairs),
        reference=_reference(board),
        cautions=_cautions(results, board, (leaders or field)[0]),
    )


def _is_above_floor(row: Standing, headline: Metric[object]) -> bool:
    """Whether a subject scores better than one that fails everywhere; a floor may depend on the problem."""
    mean, floor = row.metrics[headline.name].lost_as_floor.value, headline.floor
    if row.failed == row.cells or math.isnan(mean):
        return False
    return callable(floor) or not (mean <= floor if headline.goal == "max" else mean >= floor)


def _score(board: Leaderboard, first: Standing) -> str:
    summary = first.metrics[board.headline]
    better = "higher" if board.columns[0].goal == "max" else "lower"
    problems = counted(summary.problems, "problem")
    lost = f", {words}" if (words := lost_words(summary)) else ""
    return f"{board.headline} {format_interval(summary.mean)} over {problems}{lost} ({better} is better)"


def _short(
    board: Leaderboard, leaders: Sequence[Standing], chasers: Sequence[Standing], comparison: Comparison | None
) -> str:
    """The conclusion in half a sentence, as sure as the numbers are."""
    score = f"{board.headline} {format_number((leaders or chasers)[0].mean(board.headline).value)}"
    if not leaders:
        return f"leads: no mean is better than that of failed answers ({score})."
    if len(leaders) > 1:
        return f"share the lead with {score}."
    if not chasers:
        return f"ran alone: {score}."
    if comparison is None:
        return f"leads with {score}."
    if is_sure(comparison):
        return f"leads with {score}; that this is chance is unlikely."
    if too_few_problems(comparison) or math.isnan(comparison.adjusted_p_value):
        return f"is ahead with {score}, on too few problems to be sure."
    return f"is ahead with {score}, which may be chance."


def _lead(leaders: Sequence[Standing], chasers: Sequence[Standing], pair: Comparison | None) -> str:
    if not leaders:
        return "No mean is better than that of failed answers."
    if len(leaders) > 1:
        return f"{len(leaders)} subjects share the first place: their means are equal."
    if not chasers:
        return "It is the only subject: nothing to compare it with."
    if pair is None:
        return ""
    ahead = pair.difference if pair.goal == "max" else negated(pair.difference)
    return (
        f"Ahead of {chasers[0].subject} by {format_interval(ahead)}: better on {pair.wins}, equal on {pair.ties}, "
        f"worse on {pair.losses} of {counted(pair.problems, 'problem')}."
    )


def _sureness(leader: Standing, chasers: Sequence[Standing], comparison: Comparison, pairs: Pairs) -> str:
    if math.isnan(comparison.adjusted_p_value):
        return "Too few problems to say whether this is chance."
    if too_few := too_few_problems(comparison):
        return too_few
    p = f"p {_p(comparison.adjusted_p_value)} after correction for {counted(pairs.family(comparison), 'comparison')}"
    if is_sure(comparison):
        return f"Unlikely to be chance ({p})."
    equal = [row.subject for row in chasers if _indistinguishable(leader, row, pairs)]
    return f"This may be chance ({p}): the leader cannot be told apart from {_listed(equal)}."


def _indistinguishable(leader: Standing, other: Standing, pairs: Pairs) -> bool:
    comparison = _comparison(leader, other, pairs)
    return comparison is not None and not is_sure(comparison)


def _reference(board: Leaderboard) -> str:
    marks = [row for row in board.rows if row.reference]
    if not marks or not board.contenders:
        return ""
    scores = ", ".join(f"{row.subject} {format_number(row.mean(board.headline).value)}" for row in marks)
    return f"Given the truth, for comparison: {scores}."


def _cautions(results: TrackRecords, board: Leaderboard, first: Standing) -> tuple[str, ...]:
    notes = []
    if board.stopped:
        notes.append(f"{board.stopped}.")
    elif results.pending:
        notes.append(f"{counted(results.pending, 'cell')} not finished: these numbers are preliminary.")
    if first.metrics[board.headline].problems < FEW_PROBLEMS:
        notes.append(f"Fewer than {FEW_PROBLEMS} problems: read intervals as the spread, not as a guarantee.")
    if lost := sum(row.lost for row in board.rows):
        notes.append(f"{counted(lost, 'lost cell')}: places and comparisons count the floor there.")
    if failed := int(np.sum(results.table.failed & ~np.isnan(results.table.scores[board.headline]))):
        notes.append(f"{counted(failed, 'answer')} failed and {'counts' if failed == 1 else 'count'} with the floor.")
    if leaks := sum(row.leaks or 0 for row in board.rows):
        notes.append(f"{counted(leaks, 'answer')} made with what must not be known (leaks).")
    if undecided := sum(row.undecided or 0 for row in board.rows):
        notes.append(f"On {counted(undecided, 'answer')} no verdict could be reached.")
    if undefined := sum(row.metrics[board.headline].undefined for row in board.rows):
        notes.append(f"{board.headline} is undefined for {counted(undefined, 'record')}, which no mean counts.")
    return tuple(notes)


def _comparison(a: Standing, b: Standing, pairs: Pairs) -> Comparison | None:
    if a.subject not in pairs.subjects or b.subject not in pairs.subjects:
        return None
    return pairs.of(a.subject, b.subject)


def _p(value: float) -> str:
    text = format_p_value(value)
    return text if text.startswith("<") else f"= {text}"


def _listed(names: Sequence[str], most: int = 4) -> str:
    shown = list(names[:most])
    more = len(names) - len(shown)
    if more:
        return ", ".join(shown) + f" and {more} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]
