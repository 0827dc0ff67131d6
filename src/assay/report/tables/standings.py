"""The leaderboard of one track as data, and in words: the headings and cells that all tables share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape

from assay.core import Goal, Interval, UnknownName
from assay.report.display import html_table, text_table
from assay.report.wording import (
    ANYTIME,
    ARROWS,
    UNDEFINED,
    duration,
    format_interval,
    format_number,
    format_rank,
    shown,
)
from assay.stats import SubjectSummary
from assay.stats.clusters import FEWEST_CLUSTERS
from assay.stats.compare import TIER_LEVEL
from assay.stats.signflip import smallest_p_value

__all__ = [
    "LOST_AS_FLOOR",
    "UNCHECKED",
    "BoardColumn",
    "Leaderboard",
    "MetricColumn",
    "Standing",
    "board_columns",
    "heading",
    "legend",
    "lost_cell",
    "lost_words",
]

LOST_AS_FLOOR = "lost as floor"  # a column's title
UNCHECKED = "not checked for leaks"  # another's
_LISTED = 5  # subjects that a legend names, metrics that a standing shows
_EXAMPLES = 2  # metrics that a hint names


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricColumn:
    """A metric or an aggregate as a column."""

    name: str
    goal: Goal
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Standing:
    """One subject. Place, its range over resampled problems, and mean rank are those of the headline.

    ``metrics`` holds a summary per metric: the mean with failures as the floor, that with lost cells as the floor as
    well, the mean of what was scored, the numbers of problems behind them, failed and undefined records.
    """

    subject: str
    place: int
    best_place: int
    worst_place: int
    mean_rank: float
    metrics: Mapping[str, SubjectSummary]
    aggregates: Mapping[str, float]
    cells: int
    failed: int
    lost: int  # cells that could not be finished; places and mean rank count them with the floor
    median_seconds: float  # nan when nothing was solved here, as with precomputed answers
    leaks: int | None = None  # answers that leak; None where the track does not look for leaks
    unchecked: int = 0  # answers that no leak check has seen
    undecided: int | None = None  # answers without a verdict; None where the track always reaches one
    costs: Mapping[str, float] = field(default_factory=dict)  # totals over the cells
    mean_costs: Mapping[str, float] = field(default_factory=dict)  # per cell that reports the cost
    counts: Mapping[str, int] = field(default_factory=dict)  # of the details, as the track names them
    reference: bool = False  # it was given the truth: a mark to measure by, not a contender
    tier: int | None = None  # those that cannot be told apart from its first share a tier; None for a reference

    def mean(self, metric: str) -> Interval:
        """The mean of a metric, failures as the floor, lost cells left out; of an aggregate its value, no bounds."""
        if metric in self.metrics:
            return self.metrics[metric].mean
        if metric in self.aggregates:
            return Interval(self.aggregates[metric], math.nan, math.nan)
        raise UnknownName("column of this leaderboard", metric, [*self.metrics, *self.aggregates])

    def __repr__(self) -> str:
        means = [f"{name} {format_interval(summary.mean)}" for name, summary in self.metrics.items()]
        means += [f"{name} {format_number(value)}" for name, value in self.aggregates.items()]
        more = f", {len(means) - _LISTED} more" if len(means) > _LISTED else ""
        return shown(f"Standing({self.place}. {self.subject}: {', '.join(means[:_LISTED])}{more})")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Leaderboard:
    """All standings of one track; the headline is the first of the columns.

    Made by :meth:`Results.leaderboard`.

    Attributes
    ----------
    track, headline : str
        The track, and the metric that orders it.
    columns, aggregates : tuple of MetricColumn
        The metrics, and the scores that exist only across problems.
    rows : tuple of Standing
        The subjects, best first.
    confidence : float
        Of the intervals.
    unscored : tuple of str
        Metrics that the records do not hold: newer than they are.
    needed_code : tuple of str
        Aggregates of the run that are no columns, since their code was not given.
    unfinished : str
        How many cells of the run are still to do, in words; empty where none is.
    stopped : str
        What a run decided that stopped when decided, in words; empty for any other.
    clusters : str
        Which problems intervals and tests take together, as in ``9 problems in 4 families``; empty where none.
    chosen : bool
        Whether the columns were asked for by name: then all of them are shown, else the headline's.

    Examples
    --------
    >>> Leaderboard(track="cases", headline="auroc", columns=(), aggregates=(), rows=(), confidence=0.95)
    cases: auroc, no cell is finished yet
    """

    track: str
    headline: str
    columns: tuple[MetricColumn, ...]
    aggregates: tuple[MetricColumn, ...]
    rows: tuple[Standing, ...]
    confidence: float
    unscored: tuple[str, ...] = ()  # metrics that the records do not hold: newer than they are
    needed_code: tuple[str, ...] = ()  # aggregates of the run that are not columns, since their code was not given
    unfinished: str = ""  # how many cells are still to do, in words
    stopped: str = ""  # what a run decided that stopped for it, in words
    chosen: bool = False  # the columns were asked for by name: all of them are shown
    clusters: str = ""  # which problems are taken together, in words

    @property
    def counted(self) -> tuple[str, ...]:
        """What the track counts in its details, by title."""
        return tuple(dict.fromkeys(title for row in self.rows for title in row.counts))

    @property
    def any_failed(self) -> bool:
        """Whether means with and without failures can differ."""
        return any(row.failed for row in self.rows)

    @property
    def any_lost(self) -> bool:
        """Whether means with and without lost cells can differ."""
        return any(row.lost for row in self.rows)

    @property
    def contenders(self) -> tuple[Standing, ...]:
        """The subjects that were not given the truth, best first."""
        return tuple(row for row in self.rows if not row.reference)

    def tied(self, row: Standing) -> bool:
        """Whether another subject stands on the same place."""
        return sum(other.place == row.place for other in self.rows) > 1

    def __repr__(self) -> str:
        """As a terminal shows it: the headline's columns, and those that were asked for."""
        title = f"{shown(self.track)}: {shown(self.headline)}"
        if not self.rows:
            return f"{title}, no cell is finished yet"
        columns = board_columns(self, narrow=True, others=self.chosen)
        rows = [[column.cell(row) for column in columns] for row in self.rows]
        numbers = [not column.is_text for column in columns]
        more = "".join(f"\n{line}" for line in self._hidden())
        return f"{title}\n{text_table([column.title for column in columns], rows, right=numbers)}{more}"

    def _repr_html_(self) -> str:
        """The same as a notebook shows it: a table without style or script; every text is escaped."""
        if not self.rows:
            return f"<p>{escape(shown(self.track))}: no cell is finished yet.</p>"
        columns = board_columns(self, narrow=True, others=self.chosen)
        rows = [[column.cell(row) for column in columns] for row in self.rows]
        note = " ".join([legend(self), *self._hidden()])
        return html_table([column.title for column in columns], rows, caption=self.track, note=note)

    def _hidden(self) -> list[str]:
        """What is not shown: cells that are still to do, columns, and how to see them."""
        notes = [f"{self.unfinished}."] if self.unfinished else []
        others = [] if self.chosen else [column.name for column in (*self.columns[1:], *self.aggregates)]
        if not others:
            return notes
        counted = "1 more metric" if len(others) == 1 else f"{len(others)} more metrics"
        listed = ", ".join(map(repr, others[:_EXAMPLES])) + (", ..." if len(others) > _EXAMPLES else "")
        return [*notes, shown(f"{counted}: leaderboard(metrics=[{listed}])")]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardColumn:
    """A heading, what to write for a standing, and whether that is a text and not a number."""

    title: str
    cell: Callable[[Standing], str]
    is_text: bool = False


