"""Random relational tables as arrays: entities with habits of their own, and what happened to them before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.core.arrays import FloatArray, IntArray
from assay.insight.generate.domains import Domain

__all__ = ["AUXILIARY", "Draft", "FloatArray", "IntArray", "Log", "date_of", "draw"]


AUXILIARY: Final = ("events", "items", "contacts", "grouping", "profiles")  # in the order in which they are added

_START: Final = np.datetime64("2021-01-01", "D")
_PAST = 540  # days before the first prediction
_PREDICTIONS = 12  # dates on which rows are predicted, four weeks apart
_STEP = 28
_FUTURE = 120  # days after the last prediction
_ITEMS = 40
_FIRST_ID = 10_001


def date_of(days: IntArray) -> npt.NDArray[Any]:
    """Days as ISO dates."""
    return np.datetime_as_string(_START + days.astype("timedelta64[D]"), unit="D")


@dataclass(slots=True, kw_only=True)
class Log:
    """Dated rows of a table, by the primary row of their entity, in no particular order."""

    rows: IntArray
    days: IntArray
    labels: IntArray
    values: FloatArray  # whole numbers, some missing
    items: IntArray

    def sort(self) -> None:
        """By date: the order of a real log."""
        order = np.argsort(self.days, kind="stable")
        for name in ("rows", "days", "labels", "values", "items"):
            setattr(self, name, getattr(self, name)[order])


@dataclass(slots=True, kw_only=True)
class Draft:
    """A problem's tables before a target is made; every entity has one primary row."""

    domain: Domain
    tables: tuple[str, ...]  # of AUXILIARY
    ids: IntArray  # of entities
    days: IntArray
    amounts: IntArray
    sizes: IntArray
    segments: IntArray
    regions: IntArray
    items: IntArray
    noises: FloatArray  # [rows, 2], some missing
    events: Log
    contacts: Log
    groups: IntArray  # per item
    prices: IntArray  # per item
    levels: IntArray  # per group
    since: IntArray
    channels: IntArray

    def primary(self) -> pd.DataFrame:
        """The base columns, a row each, without the surrogate."""
        d = self.domain
        columns: dict[str, Any] = {
            f"{d.row}_id": np.arange(len(self.days)) + _FIRST_ID,
            f"{d.entity}_id": self.ids,
            f"{d.row}_date": date_of(self.days),
            d.amount: self.amounts,
            d.size: self.sizes,
            d.segment: np.asarray(d.segments)[self.segments],
            d.region: np.asarray(d.regions)[self.regions],
            d.noises[0]: self.noises[:, 0],
            d.noises[1]: self.noises[:, 1],
        }
        if "items" in self.tables:
            columns[f"{d.item}_id"] = self.items + 1
        return pd.DataFrame(columns)

    def auxiliary(self) -> dict[str, pd.DataFrame]:
        """The chosen tables by file name."""
        d = self.domain
        every = {
            "events": (d.events, self._log(self.events, d.event, "kind", d.kinds, d.value)),
            "contacts": (d.contacts, self._log(self.contacts, d.contact, "reason", d.reasons, d.effort)),
            "items": (
                d.items,
                pd.DataFrame(
                    {
                        f"{d.item}_id": np.arange(len(self.groups)) + 1,
                        d.group: np.asarray(d.groups)[self.groups],
                        d.price: self.prices,
                    }
                ),
            ),
            "grouping": (d.grouping, pd.DataFrame({d.group: d.groups, d.level: self.levels})),
            "profiles": (
                d.profiles,
                pd.DataFrame(
                    {
                        f"{d.entity}_id": self.ids,
                        d.since: date_of(self.since),
                        "channel": np.asarray(d.channels)[self.channels],
                    }
                ).sort_values(f"{d.entity}_id", ignore_index=True),
            ),
        }
        return {f"{name}.csv": frame for key, (name, frame) in every.items() if key in self.tables}

    def _log(self, log: Log, event: str, label: str, labels: tuple[str, ...], value: str) -> pd.DataFrame:
        d = self.domain
        frame = pd.DataFrame(
            {
                f"{event}_id": np.arange(len(log.days)) + 1,
                f"{d.entity}_id": self.ids[log.rows],
                f"{event}_date": date_of(log.days),
                label: np.asarray(labels)[log.labels],
                value: pd.array(log.values, dtype="float64"),
            }
        )
        if "items" in self.tables and event == d.event:
            frame[f"{d.item}_id"] = log.items + 1
        return frame


