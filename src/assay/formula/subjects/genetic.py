"""gplearn: genetic programming in Python."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core import InvalidInput
from assay.core.arrays import FloatArray
from assay.formula.expression.expression import Expression, Number, Symbol, add, applied, multiply, negate
from assay.formula.subjects.adapter import CHECKED_ROWS, Adapter, Candidate

__all__ = ["OPERATIONS", "Gplearn", "tree_of"]

# its operations are protected, and its own text rounds the constants to three digits, so trees are read instead
OPERATIONS: Mapping[str, Callable[..., Expression]] = {
    "add": add,
    "sub": lambda a, b: add(a, negate(b)),
    "mul": multiply,
    "div": applied("protected_div"),
    "sqrt": applied("protected_sqrt"),
    "log": applied("protected_log"),
    "sin": applied("sin"),
    "cos": applied("cos"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gplearn(Adapter):
    """gplearn's ``SymbolicRegressor``; its protected operations are written out as such.

    The number of generations bounds a fit, so that equal seeds give equal formulas; the clock is read after each
    generation and ends a fit that is too slow for its budget.
    """

    title = "gplearn"
    package = "gplearn"
    population: int = 500
    generations: int = 20

    def fit(self, inputs: FloatArray, target: FloatArray, *, seconds: float, seed: int) -> list[Candidate]:
        """The fittest program first, then the last population's smaller and better ones."""
        started = time.monotonic()  # importing counts: on a busy machine it takes seconds
        from gplearn.genetic import SymbolicRegressor

        variance = float(np.var(target)) or 1.0
        regressor = SymbolicRegressor(
            population_size=self.population,
            generations=1,
            function_set=tuple(OPERATIONS),
            metric="mse",
            const_range=(-5.0, 5.0),
            parsimony_coefficient=1e-3 * variance,
            stopping_criteria=1e-12 * variance,
            warm_start=True,
            low_memory=True,
            n_jobs=1,
            random_state=seed,
        )
        began = time.monotonic()
        with np.errstate(all="ignore"):
            for generation in range(1, self.generations + 1):
                regressor.set_params(generations=generation)
                regressor.fit(inputs, target)
                usual = (time.monotonic() - began) / generation
                solved = regressor._program.raw_fitness_ <= regressor.stopping_criteria
                # trees grow: the next generation may take longer than the mean of the last ones
                if solved or time.monotonic() - started + 2 * usual > seconds:
                    break
        programs = [regressor._program, *sorted(regressor._programs[-1], key=lambda program: program.raw_fitness_)]
        first, *others = _distinct(programs)
        return [_candidate(first, inputs), *_readable(others, inputs)]


def _distinct(programs: list[Any]) -> list[Any]:
    """The first, and of each length the fittest, so that few trees have to be read."""
    first, *others = programs
    smallest: dict[int, Any] = {}
    for program in others:
        if program is not None and np.isfinite(program.raw_fitness_):
            smallest.setdefault(program.length_, program)
    return [first, *(program for _, program in sorted(smallest.items()))]


def _readable(programs: list[Any], inputs: FloatArray) -> Iterator[Candidate]:
    """Those of the Pareto set that are no larger than a formula may be."""
    for program in programs:
        with suppress(InvalidInput):
            yield _candidate(program, inputs)


def _candidate(program: Any, inputs: FloatArray) -> Candidate:
    tree = tree_of(program.program)
    predicted = np.asarray(program.execute(inputs[:CHECKED_ROWS]), dtype=np.float64)
    shape = (min(CHECKED_ROWS, len(inputs)),)
    return Candidate(tree, float(program.raw_fitness_), np.array(np.broadcast_to(predicted, shape)))


def tree_of(program: Sequence[Any], operations: Mapping[str, Callable[..., Expression]] = OPERATIONS) -> Expression:
    """The tree behind a program: operations, numbers of columns and constants, each before its arguments."""
    values: list[Expression] = []
    for node in reversed(program):
        if isinstance(node, int):
            values.append(Symbol(f"x{node}"))
        elif isinstance(node, float):
            values.append(Number(float(node)))
        else:
            arguments = [values.pop() for _ in range(node.arity)]
            values.append(operations[node.name](*arguments))
    return values[0]
