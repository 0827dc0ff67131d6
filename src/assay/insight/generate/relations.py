"""Random relational tables: a primary table, events and contacts of its entities over time, and items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.insight.generate.planted import History
from assay.insight.generate.themes import Theme

__all__ = ["Relations", "draw_relations"]

_START: Final = np.datetime64("2022-01-01", "D")
_HORIZON = 1100  # days that events and contacts cover
_FIRST, _LAST = 500, 1000  # days of the primary rows: with a past and a future
_STEP = 42  # days between the dates on which rows with times are predicted; each date is a run of every function
_ITEMS = 60
_FIRST_ID = 1001


@dataclass(slots=True, kw_only=True)
class _Log:
    """Dated rows of entities, in order of time."""

    entities: IntArray
    days: IntArray
    labels: IntArray  # kind or reason
    values: FloatArray

    def sort(self) -> None:
        order = np.argsort(self.days, kind="stable")
        for name in ("entities", "days", "labels", "values"):
            setattr(self, name, getattr(self, name)[order])


@dataclass(slots=True, kw_only=True)
class Relations:
    """The tables as arrays; entities and items are numbered from 0."""

    theme: Theme
    timed: bool
    entities: IntArray
    days: IntArray
    items: IntArray
    amounts: FloatArray
    segments: IntArray
    regions: IntArray
    extras: IntArray
    events: _Log
    contacts: _Log
    groups: IntArray  # per item
    prices: FloatArray  # per item

    def histories(self) -> Iterator[History]:
        """What each primary row can know, in their order."""
        events, contacts = _by_entity(self.events), _by_entity(self.contacts)
        usual = [float(self.prices[self.groups == group].mean()) for group in self.groups]
        end, contact_end = int(self.events.days.max()), int(self.contacts.days.max())
        nothing = np.array([], dtype=np.int64)
        for row, entity in enumerate(self.entities.tolist()):
            seen, met = events.get(entity, nothing), contacts.get(entity, nothing)
            if self.timed:
                end = contact_end = int(self.days[row])
                seen, met = seen[self.events.days[seen] <= end], met[self.contacts.days[met] <= end]
            yield History(
                event_days=self.events.days[seen],
                event_kinds=self.events.labels[seen],
                event_values=self.events.values[seen],
                contact_days=self.contacts.days[met],
                contact_reasons=self.contacts.labels[met],
                now=contact_end,
                event_now=end,
                amount=float(self.amounts[row]),
                extra=int(self.extras[row]),
                usual=usual[self.items[row]],
            )

    def betray(self, rng: np.random.Generator, high: BoolArray) -> None:
        """Add contacts after the rows' dates, most of them where the target is high: a trap for who looks ahead."""
        caught = np.flatnonzero(rng.random(len(high)) < np.where(high, 0.9, 0.1))
        count = len(caught)
        log = self.contacts
        log.entities = np.concatenate([log.entities, self.entities[caught]])
        log.days = np.concatenate([log.days, self.days[caught] + rng.integers(1, 15, size=count)])
        log.labels = np.concatenate([log.labels, np.zeros(count, dtype=np.int64)])
        log.values = np.concatenate([log.values, np.zeros(count)])
        log.sort()

    def primary(self) -> pd.DataFrame:
        """The base columns, a row each."""
        t = self.theme
        return pd.DataFrame(
            {
                f"{t.row}_id": np.arange(len(self.days)) + _FIRST_ID,
                f"{t.entity}_id": self.entities + _FIRST_ID,
                f"{t.row}_date": _dates(self.days),
                f"{t.item}_id": self.items + _FIRST_ID,
                t.amount: self.amounts,
                t.segment: _named(t.segments, self.segments),
                t.region: _named(t.regions, self.regions),
                t.extra: self.extras,
            }
        )

    def tables(self) -> dict[str, pd.DataFrame]:
        """The auxiliary tables by file name."""
        t = self.theme
        events = {
            f"{t.event}_id": np.arange(len(self.events.days)) + _FIRST_ID,
            f"{t.entity}_id": self.events.entities + _FIRST_ID,
            f"{t.event}_date": _dates(self.events.days),
            "kind": _named(t.kinds, self.events.labels),
            t.value: self.events.values,
        }
        contacts = {
            f"{t.contact}_id": np.arange(len(self.contacts.days)) + _FIRST_ID,
            f"{t.entity}_id": self.contacts.entities + _FIRST_ID,
            f"{t.contact}_date": _dates(self.contacts.days),
            "reason": _named(t.reasons, self.contacts.labels),
        }
        items = {
            f"{t.item}_id": np.arange(_ITEMS) + _FIRST_ID,
            "group": _named(t.groups, self.groups),
            t.price: self.prices,
        }
        named = ((t.events, events), (t.contacts, contacts), (t.items, items))
        return {f"{name}.csv": pd.DataFrame(columns) for name, columns in named}


