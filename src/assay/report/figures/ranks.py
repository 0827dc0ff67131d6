"""Mean ranks, and who cannot be told apart: the critical-difference diagram."""

from __future__ import annotations

from assay.charts import critical_difference
from assay.charts.strips import FULL_WIDTH
from assay.report.figures.figure import Basis, Figure, plain_value
from assay.report.tables.pairs import SURE, Pairs, is_sure, too_few_problems
from assay.report.wording import shown
from assay.stats import undistinguished_groups

__all__ = ["rank_diagram"]


def rank_diagram(basis: Basis, pairs: Pairs) -> Figure | None:
    """The diagram of the compared contenders; none where there are fewer than three."""
    compared = set(pairs.subjects)
    rows = [row for row in basis.board.rows if row.subject in compared and not row.reference]
    if len(rows) < 3:
        return None
    ordered = [row.subject for row in sorted(rows, key=lambda row: (row.mean_rank, row.subject))]
    groups = undistinguished_groups(ordered, lambda a, b: is_sure(pairs.of(a, b)))
    contenders = [pair for pair in pairs.ordered if not {pair.a, pair.b} & pairs.references]
    few = next((words for pair in contenders if (words := too_few_problems(pair))), "")
    tiers = {row.subject: row.tier for row in rows}
    tier_words = ", ".join(
        f"tier {tier}: {', '.join(shown(name) for name, own in tiers.items() if own == tier)}"
        for tier in sorted({tier for tier in tiers.values() if tier is not None})
    )
    return Figure(
        key="ranks",
        title="Mean ranks, and who cannot be told apart",
        svg=critical_difference(
            [shown(row.subject) for row in rows],
            [row.mean_rank for row in rows],
            [tuple(map(shown, group)) for group in groups],
            width=FULL_WIDTH,
            marks={shown(row.subject): basis.marks[row.subject] for row in rows},
        ),
        caption=f"A thick bar joins subjects of which no two differ at {SURE} (paired sign-flip tests over problems, "
        f"Holm's correction over all pairs). {few + ' ' if few else ''}Tiers, by the mean: {tier_words or 'none'}. "
        "References are left out: they were given the truth.",
        columns=("subject", "mean_rank", "tier", "groups"),
        rows=tuple(
            (
                row.subject,
                plain_value(row.mean_rank),
                row.tier,
                " ".join(str(place) for place, group in enumerate(groups, start=1) if row.subject in group),
            )
            for row in rows
        ),
    )
