"""The headline on each kind of problem: small multiples by tag."""

from __future__ import annotations

from collections.abc import Sequence

from assay.charts.multiples import Multiple, MultipleRow, Value, small_multiples
from assay.charts.scale import scale_around
from assay.report.figures.figure import Basis, Figure, plain_value
from assay.report.tables.filters import Filter
from assay.report.wording import format_interval, shown

__all__ = ["tag_multiples"]

_MOST = 12  # subjects: more marks in a row cannot be told apart


def tag_multiples(basis: Basis, filters: Sequence[Filter]) -> Figure | None:
    """A chart per tag with a row per value; none without tags."""
    if not filters:
        return None
    metric = basis.board.headline
    chosen = [row.subject for row in basis.board.rows[:_MOST]]
    multiples, values, numbers = [], [], []
    for part in filters:
        rows = []
        for group in part.groups:
            means = {row.subject: row.mean(metric) for row in group.board.rows}
            rows.append(
                MultipleRow(
                    f"{shown(group.value)} ({group.defined})",
                    [
                        Value(
                            basis.marks[name],
                            means[name].value,
                            f"{shown(name)}, {shown(part.tag)} = {shown(group.value)}: {format_interval(means[name])}",
                        )
                        for name in chosen
                        if name in means
                    ],
                )
            )
            values += [means[name].value for name in chosen if name in means]
            numbers += [
                (part.tag, group.value, group.defined, name, *map(plain_value, mean)) for name, mean in means.items()
            ]
        multiples.append(Multiple(shown(part.tag), rows))
    return Figure(
        key="tags",
        title="On which kinds of problems",
        svg=small_multiples(
            multiples,
            scale_around(values),
            [(shown(name), basis.marks[name]) for name in chosen],
            axis=basis.headline,
            label=f"{metric} by tags of the problems",
        ),
        caption="Mean of each subject over the problems with that tag; in brackets, on how many of them anyone has a "
        f"value. Intervals are on the leaderboard, filtered by the tag.{basis.cut_words(len(chosen))}",
        columns=("tag", "value", "problems", "subject", f"mean_{metric}", "low", "high"),
        rows=tuple(numbers),
    )
