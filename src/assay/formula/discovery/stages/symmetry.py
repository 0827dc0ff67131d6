"""Problems with fewer variables, found by symmetries, and what they are tried with."""

from __future__ import annotations

from collections.abc import Iterator

from assay.formula.discovery.forms.power_law import power_laws
from assay.formula.discovery.forms.subproblem import Subproblem, transformed
from assay.formula.discovery.forms.symmetry import reductions_of
from assay.formula.discovery.growth.proposals import Plan
from assay.formula.discovery.stages.products import multiplied
from assay.formula.discovery.stages.quick import exact
from assay.formula.discovery.stages.sums import coupled, divided, grown, sums
from assay.formula.discovery.state import State
from assay.formula.expression.expression import Number, add, to_text

__all__ = ["symmetry"]

_FEW_MONOMIALS = 60  # of exact forms of reduced problems


def symmetry(state: State) -> Iterator[None]:
    """Reduce as far as the surrogate agrees, the best two ways at every step; quick forms first, then terms.

    What has the fewest variables has its turn first.
    """
    waiting = [*([] if state.by_units is None else [state.by_units]), state.reduced()]
    seen: set[str] = set()
    reduced: list[Subproblem] = []
    while waiting:
        problem = waiting.pop(0)
        reductions = list(reductions_of(problem))[:2] if problem.variables else []
        yield
        for place, one in enumerate(reductions):
            key = to_text(one.back(add(*(part.expression for part in one.variables), Number(1))))
            if key not in seen:
                seen.add(key)
                waiting.insert(place, one)  # the best way is followed to its end
                reduced.append(one)
    reduced.sort(key=lambda one: len(one.variables))
    for form in (_quick_forms, _slow_forms):
        for one in reduced:
            yield from form(state, one)
            if state.front.is_exact():
                return


def _slow_forms(state: State, problem: Subproblem) -> Iterator[None]:
    """Couples, and terms of the target."""
    if not problem.variables:
        return
    yield from coupled(state, problem)
    if state.front.is_exact():
        return
    yield from grown(state, problem, Plan(width=1, tried=5, steps=5), "terms")


def _quick_forms(state: State, problem: Subproblem) -> Iterator[None]:
    """Power laws, exact forms and short sums, also of the target under functions, and products."""
    for other in (problem, *transformed(problem)):
        for tree in power_laws(other.variables, other.target) if other.variables else [Number(1.0)]:
            state.offer(other.back(tree), f"power law ({other.name})")
        yield from exact(state, other, most=_FEW_MONOMIALS)
        if state.front.is_exact():
            return
    if not problem.variables:
        return
    for other in transformed(problem):
        yield from sums(state, other)
        if state.front.is_exact():
            return
    yield from divided(state, problem)
    yield from multiplied(state, problem)
