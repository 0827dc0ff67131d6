"""All candidates of a context: family by family, so that a fault in one costs that one only."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from assay.insight.search.candidates.families import row_families
from assay.insight.search.candidates.related import against_row, changes, conditional, plain_aggregates
from assay.insight.search.candidates.scope import Scope, open_scope
from assay.insight.search.candidates.steps import courses
from assay.insight.search.candidates.two import both_conditions, ratios
from assay.insight.search.choose import responses_of
from assay.insight.search.pool import Pool
from assay.insight.search.search_context import Join, SearchContext
from assay.insight.search.typed_tables import SELF, Ref

__all__ = ["RELATED", "gather_candidates"]

_MOST_CLOCKS = 2
_OFFERED = 3  # candidates that are looked at for each one that is kept

Family = Callable[[SearchContext, Pool], None]

# what is tried of related rows, the likeliest first; distant and coarse joins get the first alone
RELATED: dict[str, Callable[[Scope, Pool], None]] = {
    "aggregates": plain_aggregates,
    "conditions": conditional,
    "courses": courses,
    "changes": changes,
    "against row": against_row,
    "two conditions": both_conditions,
}


def gather_candidates(
    context: SearchContext, *, most: int, without: Collection[str] = (), screened: bool = True
) -> Pool:
    """The candidates, at most so many; what the row itself says comes first, then joins from near to far.

    ``without`` names families that are left out; where candidates are not screened, those stay too that say nothing
    of the target alone.
    """
    pool = Pool(len(context.rows), most, responses_of(context.target, context.kind)[0] if screened else None)
    for family in _families(context, without):
        if pool.offered >= _OFFERED * most:
            break
        try:
            family(context, pool)
        except Exception as fault:  # noqa: BLE001 - odd data may break one family, the others stay
            pool.faults.append(f"{type(fault).__name__}: {fault}")
    pool.prune()
    return pool


def _families(context: SearchContext, without: Collection[str]) -> Iterator[Family]:
    yield from row_families
    opened: list[Scope] = []
    for join in context.joins:
        if join.table == SELF and not context.itself:
            continue
        for clock in _clocks(context, join):
            yield _opening(join, clock, opened)
    for name, family in RELATED.items():
        if name not in without:
            for scope in opened:
                if name == "aggregates" or not scope.small:
                    yield _of_scope(scope, family)
    if "ratios" not in without:
        yield ratios


def _opening(join: Join, clock: Ref | None, opened: list[Scope]) -> Family:
    def family(context: SearchContext, _: Pool) -> None:
        scope = open_scope(context, join, clock)
        if scope is not None:
            opened.append(scope)

    return family


def _of_scope(scope: Scope, made: Callable[[Scope, Pool], None]) -> Family:
    def family(_: SearchContext, pool: Pool) -> None:
        made(scope, pool)

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
