"""All candidates of a context: family by family, so that a fault in one costs that one only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from assay.insight.search.candidates.families import row_families
from assay.insight.search.candidates.related import (
    against_row,
    changes,
    conditional,
    plain_aggregates,
    products,
    shares,
    times,
    varieties,
)
from assay.insight.search.candidates.scope import Scope, open_scope
from assay.insight.search.candidates.steps import courses
from assay.insight.search.candidates.two import both_conditions, ratios
from assay.insight.search.candidates.windows import finer_windows
from assay.insight.search.choose import responses_of
from assay.insight.search.pool import Enough, Pool
from assay.insight.search.search_context import Join, SearchContext
from assay.insight.search.typed_tables import SELF, Ref

__all__ = ["FIRST", "LAST", "THEN", "gather_candidates"]

_MOST_CLOCKS = 2
_FEWEST = 20  # candidates that each family may offer

# what is tried of related rows, and the share of the limit that it may offer for one join: first of all joins ...
FIRST: dict[str, tuple[Callable[[Scope, Pool], None], float]] = {
    "times": (times, 0.02),
    "shares": (shares, 0.1),
    "aggregates": (plain_aggregates, 0.09),
    "varieties": (varieties, 0.02),
}
# ... then of those whose rows have shown to say something, the best first
THEN: dict[str, tuple[Callable[[Scope, Pool], None], float]] = {
    "changes": (changes, 0.08),
    "courses": (courses, 0.12),
    "conditions": (conditional, 0.07),
    "two conditions": (both_conditions, 0.06),
    "against row": (against_row, 0.03),
    "products": (products, 0.03),
}
# ... and of what was found so far
LAST: dict[str, Callable[[Sequence[Scope], SearchContext, Pool], None]] = {
    "ratios": lambda _, context, pool: ratios(context, pool),
    "windows": finer_windows,
}
_OF_SPARSE = (times, varieties, courses)
_LESS = 0.4  # of the share, where a join is distant or a table is seen through its second date
_LEAST_GAIN = 6.0  # of a join's first candidates, without which no others are tried


@dataclass(slots=True)
class _Opened:
    """A join at work, its share, and the best gain that its candidates had."""

    scope: Scope
    weight: float
    gain: float = 0.0


def gather_candidates(context: SearchContext, *, most: int, screened: bool = True) -> Pool:
    """The candidates, at most so many; what the row itself says comes first, then joins from near to far.

    Where candidates are not screened, those stay too that say nothing of the target alone.
    """
    pool = Pool(len(context.rows), most, responses_of(context.target, context.kind)[0] if screened else None)
    for family in row_families:
        with _offering(pool, most):
            family(context, pool)
    opened = _open_joins(context, pool, most)
    for kind, share in FIRST.values():
        for entry in opened:
            _look_through(entry, kind, share * most, pool)
    near = sorted((entry for entry in opened if not entry.scope.small), key=lambda entry: -entry.gain)
    peers = [entry for entry in opened if entry.scope.small and entry.scope.join.table == SELF]
    for kind, share in THEN.values():
        for entry in [*near, *(peers if kind is against_row else [])]:
            if entry.gain >= _LEAST_GAIN or entry.scope.sparse:
                _look_through(entry, kind, share * most, pool)
    for last in LAST.values():
        with _offering(pool, most):
            last([entry.scope for entry in opened], context, pool)
    pool.prune()
    return pool


@contextmanager
def _offering(pool: Pool, count: int) -> Iterator[None]:
    """A family at work, which may offer so many; odd data may break it, the others stay."""
    pool.allow(count)
    try:
        yield
    except Enough:
        pass  # what it may offer is used up
    except Exception as fault:  # noqa: BLE001 - whatever odd data raise, the others stay
        pool.faults.append(f"{type(fault).__name__}: {fault}")


def _open_joins(context: SearchContext, pool: Pool, most: int) -> list[_Opened]:
    """The joins that may be looked through, those with the largest share first."""
    opened: list[_Opened] = []
    for join in context.joins:
        if join.table == SELF and not context.itself:
            continue
        for place, clock in enumerate(_clocks(context, join)):
            with _offering(pool, most):
                scope = open_scope(context, join, clock)
                if scope is not None:
                    opened.append(_Opened(scope, (1.0 if place == 0 else _LESS) * (_LESS if scope.small else 1.0)))
    return sorted(opened, key=lambda entry: -entry.weight)


def _look_through(entry: _Opened, family: Callable[[Scope, Pool], None], quota: float, pool: Pool) -> None:
    """What one family finds in a join, as long as candidates are looked at."""
    if pool.offered >= pool.limit or (entry.scope.sparse and family not in _OF_SPARSE):
        return
    with _offering(pool, max(int(quota * entry.weight), _FEWEST)):
        family(entry.scope, pool)
    entry.gain = max(entry.gain, pool.best)


def _clocks(context: SearchContext, join: Join) -> list[Ref | None]:
    """The dates that may tell when a table's rows happened: the declared one, or the likeliest."""
    table = context.tables[join.table]
    if table.clock is None or (context.timed and (join.table == SELF or join.table in context.dated)):
        return [table.clock]
    own = [c.ref for c in table.of("date") if c.ref.key is None and c.ref != table.clock]
    plain = [ref for ref in own if "birth" not in ref.column.lower()]
    clocks: list[Ref | None] = [table.clock, *(plain if join.far == 0 else [])]
    return clocks[:_MOST_CLOCKS]
