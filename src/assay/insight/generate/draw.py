"""Random tables of a domain: one row per entity, up to five tables beside it."""

from __future__ import annotations

from typing import Final

import numpy as np

from assay.insight.generate.domains import Domain
from assay.insight.generate.draft import AUXILIARY, Draft, FloatArray, IntArray, Log

__all__ = ["choose_places", "draw"]

_START: Final = np.datetime64("2021-01-01", "D")
_PAST = 540  # days before the first prediction
_PREDICTIONS = 12  # dates on which rows are predicted, four weeks apart
_STEP = 28
_FUTURE = 120  # days after the last prediction
_ITEMS = 40
_FIRST_ID = 10_001


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
        start=_START,
        first_row=_FIRST_ID,
        first=1,
        events_have_items="items" in AUXILIARY[:tables],
        ids=_FIRST_ID + rng.permutation(3 * rows)[:rows],
        entities=np.arange(rows),
        days=days,
        amounts=np.maximum(np.round(rng.lognormal(4.2, 0.6, size=rows)), 1).astype(np.int64),
        sizes=1 + rng.poisson(3.0, size=rows),
        segments=rng.choice(len(domain.segments), size=rows, p=_shares(rng, len(domain.segments))),
        regions=rng.choice(len(domain.regions), size=rows, p=_shares(rng, len(domain.regions))),
        items=choose_places(rng, taste[:, groups] * rng.dirichlet(np.ones(_ITEMS))),
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
    item_groups = choose_places(rng, taste[who])
    return Log(
        entities=who,
        days=np.concatenate([piece[1] for piece in pieces]),
        labels=choose_places(rng, leaning[who]),
        values=values,
        items=item_groups + len(taste[0]) * rng.integers(0, len(groups) // len(taste[0]), size=len(who)),
    )


def choose_places(rng: np.random.Generator, chances: FloatArray) -> IntArray:
    """One place per row, drawn by its chances."""
    ends = np.cumsum(chances, axis=1)
    points = rng.random(len(chances))[:, None] * ends[:, -1:]
    places: IntArray = np.minimum((ends < points).sum(axis=1), chances.shape[1] - 1).astype(np.int64)
    return places


def _shares(rng: np.random.Generator, count: int) -> FloatArray:
    shares: FloatArray = rng.dirichlet(np.full(count, 4.0))
    return shares