def draw_relations(rng: np.random.Generator, theme: Theme, *, rows: int, timed: bool) -> Relations:
    """Entities that differ in how active they are, in what they do and how much; with times each has one row only."""
    entities = rows + rows // 10 if timed else rows * 4 // 5
    own = rng.permutation(entities)[:rows] if timed else rng.integers(entities, size=rows)
    groups = np.concatenate([np.arange(len(theme.groups)), rng.integers(len(theme.groups), size=_ITEMS)])[:_ITEMS]
    level = rng.permutation(10.0 * 2.0 ** np.arange(len(theme.groups)))
    prices = np.round(level[groups] * rng.uniform(0.7, 1.3, size=_ITEMS), 2)
    items = rng.integers(_ITEMS, size=rows)
    usual = np.array([prices[groups == group].mean() for group in range(len(theme.groups))])
    values = np.exp(rng.normal(2.0, 0.6, size=entities))
    days = rng.integers(_FIRST, _LAST, size=rows)
    return Relations(
        theme=theme,
        timed=timed,
        entities=own.astype(np.int64),
        days=days - (days - _FIRST) % _STEP if timed else days,
        items=items,
        amounts=np.round(usual[groups[items]] * np.exp(rng.normal(0.0, 0.35, size=rows)), 2),
        segments=rng.integers(len(theme.segments), size=rows),
        regions=rng.integers(len(theme.regions), size=rows),
        extras=rng.integers(1, 12, size=rows),
        events=_draw_log(rng, len(theme.kinds), activity=rng.gamma(1.5, 9.0, size=entities), values=values),
        contacts=_draw_log(rng, len(theme.reasons), activity=rng.gamma(1.5, 3.0, size=entities), values=None),
        groups=groups,
        prices=prices,
    )


def _draw_log(rng: np.random.Generator, labels: int, *, activity: FloatArray, values: FloatArray | None) -> _Log:
    """Rows of entities: how many by activity, the first label by each entity's own liking, values by its own level."""
    liking = rng.beta(0.8, 1.2, size=len(activity))
    entities = np.repeat(np.arange(len(activity)), rng.poisson(activity))
    count = len(entities)
    first = rng.random(count) < liking[entities]
    log = _Log(
        entities=entities,
        days=rng.integers(_HORIZON, size=count),
        labels=np.where(first, 0, rng.integers(1, labels, size=count)),
        values=np.zeros(count)
        if values is None
        else np.round(values[entities] * np.exp(rng.normal(0.0, 0.25, size=count)), 2),
    )
    log.sort()
    return log


def _by_entity(log: _Log) -> dict[int, IntArray]:
    """The places of each entity's rows, in order of time."""
    order = np.argsort(log.entities, kind="stable")
    present, starts = np.unique(log.entities[order], return_index=True)
    return dict(zip(present.tolist(), np.split(order, starts[1:]), strict=True))


def _dates(days: IntArray) -> npt.NDArray[Any]:
    return np.datetime_as_string(_START + days.astype("timedelta64[D]"))


def _named(names: tuple[str, ...], places: IntArray) -> npt.NDArray[Any]:
    return np.asarray(names)[places]
