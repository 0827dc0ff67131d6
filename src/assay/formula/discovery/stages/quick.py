"""What takes milliseconds: straight lines, power laws, exact forms, groups without units, redundant features."""

from __future__ import annotations

from collections.abc import Iterator

from assay.formula.discovery.forms.power_law import power_laws
from assay.formula.discovery.forms.rational import MOST_MONOMIALS, exact_forms
from assay.formula.discovery.forms.redundancy import redundant_features
from assay.formula.discovery.forms.subproblem import Subproblem
from assay.formula.discovery.stages.products import multiplied
from assay.formula.discovery.state import State
from assay.formula.expression.expression import Number, Symbol, add, multiply

__all__ = ["exact", "linear", "power", "rational", "redundancy", "units"]


def linear(state: State) -> Iterator[None]:
    """A straight line in all columns."""
    terms = [multiply(Number(1.0), Symbol(name)) for name in state.columns]
    if len(terms) + 2 < len(state.target):
        state.offer(add(*terms, Number(0.0)), "linear")
    yield


def power(state: State) -> Iterator[None]:
    """Powers of the columns multiplied."""
    for tree in power_laws(state.variables(), state.target):
        state.offer(tree, "power law")
        yield


def rational(state: State) -> Iterator[None]:
    """Polynomials and quotients of polynomials that leave nothing."""
    yield from exact(state, state.whole())


def exact(state: State, problem: Subproblem, *, most: int = MOST_MONOMIALS) -> Iterator[None]:
    """The same of a smaller problem."""
    for tree in exact_forms(problem.variables, problem.target, most=most):
        if tree is not None:
            state.offer(problem.back(tree), f"exact form ({problem.name})")
        yield


def units(state: State) -> Iterator[None]:
    """In groups without a unit, where units are given."""
    problem = state.by_units
    if problem is None:
        return
    for tree in power_laws(problem.variables, problem.target) if problem.variables else [Number(1.0)]:
        state.offer(problem.back(tree), f"power law ({problem.name})")
        yield
    if problem.variables:
        yield from exact(state, problem)
        if not state.front.is_exact():
            yield from multiplied(state, problem)


def redundancy(state: State) -> Iterator[None]:
    """Find what the others predict; the next stages do without."""
    redundant = redundant_features(state.variables())
    if redundant and len(redundant) < len(state.columns):
        state.dropped = frozenset(one.name for one in redundant)
        listed = ", ".join(f"{one.name} ({one.r_squared:.2f})" for one in redundant)
        state.note(f"features that others predict, with R²: {listed}")
    yield
