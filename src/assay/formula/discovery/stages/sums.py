"""Sums of library terms, quotients of polynomials with noise, and the same of functions of the target."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.formula.discovery.exponents import tidied
from assay.formula.discovery.fitting import fit_constants
from assay.formula.discovery.forms.couples import ROWS, Catalogue, couples_in, views_of
from assay.formula.discovery.forms.quotients import noisy_quotients
from assay.formula.discovery.forms.subproblem import Subproblem, transformed
from assay.formula.discovery.front import EXACT
from assay.formula.discovery.growth.grow import constant_model, grow
from assay.formula.discovery.growth.proposals import Plan
from assay.formula.discovery.library import Variable, make_library
from assay.formula.discovery.stages.quick import exact
from assay.formula.discovery.state import State

__all__ = ["coupled", "couples", "divided", "grown", "quotients", "sums", "terms", "transforms"]

_COUPLES = 4  # couples of every view that are fitted in full
_LARGEST_QUOTIENT = 70  # nodes


def quotients(state: State) -> Iterator[None]:
    """Quotients of polynomials with noise."""
    yield from divided(state, state.reduced())


def divided(state: State, problem: Subproblem) -> Iterator[None]:
    """Quotients of polynomials with noise, of few variables, for the target and for functions of it."""
    for view in views_of(problem.target, problem.weights):
        stage = f"quotient ({problem.name}, {view.name})"
        for tree in noisy_quotients(problem.variables, view.target, view.weights):
            if tree is None or tree.nodes > _LARGEST_QUOTIENT:
                continue
            fit = fit_constants(problem.back(view.back(tree)), state.columns, state.target, rounds=15)
            if state.front.add(fit, stage) is not None:
                state.front.add(state.shortened(fit), stage)
            yield
        yield


def couples(state: State) -> Iterator[None]:
    """Sums of two to four terms of the rich library."""
    yield from coupled(state, state.reduced())


def coupled(state: State, problem: Subproblem) -> Iterator[None]:
    """Sums of two to four library terms, all couples at once, for the target and for functions of it."""
    some = np.linspace(0, len(problem.target) - 1, min(ROWS, len(problem.target))).astype(int)
    variables = [Variable(one.expression, one.values[some]) for one in problem.variables]
    weights = None if problem.weights is None else problem.weights[some]
    catalogue = Catalogue(make_library(variables, pairs=True, degree=2, rich=True))
    yield
    for view in views_of(problem.target[some], weights):
        fits = []
        for tree in couples_in(catalogue, view):
            fit = fit_constants(problem.back(tidied(tree)), state.columns, state.target, rounds=4)
            if np.isfinite(fit.error):
                fits.append(fit)
        yield
        for fit in sorted(fits, key=state.cost)[:_COUPLES]:
            full = fit_constants(fit.expression, state.columns, state.target, rounds=30)
            state.keep(full, f"couples ({problem.name}, {view.name})")
            yield
        if state.front.is_exact():
            return


def terms(state: State) -> Iterator[None]:
    """Terms one after the other, from few kinds to all."""
    problem = state.reduced()
    yield
    yield from grown(state, problem, Plan(width=2, tried=5, steps=8), "terms")


def transforms(state: State) -> Iterator[None]:
    """Exact forms and terms for functions of the target."""
    problem = state.reduced()
    others = list(transformed(problem))
    for other in others:
        yield from exact(state, other)
        if state.front.is_exact():
            return
    for other in others:
        yield from sums(state, other)
    for other in others:
        yield from grown(state, other, Plan(width=1, tried=5, steps=6), "terms")
        if state.front.is_exact():
            return


def grown(state: State, problem: Subproblem, plan: Plan, stage: str) -> Iterator[None]:
    """From few kinds of terms to all: functions of one variable, of two, times their own variables, times any."""
    degree = 3 if len(problem.variables) <= 5 else 2
    single = make_library(problem.variables, pairs=False, degree=degree)
    library = make_library(problem.variables, pairs=True, degree=degree)
    scale = float(np.var(problem.target))
    for some in (single.carried(), single, library.carried(), library):
        for fit in grow([constant_model(problem.target)], some, state.columns, problem.target, plan):
            entry = state.offer(problem.back(fit.expression), f"{stage} ({problem.name})")
            yield
            if fit.error < EXACT * scale or (entry is not None and entry.error <= EXACT * state.front.variance):
                break
        if state.front.is_exact():
            return


def sums(state: State, problem: Subproblem) -> Iterator[None]:
    """Few terms of one variable each, for a target under a function: a root of a sum, the inverse of a sum."""
    library = make_library(problem.variables, pairs=False, degree=2).carried()
    plan = Plan(width=1, tried=4, steps=5)
    for fit in grow([constant_model(problem.target)], library, state.columns, problem.target, plan):
        state.offer(problem.back(fit.expression), f"terms ({problem.name})")
        yield
        if state.front.is_exact():
            return
