"""Insights about what happened to an entity before its row was predicted."""

from __future__ import annotations

import numpy as np

from assay.insight.answer.answer import words_of
from assay.insight.generate.domains import Domain
from assay.insight.generate.draft import Draft, FloatArray, IntArray
from assay.insight.generate.insight import Insight, log_function
from assay.insight.generate.log_view import LogView, view_contacts, view_events

__all__ = ["log_insights"]

_WINDOWS = (30, 60, 90, 120)  # days
_LONG = 180
_NEVER = 365  # days since an event that never was, and the most that count


def log_insights(draft: Draft, rng: np.random.Generator) -> list[Insight]:
    """Aggregates, windows, trends, conditions, recency, diversity and joins, of the logs that the draft has."""
    d = draft.domain
    insights: list[Insight] = []
    for key, view in (("events", view_events), ("contacts", view_contacts)):
        if key in draft.tables:
            log = view(draft, draft.days)
            insights += [*_plain(d, log, rng), *_dated(d, log, rng)]
            if key == "events" and draft.events_have_items:
                insights += _joined(draft, log, rng)
    return insights


def _plain(d: Domain, t: LogView, rng: np.random.Generator) -> list[Insight]:
    """Insights without windows: counts, means, shares, thresholds."""
    every = np.ones(len(t.ago), dtype=bool)
    events, value, before = words_of(t.name), words_of(t.value), f"before the {words_of(d.row)}"
    place = int(rng.integers(len(t.labels)))
    label = t.labels[place]
    large = int(np.nanquantile(t.log.values, rng.uniform(0.5, 0.8)))
    same = t.log.labels == place
    total = t.count(every)
    plans = (
        (
            "aggregate",
            f"number_of_{t.name}",
            f"how many {events} the {d.entity} had {before}",
            "found = seen.groupby('place').size()",
            total,
        ),
        (
            "aggregate",
            f"mean_{t.value}_of_{t.name}",
            f"average {value} over all {events} of the {d.entity} {before}",
            f"found = seen.groupby('place')[{t.value!r}].mean().round(1).fillna(0)",
            np.round(t.mean(t.log.values, every), 1),
        ),
        (
            "conditional",
            f"share_of_{label}_{t.name}",
            f"share of the {d.entity}'s {events} {before} that are {words_of(label)}",
            f"found = (seen[{t.label!r}] == {label!r}).groupby(seen['place']).mean().round(2)",
            np.round(t.count(same) / np.maximum(total, 1), 2),
        ),
        (
            "conditional",
            f"{t.name}_above_{large}_{t.value}",
            f"how many {events} of the {d.entity} {before} had more than {large} {value}",
            f"found = seen[seen[{t.value!r}] > {large}].groupby('place').size()",
            t.count(t.log.values > large),
        ),
    )
    return [_insight(d, t, *plan) for plan in plans]