def heading(column: MetricColumn) -> str:
    """The metric's name with the direction that is better."""
    return f"{column.name} {ARROWS[column.goal]}"


def board_columns(board: Leaderboard, *, narrow: bool = False, others: bool = False) -> tuple[BoardColumn, ...]:
    """The columns of a leaderboard; "scored only" is there when a subject failed, since else it repeats the mean.

    "Lost as floor" is there when a subject lost cells.

    A narrow one is for terminals: the headline with what can be said of it in few letters, and alone unless ``others``
    are wanted.
    """
    first, *rest = board.columns
    name = first.name
    columns = [
        BoardColumn(title="#", cell=lambda row: str(row.place)),
        BoardColumn(title="subject", cell=lambda row: row.subject, is_text=True),
        BoardColumn(title=heading(first), cell=lambda row: format_interval(row.mean(name))),
    ]
    if board.any_lost:
        columns.append(BoardColumn(title=LOST_AS_FLOOR, cell=lambda row: _lost(row, name, narrow=narrow)))
    if board.any_failed:
        columns.append(BoardColumn(title="scored only", cell=lambda row: _scored_only(row, name, narrow=narrow)))
    columns += [
        BoardColumn(title="n" if narrow else "problems", cell=lambda row: str(row.metrics[name].problems)),
        BoardColumn(title="failed", cell=_failed),
        *(_count(title) for title in board.counted),
    ]
    if any(row.unchecked for row in board.rows):
        columns.append(BoardColumn(title=UNCHECKED, cell=lambda row: str(row.unchecked)))
    if not narrow or any(row.metrics[name].undefined for row in board.rows):
        columns.append(BoardColumn(title="undefined", cell=lambda row: str(row.metrics[name].undefined)))
    columns += [
        BoardColumn(title="mean rank", cell=lambda row: format_rank(row.mean_rank)),
        BoardColumn(title="places", cell=_places),
        BoardColumn(title="tier", cell=lambda row: UNDEFINED if row.tier is None else str(row.tier)),
    ]
    if others or not narrow:
        columns += [*(_metric(column) for column in rest), *(_aggregate(column) for column in board.aggregates)]
    columns.append(BoardColumn(title="solve time", cell=lambda row: duration(row.median_seconds)))
    return tuple(columns)


