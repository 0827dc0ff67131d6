"""Insights about a primary row and what can be looked up for it."""

from __future__ import annotations

import numpy as np

from assay.insight.answer.answer import words_of
from assay.insight.generate.draft import Draft
from assay.insight.generate.insight import Insight, function_of

__all__ = ["row_insights"]

_MONTH = 30  # days


def row_insights(draft: Draft, rng: np.random.Generator) -> list[Insight]:
    """Transforms, interactions and look-ups, over one table or two, as far as the draft has the tables."""
    d = draft.domain
    usual = int(np.quantile(draft.amounts, rng.uniform(0.4, 0.7)))
    amount, size, row = words_of(d.amount), words_of(d.size), words_of(d.row)
    name, ratio = f"{d.amount}_away_from_{usual}", f"{d.amount}_per_{d.size}"
    insights = [
        Insight(
            "transform",
            name,
            f"how far the {amount} of the {row} is from {usual}, in either direction",
            function_of(name, f"return (df[{d.amount!r}] - {usual}).abs()"),
            np.abs(draft.amounts - usual),
        ),
        Insight(
            "interaction",
            ratio,
            f"{amount} of the {row} for each of its {size}",
            function_of(ratio, f"return (df[{d.amount!r}] / df[{d.size!r}]).round(2)"),
            np.round(draft.amounts / draft.sizes, 2),
        ),
    ]
    if "items" in draft.tables:
        insights.append(_relative_amount(draft))
    if "grouping" in draft.tables:
        insights.append(_level(draft))
    if "profiles" in draft.tables:
        insights.append(_tenure(draft))
    return insights


def _relative_amount(draft: Draft) -> Insight:
    d = draft.domain
    name = f"{d.amount}_relative_to_{d.price}"
    key = f"{d.item}_id"
    code = (
        f"prices = aux_dataframes[{d.items + '.csv'!r}].set_index({key!r})[{d.price!r}]\n"
        f"return (df[{d.amount!r}] / df[{key!r}].map(prices)).round(2)"
    )
    words = f"{words_of(d.amount)} in relation to the {words_of(d.price)} of the {d.item}"
    values = np.round(draft.amounts / draft.prices[draft.items], 2)
    return Insight("lookup", name, words, function_of(name, code), values)


def _level(draft: Draft) -> Insight:
    d = draft.domain
    name = f"{d.level}_of_{d.item}_{d.group}"
    key = f"{d.item}_id"
    code = (
        f"group = aux_dataframes[{d.items + '.csv'!r}].set_index({key!r})[{d.group!r}]\n"
        f"level = aux_dataframes[{d.grouping + '.csv'!r}].set_index({d.group!r})[{d.level!r}]\n"
        f"return df[{key!r}].map(group).map(level)"
    )
    words = f"{words_of(d.level)} of the {d.group} that the {d.item} belongs to"
    return Insight("two hops", name, words, function_of(name, code), draft.levels[draft.groups[draft.items]])


def _tenure(draft: Draft) -> Insight:
    d = draft.domain
    name = f"months_since_{d.since}"
    key = f"{d.entity}_id"
    code = (
        f"since = aux_dataframes[{d.profiles + '.csv'!r}].set_index({key!r})[{d.since!r}]\n"
        f"known = pd.to_datetime(df[{d.row + '_date'!r}]) - pd.to_datetime(df[{key!r}].map(since))\n"
        f"return known.dt.days // {_MONTH}"
    )
    words = f"full months from the {d.entity}'s {words_of(d.since)} to the {words_of(d.row)}"
    return Insight("lookup", name, words, function_of(name, code), (draft.days - draft.since) // _MONTH)
