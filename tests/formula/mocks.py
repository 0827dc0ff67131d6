"""Subjects that know the truth and spoil it in one way each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from assay.core import Problem
from assay.formula import FormulaAnswer, FormulaTask, FormulaTruth, Model, compute, parse
from assay.formula.problem.task import Part

FormulaProblem = Problem[FormulaTask, FormulaTruth]
Mock = Callable[[FormulaProblem], FormulaAnswer]


def _answer(problem: FormulaProblem, spoil: Callable[[Part], str]) -> FormulaAnswer:
    return FormulaAnswer(fronts=tuple((Model(formula=spoil(part)),) for part in problem.task.parts))


def _scaled(problem: FormulaProblem, name: str) -> str:
    """The variable, from -1 to 1 on the training box."""
    low, high = problem.truth.domain[name]
    return f"(({name} - ({(low + high) / 2!r}))/{(high - low) / 2!r})"


def surrogate_user(problem: FormulaProblem) -> FormulaAnswer:
    """The best sum of the surrogates where there are any."""
    names = problem.truth.surrogates
    places = [problem.task.variables.index(name) for name in names]

    def spoil(part: Part) -> str:
        if not names:
            return str(problem.truth.formula)
        matrix = np.column_stack([np.ones(len(part.target)), part.inputs[:, places]])
        first, *weights = np.linalg.lstsq(matrix, part.target, rcond=None)[0].tolist()
        return " + ".join([repr(first), *(f"({w!r})*{name}" for w, name in zip(weights, names, strict=True))])

    return _answer(problem, spoil)


def irrelevant_user(problem: FormulaProblem) -> FormulaAnswer:
    """The truth, and a little of every irrelevant feature."""

    def spoil(part: Part) -> str:
        weight = 0.001 * float(np.std(part.target))
        return " + ".join([f"({problem.truth.formula})", *(f"{weight!r}*{x}" for x in problem.truth.irrelevant)])

    return _answer(problem, spoil)


def overfitter(problem: FormulaProblem) -> FormulaAnswer:
    """The truth, and a term that is small on the training box and large outside."""

    def spoil(part: Part) -> str:
        weight = 0.02 * float(np.std(part.target))
        terms = [f"{weight!r}*{_scaled(problem, name)}**20" for name in problem.truth.relevant]
        return " + ".join([f"({problem.truth.formula})", *terms])

    return _answer(problem, spoil)


def noise_fitter(problem: FormulaProblem) -> FormulaAnswer:
    """The truth, and waves fitted to what noise left over."""
    names = list(problem.truth.relevant)
    waves = [
        f"{wave}({k * 2.5!r}*{_scaled(problem, name)})"
        for name in names
        for k in range(1, 12 // len(names) + 2)
        for wave in ("sin", "cos")
    ]

    def spoil(part: Part) -> str:
        columns = {name: part.inputs[:, place] for place, name in enumerate(problem.task.variables)}
        residuals = part.target - compute(parse(str(problem.truth.formula)), columns)
        if np.abs(residuals).max() < 1e-6 * np.std(part.target):
            return str(problem.truth.formula)
        matrix = np.column_stack([compute(parse(wave), columns) for wave in waves])
        weights = np.linalg.lstsq(matrix, residuals, rcond=None)[0].tolist()
        terms = [f"({weight!r})*{wave}" for weight, wave in zip(weights, waves, strict=True)]
        return " + ".join([f"({problem.truth.formula})", *terms])

    return _answer(problem, spoil)


# each with the score it must lower
MOCKS: Mapping[str, tuple[Mock, str]] = {
    "surrogate-using": (surrogate_user, "surrogates_avoided"),
    "irrelevant-feature-using": (irrelevant_user, "irrelevant_avoided"),
    "overfitting": (overfitter, "extrapolation"),
    "noise-fitting": (noise_fitter, "noise_robustness"),
}
