"""Two figures: means with their intervals, and mean ranks with bars over who cannot be told apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from assay.charts.drawing import Drawing
from assay.charts.scale import Scale
from assay.report.tables.pairs import Pairs, is_sure
from assay.report.tables.standings import Leaderboard
from assay.report.wording import ARROWS, format_number
from assay.stats import undistinguished_groups

__all__ = ["RANKS_WIDTH", "cliques", "draw_means", "draw_ranks", "means_height", "ranks_height"]

RANKS_WIDTH = 720.0
_WIDEST = 222.0  # of names beside an axis
_LETTER = 7.2  # of a name
_ROW = 22.0
_NAME = 31  # characters
_TOP = 46.0
_BAR = 9.0  # between two bars


class Ranked(NamedTuple):
    """A subject with its mean rank."""

    subject: str
    rank: float


def ranked(board: Leaderboard) -> list[Ranked]:
    """The contenders, best mean rank first."""
    rows = [Ranked(row.subject, row.mean_rank) for row in board.contenders if not math.isnan(row.mean_rank)]
    return sorted(rows, key=lambda row: (row.rank, row.subject))


def cliques(order: Sequence[str], pairs: Pairs) -> list[tuple[int, int]]:
    """First and last places of the longest groups whose subjects cannot be told apart; single subjects are left out."""
    compared = set(pairs.subjects)
    # subjects that were not compared are not told apart
    groups = undistinguished_groups(order, lambda a, b: not {a, b} <= compared or is_sure(pairs.of(a, b)))
    return [(order.index(group[0]), order.index(group[-1])) for group in groups]


def _label_room(board: Leaderboard) -> float:
    """The room for names and numbers beside an axis."""
    longest = max((len(row.subject) for row in board.rows), default=0)
    return min(_WIDEST, _LETTER * (longest + 6) + 12)


def ranks_height(board: Leaderboard, pairs: Pairs) -> float:
    """How high the figure of ranks is."""
    order = ranked(board)
    return (
        _TOP + _BAR * (1 + len(cliques([row.subject for row in order], pairs))) + _ROW * math.ceil(len(order) / 2) + 14
    )


def draw_ranks(drawing: Drawing, board: Leaderboard, pairs: Pairs) -> Drawing:
    """The axis of mean ranks, the best at the right; a bar joins subjects that the tests do not tell apart."""
    order = ranked(board)
    most = max(2, math.ceil(max((row.rank for row in order), default=2)))
    margin = _label_room(board)
    scale = Scale(1, most, RANKS_WIDTH - margin, 2 * margin - RANKS_WIDTH)
    drawing.text(RANKS_WIDTH / 2, 14, f"mean rank by {board.headline}", "middle")
    drawing.line("frame", ((scale.start, _TOP), (scale.end, _TOP)))
    step = max(1, math.ceil((most - 1) / 12))
    for tick in range(1, most + 1, step):
        drawing.line("frame", ((scale(tick), _TOP - 6), (scale(tick), _TOP)))
        drawing.text(scale(tick), _TOP - 10, str(tick), "middle")
    joined = cliques([row.subject for row in order], pairs)
    for place, (first, last) in enumerate(joined):
        y = _TOP + _BAR * (place + 1)
        drawing.rect(
            "soft", scale(order[last].rank) - 3, y - 1.5, scale(order[first].rank) - scale(order[last].rank) + 6, 3
        )
    start = _TOP + _BAR * (1 + len(joined))
    half = math.ceil(len(order) / 2)
    for place, row in enumerate(order):
        right = place < half
        level = place if right else len(order) - 1 - place
        x, y = scale(row.rank), start + _ROW * level + 10
        end = RANKS_WIDTH - margin + 8 if right else margin - 8
        drawing.line("frame", ((x, _TOP), (x, y), (end, y)))
        words = f"{row.rank:.2f}  {row.subject}" if right else f"{row.subject}  {row.rank:.2f}"
        drawing.text(
            end + (4 if right else -4), y + 4, words, "start" if right else "end", style="axis ink", longest=_NAME
        )
    return drawing


def means_height(board: Leaderboard) -> float:
    """How high the figure of means is."""
    return _ROW * len(board.rows) + 52


def draw_means(drawing: Drawing, board: Leaderboard) -> Drawing:
    """A row per subject: the mean of the headline on its interval."""
    rows = [row for row in board.rows if not math.isnan(row.mean(board.headline).value)]
    ends = [end for row in rows for end in row.mean(board.headline) if math.isfinite(end)] or [0.0, 1.0]
    low, high = min(ends), max(ends)
    room = 0.04 * ((high - low) or 1.0)
    margin = _label_room(board)
    scale = Scale(low - room, high + room, margin, RANKS_WIDTH - margin - 30)
    column = next(entry for entry in board.columns if entry.name == board.headline)
    for place, row in enumerate(rows):
        y = 12 + _ROW * place
        mean = row.mean(board.headline)
        drawing.text(margin - 12, y + 4, row.subject, "end", style="axis ink", longest=_NAME)
        colour = 8 if row.reference else 1
        if math.isfinite(mean.low) and math.isfinite(mean.high):
            drawing.line(f"line-{colour}", ((scale(mean.low), y), (scale(mean.high), y)))
        drawing.dot(f"series-{colour}", scale(mean.value), y, title=f"{row.subject} {format_number(mean.value)}")
    title = f"{board.headline} {ARROWS[column.goal]}"
    drawing.x_axis(scale, 12 + _ROW * len(rows), title=title, top=2)
    return drawing
