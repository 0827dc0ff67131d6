"""What makes better models of those that the other stages found; each waits where there is nothing new to improve."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from assay.formula.discovery.fitting import evaluate
from assay.formula.discovery.front import Entry
from assay.formula.discovery.growth.grow import grow
from assay.formula.discovery.growth.proposals import Plan
from assay.formula.discovery.growth.swaps import exchanged
from assay.formula.discovery.library import make_library
from assay.formula.discovery.state import WAITING, State
from assay.formula.discovery.variation import improved
from assay.formula.expression.expression import symbols_of, to_text

__all__ = ["inside", "nested", "swaps", "vary"]

_SMALL = 20  # nodes of what growth inside of functions starts from
_NODE = 12.0  # what a node of such a start costs beyond its price
_VARIED = 2  # models of the front that variations start from


def _untried(starts: Callable[[], Iterable[Entry]], tried: set[str]) -> Iterator[Entry | None]:
    """The first start that was not tried yet, whenever it is asked for; None where there is none."""
    while True:
        entry = next((one for one in starts() if to_text(one.expression) not in tried), None)
        if entry is not None:
            tried.add(to_text(entry.expression))
        yield entry


def vary(state: State) -> Iterator[object]:
    """Variations of the best models and of the best of every stage, again where there are better ones by then."""
    tried: set[str] = set()
    names = [symbols_of(one.expression)[0] for one in state.reduced().variables]
    for entry in _untried(lambda: state.front.starts(state.rows, _VARIED), tried):
        if entry is None:
            yield WAITING
            continue
        start = evaluate(entry.expression, state.columns, state.target)
        for fit in improved(start, names, state.columns, state.target, floor=state.front.floor, rng=state.rng):
            if fit is not None:
                tried.add(to_text(fit.expression))
                state.front.add(fit, f"variation ({entry.stage.removeprefix('variation (').removesuffix(')')})")
            yield None
            if state.front.is_exact():
                return


def inside(state: State) -> Iterator[object]:
    """From the best models, also inside of their functions; again where there are better ones by then."""
    library = make_library(state.reduced().variables, pairs=True)
    for entry in _untried(lambda: state.front.ordered(state.rows)[:3], set()):
        if entry is None:
            yield WAITING
            continue
        start = evaluate(entry.expression, state.columns, state.target)
        yield None
        for fit in grow([start], library, state.columns, state.target, Plan(width=2, tried=6, steps=10, inside=True)):
            state.front.add(fit, "growth inside")
            yield None
            if state.front.is_exact():
                return


def swaps(state: State) -> Iterator[object]:
    """The best models and the best of every stage, their terms exchanged for better ones, also inside of functions."""
    library = make_library(state.reduced().variables, pairs=True)
    plan = Plan(inside=True)
    for entry in _untried(lambda: state.front.starts(state.rows, _VARIED), set()):
        if entry is None:
            yield WAITING
            continue
        start = evaluate(entry.expression, state.columns, state.target)
        yield None
        for fit in exchanged(start, library, state.columns, state.target, plan):
            state.offer(fit.expression, f"swaps ({entry.stage.partition(' (')[0]})")
            yield None
            if state.front.is_exact():
                return


def nested(state: State) -> Iterator[object]:
    """From the smallest models, also inside of their functions, from few kinds of terms to all.

    Large models mislead: they approximate beside a function what belongs inside of it.
    """
    problem = state.reduced()
    single, library = (make_library(problem.variables, pairs=pairs) for pairs in (False, True))
    libraries = (single.carried(), single, library.carried(), library)
    tried: set[tuple[int, str]] = set()

    def worth(one: Entry) -> float:
        return state.front.criterion(one, state.rows) + _NODE * one.expression.nodes

    while True:
        models = [*state.front.entries.values(), *state.front.leaders.values()]
        small = sorted((one for one in models if one.expression.nodes <= _SMALL), key=worth)
        texts = {to_text(one.expression): one.expression for one in small}
        waiting = ((number, text) for number in range(len(libraries)) for text in texts)
        chosen = next((one for one in waiting if one not in tried), None)
        if chosen is None:
            yield WAITING
            continue
        tried.add(chosen)
        start = evaluate(texts[chosen[1]], state.columns, state.target)
        plan = Plan(width=2, tried=6, steps=5, inside=True, multiplied=chosen[0] == 1)
        for fit in grow([start], libraries[chosen[0]], state.columns, state.target, plan):
            state.front.add(fit, "growth inside")
            yield None
            if state.front.is_exact():
                return
