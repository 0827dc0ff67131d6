"""Insights about what happened to an entity before its row was predicted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import BoolArray
from assay.insight.generate.domains import Domain, spoken
from assay.insight.generate.draft import Draft, FloatArray, IntArray, Log
from assay.insight.generate.insight import Insight, log_function

__all__ = ["log_insights"]


_WINDOWS = (30, 60, 90, 120)  # days
_LONG = 180
_NEVER = 365  # days since an event that never was, and the most that count


@dataclass(frozen=True, slots=True)
class _Table:
    """One log in the domain's words, and what of it each row can know."""

    log: Log
    name: str
    event: str
    label: str
    labels: tuple[str, ...]
    value: str
    ago: IntArray  # days before the row's date; negative ones are later
    rows: int

    def count(self, chosen: BoolArray) -> IntArray:
        """Events per row, of those chosen and known."""
        return np.bincount(self.log.rows[chosen & (self.ago >= 0)], minlength=self.rows)

    def sum(self, values: FloatArray, chosen: BoolArray) -> FloatArray:
        """Sums per row; missing values add nothing."""
        kept = chosen & (self.ago >= 0) & np.isfinite(values)
        sums: FloatArray = np.bincount(self.log.rows[kept], weights=values[kept], minlength=self.rows).astype(
            np.float64
        )
        return sums

    def mean(self, values: FloatArray, chosen: BoolArray) -> FloatArray:
        """Means per row of the values that are there; 0 where there is none."""
        count = self.count(chosen & np.isfinite(values))
        return np.where(count > 0, self.sum(values, chosen) / np.maximum(count, 1), 0.0)


def log_insights(draft: Draft, rng: np.random.Generator) -> list[Insight]:
    """Aggregates, windows, trends, conditions, recency, diversity and joins, of the logs that the draft has."""
    d = draft.domain
    plans = {
        "events": (draft.events, d.events, d.event, "kind", d.kinds, d.value),
        "contacts": (draft.contacts, d.contacts, d.contact, "reason", d.reasons, d.effort),
    }
    found = []
    for key, plan in plans.items():
        if key in draft.tables:
            log = plan[0]
            table = _Table(*plan, ago=draft.days[log.rows] - log.days, rows=len(draft.days))
            found += [*_plain(d, table, rng), *_dated(d, table, rng)]
            if key == "events" and "items" in draft.tables:
                found += _joined(draft, table, rng)
    return found


def _plain(d: Domain, t: _Table, rng: np.random.Generator) -> list[Insight]:
    """Without windows: counts, means, shares, thresholds."""
    all_known = np.ones(len(t.ago), dtype=bool)
    events, value, before = spoken(t.name), spoken(t.value), f"before the {spoken(d.row)}"
    place = int(rng.integers(len(t.labels)))
    label = t.labels[place]
    large = int(np.nanquantile(t.log.values, rng.uniform(0.5, 0.8)))
    same = t.log.labels == place
    total = t.count(all_known)
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
            np.round(t.mean(t.log.values, all_known), 1),
        ),
        (
            "conditional",
            f"share_of_{label}_{t.name}",
            f"share of the {d.entity}'s {events} {before} that are {spoken(label)}",
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


def _dated(d: Domain, t: _Table, rng: np.random.Generator) -> list[Insight]:
    """With a look at the days: windows, recency, trends, ratios of windows, conditions within windows."""
    events, value, row = spoken(t.name), spoken(t.value), spoken(d.row)
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
    age = np.full(t.rows, _NEVER)
    of_last = (t.ago >= 0) & (t.log.labels == second)
    np.minimum.at(age, t.log.rows[of_last], t.ago[of_last])
    days = f"{spoken(t.event)} of the kind {spoken(last)}"
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
            f"total {value} of the {d.entity}'s {spoken(label)} {events} in the {third} days up to the {row}",
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
            np.minimum(age, _NEVER),
        ),
    )
    return [_insight(d, t, *plan, default=_NEVER if plan[0] == "recency" else 0) for plan in plans]


def _joined(draft: Draft, t: _Table, rng: np.random.Generator) -> list[Insight]:
    """By way of the items that events are about."""
    d = draft.domain
    key = f"{d.item}_id"
    events, items = spoken(t.name), spoken(d.items)
    group = d.groups[int(rng.integers(len(d.groups)))]
    known = np.ones(len(t.ago), dtype=bool)
    joined = f"about = seen.merge(aux_dataframes[{d.items + '.csv'!r}], on={key!r})\n"
    recent = (t.ago >= 0) & (t.ago < _LONG)
    pairs = np.unique(np.column_stack([t.log.rows[recent], t.log.items[recent]]), axis=0)
    plans = (
        (
            "diversity",
            f"different_{d.items}_in_last_{_LONG}_days",
            f"how many different {items} the {d.entity}'s {events} of the last {_LONG} days were about",
            f"found = seen[seen['ago'] < {_LONG}].groupby('place')[{key!r}].nunique()",
            np.bincount(pairs[:, 0], minlength=t.rows),
        ),
        (
            "two hops",
            f"mean_{d.price}_of_{t.name}",
            f"average {spoken(d.price)} of the {items} that the {d.entity}'s {events} were about",
            f"{joined}found = about.groupby('place')[{d.price!r}].mean().round(1)",
            np.round(t.mean(draft.prices[t.log.items].astype(np.float64), known), 1),
        ),
        (
            "two hops",
            f"{t.name}_about_{group}_{d.items}",
            f"how many of the {d.entity}'s {events} were about {items} of the {d.group} {spoken(group)}",
            f"{joined}found = about[about[{d.group!r}] == {group!r}].groupby('place').size()",
            t.count(draft.groups[t.log.items] == d.groups.index(group)),
        ),
    )
    return [_insight(d, t, *plan) for plan in plans]


def _insight(
    d: Domain,
    t: _Table,
    kind: str,
    name: str,
    words: str,
    found: str,
    values: FloatArray | IntArray,
    *,
    default: int = 0,
) -> Insight:
    whole = values.dtype.kind == "i"
    code = log_function(name, d, t.name, t.event, found, default=default, whole=whole)
    return Insight(kind, name, words, code, values)
