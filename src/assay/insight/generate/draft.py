"""Relational tables as arrays: entities with habits of their own, and their events before and after each row."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.insight.generate.domains import Domain

__all__ = ["AUXILIARY", "BoolArray", "Draft", "FloatArray", "IntArray", "Log"]

AUXILIARY: Final = ("events", "items", "contacts", "grouping", "profiles")  # in the order in which they are added


@dataclass(slots=True, kw_only=True)
class Log:
    """Dated rows of entities, in order of time once sorted."""

    entities: IntArray
    days: IntArray
    labels: IntArray  # kind or reason
    values: FloatArray  # some missing
    items: IntArray

    def sort(self) -> None:
        """By date: the order of a real log."""
        order = np.argsort(self.days, kind="stable")
        for entry in fields(self):
            setattr(self, entry.name, getattr(self, entry.name)[order])


@dataclass(slots=True, kw_only=True)
class Draft:
    """A problem's tables before a target is made; entities and items are numbered from 0."""

    domain: Domain
    tables: tuple[str, ...]  # of AUXILIARY
    start: np.datetime64  # of day 0
    first_row: int  # identifiers
    first: int
    events_have_items: bool
    ids: IntArray  # per entity
    entities: IntArray  # per row
    days: IntArray
    items: IntArray
    amounts: FloatArray | IntArray
    sizes: IntArray
    segments: IntArray
    regions: IntArray
    events: Log
    contacts: Log
    groups: IntArray  # per item
    prices: FloatArray | IntArray  # per item
    # what families do not have
    noises: FloatArray = field(default_factory=lambda: np.empty(0))  # [rows, uninformative columns], some missing
    levels: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # per group
    since: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    channels: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def primary(self) -> pd.DataFrame:
        """The base columns, a row each, without a surrogate."""
        d = self.domain
        columns: dict[str, Any] = {
            f"{d.row}_id": np.arange(len(self.days)) + self.first_row,
            f"{d.entity}_id": self.ids[self.entities],
            f"{d.row}_date": self._dates(self.days),
            d.amount: self.amounts,
            d.size: self.sizes,
            d.segment: np.asarray(d.segments)[self.segments],
            d.region: np.asarray(d.regions)[self.regions],
            **dict(zip(d.noises, self.noises.T, strict=True)),
        }
        if "items" in self.tables:
            columns[f"{d.item}_id"] = self.items + self.first
        return pd.DataFrame(columns)

    def auxiliary(self) -> dict[str, pd.DataFrame]:
        """The chosen tables by file name."""
        d = self.domain
        every: dict[str, tuple[str, dict[str, Any]]] = {
            "events": (d.events, self._log(self.events, d.event, "kind", d.kinds, d.value)),
            "contacts": (d.contacts, self._log(self.contacts, d.contact, "reason", d.reasons, d.effort)),
            "items": (
                d.items,
                {
                    f"{d.item}_id": np.arange(len(self.groups)) + self.first,
                    d.group: np.asarray(d.groups)[self.groups],
                    d.price: self.prices,
                },
            ),
        }
        if "grouping" in self.tables:
            every["grouping"] = (d.grouping, {d.group: d.groups, d.level: self.levels})
        if "profiles" in self.tables:
            order = np.argsort(self.ids)
            every["profiles"] = (
                d.profiles,
                {
                    f"{d.entity}_id": self.ids[order],
                    d.since: self._dates(self.since[order]),
                    "channel": np.asarray(d.channels)[self.channels[order]],
                },
            )
        return {f"{name}.csv": pd.DataFrame(columns) for key, (name, columns) in every.items() if key in self.tables}

    def betray(self, rng: np.random.Generator, log: Log, high: BoolArray) -> None:
        """Add log rows after the primary rows, most where the target is high: a trap for functions that look ahead."""
        caught = np.flatnonzero(rng.random(len(high)) < np.where(high, 0.9, 0.1))
        count = len(caught)
        log.entities = np.concatenate([log.entities, self.entities[caught]])
        log.days = np.concatenate([log.days, self.days[caught] + rng.integers(1, 15, size=count)])
        log.labels = np.concatenate([log.labels, np.zeros(count, dtype=np.int64)])
        log.values = np.concatenate([log.values, np.round(rng.gamma(2.0, 60.0, size=count)) + 1.0])
        log.items = np.concatenate([log.items, self.items[caught]])
        log.sort()

    def _log(self, log: Log, event: str, label: str, labels: tuple[str, ...], value: str) -> dict[str, Any]:
        d = self.domain
        columns: dict[str, Any] = {
            f"{event}_id": np.arange(len(log.days)) + self.first,
            f"{d.entity}_id": self.ids[log.entities],
            f"{event}_date": self._dates(log.days),
            label: np.asarray(labels)[log.labels],
        }
        if value:
            columns[value] = log.values
        if log is self.events and self.events_have_items:
            columns[f"{d.item}_id"] = log.items + self.first
        return columns

    def _dates(self, days: IntArray) -> npt.NDArray[Any]:
        return np.datetime_as_string(self.start + days.astype("timedelta64[D]"), unit="D")
