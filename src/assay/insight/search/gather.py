"""All candidates of a context: family by family, so that a fault in one costs that one only."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assay.insight.search.families import row_families
from assay.insight.search.pool import Pool
from assay.insight.search.related import related_families
from assay.insight.search.search_context import Join, SearchContext
from assay.insight.search.typed_tables import SELF, Ref

__all__ = ["gather_candidates"]

_MOST_CLOCKS = 2


def gather_candidates(context: SearchContext, *, most: int) -> Pool:
    """The candidates, at most so many; what the row itself says comes first, then joins from near to far."""
    pool = Pool(len(context.rows), most)
    for family in _families(context):
        if pool.full:
            break
        try:
            family(context, pool)
        except Exception as fault:  # noqa: BLE001 - odd data may break one family, the others stay
            pool.faults.append(f"{type(fault).__name__}: {fault}")
    return pool


def _families(context: SearchContext) -> Iterator[Callable[[SearchContext, Pool], None]]:
    yield from row_families
    for join in context.joins:
        if join.table == SELF and not context.itself:
            continue
        for clock in _clocks(context, join):
            yield _of_join(join, clock)


def _of_join(join: Join, clock: Ref | None) -> Callable[[SearchContext, Pool], None]:
    def family(context: SearchContext, pool: Pool) -> None:
        related_families(context, pool, join, clock)

    return family


def _clocks(context: SearchContext, join: Join) -> list[Ref | None]:
    """The dates that may tell when a table's rows happened: the declared one, or the likeliest."""
    sheet = context.sheets[join.table]
    if sheet.clock is None or (context.timed and (join.table == SELF or join.table in context.dated)):
        return [sheet.clock]
    own = [c.ref for c in sheet.of("date") if c.ref.key is None and c.ref != sheet.clock]
    plain = [ref for ref in own if "birth" not in ref.column.lower()]
    clocks: list[Ref | None] = [sheet.clock, *(plain if join.far == 0 else [])]
    return clocks[:_MOST_CLOCKS]