def legend(board: Leaderboard) -> str:
    """How to read the leaderboard."""
    text = (
        f"Means over n problems with {100 * board.confidence:g} % {_intervals(board)}; a failed cell counts with the "
        "floor, scored only leaves it out. Place, mean rank and places (the range over resampled problems) are those "
        f"of {board.headline}; subjects of one tier cannot be told apart from its first "
        f"({ANYTIME if board.stopped else f'paired sign-flip test, Holm{_too_few(board)}'}). "
        f"Solve time is the median. ↑ higher is better, ↓ lower is better, {UNDEFINED} undefined."
    )
    if board.stopped:
        text = f"{board.stopped}. {text}"
    if board.any_lost:
        losers = [row for row in board.rows if row.lost]
        counts = ", ".join(f"{row.subject} {row.lost}" for row in losers[:_LISTED])
        counts += f" and {len(losers) - _LISTED} more subjects" if len(losers) > _LISTED else ""
        text += (
            f" Lost cells ({counts}) are left out of the mean; {LOST_AS_FLOOR} counts them with the floor, and place, "
            "mean rank and places rest on that."
        )
    if board.unscored:
        text += f" Not scored yet: {', '.join(board.unscored)}."
    if board.needed_code:
        text += f" Not shown, since their code is needed for it: {', '.join(board.needed_code)}."
    return text


def _intervals(board: Leaderboard) -> str:
    """What kind of intervals, and where there are too few clusters for them."""
    if not board.clusters:
        return "bootstrap intervals"
    few = any(0 < row.metrics[board.headline].clusters < FEWEST_CLUSTERS for row in board.rows)
    none = f"; fewer than {FEWEST_CLUSTERS} are too few for an interval" if few else ""
    return f"intervals that take related problems together ({board.clusters}{none})"


def _too_few(board: Leaderboard) -> str:
    """Where even the clearest outcome could not have parted two subjects: so in words, else empty."""
    first, *below = board.contenders or (None,)
    if first is None or not below:
        return ""
    summary = first.metrics[board.headline]
    smallest = smallest_p_value(summary.clusters or summary.problems)
    few = "clusters" if summary.clusters else "problems"
    return f"; too few {few} to tell any apart" if not smallest * len(below) < TIER_LEVEL else ""


def lost_cell(summary: SubjectSummary) -> str:
    """The mean with lost cells as the floor, and how many they are; a dash where there is none."""
    return f"{format_number(summary.lost_as_floor.value)} ({summary.lost} lost)" if summary.lost else UNDEFINED


def lost_words(summary: SubjectSummary) -> str:
    """The same in words, to stand beside a mean; empty where no cell is lost."""
    if not summary.lost:
        return ""
    cells = "lost cell counts" if summary.lost == 1 else f"{summary.lost} lost cells count"
    return f"{format_number(summary.lost_as_floor.value)} if its {cells} as the floor"


def _lost(row: Standing, metric: str, *, narrow: bool) -> str:
    summary = row.metrics[metric]
    if not summary.lost:
        return UNDEFINED
    interval = summary.lost_as_floor
    return format_number(interval.value) if narrow else f"{format_interval(interval)} ({summary.lost} lost)"


def _scored_only(row: Standing, metric: str, *, narrow: bool) -> str:
    interval = row.metrics[metric].scored_only
    return format_number(interval.value) if narrow else format_interval(interval)


def _failed(row: Standing) -> str:
    return f"{row.failed} of {row.cells}" if row.failed else "0"


def _count(title: str) -> BoardColumn:
    return BoardColumn(title=title, cell=lambda row: str(row.counts.get(title, 0)))


def _places(row: Standing) -> str:
    return str(row.best_place) if row.best_place == row.worst_place else f"{row.best_place} to {row.worst_place}"


def _metric(column: MetricColumn) -> BoardColumn:
    return BoardColumn(title=heading(column), cell=lambda row: _both_means(row.metrics[column.name]))


def _both_means(summary: SubjectSummary) -> str:
    words = lost_words(summary)
    return format_interval(summary.mean) + (f" ({words})" if words else "")


def _aggregate(column: MetricColumn) -> BoardColumn:
    return BoardColumn(title=heading(column), cell=lambda row: format_number(row.aggregates[column.name]))