def draw(rng: np.random.Generator, domain: Domain, *, rows: int, tables: int) -> Draft:
    """Tables at random; the first so many of AUXILIARY, of which the third and fifth stand on their own."""
    days = _PAST + _STEP * rng.integers(0, _PREDICTIONS, size=rows)
    groups = np.arange(_ITEMS) % len(domain.groups)
    typical = rng.lognormal(4.0, 0.5, size=len(domain.groups))
    prices = np.maximum(np.round(typical[groups] * rng.lognormal(0.0, 0.35, size=_ITEMS)), 1).astype(np.int64)
    taste = rng.dirichlet(np.full(len(domain.groups), 0.6), size=rows)
    noises = np.column_stack([rng.integers(0, 500, size=rows), np.round(rng.gamma(2.0, 20.0, size=rows), 1)])
    noises[rng.random(noises.shape) < 0.06] = np.nan
    draft = Draft(
        domain=domain,
        tables=AUXILIARY[:tables],
        ids=_FIRST_ID + rng.permutation(3 * rows)[:rows],
        days=days,
        amounts=np.maximum(np.round(rng.lognormal(4.2, 0.6, size=rows)), 1).astype(np.int64),
        sizes=1 + rng.poisson(3.0, size=rows),
        segments=rng.choice(len(domain.segments), size=rows, p=_shares(rng, len(domain.segments))),
        regions=rng.choice(len(domain.regions), size=rows, p=_shares(rng, len(domain.regions))),
        items=_choose(rng, taste[:, groups] * rng.dirichlet(np.ones(_ITEMS))),
        noises=noises,
        events=_log(rng, days, len(domain.kinds), busy=14.0, taste=taste, groups=groups),
        contacts=_log(rng, days, len(domain.reasons), busy=4.0, taste=taste, groups=groups),
        groups=groups,
        prices=prices,
        levels=rng.permutation(np.arange(1, 1 + 3 * len(domain.groups), 3)),
        since=days - 60 - np.round(rng.gamma(2.0, 400.0, size=rows)).astype(np.int64),
        channels=rng.integers(0, len(domain.channels), size=rows),
    )
    draft.events.sort()
    draft.contacts.sort()
    return draft


def _log(
    rng: np.random.Generator, days: IntArray, labels: int, *, busy: float, taste: FloatArray, groups: IntArray
) -> Log:
    """Events of each entity: how many, of what kinds, how large and whether lately more, differs between entities."""
    rows = len(days)
    pace = rng.gamma(2.0, 0.5, size=rows)
    lately = rng.lognormal(0.0, 0.7, size=rows)  # how much busier the last months are than the time before
    leaning = rng.dirichlet(np.full(labels, 0.8), size=rows)
    scale = rng.lognormal(3.0, 0.5, size=rows)
    spans = ((0, 1.0, np.ones(rows)), (1, 0.5, lately), (2, 0.25, np.ones(rows)))  # long ago, lately, afterwards
    pieces = []
    for span, share, factor in spans:
        count = rng.poisson(busy * pace * share * factor)
        who = np.repeat(np.arange(rows), count)
        ago = rng.integers(120, _PAST, size=len(who)) if span == 0 else rng.integers(0, 120, size=len(who))
        when = days[who] - ago if span < 2 else days[who] + 1 + rng.integers(0, _FUTURE, size=len(who))
        pieces.append((who, when))
    who = np.concatenate([piece[0] for piece in pieces])
    values = np.maximum(np.round(rng.gamma(2.0, scale[who] / 2.0)), 1.0)
    values[rng.random(len(who)) < 0.03] = np.nan
    wanted = _choose(rng, taste[who])
    return Log(
        rows=who,
        days=np.concatenate([piece[1] for piece in pieces]),
        labels=_choose(rng, leaning[who]),
        values=values,
        items=wanted + len(taste[0]) * rng.integers(0, len(groups) // len(taste[0]), size=len(who)),
    )


def _choose(rng: np.random.Generator, chances: FloatArray) -> IntArray:
    """One place per row, drawn by its chances."""
    ends = np.cumsum(chances, axis=1)
    drawn = rng.random(len(chances))[:, None] * ends[:, -1:]
    places: IntArray = np.minimum((ends < drawn).sum(axis=1), chances.shape[1] - 1).astype(np.int64)
    return places


def _shares(rng: np.random.Generator, count: int) -> FloatArray:
    shares: FloatArray = rng.dirichlet(np.full(count, 4.0))
    return shares
