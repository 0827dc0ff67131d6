"""Random tables of a family, with times or without: entities with several rows, three tables beside them."""

from __future__ import annotations

from typing import Final

import numpy as np

from assay.insight.generate.domains import Domain
from assay.insight.generate.draft import Draft, FloatArray, IntArray, Log

__all__ = ["draw_simple"]

_START: Final = np.datetime64("2022-01-01", "D")
_HORIZON = 1100  # days that events and contacts cover
_FIRST, _LAST = 500, 1000  # days of the primary rows: with a past and a future
_STEP = 42  # days between the dates on which rows with times are predicted; each date is a run of every function
_ITEMS = 60
_FIRST_ID = 1001


def draw_simple(rng: np.random.Generator, domain: Domain, *, rows: int, timed: bool) -> Draft:
    """Entities that differ in how active they are, in what they do and how much; with times each has one row only."""
    count = rows + rows // 10 if timed else rows * 4 // 5
    entities = rng.permutation(count)[:rows] if timed else rng.integers(count, size=rows)
    groups = np.concatenate([np.arange(len(domain.groups)), rng.integers(len(domain.groups), size=_ITEMS)])[:_ITEMS]
    level = rng.permutation(10.0 * 2.0 ** np.arange(len(domain.groups)))
    prices = np.round(level[groups] * rng.uniform(0.7, 1.3, size=_ITEMS), 2)
    items = rng.integers(_ITEMS, size=rows)
    usual = np.array([prices[groups == group].mean() for group in range(len(domain.groups))])
    values = np.exp(rng.normal(2.0, 0.6, size=count))
    days = rng.integers(_FIRST, _LAST, size=rows)
    return Draft(
        domain=domain,
        tables=("events", "items", "contacts"),
        start=_START,
        first_row=_FIRST_ID,
        first=_FIRST_ID,
        events_have_items=False,
        ids=np.arange(count) + _FIRST_ID,
        entities=entities.astype(np.int64),
        days=days - (days - _FIRST) % _STEP if timed else days,
        items=items,
        amounts=np.round(usual[groups[items]] * np.exp(rng.normal(0.0, 0.35, size=rows)), 2),
        segments=rng.integers(len(domain.segments), size=rows),
        regions=rng.integers(len(domain.regions), size=rows),
        sizes=rng.integers(1, 12, size=rows),
        events=_draw_log(rng, len(domain.kinds), activity=rng.gamma(1.5, 9.0, size=count), values=values),
        contacts=_draw_log(rng, len(domain.reasons), activity=rng.gamma(1.5, 3.0, size=count), values=None),
        groups=groups,
        prices=prices,
    )


def _draw_log(rng: np.random.Generator, labels: int, *, activity: FloatArray, values: FloatArray | None) -> Log:
    """Rows of entities: how many by activity, the first label by each entity's own liking, values by its own level."""
    liking = rng.beta(0.8, 1.2, size=len(activity))
    entities: IntArray = np.repeat(np.arange(len(activity)), rng.poisson(activity))
    count = len(entities)
    first = rng.random(count) < liking[entities]
    log = Log(
        entities=entities,
        days=rng.integers(_HORIZON, size=count),
        labels=np.where(first, 0, rng.integers(1, labels, size=count)),
        values=np.zeros(count)
        if values is None
        else np.round(values[entities] * np.exp(rng.normal(0.0, 0.25, size=count)), 2),
        items=np.zeros(count, dtype=np.int64),
    )
    log.sort()
    return log
