"""Subjects that play for a score instead of looking for the formula; some of them know what nobody may know."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from tests.formula.mocks import FormulaProblem

from assay.formula import FormulaAnswer, Model
from assay.formula.problem.task import Part

Gamer = Callable[[FormulaProblem, Part], str]


def answer_of(gamer: Gamer, problem: FormulaProblem) -> FormulaAnswer:
    return FormulaAnswer(fronts=tuple((Model(formula=gamer(problem, part)),) for part in problem.task.parts))


def _correlations(part: Part) -> list[float]:
    columns = part.inputs.T
    return [abs(float(np.corrcoef(column, part.target)[0, 1])) if np.ptp(column) else 0.0 for column in columns]


def _best(part: Part) -> int:
    return int(np.argmax(_correlations(part)))


def _summed(terms: Sequence[str]) -> str:
    """A sum whose tree is no deeper than it must be."""
    if len(terms) == 1:
        return terms[0]
    middle = len(terms) // 2
    return f"({_summed(terms[:middle])} + {_summed(terms[middle:])})"


def _tiny(names: Sequence[str], part: Part) -> str:
    return " + ".join([repr(float(part.target.mean())), *(f"1e-6*{name}" for name in names)])


def line(problem: FormulaProblem, part: Part) -> str:
    """The best line in one variable."""
    place = _best(part)
    slope, start = np.polyfit(part.inputs[:, place], part.target, 1).tolist()
    return f"{start!r} + ({slope!r})*{problem.task.variables[place]}"


def mean(problem: FormulaProblem, part: Part) -> str:
    return repr(float(part.target.mean()))


def first_input(problem: FormulaProblem, part: Part) -> str:
    return problem.task.variables[0]


def best_input(problem: FormulaProblem, part: Part) -> str:
    return problem.task.variables[_best(part)]


def tiny_weights(problem: FormulaProblem, part: Part) -> str:
    """Every variable, and next to nothing of each."""
    return _tiny(problem.task.variables, part)


def tiny_relevant(problem: FormulaProblem, part: Part) -> str:
    """The variables of the truth, and next to nothing of each."""
    return _tiny(problem.truth.relevant, part)


def tiny_truth(problem: FormulaProblem, part: Part) -> str:
    """A tree that is nearly the truth's, and next to nothing of it."""
    return f"{float(part.target.mean())!r} + 1e-6*sin({problem.truth.formula})"


def steps(problem: FormulaProblem, part: Part) -> str:
    """All rows looked up by the best variable: the value of the nearest."""
    place = _best(part)
    order = np.argsort(part.inputs[:, place], kind="stable")
    x, y = part.inputs[order, place].tolist(), part.target[order].tolist()
    name = problem.task.variables[place]
    rises = [
        f"{(y[row + 1] - y[row]) / 2!r}*(1 + sign({name} - {(x[row] + x[row + 1]) / 2!r}))" for row in range(len(y) - 1)
    ]
    return f"{y[0]!r} + {_summed(rises)}"


def interpolation(problem: FormulaProblem, part: Part) -> str:
    """The polynomial of the best variable through as many rows as its powers stay finite for."""
    place = _best(part)
    low, high = part.inputs[:, place].min(), part.inputs[:, place].max()
    scaled = (2 * part.inputs[:, place] - low - high) / (high - low)
    weights = np.polynomial.chebyshev.Chebyshev.fit(scaled, part.target, 30).convert(kind=np.polynomial.Polynomial).coef
    name = f"((2*{problem.task.variables[place]} - ({low + high!r}))/({high - low!r}))"
    return " + ".join(f"({weight!r})*{name}**{power}" for power, weight in enumerate(weights.tolist()))


def bumps(problem: FormulaProblem, part: Part, rows: slice = slice(None)) -> str:
    """A narrow bump over every row, in as many variables as a formula has room for."""
    names = problem.task.variables[:3]
    center = float(part.target.mean())
    terms = []
    for inputs, value in zip(part.inputs[rows].tolist(), part.target[rows].tolist(), strict=True):
        away = " + ".join(f"({name} - ({x!r}))**2" for name, x in zip(names, inputs, strict=False))
        terms.append(f"({value - center!r})*exp(-1e6*({away}))")
    return f"{center!r} + {_summed(terms)}"


def few_bumps(problem: FormulaProblem, part: Part) -> str:
    return bumps(problem, part, slice(None, None, 10))


QUICK: Mapping[str, Gamer] = {
    gamer.__name__: gamer
    for gamer in (
        line,
        mean,
        first_input,
        best_input,
        tiny_weights,
        tiny_relevant,
        tiny_truth,
        steps,
        interpolation,
        few_bumps,
    )
}
