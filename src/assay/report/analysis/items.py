"""What each problem of a run tells about its subjects, and where the variation of scores comes from."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from assay.core import Goal
from assay.core.display import counted
from assay.report.display import html_table
from assay.report.tables.terminal import Column, TerminalTable
from assay.report.track_records import TrackRecords
from assay.report.wording import ARROWS, UNDEFINED, format_number, shown
from assay.stats import Item, VarianceSplit, item_analysis, variance_split

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ItemAnalysis", "analysed_items", "items_table", "variance_table"]

_CAPTION = (
    "Difficulty 1 is the hardest problem. Discrimination: correlation over subjects of the score here with the mean "
    "over the other problems. Agreement: Kendall's tau of the order here with the order there; below 0 it contradicts "
    "the others. A twin gives nearly the same scores."
)


_LISTED = 5  # problems that a remark names


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ItemAnalysis:
    """What each problem tells on one metric. Made by :meth:`Results.items`.

    Attributes
    ----------
    track, metric, goal : str
        What was analysed.
    items : tuple of Item
        The problems by name, each with its difficulty, discrimination, agreement with the others and twin.
    variance : tuple of VarianceSplit
        Of each subject: the variance between clusters, between problems, between seeds.
    clusters : str
        Which problems share a cluster, in words; empty where none.
    """

    track: str
    metric: str
    goal: Goal
    items: tuple[Item, ...]
    variance: tuple[VarianceSplit, ...]
    clusters: str = ""

    @property
    def frame(self) -> pd.DataFrame:
        """A row per problem."""
        import pandas as pd

        return pd.DataFrame([asdict(item) for item in self.items])

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should look at: problems that tell nothing, that contradict the others, that repeat them."""
        names_by_remark = {
            "Solved by all": [item.problem for item in self.items if item.solved_by == "all"],
            "Solved by none": [item.problem for item in self.items if item.solved_by == "none"],
            "Contrary to the order on the other problems": [item.problem for item in self.items if item.agreement < 0],
            "Nearly the same scores as another": [item.problem for item in self.items if item.twin],
        }
        return tuple(
            shown(f"{what}: {', '.join(names[:_LISTED])}" + _more(len(names))) + "."
            for what, names in names_by_remark.items()
            if names
        )

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "track": self.track,
            "metric": self.metric,
            "goal": self.goal,
            "clusters": self.clusters,
            "items": [asdict(item) for item in self.items],
            "variance": [asdict(split) for split in self.variance],
        }

    def __repr__(self) -> str:
        return "\n".join([items_table(self).text(120), *self.remarks])

    def _repr_html_(self) -> str:
        table = items_table(self)
        rows = [list(row) for row in table.rows if not isinstance(row, str)]
        note = " ".join([_CAPTION, *self.remarks])
        return html_table([column.title for column in table.columns], rows, caption=self.track, note=note)


def analysed_items(results: TrackRecords, *, metric: str | None = None) -> ItemAnalysis:
    """The analysis of a metric, by default the headline; failures and lost cells count as the floor."""
    chosen = results.metric(metric or results.headline)
    worst, best = chosen.ends
    return ItemAnalysis(
        track=results.track.name,
        metric=chosen.name,
        goal=chosen.goal,
        items=item_analysis(results.scores(chosen.name), best=best, worst=worst),
        variance=variance_split(results.table, chosen.name, clusters=results.track.clusters),
        clusters=results.clusters,
    )


def items_table(analysis: ItemAnalysis) -> TerminalTable:
    """A row per problem, hardest first."""
    titles = (
        "difficulty",
        f"{analysis.metric} {ARROWS[analysis.goal]}",
        "n",
        "discrimination",
        "agreement",
        "solved by",
    )
    ordered = sorted(analysis.items, key=lambda item: (item.difficulty, item.problem))
    return TerminalTable(
        title=f"{analysis.track}: what each problem tells on {analysis.metric}",
        caption=_CAPTION,
        columns=(
            Column("problem", key=True, number=False),
            *map(Column, titles),
            Column("twin", number=False),
        ),
        rows=tuple(
            (
                item.problem,
                str(item.difficulty),
                format_number(item.mean),
                str(item.subjects),
                format_number(item.discrimination),
                format_number(item.agreement),
                item.solved_by,
                f"{item.twin} ({format_number(item.twin_correlation)})" if item.twin else "",
            )
            for item in ordered
        ),
    )


def variance_table(analysis: ItemAnalysis) -> TerminalTable:
    """A row per subject: how its scores vary, as variances with their shares."""
    related = f" Problems in clusters: {analysis.clusters}." if analysis.clusters else ""
    return TerminalTable(
        title=f"{analysis.track}: where the variation of {analysis.metric} comes from",
        caption="Variance between clusters, between problems of a cluster, between seeds of a problem, with its share; "
        f"{UNDEFINED} cannot be told.{related}",
        columns=(Column("subject", key=True, number=False), *map(Column, ("clusters", "problems", "seeds"))),
        rows=tuple((split.subject, *_shares(split)) for split in analysis.variance),
    )


def _more(count: int) -> str:
    return f" and {counted(count - _LISTED, 'more problem')}" if count > _LISTED else ""


def _shares(split: VarianceSplit) -> list[str]:
    parts = [split.clusters, split.problems, split.seeds]
    total = sum(part for part in parts if not math.isnan(part))
    return [
        UNDEFINED if math.isnan(part) else format_number(part) + (f" ({part / total:.0%})" if total else "")
        for part in parts
    ]