def _dated(d: Domain, t: LogView, rng: np.random.Generator) -> list[Insight]:
    """Insights about dates: windows, recency, trends, ratios of windows, conditions within windows."""
    events, value, row = words_of(t.name), words_of(t.value), words_of(d.row)
    window, other, third = (int(days) for days in rng.choice(_WINDOWS, size=3, replace=False))
    place, second = (int(code) for code in rng.permutation(len(t.labels))[:2])
    label, last = t.labels[place], t.labels[second]
    recent, earlier = t.ago < other, (t.ago >= other) & (t.ago < 2 * other)
    new, old = t.count(recent), t.count(earlier)
    split = (
        f"new = seen[seen['ago'] < {other}].groupby('place').size().reindex(df.index, fill_value=0)\n"
        f"old = seen[(seen['ago'] >= {other}) & (seen['ago'] < {2 * other})]\n"
        "old = old.groupby('place').size().reindex(df.index, fill_value=0)\n"
    )
    within = (t.ago < third) & (t.log.labels == place)
    days = f"{words_of(t.event)} of the kind {words_of(last)}"
    plans = (
        (
            "window",
            f"{t.name}_in_last_{window}_days",
            f"how many {events} the {d.entity} had in the {window} days up to the {row}",
            f"found = seen[seen['ago'] < {window}].groupby('place').size()",
            t.count(t.ago < window),
        ),
        (
            "trend",
            f"more_{t.name}_in_last_{other}_days_than_before",
            f"{events} of the {d.entity} in the {other} days up to the {row}, less those of the {other} days before",
            f"{split}found = new - old",
            new - old,
        ),
        (
            "ratio",
            f"{t.name}_of_last_{other}_days_to_those_before",
            f"{events} of the last {other} days in relation to the {other} days before, one added to both",
            f"{split}found = ((new + 1) / (old + 1)).round(2)",
            np.round((new + 1) / (old + 1), 2),
        ),
        (
            "conditional window",
            f"{t.value}_of_{label}_{t.name}_in_last_{third}_days",
            f"total {value} of the {d.entity}'s {words_of(label)} {events} in the {third} days up to the {row}",
            f"chosen = seen[(seen['ago'] < {third}) & (seen[{t.label!r}] == {label!r})]\n"
            f"found = chosen.groupby('place')[{t.value!r}].sum()",
            t.sum(t.log.values, within).astype(np.int64),
        ),
        (
            "recency",
            f"days_since_last_{last}_{t.event}",
            f"days from the {d.entity}'s last {days} to the {row}, at most {_NEVER}",
            f"chosen = seen[seen[{t.label!r}] == {last!r}]\n"
            f"found = chosen.groupby('place')['ago'].min().clip(upper={_NEVER})",
            t.latest(t.log.labels == second, most=_NEVER),
        ),
    )
    return [_insight(d, t, *plan, default=_NEVER if plan[0] == "recency" else 0) for plan in plans]


def _joined(draft: Draft, t: LogView, rng: np.random.Generator) -> list[Insight]:
    """Insights that join events with the items they are about."""
    d = draft.domain
    key = f"{d.item}_id"
    events, items = words_of(t.name), words_of(d.items)
    group = d.groups[int(rng.integers(len(d.groups)))]
    every = np.ones(len(t.ago), dtype=bool)
    joined = f"about = seen.merge(aux_dataframes[{d.items + '.csv'!r}], on={key!r})\n"
    recent = (t.ago >= 0) & (t.ago < _LONG)
    pairs = np.unique(np.column_stack([t.log.entities[recent], t.log.items[recent]]), axis=0)
    plans = (
        (
            "diversity",
            f"different_{d.items}_in_last_{_LONG}_days",
            f"how many different {items} the {d.entity}'s {events} of the last {_LONG} days were about",
            f"found = seen[seen['ago'] < {_LONG}].groupby('place')[{key!r}].nunique()",
            np.bincount(pairs[:, 0], minlength=t.entities),
        ),
        (
            "two hops",
            f"mean_{d.price}_of_{t.name}",
            f"average {words_of(d.price)} of the {items} that the {d.entity}'s {events} were about",
            f"{joined}found = about.groupby('place')[{d.price!r}].mean().round(1)",
            np.round(t.mean(draft.prices[t.log.items].astype(np.float64), every), 1),
        ),
        (
            "two hops",
            f"{t.name}_about_{group}_{d.items}",
            f"how many of the {d.entity}'s {events} were about {items} of the {d.group} {words_of(group)}",
            f"{joined}found = about[about[{d.group!r}] == {group!r}].groupby('place').size()",
            t.count(draft.groups[t.log.items] == d.groups.index(group)),
        ),
    )
    return [_insight(d, t, *plan) for plan in plans]


def _insight(
    d: Domain,
    t: LogView,
    kind: str,
    name: str,
    words: str,
    lines: str,
    values: FloatArray | IntArray,
    *,
    default: int = 0,
) -> Insight:
    whole = values.dtype.kind == "i"
    code = log_function(name, d, t.name, t.event, lines, default=default, whole=whole)
    return Insight(kind, name, words, code, values)
